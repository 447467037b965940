//! Sample values for tests and examples, to be modified as needed: a workspace, a chat, its rows. With the feature
//! `test-helpers`.

pub mod example;

use std::sync::Arc;

use entracte_domain::automation::{Automation, AutomationPolicies, RunCause, Trigger};
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{AutomationId, Digest, SessionId, TaskId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::session::{
    Dialect, Input, ModelSelection, Phase, SessionFacts, SessionKind, UserMessageSent, standing,
};
use entracte_domain::task::{Task, TaskOrigin, TaskProtocol};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::{PromptAuthors, ValidationLevel};
use entracte_domain::value::JsonValue;

use crate::codec::{
    CodecError, encode_automation, encode_entry, encode_occurrence, encode_snapshot, encode_target,
};
use crate::commands::Catalog;
use crate::journal::{JournalEntry, Occurrence, OccurrenceOutcome, Snapshot};
use crate::mail::{MailAnswer, MailRequest};
use crate::notify::{NotificationKind, NotificationTarget, TargetPreferences};
use crate::ports::{
    AccessReach, AutomationRow, CommandRequestPolicy, DeliveryChannel, DocumentChunk, DocumentFormat,
    EncodedRequestCache, KnowledgeDocument, LogRow, MockClock, MockLogReader, MockMailSender,
    MockWorkspaceStore, ModelRequest, OccurrenceRow, OutputShape, Person, PolicyQuestion, PromptTurn,
    ReadingGaps, ResourceRow, SessionRow, TargetRow, TaskGatewayRequest, TokenKind, TokenRow, TokenScope,
    TokenScopes, UserTurnPart, WorkspaceCommit, WorkspaceRow,
};
use crate::settings::WorkspaceSettings;
use crate::texts::{Language, LocalizedMessage, LocalizedTexts};

/// 2026-11-20T12:00:00Z.
pub const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

/// The key of Ann's workspace.
pub fn workspace() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

/// The id of her chat.
pub fn session() -> SessionId {
    SessionId::new("ses_k1")
}

/// The facts of her chat after one message.
pub fn facts() -> SessionFacts {
    let made = SessionFacts::new(session(), workspace(), SessionKind::Chat, NOON);
    let prompt_authors = Some(PromptAuthors::default());
    SessionFacts { name: "First chat".to_owned(), sequence: 1, prompt_authors, ..made }
}

/// The question of a policy hook about a call of her chat.
pub fn policy_question() -> PolicyQuestion {
    let command = Command { name: "mail.send".into(), arguments: JsonValue::from([("to", "eve".into())]) };
    PolicyQuestion {
        workspace: workspace(),
        session: session(),
        kind: SessionKind::Chat,
        automation: None,
        via: Vec::new(),
        call: session().call_id(2, 0),
        command,
        command_kind: CommandKind::Action,
        version: Some(Digest::new("v1")),
        effect: EffectClass::Once,
        destructive: false,
        egress: true,
        asked_by: vec!["ann".into()],
        acts_as: Some("ann".into()),
        edited_by: None,
        approval: vec![ValidationLevel::Catalog],
        at: NOON,
    }
}

/// The row of a resting session with these facts.
///
/// # Errors
/// When they cannot be encoded.
pub fn row(facts: SessionFacts) -> Result<SessionRow, CodecError> {
    row_in(facts, Phase::Idle)
}

/// The row of a session in this phase.
///
/// # Errors
/// When it cannot be encoded.
pub fn row_in(facts: SessionFacts, phase: Phase) -> Result<SessionRow, CodecError> {
    let snapshot = Snapshot { facts: facts.clone(), phase };
    Ok(SessionRow {
        id: facts.id.clone(),
        workspace: facts.workspace.clone(),
        kind: facts.kind,
        standing: standing(&snapshot.facts, &snapshot.phase),
        phase: snapshot.phase.label(),
        sequence: facts.sequence,
        placed: false,
        working: false,
        waiting: snapshot.phase.park_reason().is_some(),
        wake_at: None,
        end_reason: None,
        created_at: facts.created_at,
        last_activity: facts.last_event_at,
        body: encode_snapshot(&snapshot.facts, &snapshot.phase)?,
        name: facts.name,
    })
}

/// A store with her chat, and without settings.
pub fn store() -> MockWorkspaceStore {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().returning(|_, _| Ok(row(facts()).ok()));
    store.expect_workspace().returning(|_| Ok(None));
    store
}

/// The log of her chat with this message only.
pub fn log(text: &'static str) -> MockLogReader {
    let after =
        |number| Ok((number == 0).then(|| user_message_row(text).ok()).flatten().into_iter().collect());
    let mut log = MockLogReader::new();
    log.expect_entries().returning(move |_, _, number, _| after(number));
    log.expect_entries_since().returning(move |_, _, sequence, _| after(sequence));
    log.expect_calls().returning(|_, _| Ok(Vec::new()));
    log
}

/// The empty log of her chat.
pub fn empty_log() -> MockLogReader {
    let mut log = MockLogReader::new();
    log.expect_entries().returning(|_, _, _, _| Ok(Vec::new()));
    log.expect_calls().returning(|_, _| Ok(Vec::new()));
    log
}

/// A clock that always shows [`NOON`].
pub fn clock() -> MockClock {
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| NOON);
    clock
}

/// The first entry of her chat, with this message.
///
/// # Errors
/// When it cannot be encoded.
pub fn user_message_row(text: &str) -> Result<LogRow, CodecError> {
    let sent = UserMessageSent {
        author: "ann".to_owned(),
        message: UserMessage::text(text),
        client_key: None,
        enrichments: Vec::new(),
        title: None,
        asks: true,
        instead_of: Vec::new(),
    };
    encode_entry(&JournalEntry {
        seq: 1,
        session: session(),
        sequence: 1,
        at: NOON,
        rules: Digest::new("r1"),
        input: Input::UserMessageSent(sent),
        appended: Vec::new(),
    })
}

/// A commit that creates her empty workspace.
pub fn commit() -> WorkspaceCommit {
    WorkspaceCommit::for_workspace(WorkspaceRow {
        key: workspace(),
        seq: 0,
        body: Vec::new(),
        created_at: NOON,
        epoch: 0,
    })
}

/// A request with one message, for plain text.
pub fn request(text: &str) -> ModelRequest {
    ModelRequest {
        session: session(),
        model: String::new(),
        encoding: "".into(),
        system: vec!["You answer in one sentence.".into()],
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.to_owned())]))],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

/// A catalog without commands.
///
/// # Errors
/// Never; nothing could be declared twice.
pub fn catalog() -> Result<Arc<Catalog>, crate::commands::CatalogError> {
    Catalog::new(&[]).map(Arc::new)
}

/// A mail sender that accepts one request, which must match `expected`, for the session it names.
pub fn mail_sender(expected: fn(&MailRequest) -> bool) -> MockMailSender {
    let mut mail_sender = MockMailSender::new();
    mail_sender.expect_post().times(1).withf(move |_, mail| expected(&mail.request)).returning(|_, mail| {
        let session = mail.request.session_id().cloned().unwrap_or_else(session);
        Ok(MailAnswer::accept_message(None, &session))
    });
    mail_sender
}

/// A zone of her workspace.
pub fn zone(id: &str, name: &str) -> ResourceRow {
    ResourceRow {
        kind: "zone".to_owned(),
        id: id.to_owned(),
        parent: None,
        parent_kind: None,
        name: name.to_owned(),
        at: None,
        version: 1,
        body: "{}".to_owned(),
        created_at: NOON,
        updated_at: NOON,
    }
}

/// A sample model.
pub fn voice() -> ModelSelection {
    ModelSelection { provider: "claude".to_owned(), model: "large".to_owned(), dialect: Dialect::Envelope }
}

/// Her automation: a report on Mondays at nine in Paris; its first occurrence is not decided yet.
pub fn automation() -> Automation {
    Automation {
        id: AutomationId::new("aut_weekly"),
        name: "Weekly".to_owned(),
        seed: SessionId::new("ses_seed"),
        trigger: Trigger::Cron { expression: "0 9 * * 1".to_owned(), zone: "Europe/Paris".to_owned() },
        policies: AutomationPolicies::default(),
        enabled: true,
        version: 1,
        attention: None,
        next_at: Some(NOON.plus(Millis::hours(2 * 24 + 20))),
        created_at: NOON,
        updated_at: NOON,
        grant: None,
    }
}

/// The row of her automation.
///
/// # Errors
/// When it cannot be encoded.
pub fn automation_row() -> Result<AutomationRow, CodecError> {
    encode_automation(&workspace(), &automation(), 1)
}

/// The row of her notification target: a topic that gets approvals.
///
/// # Errors
/// When it cannot be encoded.
pub fn target_row() -> Result<TargetRow, CodecError> {
    let target = NotificationTarget {
        id: "tgt_1".to_owned(),
        workspace: workspace(),
        name: "phone".to_owned(),
        person: "ann".to_owned(),
        way: DeliveryChannel::Ntfy { url: "https://ntfy.sh/my-topic".to_owned(), token: None },
        wants: TargetPreferences { kinds: vec![NotificationKind::Approval], ..TargetPreferences::default() },
        is_operators: false,
    };
    Ok(TargetRow {
        id: target.id.clone(),
        workspace: workspace(),
        name: target.name.clone(),
        disabled: None,
        cursor: 0,
        looked_at: NOON,
        revision: 1,
        created_at: NOON,
        body: encode_target(&target)?,
    })
}

/// An occurrence of her automation that ran as her session.
///
/// # Errors
/// When it cannot be encoded.
pub fn occurrence_row() -> Result<OccurrenceRow, CodecError> {
    let occurrence = Occurrence {
        automation: automation().id,
        at: NOON,
        cause: RunCause::Scheduled,
        version: 1,
        decided_at: NOON,
        outcome: OccurrenceOutcome::Run(session()),
        blocked_by: None,
    };
    encode_occurrence(&workspace(), &occurrence)
}

/// A task of [`session`], whose call has just started.
pub fn task() -> Task {
    let origin = TaskOrigin {
        session: session(),
        call: session().call_id(4, 0),
        command: "books.close".to_owned(),
        kind: CommandKind::Action,
    };
    Task::register(TaskId::new("tsk_k1"), origin, TaskProtocol::Http, None, Timestamp(0))
}

/// A request about that task.
pub fn task_request() -> TaskGatewayRequest {
    let locale = WorkspaceSettings::default().locale();
    TaskGatewayRequest { workspace: workspace(), task: task(), now: Timestamp(0), locale }
}

/// A document of her workspace, with a single chunk.
pub fn document() -> KnowledgeDocument {
    KnowledgeDocument {
        id: "doc_spa".to_owned(),
        name: "spa.md".to_owned(),
        source: "/home/ann/spa.md".to_owned(),
        format: DocumentFormat::Markdown,
        title: "spa.md".to_owned(),
        language: "en".to_owned(),
        digest: Digest::new("d1"),
        bytes: chunk().end,
        chunks: 1,
        author: "ann".to_owned(),
        added_at: NOON,
        changed_at: NOON,
        gaps: ReadingGaps::default(),
        last_read_at: None,
    }
}

/// The chunk of her document.
pub fn chunk() -> DocumentChunk {
    DocumentChunk {
        number: 1,
        document: "doc_spa".to_owned(),
        ordinal: 0,
        heading: Vec::new(),
        text: "The spa opens at noon.".to_owned(),
        start: 0,
        end: 22,
    }
}

/// Renders a message in English, after checking that every part of it, except external text, differs in each language.
///
/// # Panics
/// When a part is the same in two languages.
pub fn render_in_each_language(saying: &LocalizedMessage) -> String {
    let [english, french] =
        Language::ALL.map(|language| saying.render(LocalizedTexts::for_language(language)));
    assert_ne!(english, french);
    for part in saying.inner() {
        let [english, french] =
            Language::ALL.map(|language| part.render(LocalizedTexts::for_language(language)));
        assert!(part.key() == "fault-words" || english != french, "{english}");
    }
    english
}

/// A token of Ann's for the sample workspace, and Ann.
pub fn token() -> (TokenRow, Person) {
    let reach = AccessReach::Workspace(workspace());
    let person = Person {
        id: "per_ann".into(),
        reach: reach.clone(),
        name: "ann".into(),
        created_at: Timestamp(1),
        removed_at: None,
    };
    let token = TokenRow {
        id: "k1".into(),
        person: person.id.clone(),
        reach,
        kind: TokenKind::Program,
        name: "laptop".into(),
        hash: Digest::new("hash"),
        proof: None,
        scopes: TokenScopes::new([TokenScope::Read]),
        embedded: None,
        created_at: Timestamp(1),
        expires_at: None,
        revoked_at: None,
        last_used: None,
        made_by: None,
        login_until: None,
    };
    (token, person)
}
