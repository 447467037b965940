use std::sync::Arc;
use std::sync::Mutex;

use entracte_domain::message::SystemKind;
use entracte_domain::question::Question;
use entracte_domain::session::Input;
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;
use entracte_domain::validation::{ValidationLevel, conditions_from_arguments, offered_widths};
use mockall::predicate::eq;

use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::kit::{
    CREATE, MachineSessionFixture, NOON, catalog, catalog_of, create, executor, session, unavailable,
    workspace,
};
use crate::ports::*;
use crate::settings::Language;
use crate::use_cases::*;

/// Follows a session through these states: each pause of the follower advances to the next one.
fn follow(stories: Vec<MachineSessionFixture>, catalog: Arc<Catalog>) -> FollowTurn {
    let stories = Arc::new(Mutex::new(stories));
    let (of_row, of_entries, of_calls) = (stories.clone(), stories.clone(), stories.clone());
    let mut store = MockWorkspaceStore::new();
    store
        .expect_session()
        .with(eq(workspace()), eq(session()))
        .returning(move |_, _| Ok(Some(of_row.lock().unwrap()[0].row())));
    store.expect_workspace().with(eq(workspace())).returning(|key| {
        let body = WorkspaceBody::default().encode().unwrap();
        Ok(Some(WorkspaceRow { key: key.clone(), seq: 102, body, created_at: NOON, epoch: 0 }))
    });
    let mut log = MockLogReader::new();
    log.expect_entries().returning(move |_, _, after, _| {
        let rows = of_entries.lock().unwrap()[0].log();
        Ok(rows.into_iter().filter(|row| row.seq > after).collect())
    });
    log.expect_calls().returning(move |_, _| Ok(of_calls.lock().unwrap()[0].calls.clone()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    clock.expect_sleep().with(eq(Millis(25))).returning(move |_| {
        let mut stories = stories.lock().unwrap();
        assert!(stories.len() > 1, "nothing more happens");
        stories.remove(0);
    });
    let rows = MockResourceReader::new();
    FollowTurn::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog, Arc::new(clock))
}

/// The number of the entry before the turn: the session was just created.
const BEFORE: u64 = 101;

#[tokio::test]
async fn a_turn_is_followed_until_the_session_rests() {
    let steps = vec![
        MachineSessionFixture::chat().with_model_called(),
        MachineSessionFixture::chat().with_model_called(),
        MachineSessionFixture::chat().with_model_called().with_text_reply("Noted."),
    ];
    let view = follow(steps, catalog()).run_until_idle(&workspace(), &session(), BEFORE).await.unwrap();
    assert_eq!(view.rounds, 1);
    let said = MachineSessionFixture::chat().with_model_called().with_text_reply("Noted.");
    let reply = ModelReplyView {
        message: session().message_id(said.facts.sequence, 0),
        text: "Noted.".into(),
        plan: vec![],
    };
    assert_eq!(view.reply, Some(reply));
    assert_eq!(view.waiting, None);
    assert_eq!(view.calls, []);
    assert_eq!(view.usage, Usage { input: 10, output: 5, ..Usage::default() });
    assert_eq!(view.troubles, []);
}

#[tokio::test]
async fn turn_ends_after_all_entries_were_read() {
    let story = MachineSessionFixture::chat().with_model_called().with_text_reply("Noted.");
    // The log is one entry ahead of the row that was read before it.
    let row = MachineSessionFixture::chat().row();
    let entries = story.log();
    let mut store = MockWorkspaceStore::new();
    store.expect_session().return_once(|_, _| Ok(Some(row)));
    let mut log = MockLogReader::new();
    log.expect_entries()
        .returning(move |_, _, after, _| Ok(entries.iter().filter(|row| row.seq > after).cloned().collect()));
    let (rows, clock) = (MockResourceReader::new(), MockClock::new());
    let follow = FollowTurn::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog(), Arc::new(clock));
    let watched = follow.read_update(&workspace(), &session(), BEFORE).await.unwrap();
    assert!(!watched.rests);
    assert_eq!(watched.entries, story.entries[1..]);
    assert_eq!(watched.last, story.entries.last().unwrap().seq);
}

#[tokio::test]
async fn waiting_turn_describes_each_call() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let expected_call = story.phase.batch().unwrap().calls[0].clone();
    let description =
        ActionDescription { says: "Create 1 entry in Weight".into(), ..ActionDescription::default() };
    let described = description.clone();
    let mut executor = executor(vec![create()]);
    executor.expect_target().returning(|_, _| Ok(ActionTarget::default()));
    let call = expected_call.clone();
    executor
        .expect_describe()
        .withf(move |request, _| request.command == call.command && request.call == call.id)
        .returning(move |_, _| Ok(described.clone()));
    let view = follow(vec![story], catalog_of(executor))
        .run_until_idle(&workspace(), &session(), BEFORE)
        .await
        .unwrap();

    let Some(PendingDecision::Validation(approvals)) = view.waiting else { panic!("{:?}", view.waiting) };
    let conditions = conditions_from_arguments(&expected_call.command.arguments, false);
    let expected = ApprovalView {
        id: expected_call.id.approval_id(),
        digest: expected_call.card.clone(),
        is_changed: false,
        starts_after: Vec::new(),
        description,
        reasons: vec![LocalizedReason {
            level: ValidationLevel::AiRequest,
            text: "the model asked for your approval".into(),
        }],
        widths: offered_widths(&expected_call.command.arguments, &conditions, false),
        always: Some(conditions),
        approved_before: 0,
        expires_at: view.session.wake_at.unwrap(),
        chain: Vec::new(),
        language: Language::En,
        call: expected_call,
    };
    assert_eq!(approvals, [expected]);
    let line = CallStatusView {
        id: approvals[0].call.id.clone(),
        command: CREATE.into(),
        status: "waiting_decision".into(),
    };
    assert_eq!(view.calls, [line]);
}

#[tokio::test]
async fn call_of_removed_command_is_shown() {
    let story = MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE]);
    let without = catalog_of(executor(Vec::new()));
    let view = follow(vec![story], without).view(&workspace(), &session(), BEFORE).await.unwrap();
    let Some(PendingDecision::Validation(approvals)) = view.waiting else { panic!("{:?}", view.waiting) };
    assert_eq!(approvals[0].description.says, "entries.create (this command no longer exists)");
}

#[tokio::test]
async fn turn_ending_in_question_shows_it() {
    let question = Question::Validation { message: "Shall I go on?".into() };
    let said = entracte_domain::message::AiMessage {
        question: Some(question.clone()),
        ..entracte_domain::message::AiMessage::default()
    };
    let story = MachineSessionFixture::chat().with_model_called().with_reply(said, Vec::new());
    let view = follow(vec![story], catalog()).run_until_idle(&workspace(), &session(), BEFORE).await.unwrap();
    assert_eq!(view.waiting, Some(PendingDecision::Question(question)));
}

/// Input: a question that is answered between the two reads; expected: the resulting turn, not an intermediate state
/// of its work.
#[tokio::test]
async fn concurrent_decision_is_followed_to_its_end() {
    let question = Question::Validation { message: "Shall I go on?".into() };
    let said = entracte_domain::message::AiMessage {
        question: Some(question),
        ..entracte_domain::message::AiMessage::default()
    };
    let waits = || MachineSessionFixture::chat().with_model_called().with_reply(said.clone(), Vec::new());
    let answered = waits().with_user_message();
    let (mut reads, done) = (vec![answered.row(), waits().row()], answered.with_text_reply("Noted.").row());
    let mut store = MockWorkspaceStore::new();
    store.expect_session().returning(move |_, _| Ok(Some(reads.pop().unwrap_or_else(|| done.clone()))));
    let mut log = MockLogReader::new();
    log.expect_entries().returning(|_, _, _, _| Ok(Vec::new()));
    log.expect_calls().returning(|_, _| Ok(Vec::new()));
    let mut clock = MockClock::new();
    clock.expect_now().return_const(NOON);
    clock.expect_sleep().return_const(());
    let rows = MockResourceReader::new();
    let follow = FollowTurn::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog(), Arc::new(clock));
    let turn = follow.run_until_idle(&workspace(), &session(), BEFORE).await.unwrap();
    assert_eq!(turn.session.phase, entracte_domain::session::Phase::Idle);
}

#[tokio::test]
async fn turn_shows_failures_and_possible_cost() {
    let failure = ModelFailure {
        class: FailureClass::Misconfigured,
        message: "401: the key is wrong".into(),
        retry_after: None,
        jitter: Millis(0),
        found_by_start: None,
        instead: None,
    };
    let usage = Some(Usage { input: 3, ..Usage::default() });
    let error = Input::ProviderErrorOccurred { round: 1, attempt: 1, failure, usage };
    let failed = || MachineSessionFixture::chat().with_model_called().with_input(error.clone());
    let view =
        follow(vec![failed()], catalog()).run_until_idle(&workspace(), &session(), BEFORE).await.unwrap();
    let [(kind, text)] = view.troubles.as_slice() else { panic!("{:?}", view.troubles) };
    assert_eq!(*kind, SystemKind::ProviderError);
    assert!(text.contains("401: the key is wrong"), "{text}");
    assert_eq!(view.usage.input, 3);
    assert_eq!(view.reply, None);
    // A later answer clears the failure.
    let view = follow(vec![failed().with_user_message().with_text_reply("Noted.")], catalog())
        .run_until_idle(&workspace(), &session(), BEFORE)
        .await;
    let view = view.unwrap();
    assert_eq!((view.troubles.as_slice(), view.outcome()), ([].as_slice(), TurnOutcome::Done));
}

#[tokio::test]
async fn next_turn_begins_after_last_workspace_entry() {
    assert_eq!(
        follow(vec![MachineSessionFixture::chat()], catalog())
            .last_entry_number(&workspace(), &session())
            .await
            .unwrap(),
        102
    );
}

#[tokio::test]
async fn errors_of_the_store_are_passed_on() {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().returning(|_, _| Err(unavailable()));
    let (log, rows, clock) = (MockLogReader::new(), MockResourceReader::new(), MockClock::new());
    let follow = FollowTurn::new(Arc::new(store), Arc::new(log), Arc::new(rows), catalog(), Arc::new(clock));
    let error = follow.run_until_idle(&workspace(), &session(), BEFORE).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(StoreError::Unavailable(_))), "{error:?}");
}
