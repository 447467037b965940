//! Two processes on one database file: one owns it and runs sessions, the other posts mail and reads. Here both are in
//! one process, each with its own connections; the command line's tests use real processes.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::sync::Arc;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RemoteMailSender;
use entracte_application::system::{RandomIdGenerator, SystemClock};
use entracte_application::use_cases::{ApprovalChoice, DecideApprovals, UseCaseError};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, ServicesFixtureParts, command_request_line, envelope_line,
    services,
};
use serde_json::json;

fn open(path: &std::path::Path) -> (Database, StoreFixture) {
    let database = Database::open(&path.to_string_lossy(), DatabaseOptions::default()).unwrap();
    let stores = StoreFixture {
        store: database.store(),
        log: database.log_reader(),
        resources: database.resource_reader(),
        mail: database.mail_store(),
        automations: database.automation_reader(),
        tasks: database.task_reader(),
        ownership: database.ownership(),
        keep: Box::new(()),
    };
    (database, stores)
}

fn parts(
    stores: StoreFixture,
    lines: Vec<FakeModelLine>,
    outside: Arc<RecordingExecutor>,
) -> ServicesFixtureParts {
    let model = Arc::new(FakeModel::default());
    model.push_lines(lines);
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![outside];
    ServicesFixtureParts {
        stores,
        provider: model,
        executors,
        rules: RuleBook::default(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIdGenerator),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approve_works_beside_a_running_chat() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("entracte.db");
    let outside = Arc::new(RecordingExecutor::default());
    let (_, stores) = open(&path);
    let lines =
        vec![command_request_line("actions", &[("SEND", json!({ "to": "bob" }))]), envelope_line("sent")];
    let chat = RuntimeFixture::start_runtime(services(&parts(stores, lines, outside.clone()))).await;
    let session = chat.chat(true).await;
    chat.send_and_wait(&session, "write to bob").await;

    let (beside, stores) = open(&path);
    assert!(beside.try_own().is_err(), "the chat owns the database");
    let mail_sender = Arc::new(RemoteMailSender::new(stores.mail.clone(), Arc::new(SystemClock)));
    let decide = DecideApprovals::new(mail_sender, stores.store.clone());
    let after = chat.follow().last_entry_number(&chat.workspace, &session).await.unwrap();
    decide.run_for_all(&chat.workspace, &session, "bob".into(), &ApprovalChoice::Approve).await.unwrap();
    chat.follow().run_until_idle(&chat.workspace, &session, after).await.unwrap();
    assert_eq!(outside.recorded_effects().len(), 1);
    assert_eq!(chat.calls(&session).await, [("outside.send".into(), "succeeded".to_owned())]);

    // The same decision is refused the second time, across processes too.
    let again = decide.run_for_all(&chat.workspace, &session, "bob".into(), &ApprovalChoice::Approve).await;
    assert!(matches!(again, Err(UseCaseError::NotApplicable(_))), "{again:?}");
    chat.verify(&session).await;
}
