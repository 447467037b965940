//! A history that uses a bit of everything and does not depend on the speed of a store: time stands still, ids are
//! sequential, and nothing runs concurrently.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_db::Database;
use entracte_application::journal::JournalEntry;
use entracte_application::mail::{Mail, MailRequest, RunAutomationRequest};
use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{
    ApprovalChoice, AttachSession, AutomationParams, CreateAutomation, DeleteSession, ForkSession,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Input, ModelSelection};
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::stores_of_database;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, FixedNoonClock, NOON, RuntimeFixture, SequentialIds, ServicesFixtureParts,
    command_request_line, envelope_line, services,
};
use serde_json::json;

fn parts(
    database: &Database,
    ids: &str,
    lines: Vec<FakeModelLine>,
) -> (ServicesFixtureParts, Arc<RecordingExecutor>) {
    let model = Arc::new(FakeModel::default());
    model.push_lines(lines);
    let (stores, outside) =
        (stores_of_database(database, Box::new(())), Arc::new(RecordingExecutor::default()));
    let resources = ResourcesExecutor::new(stores.resources.clone());
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![outside.clone(), Arc::new(resources)];
    let parts = ServicesFixtureParts {
        stores,
        provider: model,
        executors,
        rules: RuleBook::default(),
        clock: Arc::new(FixedNoonClock),
        ids: Arc::new(SequentialIds::with_prefix(ids)),
    };
    (parts, outside)
}

/// A chat that reads, creates a zone and a tool in it with approval, and gets a rejection; one whose process is killed
/// during an external action; a fork; a deleted chat. Before all of it, mail of another process.
pub(crate) async fn play(database: &Database) {
    let lines = vec![
        command_request_line("queries", &[("LOOK", json!({ "at": "weight" }))]),
        command_request_line("actions", &[("CREATE_ZONE", json!({ "name": "Health “é”" }))]),
        command_request_line("actions", &[("SEND", json!({ "to": "bob", "number": 0.30 }))]),
        envelope_line("Then not."),
        envelope_line("A second one."),
        envelope_line("A third one."),
        command_request_line("actions", &[("SEND", json!({ "to": "eve" }))]),
    ];
    write_mail(database).await;
    let (before, outside) = parts(database, "k", lines);
    let (chat, dead) = {
        let life = RuntimeFixture::start_runtime(services(&before)).await;
        let chat = life.chat(true).await;
        life.send_and_wait(&chat, "make a zone").await;
        life.decide_and_wait(&chat, ApprovalChoice::Approve).await;
        life.send_and_wait(&chat, "write to bob").await;
        life.decide_and_wait(&chat, ApprovalChoice::Reject(Some("not him".into()))).await;
        let gone = life.chat(false).await;
        life.send_and_wait(&gone, "I shall be gone").await;
        let fork = ForkSession::new(
            life.mail_sender.clone(),
            life.services.store.clone(),
            life.services.ids.clone(),
        );
        fork.run(&life.workspace, &chat, "ann".into(), Some(2), None).await.unwrap();
        // Not the newest: SQLite would reuse its invisible rowid for the next one.
        let delete = DeleteSession::new(life.mail_sender.clone());
        delete.run(&life.workspace, &gone, "ann".into()).await.unwrap();
        outside.hangs.store(true, Ordering::SeqCst);
        let dies = life.chat(false).await;
        life.send_and_wait(&dies, "hello").await;
        // So it keeps its slot while it rests.
        let attach = AttachSession::new(life.mail_sender.clone());
        attach.run(&life.workspace, &dies, "ann".into(), "terminal".into()).await.unwrap();
        automate(&life).await;
        life.send_message(&dies, "write to eve").await;
        while !outside.recorded_effects().iter().any(|effect| effect.command == "outside.send") {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        (chat, dies)
    };
    // The next process finds the action in progress with an unknown outcome; its model informs the person.
    let (after, _) = parts(database, "n", vec![envelope_line("I do not know.")]);
    let life = RuntimeFixture::start_runtime(services(&after)).await;
    while life.phase(&dead).await != "IDLE" {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(life.calls(&dead).await, [("outside.send".into(), "unknown".to_owned())]);
    assert_eq!(life.phase(&chat).await, "IDLE");
}

/// Mail while no process owns the database: an owner would also answer it, and the order would decide which rows stay.
async fn write_mail(database: &Database) {
    let mail = database.mail_store();
    let key = WorkspaceKey::new("nobody:there");
    let taken_back = mail.post(&key, vec![0, 159], NOON).await.unwrap();
    mail.withdraw(&key, taken_back).await.unwrap();
    mail.delete_answered_before(NOON).await.unwrap();
    let kept = mail.post(&key, vec![1], NOON).await.unwrap();
    mail.answer_refused(&key, kept, vec![2]).await.unwrap();
}

/// An automation, and a run of it that waits for the slot of the open chat.
async fn automate(life: &RuntimeFixture) {
    let plan = AutomationParams {
        name: "Weekly".into(),
        trigger: Trigger::Cron { expression: "0 9 * * 1".into(), zone: "Europe/Paris".into() },
        policies: AutomationPolicies::default(),
        enabled: true,
        message: UserMessage::text("How was my week?"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let automation = create.run(&life.workspace, "ann".into(), plan).await.unwrap();
    let session = SessionId::new("ses_run");
    let request = MailRequest::workspace(RunAutomationRequest {
        author: "ann".into(),
        automation,
        session,
        event: None,
    });
    life.mail_sender.post(&life.workspace, Mail::from_request(request)).await.unwrap();
}

/// One more turn of the first chat; then the run that waited for its slot, for which the model has no reply.
pub(crate) async fn go_on(database: &Database) {
    let (parts, _) = parts(database, "g", vec![envelope_line("Here I am again.")]);
    let life = RuntimeFixture::start_runtime(services(&parts)).await;
    life.send_and_wait(&SessionId::new("ses_k1"), "are you there?").await;
    let run = SessionId::new("ses_run");
    let has_failed = |entry: &JournalEntry| matches!(entry.input, Input::ProviderErrorOccurred { .. });
    while !life.entries(&run).await.last().is_some_and(has_failed) {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}
