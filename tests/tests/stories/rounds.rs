//! Whole turns on the real application: a model that plays its lines, an executor that records effects.

mod restart;
mod stopped_replies;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_application::journal::JournalEntry;
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{ApprovalChoice, PendingDecision};
use entracte_domain::session::{Input, LogAppend};
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, envelope_line, services,
};
use serde_json::json;

/// A model, a recording executor, and processes on one store.
struct RoundFixture {
    parts: ServicesFixtureParts,
    model: Arc<FakeModel>,
    outside: Arc<RecordingExecutor>,
}

impl RoundFixture {
    fn new(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
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
        Self::on(stores, lines)
    }

    fn on(stores: StoreFixture, lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let model = Arc::new(FakeModel::default());
        model.push_lines(lines);
        let outside = Arc::new(RecordingExecutor::default());
        let resources = entracte_adapters_commands::ResourcesExecutor::new(stores.resources.clone());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![outside.clone(), Arc::new(resources)];
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, model, outside }
    }

    /// A running process; dropping it crashes it.
    async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }
}

fn labels(entries: &[JournalEntry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.input.label()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_chat_reads_acts_and_answers() {
    let stage = RoundFixture::new([
        command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
        command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))]),
        envelope_line("never asked for"),
    ]);
    let life = stage.life().await;
    let session = life.chat(false).await;
    let turn = life.send_and_wait(&session, "make a zone").await;
    assert_eq!(turn.rounds, 2);
    assert_eq!(
        life.calls(&session).await,
        [("outside.look".into(), "succeeded".into()), ("zones.create".into(), "succeeded".to_owned())]
    );
    let zones = life
        .services
        .rows
        .resources(
            &life.workspace,
            &entracte_application::ports::ResourceFilter { kind: "zone".into(), ..Default::default() },
        )
        .await
        .unwrap();
    assert_eq!(zones.iter().map(|zone| zone.name.as_str()).collect::<Vec<_>>(), ["Health"]);
    assert_eq!(life.phase(&session).await, "IDLE");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn local_actions_run_in_order_seeing_earlier_effects() {
    let zone = |name: &str| ("CREATE_ZONE", json!({ "name": name }));
    let stage = RoundFixture::new([
        command_request_line(
            "actions",
            &[zone("A"), zone("B"), zone("A"), ("SEND", json!({ "to": "x" })), zone("C")],
        ),
        command_request_line("actions", &[zone("C"), zone("A"), zone("D")]),
        envelope_line("A is taken"),
    ]);
    let life = stage.life().await;
    let session = life.chat(false).await;
    let began = life.services.clock.now();
    life.send_and_wait(&session, "make zones").await;
    assert!(life.services.clock.now().since(began).0 < 1000, "none waits for a wake-up");
    let states: Vec<String> = life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["succeeded", "succeeded", "duplicate", "succeeded", "succeeded"]);
    life.send_and_wait(&session, "once more").await;
    let states: Vec<String> =
        life.calls(&session).await.into_iter().skip(5).map(|(_, state)| state).collect();
    assert_eq!(
        states,
        ["failed", "cancelled", "cancelled"],
        "the name is taken, what comes after is cancelled"
    );
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn approval_survives_restart() {
    let stage = RoundFixture::new([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("sent"),
    ]);
    let first = stage.life().await;
    let session = first.chat(true).await;
    let turn = first.send_and_wait(&session, "write to bob").await;
    let Some(PendingDecision::Validation(open)) = turn.waiting else { panic!("a decision is asked for") };
    assert_eq!(open.len(), 1);
    assert_eq!(stage.outside.recorded_effects(), [], "nothing was done before it was approved");
    drop(first);

    let second = stage.life().await;
    assert_eq!(second.phase(&session).await, "WAITING_VALIDATION");
    second.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(stage.outside.recorded_effects().len(), 1);
    assert_eq!(second.calls(&session).await, [("outside.send".into(), "succeeded".to_owned())]);
    drop(second);

    let third = stage.life().await;
    assert_eq!(third.phase(&session).await, "IDLE");
    assert_eq!(stage.outside.recorded_effects().len(), 1, "once is once");
    third.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn restored_actions_never_rerun() {
    let stage = RoundFixture::new([
        command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]),
        envelope_line("I do not know"),
    ]);
    stage.outside.hangs.store(true, Ordering::SeqCst);
    let first = stage.life().await;
    let session = first.chat(false).await;
    first.send_message(&session, "write to bob").await;
    while stage.outside.recorded_effects().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(first.phase(&session).await, "EXECUTING_ACTIONS");
    drop(first);

    stage.outside.hangs.store(false, Ordering::SeqCst);
    let second = stage.life().await;
    second.follow().run_until_idle(&second.workspace, &session, 0).await.unwrap();
    assert_eq!(stage.outside.recorded_effects().len(), 1, "it was not sent again");
    assert_eq!(second.calls(&session).await, [("outside.send".into(), "unknown".to_owned())]);
    let told = stage.model.requests.lock().unwrap().last().map(|request| format!("{:?}", request.turns));
    assert!(told.is_some_and(|told| told.contains("OUTCOME_UNKNOWN")), "the model was told");
    second.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn approved_bytes_are_executed_bytes() {
    // Numbers that no double can represent: a conversion to floating point would change them.
    let proposed = r#"{"z":1.50,"a":{"n":12345678901234567890123,"list":[1e2, "é"]}}"#;
    let reply = format!(r#"{{"pre_text":"p","actions":[{{"type":"SEND","params":{proposed}}}]}}"#);
    let stage = RoundFixture::new([FakeModelLine::Says(reply.clone()), FakeModelLine::Says(reply)]);
    let life = stage.life().await;
    let session = life.chat(true).await;
    life.send_and_wait(&session, "go").await;
    let turn = life.follow().view(&life.workspace, &session, 0).await.unwrap();
    let Some(PendingDecision::Validation(open)) = turn.waiting else { panic!("a decision is asked for") };
    let shown = open[0].call.command.arguments.canonical();
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    let canonical = r#"{"a":{"list":[1e2,"é"],"n":12345678901234567890123},"z":1.50}"#;
    assert_eq!(shown, canonical);
    assert_eq!(stage.outside.recorded_effects()[0].arguments, canonical);

    // Edited: the person's text runs.
    life.send_and_wait(&session, "again, please, to someone else").await;
    let edited = JsonValue::from([("to", JsonValue::from("carol")), ("n", JsonValue::Number("2.0".into()))]);
    life.decide_and_wait(&session, ApprovalChoice::ApproveEdited(edited)).await;
    assert_eq!(stage.outside.recorded_effects()[1].arguments, r#"{"n":2.0,"to":"carol"}"#);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn decision_and_message_are_one_transaction() {
    let stage =
        RoundFixture::new([command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health" }))])]);
    let life = stage.life().await;
    let session = life.chat(true).await;
    life.send_and_wait(&session, "make a zone").await;
    let before = life.entries(&session).await.last().map_or(0, |entry| entry.seq);
    life.decide_and_wait(&session, ApprovalChoice::Reject(None)).await;
    let entries = life.entries(&session).await;
    let decision = entries.iter().find(|entry| entry.seq > before).unwrap();
    assert!(matches!(decision.input, Input::ValidationReceived { .. }));
    let messages: Vec<_> = decision
        .appended
        .iter()
        .filter_map(|appended| match appended {
            LogAppend::Message(message) => Some(format!("{:?}", message.body)),
            LogAppend::Note(_) => None,
        })
        .collect();
    assert!(messages.iter().any(|body| body.contains("ValidationCancelled")), "{messages:?}");
    assert_eq!(life.phase(&session).await, "IDLE");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_decision_that_cannot_be_committed_changes_nothing() {
    use entracte_application::use_cases::DecideApprovals;
    use entracte_tests::fakes::flaky_store::FlakyStore;
    let mut stage = RoundFixture::new([command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])]);
    let flaky = Arc::new(FlakyStore::new(stage.parts.stores.store.clone()));
    stage.parts.stores.store = flaky.clone();
    let life = stage.life().await;
    let session = life.chat(true).await;
    life.send_and_wait(&session, "write to bob").await;
    let before = life.entries(&session).await;

    flaky.fail_next(1);
    let decide = DecideApprovals::new(life.mail_sender.clone(), life.services.store.clone());
    let failed = decide.run_for_all(&life.workspace, &session, "ann".into(), &ApprovalChoice::Approve).await;
    assert!(failed.is_err(), "whoever decided is told");
    assert_eq!(life.entries(&session).await, before);
    assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
    assert_eq!(stage.outside.recorded_effects(), [], "nothing started without its row");

    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(stage.outside.recorded_effects().len(), 1);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn uncommitted_outcome_is_kept_and_committed_later() {
    use entracte_tests::fakes::flaky_store::FlakyStore;
    let mut stage = RoundFixture::new([command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])]);
    let flaky = Arc::new(FlakyStore::new(stage.parts.stores.store.clone()));
    stage.parts.stores.store = flaky.clone();
    let life = stage.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "write to bob").await;
    // From here on: the reply, then the outcome of the action. Both fail a few times.
    flaky.fail_next(3);
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "succeeded".to_owned())]);
    assert_eq!(stage.outside.recorded_effects().len(), 1);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn message_during_round_joins_next_round() {
    let stage = RoundFixture::new([FakeModelLine::Hangs, envelope_line("both heard")]);
    let life = stage.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "first").await;
    while stage.model.requests.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    life.send_message(&session, "second").await;
    drop(life);

    // The model call was lost with its process: one new attempt, then the queued message joins.
    stage.model.push_lines([envelope_line("third time")]);
    let life = stage.life().await;
    let turn = life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(turn.rounds, 2);
    let requests = stage.model.requests.lock().unwrap();
    let last = format!("{:?}", requests.last().unwrap().turns);
    assert!(last.contains("first") && last.contains("second"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn the_same_client_key_is_the_same_message() {
    use entracte_application::use_cases::SendMessage;
    use entracte_domain::message::UserMessage;
    let stage = RoundFixture::new([envelope_line("hello")]);
    let life = stage.life().await;
    let session = life.chat(false).await;
    let send = SendMessage::new(life.mail_sender.clone());
    let mut ids = Vec::new();
    for _ in 0..3 {
        let key = Some("k".to_owned());
        let sent =
            send.run(&life.workspace, &session, "ann".into(), UserMessage::text("hi"), key).await.unwrap();
        ids.push(sent.message);
    }
    assert_eq!(ids[0], ids[1]);
    assert_eq!(ids[0], ids[2]);
    let sent =
        labels(&life.entries(&session).await).into_iter().filter(|&label| label == "UserMessageSent").count();
    assert_eq!(sent, 1);
}

#[tokio::test(start_paused = true)]
async fn requests_repeat_their_prefix_byte_for_byte() {
    let stage = RoundFixture::new([
        command_request_line("queries", &[("LOOK", json!({ "n": 1 }))]),
        command_request_line("queries", &[("LOOK", json!({ "n": 2 }))]),
        FakeModelLine::Says("no envelope".into()),
        envelope_line("done"),
        envelope_line("and again"),
    ]);
    let life = stage.life().await;
    let session = life.chat(false).await;
    life.send_and_wait(&session, "look twice").await;
    life.send_and_wait(&session, "again").await;
    let requests = stage.model.requests.lock().unwrap();
    assert_eq!(requests.len(), 5);
    for pair in requests.windows(2) {
        assert_eq!(pair[0].system, pair[1].system);
        let common = pair[0].turns.len();
        assert_eq!(pair[0].turns[..], pair[1].turns[..common], "round n is a prefix of round n + 1");
    }
}

#[tokio::test(start_paused = true)]
async fn replay_gives_stored_state() {
    use entracte_domain::session::failure::FailureClass;
    let stage = RoundFixture::new([
        FakeModelLine::Fails(FailureClass::Overloaded),
        command_request_line("queries", &[("LOOK", json!({})), ("LOOK", json!({})), ("NOPE", json!({}))]),
        FakeModelLine::Says("```json\n{\"pre_text\": 3}\n```".into()),
        command_request_line(
            "actions",
            &[("SEND", json!({ "to": "x" })), ("CREATE_ZONE", json!({ "name": "Z" }))],
        ),
        envelope_line("fine"),
        FakeModelLine::Fails(FailureClass::Misconfigured),
        FakeModelLine::Fails(FailureClass::Lost),
        FakeModelLine::Fails(FailureClass::Lost),
    ]);
    let life = stage.life().await;
    let session = life.chat(true).await;
    life.send_and_wait(&session, "do it").await;
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    life.send_and_wait(&session, "and then?").await;
    life.send_and_wait(&session, "and now?").await;
    life.send_and_wait(&session, "well?").await;
    life.verify(&session).await;
    assert!(life.entries(&session).await.len() > 15);
}

#[tokio::test(start_paused = true)]
async fn the_configuration_may_require_approval_in_every_workspace() {
    let stage = RoundFixture::new([command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])]);
    let mut services = services(&stage.parts);
    Arc::get_mut(&mut services).unwrap().settings.require_validation = true;
    let life = RuntimeFixture::start_runtime(services).await;
    let session = life.chat(false).await;
    let turn = life.send_and_wait(&session, "write to bob").await;
    let Some(PendingDecision::Validation(open)) = turn.waiting else { panic!("a decision is asked for") };
    assert_eq!(open[0].reasons[0].level, entracte_domain::validation::ValidationLevel::App);
    drop(life);

    // The requirement is gone, but the open approval request is not: a new message starts nothing.
    let life = stage.life().await;
    life.send_message(&session, "never mind").await;
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(stage.outside.recorded_effects(), []);
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "cancelled".to_owned())]);
    assert_eq!(life.phase(&session).await, "IDLE");
    life.verify(&session).await;
}

/// A chat in this dialect.
#[expect(clippy::unwrap_used, reason = "a test")]
async fn chat_in(
    life: &RuntimeFixture,
    dialect: entracte_domain::session::Dialect,
) -> entracte_domain::id::SessionId {
    use entracte_application::use_cases::{NewChat, StartChat};
    let chat = NewChat {
        name: "test".into(),
        provider: "fake".into(),
        model: "fake-1".into(),
        dialect,
        mode: None,
        require_validation: false,
        restriction: entracte_domain::restriction::Restriction::Open,
    };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

#[tokio::test(start_paused = true)]
async fn silent_provider_is_timed_out_by_the_runtime() {
    use entracte_application::ports::ModelCallLimits;
    use entracte_domain::session::Dialect;
    use entracte_domain::time::Millis;
    let limits = ModelCallLimits {
        first_byte: Millis::seconds(20),
        idle: Millis::seconds(5),
        whole: Millis::minutes(1),
    };
    let silent = (FakeModelLine::Hangs, "sent nothing for 20 s", 20);
    let stalled =
        (FakeModelLine::Stalls(r#"{"pre_text":"One mom"#.into()), "in the middle of its answer for 5 s", 5);
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        for (line, told, seconds) in [silent.clone(), stalled.clone()] {
            // Input: a model that is silent twice; expected: each attempt ends at its limit, and the person is
            // informed.
            let stage = RoundFixture::new([line.clone(), line]);
            stage.model.set_call_limits(limits);
            let life = stage.life().await;
            let session = chat_in(&life, dialect).await;
            let begun = tokio::time::Instant::now();
            life.send_and_wait(&session, "are you there?").await;
            let took = begun.elapsed().as_secs();
            assert!((2 * seconds..2 * seconds + 5).contains(&took), "{dialect:?}: {took} s");
            assert_eq!(stage.model.requests.lock().unwrap().len(), 2, "one new attempt");
            assert_eq!(life.phase(&session).await, "IDLE");
            let log = format!("{:?}", life.entries(&session).await);
            assert!(log.contains(told) && log.contains("may have been billed"), "{dialect:?}: {log}");
            // The next message finds a working session.
            let answer = match dialect {
                Dialect::Envelope => envelope_line("Here I am."),
                Dialect::Tools => FakeModelLine::Says("Here I am.".into()),
            };
            stage.model.push_lines([answer]);
            assert_eq!(life.send_and_wait(&session, "and now?").await.reply.unwrap().text, "Here I am.");
            life.verify(&session).await;
        }
    }
}
