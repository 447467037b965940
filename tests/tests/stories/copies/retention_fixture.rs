//! Chats that the retention policy looks at, and what people do with them.

use entracte_application::instructions::InstructionScope;
use entracte_application::retention::RetentionTotals;
use entracte_application::use_cases::{
    EndSession, HoldRetention, ReadRetention, ReleaseRetention, RetentionHoldView,
};
use entracte_domain::id::SessionId;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::bilingual_model::{BilingualModelStep, look_step};
use super::fixture::{SessionCopyFixture, chat};

/// The application on these stores, with a process that retains data under these limits.
pub(crate) fn stage_with_limits(stores: StoreFixture, limits: &str) -> SessionCopyFixture {
    SessionCopyFixture::with_stores(stores, []).with_limits(limits)
}

/// The same stores, for a process of its own.
pub(crate) fn same_stores(stores: &StoreFixture) -> StoreFixture {
    StoreFixture {
        store: stores.store.clone(),
        log: stores.log.clone(),
        resources: stores.resources.clone(),
        mail: stores.mail.clone(),
        automations: stores.automations.clone(),
        tasks: stores.tasks.clone(),
        ownership: stores.ownership.clone(),
        keep: Box::new(()),
    }
}

pub(crate) async fn run(life: &RuntimeFixture) -> RetentionTotals {
    life.retention(200).run(&life.workspace, &mut |_| {}).await.unwrap()
}

pub(crate) async fn later(life: &RuntimeFixture) {
    life.services.clock.sleep(Millis::seconds(10)).await;
}

/// A chat in which a query was made, so that it has a result.
pub(crate) async fn asked_chat(stage: &SessionCopyFixture, life: &RuntimeFixture) -> SessionId {
    let session = chat(life, Dialect::Tools, false).await;
    stage.model.push_steps([look_step("weight"), BilingualModelStep::Words("72.5 kg.")]);
    life.send_and_wait(&session, "what do I weigh?").await;
    session
}

pub(crate) async fn ended_chat(stage: &SessionCopyFixture, life: &RuntimeFixture) -> SessionId {
    let session = asked_chat(stage, life).await;
    EndSession::new(life.mail_sender.clone()).run(&life.workspace, &session, "ann".into()).await.unwrap();
    session
}

pub(crate) async fn exists(life: &RuntimeFixture, session: &SessionId) -> bool {
    life.services.store.session(&life.workspace, session).await.unwrap().is_some()
}

/// Holds it; returns whether a part of it is gone.
pub(crate) async fn hold(life: &RuntimeFixture, scope: InstructionScope) -> bool {
    let hold = HoldRetention::new(life.mail_sender.clone(), life.services.log.clone());
    hold.run(&life.workspace, "ann".into(), scope, "The auditor looks at it.".into()).await.unwrap()
}

pub(crate) async fn holds(life: &RuntimeFixture) -> Vec<RetentionHoldView> {
    let services = &life.services;
    let settings = services.settings.retention.clone();
    let read = ReadRetention::new(services.store.clone(), services.log.clone(), settings);
    read.run(&life.workspace).await.unwrap().holds
}

pub(crate) async fn release(life: &RuntimeFixture, scope: InstructionScope) {
    let release = ReleaseRetention::new(life.mail_sender.clone());
    release.run(&life.workspace, "ann".into(), scope).await.unwrap();
}
