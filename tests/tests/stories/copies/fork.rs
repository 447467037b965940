//! A fork contains the recorded history, and nothing of it runs again.

use std::sync::atomic::Ordering;

use entracte_application::use_cases::{ApprovalChoice, ForkSession, InboxKind, SettleCall, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, Slot};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::runtime_fixture::RuntimeFixture;
use entracte_tests::test_scale::scaled;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::fixture::{
    SessionCopyFixture, all_stores, chat, fork, inbox, interrupt, memory, try_interrupt, view,
};

const DIALECTS: [Dialect; 2] = [Dialect::Envelope, Dialect::Tools];

/// Forks at every sequence. There are no further external effects, nothing that waited is lost, both sessions verify,
/// and a message to the fork makes a legal prompt and is answered.
async fn fork_everywhere(stage: &SessionCopyFixture, life: &RuntimeFixture, session: &SessionId) {
    let (effects, waiting) = (stage.effects(), inbox(life).await);
    let (before, whole) = (view(life, session).await, life.entries(session).await);
    let mut forks = Vec::new();
    for at in 1..=before.facts.sequence {
        let forked = fork(life, session, at).await;
        let rests = view(life, &forked.session).await;
        assert_eq!(rests.phase.label().word(), "IDLE", "at {at}");
        assert_eq!((rests.facts.slot, rests.facts.sequence), (Slot::None, at + 1), "at {at}");
        assert_eq!(rests.facts.name, format!("{} (fork at {at})", before.facts.name));
        for _ in 0..50 {
            tokio::task::yield_now().await;
        }
        assert_eq!(view(life, &forked.session).await, rests, "nothing goes on by itself, at {at}");
        life.verify(&forked.session).await;
        life.verify(session).await;
        forks.push(forked.session);
    }
    let items = inbox(life).await;
    assert!(waiting.iter().all(|item| items.contains(item)), "lost: {waiting:?} {items:?}");
    assert!(items.iter().all(|item| item.session == *session), "a fork waits for nobody: {items:?}");
    assert_eq!(life.entries(session).await[..whole.len()], whole, "what the original recorded is as it was");

    // The original may hold the slot; and its running work may have ended while the forks were made.
    while is_busy(life, session).await {
        // It may have ended by itself meanwhile.
        let _ = try_interrupt(life, session).await;
    }
    for forked in &forks {
        // The model checks that each request is legal.
        stage.model.push_steps([BilingualModelStep::Words("Here I am.")]);
        let turn = life.send_and_wait(forked, "go on from here").await;
        assert_eq!(turn.reply.map(|reply| reply.text).as_deref(), Some("Here I am."));
        life.verify(forked).await;
    }
    assert_eq!(stage.effects(), effects, "a fork did something outside");
}

async fn is_busy(life: &RuntimeFixture, session: &SessionId) -> bool {
    ["EXECUTING_ACTIONS", "EXECUTING_DATA_QUERIES", "CALLING_AI"].contains(&life.phase(session).await)
}

/// Plays each history on each store in each dialect, and forks it at every sequence.
async fn play(story: &str, stores: StoreFixture, dialect: Dialect) {
    let stage = SessionCopyFixture::with_stores(stores, []);
    let life = stage.life().await;
    let guarded = matches!(story, "waits for approval" | "done with approval");
    let session = chat(&life, dialect, guarded).await;
    match story {
        "done" => {
            stage.model.push_steps([
                look_step("weight"),
                send_step("bob"),
                BilingualModelStep::Words("Done."),
            ]);
            life.send_and_wait(&session, "tell bob").await;
            assert_eq!(stage.effects(), 2);
        }
        "done with approval" => {
            stage.model.push_steps([
                look_step("weight"),
                send_step("bob"),
                BilingualModelStep::Words("Done."),
            ]);
            life.send_and_wait(&session, "tell bob").await;
            life.decide_and_wait(&session, ApprovalChoice::Approve).await;
            assert_eq!(stage.effects(), 2);
        }
        "waits for approval" => {
            stage.model.push_steps([look_step("weight"), send_step("bob")]);
            life.send_and_wait(&session, "tell bob").await;
            assert_eq!(inbox(&life).await.len(), 1);
        }
        "action under way" | "unknown" | "ended" => {
            stage.outside.hangs.store(true, Ordering::SeqCst);
            stage.model.push_steps([send_step("bob")]);
            life.send_message(&session, "tell bob").await;
            while stage.effects() == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(life.phase(&session).await, "EXECUTING_ACTIONS");
        }
        "queries under way" => {
            stage.outside.queries_hang.store(true, Ordering::SeqCst);
            stage.model.push_steps([look_step("weight")]);
            life.send_message(&session, "what do I weigh?").await;
            while stage.effects() == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(life.phase(&session).await, "EXECUTING_DATA_QUERIES");
        }
        "model asked" => {
            stage.model.push_steps([look_step("weight"), BilingualModelStep::Hangs]);
            life.send_message(&session, "what do I weigh?").await;
            while stage.model.requests.lock().unwrap().len() < 2 {
                tokio::task::yield_now().await;
            }
            life.send_message(&session, "and my height?").await;
        }
        other => panic!("no story {other}"),
    }
    if matches!(story, "unknown" | "ended") {
        // While the store works the paused clock may advance, and the action times out first: unknown, too.
        let _ = try_interrupt(&life, &session).await;
        let _ = try_interrupt(&life, &session).await;
        assert_eq!(life.calls(&session).await, [("outside.send".into(), "unknown".to_owned())]);
    }
    if story == "ended" {
        let end = entracte_application::use_cases::EndSession::new(life.mail_sender.clone());
        end.run(&life.workspace, &session, "ann".into()).await.unwrap();
        assert_eq!(life.phase(&session).await, "COMPLETED");
    }
    fork_everywhere(&stage, &life, &session).await;
}

const STORIES: [&str; 8] = [
    "done",
    "done with approval",
    "waits for approval",
    "queries under way",
    "action under way",
    "unknown",
    "ended",
    "model asked",
];

#[tokio::test(start_paused = true)]
async fn fork_fires_no_effect() {
    for (number, story) in STORIES.into_iter().enumerate() {
        for (turn, dialect) in DIALECTS.into_iter().enumerate() {
            // The short form takes one of the stores, in turns: another one for the other dialect.
            let stores = all_stores();
            let first = scaled((number + turn) % stores.len(), 0);
            for stores in stores.into_iter().skip(first).take(scaled(1, usize::MAX)) {
                play(story, stores, dialect).await;
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn fork_rests_with_open_question() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(stores, [BilingualModelStep::Question("Shall I?")]);
        let life = stage.life().await;
        let session = chat(&life, Dialect::Envelope, false).await;
        life.send_and_wait(&session, "paint it").await;
        assert_eq!(life.phase(&session).await, "WAITING_COMMUNICATION_RESPONSE");
        fork_everywhere(&stage, &life, &session).await;
        assert!(matches!(inbox(&life).await[0].kind, InboxKind::Question(_)));
    }
}

#[tokio::test(start_paused = true)]
async fn fork_requests_are_validated_again() {
    let stage =
        SessionCopyFixture::with_stores(memory(), [send_step("bob"), BilingualModelStep::Words("Done.")]);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, true).await;
    life.send_and_wait(&session, "tell bob").await;
    let waits_at = view(&life, &session).await.facts.sequence;
    life.decide_and_wait(&session, ApprovalChoice::Approve).await;
    assert_eq!(stage.effects(), 1);

    let forked = fork(&life, &session, waits_at).await.session;
    assert_eq!(life.calls(&forked).await, [("outside.send".into(), "cancelled".to_owned())]);
    stage.model.push_steps([send_step("bob")]);
    life.send_and_wait(&forked, "tell bob, please").await;
    assert_eq!(life.phase(&forked).await, "WAITING_VALIDATION", "the flag of the session came along");
    assert_eq!(stage.effects(), 1, "an approval that was given in the original is no approval here");
    stage.model.push_steps([BilingualModelStep::Words("Done.")]);
    life.decide_and_wait(&forked, ApprovalChoice::Approve).await;
    assert_eq!(stage.effects(), 2);
    life.verify(&forked).await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_outcome_is_settled_where_it_happened() {
    let stage = SessionCopyFixture::with_stores(memory(), [send_step("bob")]);
    stage.outside.hangs.store(true, Ordering::SeqCst);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "tell bob").await;
    while stage.effects() == 0 {
        tokio::task::yield_now().await;
    }
    interrupt(&life, &session).await;
    interrupt(&life, &session).await;
    let early = fork(&life, &session, view(&life, &session).await.facts.sequence).await.session;
    let items = inbox(&life).await;
    let [item] = items.as_slice() else { panic!("one question for one action: {items:?}") };
    assert_eq!(item.session, session);
    let InboxKind::Unsettled(row) = &item.kind else { panic!("{item:?}") };
    assert_eq!(life.calls(&early).await, [("outside.send".into(), "unknown_in_original".to_owned())]);

    let settle = SettleCall::new(life.mail_sender.clone());
    settle.run(&life.workspace, &session, "ann".into(), row.id.clone(), true, None).await.unwrap();
    assert!(inbox(&life).await.is_empty());
    let late = fork(&life, &session, view(&life, &session).await.facts.sequence).await.session;
    assert_eq!(life.calls(&late).await, [("outside.send".into(), "settled_happened".to_owned())]);
    for session in [&session, &early, &late] {
        life.verify(session).await;
    }
}

#[tokio::test(start_paused = true)]
async fn fork_of_fork_is_separate_session() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [look_step("weight"), BilingualModelStep::Words("72.5 kg.")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&session, "what do I weigh?").await;
    let first = fork(&life, &session, view(&life, &session).await.facts.sequence).await.session;
    fork_everywhere(&stage, &life, &first).await;
    let mut ids = Vec::new();
    for row in life.services.log.calls(&life.workspace, &first).await.unwrap() {
        ids.push(row.id.to_string());
    }
    let stem = first.as_str().trim_start_matches("ses_");
    assert!(ids.iter().all(|id| id.contains(stem)), "{ids:?}");
}

#[tokio::test(start_paused = true)]
async fn copy_is_not_charged_for_time_between() {
    let stage = SessionCopyFixture::with_stores(memory(), [BilingualModelStep::Hangs]);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "hello").await;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    let forked = fork(&life, &session, view(&life, &session).await.facts.sequence).await.session;
    let facts = view(&life, &forked).await.facts;
    assert_eq!((facts.active_since, facts.active_before.0), (None, 0));
    life.verify(&forked).await;
}

#[tokio::test(start_paused = true)]
async fn missing_sequence_is_refused_with_existing_ones() {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    let fork =
        ForkSession::new(life.mail_sender.clone(), life.services.store.clone(), life.services.ids.clone());
    for at in [0, 2, u64::MAX] {
        let refused = fork.run(&life.workspace, &session, "ann".into(), Some(at), None).await;
        let Err(UseCaseError::Invalid(text)) = refused else { panic!("{refused:?}") };
        assert!(text.contains(&format!("has the sequences 1 to 1, not {at}")), "{text}");
    }
    let nobody = SessionId::new("ses_nobody");
    let refused = fork.run(&life.workspace, &nobody, "ann".into(), None, None).await;
    assert!(matches!(refused, Err(UseCaseError::NotFound(_))), "{refused:?}");
}
