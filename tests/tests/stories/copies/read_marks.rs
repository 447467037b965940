//! Read marks of people.

use entracte_application::use_cases::{MarkRead, ReadUnreadMessages};
use entracte_domain::id::SessionId;
use entracte_domain::message::{Author, MessageBody};
use entracte_domain::session::Dialect;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, fork, view};

async fn unread(life: &RuntimeFixture, session: &SessionId, reader: &str) -> (usize, u64) {
    let facts = view(life, session).await.facts;
    let read = ReadUnreadMessages::new(life.services.log.clone());
    let unread = read.run(&facts, reader).await.unwrap();
    assert_eq!(read.count(&facts, reader).await.unwrap(), unread.messages.len(), "the list says the same");
    (unread.messages.len(), unread.up_to)
}

async fn mark(life: &RuntimeFixture, session: &SessionId, reader: &str, sequence: u64) {
    let mark = MarkRead::new(life.mail_sender.clone());
    mark.run(&life.workspace, session, reader.into(), sequence).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn messages_of_others_after_mark_are_new() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(
            stores,
            [
                look_step("weight"),
                BilingualModelStep::Words("72.5 kg."),
                BilingualModelStep::Words("1.80 m."),
            ],
        );
        let life = stage.life().await;
        chat(&life, Dialect::Envelope, false).await;
        let session = chat(&life, Dialect::Envelope, false).await;
        assert_eq!(unread(&life, &session, "ann").await, (0, 0));
        life.send_and_wait(&session, "what do I weigh?").await;
        let (count, up_to) = unread(&life, &session, "ann").await;
        assert_eq!(count, 3, "the question for data, the data, the answer; not ann's own words");
        assert_eq!(unread(&life, &session, "bob").await.0, 4, "ann's words are new to bob");

        mark(&life, &session, "ann", up_to).await;
        assert_eq!(unread(&life, &session, "ann").await, (0, 0));
        assert_eq!(unread(&life, &session, "bob").await.0, 4, "each reader has a mark");
        life.send_and_wait(&session, "and how tall am I?").await;
        assert_eq!(unread(&life, &session, "ann").await.0, 1);

        // A mark never moves back, and one beyond the end is refused.
        for other in [1, 10_000] {
            mark(&life, &session, "ann", other).await;
            assert_eq!(unread(&life, &session, "ann").await.0, 1);
        }
        let facts = view(&life, &session).await.facts;
        let messages =
            ReadUnreadMessages::new(life.services.log.clone()).run(&facts, "ann").await.unwrap().messages;
        assert_eq!(messages[0].message.author, Author::Model);
        assert!(
            matches!(&messages[0].message.body, MessageBody::Ai(said) if said.pre_text == "1.80 m."),
            "{messages:?}"
        );
        life.verify(&session).await;

        let forked = fork(&life, &session, facts.sequence).await.session;
        assert_eq!(unread(&life, &forked, "ann").await.0, 1, "a copy remembers what was read");
    }
}

#[tokio::test(start_paused = true)]
async fn reading_leaves_session_and_model_untouched() {
    let stage = SessionCopyFixture::with_stores(
        super::fixture::memory(),
        [BilingualModelStep::Words("Hello."), BilingualModelStep::Words("Again.")],
    );
    let life = stage.life().await;
    let session = chat(&life, Dialect::Tools, false).await;
    life.send_and_wait(&session, "hello").await;
    let before = view(&life, &session).await;
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    mark(&life, &session, "ann", before.facts.sequence).await;
    let after = view(&life, &session).await;
    assert_eq!((after.facts.last_event_at, after.phase), (before.facts.last_event_at, before.phase));
    life.send_and_wait(&session, "again").await;
    assert_eq!(stage.model.last_request().turns.len(), 3);
    life.verify(&session).await;
}
