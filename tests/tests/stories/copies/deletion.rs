//! A deleted session is removed with everything that waited in it.

use entracte_application::use_cases::{
    DeleteSession, FindByIdPrefix, ListSessions, SendMessage, UseCaseError,
};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::session::Dialect;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step, send_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, fork, inbox, interrupt, memory};

async fn delete(life: &RuntimeFixture, session: &SessionId) -> Result<(), UseCaseError> {
    DeleteSession::new(life.mail_sender.clone()).run(&life.workspace, session, "ann".into()).await
}

#[tokio::test(start_paused = true)]
async fn deleted_session_is_neither_listed_nor_found() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(stores, [look_step("weight"), send_step("bob")]);
        let life = stage.life().await;
        let session = chat(&life, Dialect::Envelope, true).await;
        let other = chat(&life, Dialect::Envelope, false).await;
        life.send_and_wait(&session, "tell bob").await;
        assert_eq!(inbox(&life).await.len(), 1);
        delete(&life, &session).await.unwrap();

        assert!(inbox(&life).await.is_empty());
        let log = &life.services.log;
        let listed = ListSessions::new(log.clone()).run(&Default::default()).await.unwrap().rows;
        assert_eq!(listed.into_iter().map(|row| row.id).collect::<Vec<_>>(), std::slice::from_ref(&other));
        let found = FindByIdPrefix::new(log.clone()).find_session(&life.workspace, session.as_str()).await;
        assert!(matches!(found, Err(UseCaseError::NotFound(_))), "{found:?}");
        assert!(log.entries(&life.workspace, &session, 0, 9).await.unwrap().is_empty());
        assert!(log.calls(&life.workspace, &session).await.unwrap().is_empty());
        assert!(matches!(delete(&life, &session).await, Err(UseCaseError::NotFound(_))));

        // The workspace continues.
        stage.model.push_steps([BilingualModelStep::Words("Here.")]);
        life.send_and_wait(&other, "are you there?").await;
        life.verify(&other).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_works_is_stopped_first() {
    let stage = SessionCopyFixture::with_stores(memory(), [BilingualModelStep::Hangs]);
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    life.send_message(&session, "hello").await;
    let refused = delete(&life, &session).await;
    let Err(UseCaseError::Conflict(why)) = refused else { panic!("{refused:?}") };
    assert!(why.ends_with(&format!("{session} is working; stop it first")), "{why}");
    interrupt(&life, &session).await;
    delete(&life, &session).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn deleted_slot_holder_frees_its_slot() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [BilingualModelStep::Words("One."), BilingualModelStep::Words("Two.")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Envelope, false).await;
    let other = chat(&life, Dialect::Envelope, false).await;
    life.send_and_wait(&session, "one").await;
    // In one turn of the workspace: the holder of the slot is deleted and gets a message, and another session wants its
    // slot.
    let send = SendMessage::new(life.mail_sender.clone());
    let to = |session: &SessionId| {
        let (send, workspace, session) = (&send, &life.workspace, session.clone());
        async move { send.run(workspace, &session, "ann".into(), UserMessage::text("two"), None).await }
    };
    let (deleted, late, sent) = tokio::join!(delete(&life, &session), to(&session), to(&other));
    deleted.unwrap();
    assert!(matches!(late, Err(UseCaseError::NotFound(_))), "{late:?}");
    sent.unwrap();
    life.follow().run_until_idle(&life.workspace, &other, 0).await.unwrap();
    assert!(life.services.store.session(&life.workspace, &session).await.unwrap().is_none());
    life.verify(&other).await;
}

#[tokio::test(start_paused = true)]
async fn a_fork_outlives_its_original() {
    let stage = SessionCopyFixture::with_stores(
        memory(),
        [look_step("weight"), BilingualModelStep::Words("72.5 kg.")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&session, "what do I weigh?").await;
    let forked = fork(&life, &session, 4).await.session;
    delete(&life, &session).await.unwrap();
    stage.model.push_steps([BilingualModelStep::Words("Still here.")]);
    life.send_and_wait(&forked, "and now?").await;
    life.verify(&forked).await;
}
