//! A workspace in French: what the machine says to people and to the model is French, and its state has no
//! language.

mod faults;
mod phrases;
mod sentences;

use std::sync::Arc;

use entracte_adapters_commands::HttpToolExecutor;
use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_application::codec::WorkspaceBody;
use entracte_application::ports::{CommandExecutor, PromptTurn, UserTurnPart, WorkspaceCommit, WorkspaceRow};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::Language;
use entracte_application::system::SystemSecretStore;
use entracte_application::use_cases::{ApprovalChoice, InboxKind, PendingDecision, ReadCalls, ReadInbox};
use entracte_domain::id::SessionId;
use entracte_domain::message::{MessageBody, SystemKind};
use entracte_domain::session::LogAppend;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::cryptography::crypto;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, NOON, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, envelope_line, services,
};
use serde_json::json;

/// A stage whose model says these lines.
fn parts(lines: impl IntoIterator<Item = FakeModelLine>) -> (ServicesFixtureParts, Arc<FakeModel>) {
    let memory = Arc::new(MemoryStore::new());
    let stores = StoreFixture {
        store: memory.clone(),
        log: memory.clone(),
        resources: memory.clone(),
        mail: memory.clone(),
        automations: memory.clone(),
        tasks: memory.clone(),
        ownership: memory.clone(),
        keep: Box::new(()),
    };
    let model = Arc::new(FakeModel::default());
    model.push_lines(lines);
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(RecordingExecutor::default())];
    let parts = ServicesFixtureParts {
        stores,
        provider: model.clone(),
        executors,
        rules: RuleBook::default(),
        clock: Arc::new(TokioClock::default()),
        ids: Arc::new(SequentialIds::default()),
    };
    (parts, model)
}

/// Sets the language of the workspace that `life` is of, and begins another life of the process.
#[expect(clippy::unwrap_used, reason = "a test")]
async fn speaking(parts: &ServicesFixtureParts, language: Language) -> RuntimeFixture {
    let store = &parts.stores.store;
    let key = entracte_domain::id::WorkspaceKey::new("ann:home");
    let row = store.workspace(&key).await.unwrap();
    let expected_seq = row.as_ref().map(|row| row.seq);
    let row = row.unwrap_or(WorkspaceRow { key, seq: 0, body: Vec::new(), created_at: NOON, epoch: 0 });
    let mut body = if row.body.is_empty() {
        WorkspaceBody::default()
    } else {
        WorkspaceBody::decode(&row.body).unwrap()
    };
    body.settings.language = language;
    let commit = WorkspaceCommit {
        expected_seq,
        ..WorkspaceCommit::for_workspace(WorkspaceRow { body: body.encode().unwrap(), ..row })
    };
    store.commit(commit).await.unwrap();
    RuntimeFixture::start_runtime(services(parts)).await
}

/// Kind and words of every system message of a session, with the words of its results.
async fn system_messages(life: &RuntimeFixture, session: &SessionId) -> Vec<(SystemKind, String)> {
    let mut told = Vec::new();
    for entry in life.entries(session).await {
        for appended in entry.appended {
            let LogAppend::Message(message) = appended else { continue };
            let MessageBody::System(system) = message.body else { continue };
            assert!(system.results.iter().all(|result| result.content.as_words().is_some()), "{system:?}");
            let results: String = system
                .results
                .iter()
                .map(|result| format!(" | {}", result.content.to_plain_text()))
                .collect();
            told.push((system.kind, format!("{}{results}", system.summary.to_plain_text())));
        }
    }
    told
}

#[expect(clippy::unwrap_used, reason = "a test")]
async fn reasons_in_the_inbox(life: &RuntimeFixture) -> Vec<String> {
    let services = &life.services;
    let inbox = ReadInbox::new(
        services.store.clone(),
        services.log.clone(),
        services.rows.clone(),
        services.catalog.get(),
        services.clock.clone(),
    );
    let items = inbox.run(&life.workspace).await.unwrap();
    let reasons = items.into_iter().flat_map(|item| match item.kind {
        InboxKind::Approval(approval) => approval.reasons,
        InboxKind::Question(_)
        | InboxKind::Unsettled(_)
        | InboxKind::Parked(_)
        | InboxKind::Ended { .. }
        | InboxKind::Failed { .. }
        | InboxKind::Task { .. }
        | InboxKind::Ungranted { .. } => Vec::new(),
    });
    reasons.map(|reason| reason.text).collect()
}

#[expect(clippy::unwrap_used, reason = "a test")]
async fn answers(life: &RuntimeFixture, session: &SessionId) -> Vec<Option<String>> {
    let calls = ReadCalls::new(life.services.store.clone(), life.services.log.clone());
    calls.run(&life.workspace, session).await.unwrap().into_iter().map(|view| view.content).collect()
}

const NO: &str = "l’utilisateur a refusé\u{a0}: pas aujourd’hui";

#[tokio::test(start_paused = true)]
async fn a_workspace_in_french_is_spoken_to_in_french() {
    let (parts, model) = parts([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("D’accord."),
    ]);
    let life = speaking(&parts, Language::Fr).await;
    let session = life.chat(true).await;
    let turn = life.send_and_wait(&session, "écris à bob").await;
    let Some(PendingDecision::Validation(open)) = turn.waiting else { panic!("a decision is asked for") };
    let reason = "cette session exige une approbation par action";
    assert_eq!(open[0].reasons[0].text, reason);
    assert!(reasons_in_the_inbox(&life).await.contains(&reason.to_owned()));

    life.decide_and_wait(&session, ApprovalChoice::Reject(Some("pas aujourd’hui".into()))).await;
    let expected = (SystemKind::ValidationCancelled, format!("1 non faite. | {NO}"));
    assert_eq!(system_messages(&life, &session).await, [expected]);
    assert_eq!(answers(&life, &session).await, [Some(NO.to_owned())]);
    let requests = model.requests.lock().unwrap_or_else(|lock| lock.into_inner()).clone();
    let read = requests.iter().flat_map(|request| &request.turns).any(|turn| match &**turn {
        PromptTurn::User(parts) => {
            parts.iter().any(|part| matches!(part, UserTurnPart::System(text) if text.contains(NO)))
        }
        PromptTurn::Assistant(_) => false,
    });
    assert!(read, "the model reads the same words");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_told_in_french() {
    let unreadable = || FakeModelLine::Says("pas d’enveloppe".into());
    let (mut parts, _) = parts([unreadable(), unreadable(), unreadable(), unreadable(), unreadable()]);
    parts.rules.change(|_, rules| rules.format_errors = 1);
    let life = speaking(&parts, Language::Fr).await;
    let session = life.chat(false).await;
    let turn = life.send_and_wait(&session, "bonjour").await;
    let limit = "Limite atteinte\u{a0}: 1 réponse n’a pas pu être lue (limits.format_errors = 1).";
    assert_eq!(turn.troubles, [(SystemKind::LimitReached, limit.to_owned())]);
    let told = system_messages(&life, &session).await;
    let unreadable = "Ta réponse n’a pas pu être lue, donc rien n’en a été exécuté\u{a0}:\n- ";
    assert!(told[0].1.starts_with(unreadable), "{told:?}");
    assert_eq!(told[1], (SystemKind::LimitReached, limit.to_owned()));
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn another_language_changes_what_is_said_next_and_nothing_that_was_said() {
    let send = || command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]);
    let (parts, _) = parts([send(), envelope_line("Fine."), send()]);
    let life = speaking(&parts, Language::En).await;
    let session = life.chat(true).await;
    life.send_and_wait(&session, "write to bob").await;
    life.decide_and_wait(&session, ApprovalChoice::Reject(Some("pas aujourd’hui".into()))).await;
    life.send_and_wait(&session, "again").await;
    let english = system_messages(&life, &session).await;
    assert_eq!(english[0].1, "1 not done. | the user said no: pas aujourd’hui");
    drop(life);

    let life = speaking(&parts, Language::Fr).await;
    assert_eq!(system_messages(&life, &session).await, english, "the log keeps its words");
    assert_eq!(life.phase(&session).await, "WAITING_VALIDATION", "nothing is asked again");
    let reason = "cette session exige une approbation par action";
    assert!(reasons_in_the_inbox(&life).await.contains(&reason.to_owned()));
    assert_eq!(answers(&life, &session).await[0].as_deref(), Some(NO), "the ledger keeps sentences");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_says_why_in_french() {
    let declared = json!([{
        "name": "weather.today",
        "method": "GET",
        "url": "http://10.0.0.1/",
        "arguments": { "type": "object", "properties": {}, "additionalProperties": false },
        "doc": "The weather.",
    }]);
    // A private address that the settings do not allow: no connection is made.
    let egress = Arc::new(EgressClient::new(EgressSettings::default(), crypto()));
    let declared = serde_json::from_value(declared).unwrap();
    let weather = HttpToolExecutor::new(declared, egress, Arc::new(SystemSecretStore)).unwrap();
    let (mut parts, _) =
        parts([command_request_line("queries", &[("WEATHER_TODAY", json!({}))]), envelope_line("Tant pis.")]);
    parts.executors.push(Arc::new(weather));
    let life = speaking(&parts, Language::Fr).await;
    let session = life.chat(false).await;
    life.send_and_wait(&session, "quel temps fait-il ?").await;
    let told = system_messages(&life, &session).await;
    let why = "«\u{a0}10.0.0.1\u{a0}» n’a pas été appelé\u{a0}: son adresse 10.0.0.1 est une adresse privée";
    assert!(told.iter().any(|(_, text)| text.contains(why)), "{told:?}");
    life.verify(&session).await;
}
