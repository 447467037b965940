//! Ann's workspace, and eve's beside it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_application::codec::decode_automation;
use entracte_application::commands::ResultsExecutor;
use entracte_application::ports::SessionFilter;
use entracte_application::session_export::SessionExport;
use entracte_application::use_cases::*;
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::SessionKind;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::super::bilingual_model::{BilingualModelStep, send_step};
use super::super::fixture::{SessionCopyFixture, chat, interrupt};
use super::WorkspaceIsolationFixture;
use super::tasks::{EndlessTaskGateway, given};

/// Ann's workspace with one of everything that has an id, and eve's workspace.
pub(super) async fn case(stores: StoreFixture) -> (SessionCopyFixture, WorkspaceIsolationFixture) {
    let log = stores.log.clone();
    let stage =
        SessionCopyFixture::with_stores(stores, []).with_executor(Arc::new(ResultsExecutor::new(log, 0)));
    let stage = stage.with_executor(Arc::new(EndlessTaskGateway));
    let life = stage.life().await;
    let lost = chat(&life, Dialect::Tools, false).await;
    stage.outside.hangs.store(true, Ordering::SeqCst);
    stage.model.push_steps([send_step("bob")]);
    life.send_message(&lost, "tell bob").await;
    while stage.effects() == 0 {
        tokio::task::yield_now().await;
    }
    interrupt(&life, &lost).await;
    let _ = super::super::fixture::try_interrupt(&life, &lost).await;
    stage.outside.hangs.store(false, Ordering::SeqCst);
    assert_eq!(life.calls(&lost).await, [("outside.send".into(), "unknown".to_owned())]);
    let unknown = life.services.log.calls(&life.workspace, &lost).await.unwrap().remove(0).id;

    let gone = chat(&life, Dialect::Tools, true).await;
    // A chat without messages leaves no deletion record.
    stage.model.push_steps([BilingualModelStep::Words("Hello.")]);
    life.send_and_wait(&gone, "hello").await;
    DeleteSession::new(life.mail_sender.clone()).run(&life.workspace, &gone, "ann".into()).await.unwrap();
    let session = chat(&life, Dialect::Tools, true).await;
    stage.model.push_steps([send_step("bob"), BilingualModelStep::Words("Done."), send_step("eve")]);
    life.send_and_wait(&session, "tell bob").await;
    life.decide_and_wait(
        &session,
        ApprovalChoice::Always { in_session: false, lasts: None, agents: false, width: None },
    )
    .await;
    life.send_and_wait(&session, "tell eve").await;
    let open = life.services.log.calls(&life.workspace, &session).await.unwrap().pop().unwrap().id;
    assert_eq!(life.phase(&session).await, "WAITING_VALIDATION");
    let rules = ReadApprovalRules::new(
        life.services.store.clone(),
        life.services.log.clone(),
        life.services.clock.clone(),
    );
    let rule = rules.run(&life.workspace, true).await.unwrap().remove(0).id;
    let plan = AutomationParams {
        name: "Weekly".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies::default(),
        enabled: true,
        message: UserMessage::text("How was my week?"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Tools },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    create.run(&life.workspace, "ann".into(), plan).await.unwrap();
    let rows = life.services.automations.automations(&life.workspace).await.unwrap();
    let automation = decode_automation(&rows[0]).unwrap();
    let run = RunAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    run.run(&life.workspace, "ann".into(), &automation.id, None).await.unwrap();
    let task = given(&stage, &life).await;
    let export = ExportSession::new(life.services.store.clone(), life.services.log.clone());
    let file = export.run(&life.workspace, &session).await.unwrap().encode().unwrap();
    assert_eq!(SessionExport::decode(&file).unwrap().session, session);

    let home = life.workspace.clone();
    // The run that has just started comes to rest first.
    for row in life.services.log.sessions(&SessionFilter::default()).await.unwrap().rows {
        if row.kind == SessionKind::Automation {
            let end = EndSession::new(life.mail_sender.clone());
            let _ = end.run(&home, &row.id, "ann".into()).await;
        }
    }
    let away = RuntimeFixture { workspace: WorkspaceKey::new("eve:other"), ..life };
    let own = chat(&away, Dialect::Tools, true).await;
    // On a stopped clock, pending requests change nothing by themselves.
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    (
        stage,
        WorkspaceIsolationFixture {
            away,
            home,
            session,
            open,
            lost: (lost, unknown),
            rule,
            automation,
            file,
            task,
            own,
        },
    )
}
