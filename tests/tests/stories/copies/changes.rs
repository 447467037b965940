//! Another model, another dialect, another flag, in the middle of a conversation.

use entracte_application::ports::{OutputShape, PromptTurn};
use entracte_application::use_cases::{
    ApprovalChoice, ChangeSession, PendingDecision, SessionUpdate, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, Input};
use entracte_domain::validation::ValidationLevel;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, interrupt, memory, view};

pub(crate) async fn set(
    life: &RuntimeFixture,
    session: &SessionId,
    change: SessionUpdate,
) -> Result<(), UseCaseError> {
    let set = ChangeSession::new(life.mail_sender.clone(), life.services.store.clone());
    set.run(&life.workspace, session, "ann".into(), change).await
}

fn speaks(dialect: Dialect) -> SessionUpdate {
    let model = Some("fake-2".into());
    SessionUpdate { dialect: Some(dialect), model, ..SessionUpdate::default() }
}

fn guarded(required: bool) -> SessionUpdate {
    SessionUpdate { require_validation: Some(required), ..SessionUpdate::default() }
}

fn other(dialect: Dialect) -> Dialect {
    match dialect {
        Dialect::Envelope => Dialect::Tools,
        Dialect::Tools => Dialect::Envelope,
    }
}

/// The model checks that each request is legal.
#[tokio::test(start_paused = true)]
async fn conversation_continues_in_other_dialect_and_back() {
    for before in [Dialect::Envelope, Dialect::Tools] {
        for stores in all_stores() {
            let stage = SessionCopyFixture::with_stores(
                stores,
                [look_step("weight"), send_step("bob"), BilingualModelStep::Words("Done.")],
            );
            let life = stage.life().await;
            let session = chat(&life, before, false).await;
            life.send_and_wait(&session, "tell bob").await;
            for dialect in [other(before), before] {
                set(&life, &session, speaks(dialect)).await.unwrap();
                let generation = view(&life, &session).await.facts.generation;
                stage.model.push_steps([look_step("height"), BilingualModelStep::Words("And that.")]);
                let turn = life.send_and_wait(&session, "and my height?").await;
                assert_eq!(turn.reply.unwrap().text, "And that.");
                let request = stage.model.last_request();
                assert_eq!((request.output == OutputShape::Text, !request.tools.is_empty()), {
                    let native = dialect == Dialect::Tools;
                    (native, native)
                });
                assert_eq!(request.model, "fake-2");
                assert_eq!(
                    view(&life, &session).await.facts.generation,
                    generation,
                    "one change, one generation"
                );
                life.verify(&session).await;
            }
            assert_eq!(stage.effects(), 4);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn model_change_during_approval_loses_no_call() {
    for before in [Dialect::Envelope, Dialect::Tools] {
        let stage = SessionCopyFixture::with_stores(memory(), [send_step("bob")]);
        let life = stage.life().await;
        let session = chat(&life, before, true).await;
        life.send_and_wait(&session, "tell bob").await;
        set(&life, &session, speaks(other(before))).await.unwrap();
        assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
        stage
            .model
            .push_steps([BilingualModelStep::Words("It was done."), BilingualModelStep::Words("Yes.")]);
        life.decide_and_wait(&session, ApprovalChoice::Approve).await;
        assert_eq!(stage.effects(), 1);
        life.send_and_wait(&session, "was it?").await;
        let read = format!("{:?}", stage.model.last_request().turns);
        assert!(read.contains("outside.send") || read.contains("outside_send"), "{read}");
        assert!(read.contains("done"), "the model reads the result: {read}");
        life.verify(&session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_changes_while_the_model_is_waited_for() {
    let stage = SessionCopyFixture::with_stores(memory(), [BilingualModelStep::Hangs]);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "hello").await;
    let refused = set(&life, &session, speaks(Dialect::Tools)).await;
    let Err(UseCaseError::Conflict(why)) = refused else { panic!("{refused:?}") };
    assert!(why.ends_with(&format!("{session} is waiting for its model; interrupt it first")), "{why}");
    // The flag does not depend on the model: it applies at once.
    set(&life, &session, guarded(true)).await.unwrap();
    interrupt(&life, &session).await;
    set(&life, &session, speaks(Dialect::Tools)).await.unwrap();
    stage.model.push_steps([BilingualModelStep::Words("Here.")]);
    life.send_and_wait(&session, "and now?").await;
    let facts = view(&life, &session).await.facts;
    assert_eq!(
        (facts.dialect, facts.model.as_str(), facts.require_validation),
        (Dialect::Tools, "fake-2", true)
    );
}

#[tokio::test(start_paused = true)]
async fn session_flag_guards_later_calls_with_reason() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [send_step("bob"), BilingualModelStep::Words("Done."), send_step("eve")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "tell bob").await;
    set(&life, &session, guarded(true)).await.unwrap();
    let turn = life.send_and_wait(&session, "tell eve").await;
    let Some(PendingDecision::Validation(open)) = turn.waiting else { panic!("approval is asked for") };
    assert_eq!(
        open[0].reasons.iter().map(|reason| reason.level).collect::<Vec<_>>(),
        [ValidationLevel::Session]
    );
    assert_eq!(stage.effects(), 1);

    // After the flag is removed, an open approval request stays; the next call needs none.
    set(&life, &session, guarded(false)).await.unwrap();
    assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
    stage.model.push_steps([
        BilingualModelStep::Words("Done."),
        send_step("mia"),
        BilingualModelStep::Words("Done."),
    ]);
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    life.send_and_wait(&session, "tell mia").await;
    assert_eq!(stage.effects(), 3);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn session_flag_guards_open_calls() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [BilingualModelStep::Asks(vec![
            ("LOOK", "outside.look", serde_json::json!({ "at": "weight" }), true),
            ("SEND", "outside.send", serde_json::json!({ "to": "bob" }), false),
        ])],
    );
    stage.outside.queries_hang.store(true, std::sync::atomic::Ordering::SeqCst);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Tools, false).await;
    life.send_message(&session, "look, then tell bob").await;
    while stage.effects() == 0 {
        tokio::task::yield_now().await;
    }
    set(&life, &session, guarded(true)).await.unwrap();
    let Some(Input::RulesChanged(change)) = life.entries(&session).await.pop().map(|entry| entry.input)
    else {
        panic!("the change is an entry")
    };
    let [recheck] = change.rechecks.as_slice() else { panic!("the open action is looked at: {change:?}") };
    assert_eq!(recheck.reasons[0].level, ValidationLevel::Session);
    life.follow().run_until_idle(&life.workspace, &session, 0).await.unwrap();
    assert_eq!(life.phase(&session).await, "WAITING_VALIDATION", "once the query has timed out");
    assert_eq!(stage.effects(), 1, "only the query ran");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn unchanged_setting_is_no_event() {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    let before = life.entries(&session).await.len();
    set(&life, &session, guarded(false)).await.unwrap();
    set(&life, &session, SessionUpdate { model: Some("fake-1".into()), ..SessionUpdate::default() })
        .await
        .unwrap();
    assert_eq!(life.entries(&session).await.len(), before);
    let empty = SessionUpdate { model: Some(" ".into()), ..SessionUpdate::default() };
    assert!(matches!(set(&life, &session, empty).await, Err(UseCaseError::Invalid(_))));
}

/// Turns that a model has read are sent again unchanged, under another model name.
#[tokio::test(start_paused = true)]
async fn other_model_of_same_dialect_reads_same_turns() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [look_step("weight"), BilingualModelStep::Words("72.5 kg."), BilingualModelStep::Words("Hello.")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&session, "what do I weigh?").await;
    let before = stage.model.last_request().turns;
    set(&life, &session, speaks(Dialect::Tools)).await.unwrap();
    life.send_and_wait(&session, "hello").await;
    let after = stage.model.last_request().turns;
    assert_eq!(after[..before.len()], before);
    assert!(matches!(&*after[before.len()], PromptTurn::Assistant(_)));
}
