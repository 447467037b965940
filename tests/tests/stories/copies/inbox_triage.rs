//! Snoozes and assignments of inbox items, through the one write path.

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::{AccessReach, AccessStore, TriageRows};
use entracte_application::settings::InboxSettings;
use entracte_application::use_cases::{
    AssignItems, DeleteSession, InboxItem, InboxTriage, ReadInbox, ReadInboxTriage, SnoozeItems,
    UseCaseError, WakeItems,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use entracte_tests::contracts::access_store::person;
use entracte_tests::fakes::memory_access_store::MemoryAccessStore;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::send_step;
use super::fixture::{SessionCopyFixture, all_stores, chat, inbox};

/// A chat with an action that waits for approval, and its item.
async fn waiting(life: &RuntimeFixture) -> (SessionId, InboxItem) {
    let session = chat(life, Dialect::Envelope, true).await;
    life.send_and_wait(&session, "tell bob").await;
    (session, inbox(life).await.remove(0))
}

fn read_inbox(life: &RuntimeFixture) -> ReadInbox {
    let services = &life.services;
    let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
    ReadInbox::new(store, log, rows, services.catalog.get(), services.clock.clone())
}

async fn snooze(life: &RuntimeFixture, item: &InboxItem, until: &str) -> Result<(), UseCaseError> {
    let (store, clock) = (life.services.store.clone(), life.services.clock.clone());
    let settings = InboxSettings::default();
    let snooze = SnoozeItems::new(life.mail_sender.clone(), store, clock, read_inbox(life), settings);
    snooze.run(&life.workspace, "ann".into(), &[item.id()], until).await
}

async fn triage(life: &RuntimeFixture, person: &str) -> InboxTriage {
    let read = ReadInboxTriage::new(life.services.log.clone(), life.services.clock.clone());
    read.run(&life.workspace, person.to_owned()).await.unwrap()
}

/// Input: ann snoozes an item for two seconds, and then beyond its deadline; expected: it sleeps for her alone, wakes at that
/// time, and never sleeps past an hour before its deadline.
#[tokio::test(start_paused = true)]
async fn snooze_ends_before_the_deadline() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(stores, [send_step("bob")]);
        let life = stage.life().await;
        let (_, item) = waiting(&life).await;
        snooze(&life, &item, "2s").await.unwrap();
        assert!(triage(&life, "ann").await.snoozed_until(&item).is_some());
        assert_eq!(triage(&life, "bob").await.snoozed_until(&item), None);
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(triage(&life, "ann").await.snoozed_until(&item), None);

        snooze(&life, &item, "30d").await.unwrap();
        let hour_before = item.deadline.unwrap().plus(Millis::hours(-1));
        assert_eq!(triage(&life, "ann").await.snoozed_until(&item), Some(hour_before));
        let rows = life.services.log.inbox_triage(&life.workspace).await.unwrap();
        assert_eq!(rows.snoozes.len(), 1, "the one that has ended is deleted");

        let wake =
            WakeItems::new(life.mail_sender.clone(), life.services.log.clone(), InboxSettings::default());
        wake.run(&life.workspace, "ann".into(), &[item.id()]).await.unwrap();
        assert_eq!(triage(&life, "ann").await.snoozed_until(&item), None);
    }
}

/// Input: eve assigns an item to bob twice, and its session is deleted; expected: the first assignment stands until then, and
/// nothing of it is left.
#[tokio::test(start_paused = true)]
async fn notes_go_with_the_session() {
    for stores in all_stores() {
        let stage = SessionCopyFixture::with_stores(stores, [send_step("bob")]);
        let life = stage.life().await;
        let (session, item) = waiting(&life).await;
        let access = Arc::new(MemoryAccessStore::default());
        access.add_person(person(AccessReach::Workspace(life.workspace.clone()), "bob")).await.unwrap();
        let assign =
            AssignItems::new(life.mail_sender.clone(), access, read_inbox(&life), InboxSettings::default());
        assign.run(&life.workspace, "eve", &[item.id()], Some("bob")).await.unwrap();
        let first = triage(&life, "bob").await.assignment(&item).cloned().unwrap();
        assert_eq!((first.person.as_str(), first.author.as_str()), ("bob", "eve"));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assign.run(&life.workspace, "ann", &[item.id()], Some("bob")).await.unwrap();
        assert_eq!(triage(&life, "bob").await.assignment(&item), Some(&first));
        let stranger = assign.run(&life.workspace, "eve", &[item.id()], Some("zoe")).await;
        assert!(matches!(stranger, Err(UseCaseError::Invalid(_))), "{stranger:?}");

        snooze(&life, &item, "3h").await.unwrap();
        DeleteSession::new(life.mail_sender.clone())
            .run(&life.workspace, &session, "ann".into())
            .await
            .unwrap();
        let left = life.services.log.inbox_triage(&life.workspace).await.unwrap();
        assert_eq!(left, TriageRows::default());
        let gone = snooze(&life, &item, "3h").await;
        assert!(matches!(gone, Err(UseCaseError::NotFound(_))), "{gone:?}");
    }
}
