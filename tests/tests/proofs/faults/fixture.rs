//! A working session on a database with a temporary fault.

use std::sync::Arc;

use entracte_adapters_db::Database;
use entracte_application::ports::{MailPostError, StoreError, StoreOutageKind};
use entracte_application::rule_book::RuleBook;
use entracte_application::use_cases::{SendMessage, UseCaseError};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::stores_of_database;
use entracte_tests::runtime_fixture::{
    FakeModelLine, FixedNoonClock, RuntimeFixture, SequentialIds, ServicesFixtureParts, command_request_line,
    envelope_line, services,
};
use serde_json::json;

/// Long enough not to fit into space that is left by chance.
pub(crate) const LONG: usize = 200_000;

pub(crate) struct DatabaseFaultFixture {
    pub(crate) life: RuntimeFixture,
    pub(crate) session: SessionId,
    pub(crate) model: Arc<GatedFakeModel>,
    pub(crate) outside: Arc<RecordingExecutor>,
    database: Database,
}

/// Lets other tasks run.
pub(crate) async fn a_moment() {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
}

impl DatabaseFaultFixture {
    /// A chat after its first turn, on a database that this process owns.
    pub(crate) async fn begin(database: &Database, lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let (model, outside) = (Arc::new(GatedFakeModel::default()), Arc::new(RecordingExecutor::default()));
        model.model.push_lines([envelope_line("One.")]);
        model.model.push_lines(lines);
        let parts = ServicesFixtureParts {
            stores: stores_of_database(database, Box::new(())),
            provider: model.clone(),
            executors: vec![outside.clone()],
            rules: RuleBook::default(),
            clock: Arc::new(FixedNoonClock),
            ids: Arc::new(SequentialIds::default()),
        };
        let life = RuntimeFixture::start_runtime(services(&parts)).await;
        let session = life.chat(false).await;
        model.let_answer(1);
        life.send_and_wait(&session, "one").await;
        Self { life, session, model, outside, database: database.clone() }
    }

    /// Whether this process still owns the database.
    pub(crate) fn is_owner(&self) -> bool {
        self.database.is_owned_here()
    }

    /// Sends a message and waits until the model is called.
    pub(crate) async fn ask(&self, text: &str) {
        let before = self.model.asked();
        self.life.send_message(&self.session, text).await;
        while self.model.asked() == before {
            a_moment().await;
        }
    }

    /// The error for a message that cannot be stored.
    pub(crate) async fn refusal(&self, text: &str) -> StoreError {
        let send = SendMessage::new(self.life.mail_sender.clone());
        let message = UserMessage::text(format!("{text} {}", "x".repeat(LONG / 10)));
        let told = send.run(&self.life.workspace, &self.session, "ann".into(), message, None).await;
        match told {
            Err(UseCaseError::Post(MailPostError::Store(error))) => error,
            other => unreachable!("{other:?}"),
        }
    }
}

/// A long reply that requests an action, then two short replies.
pub(crate) fn story() -> [FakeModelLine; 3] {
    let FakeModelLine::Says(asked) = command_request_line("actions", &[("SEND", json!({ "to": "bob" }))])
    else {
        unreachable!()
    };
    let mut envelope: serde_json::Value = serde_json::from_str(&asked).unwrap();
    envelope["pre_text"] = "y".repeat(LONG).into();
    envelope["keep_control"] = true.into();
    [FakeModelLine::Says(envelope.to_string()), envelope_line("Two."), envelope_line("Three.")]
}

/// The model requests an action during the fault: nothing starts, a new request is refused, and after the fault the
/// action happens once.
pub(crate) async fn check_survives_fault(
    database: &Database,
    kind: StoreOutageKind,
    hinder: impl FnOnce(),
    mend: impl FnOnce(),
) {
    let scene = DatabaseFaultFixture::begin(database, story()).await;
    let after = scene.life.follow().last_entry_number(&scene.life.workspace, &scene.session).await.unwrap();
    scene.ask("two").await;

    hinder();
    scene.model.let_answer(1);
    let told = scene.refusal("lost").await;
    let StoreError::Unavailable(outage) = &told else { unreachable!("{told}") };
    assert_eq!(outage.kind, kind, "{told}");
    assert!(told.to_string().contains("work then continues by itself"), "{told}");
    for _ in 0..20 {
        a_moment().await;
    }
    assert_eq!(scene.outside.recorded_effects(), [], "nothing starts that was not committed");
    assert_eq!(scene.life.phase(&scene.session).await, "CALLING_AI", "what is committed can be read");

    mend();
    scene.model.let_answer(1);
    scene.life.follow().run_until_idle(&scene.life.workspace, &scene.session, after).await.unwrap();
    scene.model.let_answer(1);
    scene.life.send_and_wait(&scene.session, "three").await;
    assert_eq!(scene.outside.recorded_effects().len(), 1, "what was asked for happened once");
    assert_eq!(scene.model.asked(), 4, "nothing is asked twice");
    assert!(scene.model.heard("Two.") && scene.model.heard("yyyyy"), "no reply is lost");
    assert!(!scene.model.heard("lost"), "what was told as not taken is not there");
    scene.life.verify(&scene.session).await;
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}
