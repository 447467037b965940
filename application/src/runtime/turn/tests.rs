//! A turn is tested like the state machine: answers and requests in, questions and a commit out.

mod receipts;
mod spending;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::session::Dialect;

use super::questions::{
    ActionPlanQuestion, ApprovalRecheckQuestion, BlobQuestion, DataSectionsQuestion, DueSessionsQuestion,
    DueTasksQuestion, InstructionsQuestion, PendingQuestion, ProviderEncodingQuestion, ReceiptsQuestion,
    SessionRowQuestion, SessionRowsQuestion, TurnAnswers, TurnQuestion,
};
use super::{
    KnownInitiators, KnownSpending, OpenReservations, TurnOutput, TurnStep, WorkspaceSnapshot, WorkspaceTurn,
};
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::kit::{CREATE, MachineSessionFixture, NOON, catalog, session, workspace};
use crate::mail::{
    DecideCallsRequest, Mail, MailAnswer, MailDecision, MailRequest, MailVerdict, MarkReadRequest,
    ReceiptKey, SendMessageRequest, SessionRequest,
};
use crate::ports::{ActionPlan, ContentBlob, ReceiptRow, WorkspaceRow};
use crate::prompt::PromptPrefix;
use crate::rule_book::RuleBook;
use crate::runtime::automation_schedule::AutomationSchedule;
use crate::runtime::instructions::InstructionsCache;
use crate::runtime::prefix_cache::PrefixCache;
use crate::runtime::prompt_parts::SharedPromptParts;
use crate::runtime::workspace_input::WorkspaceInput;
use crate::settings::{RuntimeSettings, WorkspaceSettings};

/// A workspace without sessions in memory.
struct WorkspaceTurnFixture {
    key: WorkspaceKey,
    row: WorkspaceRow,
    body: WorkspaceBody,
    settings: WorkspaceSettings,
    rules: RuleBook,
    catalog: Arc<Catalog>,
    prompt_parts: Arc<SharedPromptParts>,
    runtime: RuntimeSettings,
    schedule: AutomationSchedule,
    prefixes: PrefixCache,
    story: MachineSessionFixture,
    receipts: Vec<ReceiptRow>,
    is_leaving: bool,
}

fn held(story: MachineSessionFixture) -> WorkspaceTurnFixture {
    let (body, runtime) = (WorkspaceBody::default(), RuntimeSettings::default());
    let seq = 100 + story.facts.sequence;
    let bytes = body.encode().unwrap();
    WorkspaceTurnFixture {
        key: workspace(),
        row: WorkspaceRow { key: workspace(), seq, body: bytes, created_at: NOON, epoch: 0 },
        settings: body.settings.with_process_requirements(&runtime),
        body,
        rules: RuleBook::default(),
        catalog: catalog(),
        prompt_parts: Arc::default(),
        runtime,
        schedule: AutomationSchedule::default(),
        prefixes: PrefixCache::default(),
        story,
        receipts: Vec::new(),
        is_leaving: false,
    }
}

/// Stores the answer if the question is of this type; otherwise gives the question back.
fn answer_as<Q: TurnQuestion>(
    question: Box<dyn Any>,
    answers: &mut TurnAnswers,
    answer: impl FnOnce(&Q) -> Q::Answer,
) -> Result<(), Box<dyn Any>> {
    let question = question.downcast::<Q>()?;
    let answer = answer(&question);
    question.store(answer, answers);
    Ok(())
}

impl WorkspaceTurnFixture {
    /// The answers of the database and the embedder, all together or each on request.
    fn answer(&self, question: Box<dyn PendingQuestion>, answers: &mut TurnAnswers) {
        let row = |id: &SessionId| Ok((*id == session()).then(|| self.story.row()));
        let receipt = |key: &ReceiptKey| self.receipts.iter().find(|row| row.key == *key).cloned();
        let plan = || Ok(ActionPlan { changes: Vec::new(), content: "{}".into() });
        let name = kind(&*question);
        answer_as::<SessionRowsQuestion>(question, answers, |rows| rows.0.iter().map(row).collect())
            .or_else(|rest| answer_as::<SessionRowQuestion>(rest, answers, |asked| row(&asked.0)))
            .or_else(|rest| answer_as::<DataSectionsQuestion>(rest, answers, |_| Vec::new().into()))
            .or_else(|rest| answer_as::<InstructionsQuestion>(rest, answers, |_| Vec::new()))
            .or_else(|rest| answer_as::<ProviderEncodingQuestion>(rest, answers, |_| Ok("".into())))
            .or_else(|rest| {
                answer_as::<ReceiptsQuestion>(rest, answers, |keys| {
                    keys.0.iter().filter_map(receipt).collect()
                })
            })
            .or_else(|rest| answer_as::<BlobQuestion>(rest, answers, |_| None))
            .or_else(|rest| answer_as::<ApprovalRecheckQuestion>(rest, answers, |_| Vec::new()))
            .or_else(|rest| answer_as::<ActionPlanQuestion>(rest, answers, |_| plan()))
            .or_else(|rest| answer_as::<DueSessionsQuestion>(rest, answers, |_| Vec::new()))
            .or_else(|rest| answer_as::<DueTasksQuestion>(rest, answers, |_| Vec::new()))
            .unwrap_or_else(|_| panic!("unexpected question: {name}"));
    }
}

/// Makes a turn to its end; returns the kinds of its questions in order, and its output.
fn make(held: &WorkspaceTurnFixture, incoming: &[WorkspaceInput]) -> (Vec<String>, TurnOutput) {
    let (sessions, seats, going_on) = (HashMap::new(), BTreeMap::new(), BTreeMap::new());
    let (planning, own, kept) = (BTreeSet::new(), HashSet::new(), HashSet::new());
    let (instructions, reservations) = (InstructionsCache::default(), OpenReservations::default());
    let (spending, initiators) = (KnownSpending::default(), KnownInitiators::default());
    let memory = WorkspaceSnapshot {
        key: &held.key,
        row: Some(&held.row),
        epoch: 0,
        body: &held.body,
        settings: &held.settings,
        rules: &held.rules,
        sessions: &sessions,
        seats: &seats,
        schedule: &held.schedule,
        going_on: &going_on,
        planning: &planning,
        sections: None,
        instructions: &instructions,
        own: &own,
        prefixes: &held.prefixes,
        reservations: &reservations,
        spending: &spending,
        initiators: &initiators,
        kept: &kept,
        catalog: &held.catalog,
        prompt_parts: &held.prompt_parts,
        runtime: &held.runtime,
        started_at: NOON,
        is_leaving: held.is_leaving,
    };
    let mut turn = WorkspaceTurn::new(memory, incoming, NOON);
    let mut needs = Vec::new();
    for question in turn.initial_questions() {
        needs.push(kind(&*question));
        held.answer(question, turn.answers_mut());
    }
    loop {
        match turn.step().unwrap() {
            TurnStep::Need(need) => {
                needs.push(kind(&*need));
                held.answer(need, turn.answers_mut());
            }
            TurnStep::Done(done) => return (needs, *done),
        }
    }
}

/// The name of its type without the suffix `Question`.
fn kind(question: &dyn PendingQuestion) -> String {
    let name: String = format!("{question:?}").chars().take_while(char::is_ascii_alphabetic).collect();
    name.trim_end_matches("Question").to_owned()
}

fn asks(session: SessionId, request: impl Into<SessionRequest>) -> WorkspaceInput {
    let mail = Mail::from_request(MailRequest::session(session, request));
    WorkspaceInput::Request { mail, reply: None, row: None }
}

fn message() -> SendMessageRequest {
    let message = UserMessage::text("And now?");
    SendMessageRequest { author: "ann".into(), message, client_key: None }
}

fn labels(done: &TurnOutput) -> Vec<&str> {
    let rows = done.commit.iter().flat_map(|commit| &commit.log);
    rows.map(|row| row.label.as_str()).collect()
}

/// An approval of the first waiting call.
fn yes(story: &MachineSessionFixture) -> DecideCallsRequest {
    let call = story.open_call_ids()[0].clone();
    let card = story.card(&call);
    let decisions = vec![MailDecision { call, card, verdict: MailVerdict::Approve }];
    DecideCallsRequest { author: "ann".into(), decisions, link: None }
}

/// Name, stored session, request; the expected questions in order, and the expected writes.
type WorkspaceTurnCase<'a> = (&'a str, MachineSessionFixture, SessionRequest, &'a [&'a str], &'a [&'a str]);

#[test]
fn turn_is_a_function() {
    let waiting = || MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let cases: [WorkspaceTurnCase<'_>; 2] = [
        (
            "a message to a session that is not in memory",
            MachineSessionFixture::chat(),
            message().into(),
            &["SessionRows", "Instructions", "DataSections", "ProviderEncoding", "Blob"],
            &["RulesChanged", "UserMessageSent", "StandingChanged"],
        ),
        (
            "a decision on a local action",
            waiting(),
            yes(&waiting()).into(),
            &[
                "SessionRows",
                "ApprovalRecheck",
                "Instructions",
                "DataSections",
                "ApprovalRecheck",
                "ActionPlan",
            ],
            &["ValidationReceived", "CallFinished"],
        ),
    ];
    for (what, story, request, needs, written) in cases {
        let held = held(story);
        let incoming = [asks(session(), request)];
        let (asked, done) = make(&held, &incoming);
        assert_eq!(asked, needs, "{what}");
        assert_eq!(labels(&done), written, "{what}");
        let (_, again) = make(&held, &incoming);
        assert_eq!(again.commit, done.commit, "{what}: the same answers give the same commit");
    }
}

/// Input: the first messages of sessions in two workspaces of one process, by native tools and by envelope; expected: each
/// prompt names its own workspace, and both have the declarations that were built for the first.
#[test]
fn declarations_are_built_once_per_process() {
    for dialect in [Dialect::Tools, Dialect::Envelope] {
        let held_by = |name: &str| {
            let mut story = MachineSessionFixture::chat();
            (story.facts.dialect, story.facts.workspace) = (dialect, WorkspaceKey::new(name));
            let held = held(story);
            let row = WorkspaceRow { key: WorkspaceKey::new(name), ..held.row };
            WorkspaceTurnFixture { key: WorkspaceKey::new(name), row, ..held }
        };
        let home = held_by("ann:home");
        let (catalog, prompt_parts) = (home.catalog.clone(), home.prompt_parts.clone());
        let work = WorkspaceTurnFixture { catalog, prompt_parts, ..held_by("ann:work") };
        let prefix_of = |held: &WorkspaceTurnFixture| {
            let (_, done) = make(held, &[asks(session(), message())]);
            let built = |blob: &ContentBlob| done.draft.aside.prefixes.in_memory(&blob.digest);
            done.draft.blobs.iter().find_map(built).unwrap()
        };
        let (first, second) = (prefix_of(&home), prefix_of(&work));
        assert!(first.blocks[0].contains("ann:home") && second.blocks[0].contains("ann:work"));
        assert!(Arc::ptr_eq(&first.tools, &second.tools), "{dialect:?}");
        assert_eq!(first.tools.is_empty(), dialect == Dialect::Envelope);
        let schema = |prefix: &PromptPrefix| prefix.reply_schema.as_ref().map(Arc::as_ptr);
        assert_eq!(schema(&first), schema(&second));
        assert_eq!(first.reply_schema.is_some(), dialect == Dialect::Envelope);
    }
}

#[test]
fn a_refused_request_adds_nothing() {
    let held = held(MachineSessionFixture::chat());
    let (asked, done) = make(&held, &[asks(SessionId::new("ses_lost"), message())]);
    assert_eq!(asked, ["SessionRows"]);
    assert_eq!(done.commit, None);
    assert!(
        matches!(&done.replies[..], [Some(MailAnswer::Refused { code, .. })] if code.word() == "not_found")
    );
}

#[test]
fn turn_result_is_independent_of_questions() {
    let held = held(MachineSessionFixture::chat());
    let read = || MarkReadRequest { reader: "ann".into(), sequence: 1 };
    let incoming =
        [asks(session(), read()), asks(session(), message()), asks(SessionId::new("ses_lost"), read())];
    let (asked, done) = make(&held, &incoming);
    assert_eq!(
        asked,
        ["SessionRows", "Instructions", "DataSections", "ProviderEncoding", "Blob"],
        "both sessions are read at once"
    );
    assert_eq!(labels(&done), ["MessagesRead", "RulesChanged", "UserMessageSent", "StandingChanged"]);
    assert_eq!(done.replies.len(), 3);
}

#[test]
fn a_turn_of_nothing_writes_nothing() {
    let (asked, done) = make(&held(MachineSessionFixture::chat()), &[WorkspaceInput::Wake]);
    assert_eq!(asked, ["DueSessions", "DueTasks"]);
    assert_eq!(done.commit, None);
}
