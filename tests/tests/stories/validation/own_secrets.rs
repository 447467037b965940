//! A tool with the requester's own secret, against people who try to use another person's.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use entracte_adapters_commands::HttpToolExecutor;
use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::secret::PersonSecretFiles;
use entracte_application::ports::{CommandExecutor, PersonSecretStore, SecretOwner};
use entracte_application::rule_book::RuleBook;
use entracte_application::system::SystemSecretStore;
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, ApprovalView, AutomationParams, CreateAutomation, DecideApprovals,
    RunAutomation, SendMessage,
};
use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::SessionId;
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, ModelSelection};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::cryptography::crypto;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, command_request_line,
    envelope_line, services,
};
use serde_json::json;

use super::fixture::waiting_approvals;

/// A bank server that records the paying person.
struct FakeBankServer {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
}

#[expect(clippy::unwrap_used, reason = "a peer of tests")]
impl FakeBankServer {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/pay", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (mut head, mut byte) = (Vec::new(), [0; 1]);
                while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) > 0 {
                    head.push(byte[0]);
                }
                let head = String::from_utf8_lossy(&head).to_lowercase();
                let who =
                    head.lines().find_map(|line| line.strip_prefix("authorization: ")).unwrap_or("nobody");
                noted.lock().unwrap().push(who.to_owned());
                stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\nconnection: close\r\n\r\npaid")
                    .unwrap();
            }
        });
        Self { url, seen }
    }

    /// The payers since the last call.
    fn paid(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

struct OwnSecretFixture {
    life: RuntimeFixture,
    model: Arc<FakeModel>,
    bank: FakeBankServer,
    _folder: tempfile::TempDir,
}

#[expect(clippy::unwrap_used, reason = "helpers of tests")]
impl OwnSecretFixture {
    /// Ann and Bob have a secret of that name, Eve has none.
    async fn new() -> Self {
        let (bank, folder) = (FakeBankServer::open(), tempfile::tempdir().unwrap());
        let people = PersonSecretFiles::new(folder.path().join("people"));
        for person in ["ann", "bob"] {
            let holder = SecretOwner {
                workspace: entracte_domain::id::WorkspaceKey::new("ann:home"),
                person: person.to_owned(),
            };
            people.store_secret(&holder, "bank", &format!("secret-of-{person}").into()).unwrap();
        }
        let tool = json!({
            "name": "bank.pay", "method": "POST", "url": bank.url, "doc": "Pays.", "destructive": false,
            "headers": { "Authorization": { "secret_person": "bank", "prefix": "Bearer " } }, "body": "json",
            "arguments": {
                "type": "object", "properties": { "to": { "type": "string" } }, "required": ["to"],
                "additionalProperties": false,
            },
        });
        let settings =
            EgressSettings { allowed: vec!["127.0.0.1".parse().unwrap()], ..EgressSettings::default() };
        let declared = vec![serde_json::from_value(tool).unwrap()];
        let tools = HttpToolExecutor::new(
            declared,
            Arc::new(EgressClient::new(settings, crypto())),
            Arc::new(SystemSecretStore),
        )
        .unwrap();
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![Arc::new(tools.with_people(Arc::new(people)))];
        let memory = Arc::new(MemoryStore::new());
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory,
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { life: RuntimeFixture::start_runtime(services(&parts)).await, model, bank, _folder: folder }
    }

    /// The model requests a payment after a person's message; returns the card.
    async fn asks(&self, author: &str, session: &SessionId) -> ApprovalView {
        self.model.push_lines([command_request_line("actions", &[("BANK_PAY", json!({ "to": "carl" }))])]);
        let after = self.life.follow().last_entry_number(&self.life.workspace, session).await.unwrap();
        let (send, message) =
            (SendMessage::new(self.life.mail_sender.clone()), UserMessage::text("pay Carl"));
        send.run(&self.life.workspace, session, author.into(), message, None).await.unwrap();
        let turn = self.life.follow().run_until_idle(&self.life.workspace, session, after).await.unwrap();
        waiting_approvals(&turn)[0].clone()
    }

    /// A person decides; returns the state of the last call when the session rests.
    async fn decides(
        &self,
        author: &str,
        session: &SessionId,
        card: &ApprovalView,
        choice: &ApprovalChoice,
    ) -> String {
        let after = self.life.follow().last_entry_number(&self.life.workspace, session).await.unwrap();
        let decide = DecideApprovals::new(self.life.mail_sender.clone(), self.life.services.store.clone());
        let (workspace, shown) = (&self.life.workspace, [ApprovalSelection::from_approval(card)]);
        decide.run_for_selection(workspace, session, author.into(), &shown, choice).await.unwrap();
        self.life.follow().run_until_idle(workspace, session, after).await.unwrap();
        self.life.verify(session).await;
        self.life.calls(session).await.last().unwrap().1.clone()
    }
}

/// Input: people who request, approve, edit and reject a payment with a person's own secret; expected: only the
/// requester's secret is used, or nothing is sent.
#[tokio::test(flavor = "multi_thread")]
async fn requesters_credential_only() {
    let scene = OwnSecretFixture::new().await;
    let chat = || scene.life.chat(false);

    // Bob's approval does not lend Bob's secret.
    let session = chat().await;
    let card = scene.asks("ann", &session).await;
    assert_eq!(card.call.principal(), Some("ann"));
    assert!(
        card.description.warnings.iter().any(|told| told.contains("ann’s own secret “bank”")),
        "{card:?}"
    );
    assert_eq!(scene.decides("bob", &session, &card, &ApprovalChoice::Approve).await, "succeeded");
    assert_eq!(scene.bank.paid(), ["bearer secret-of-ann"]);

    // Eve has no secret, and gets none from the people who approve.
    let session = chat().await;
    let card = scene.asks("eve", &session).await;
    assert!(
        card.description.warnings.iter().any(|told| told.contains("eve has no secret “bank”")),
        "{card:?}"
    );
    scene.model.push_lines([envelope_line("It failed.")]);
    assert_eq!(scene.decides("ann", &session, &card, &ApprovalChoice::Approve).await, "failed");

    // Bob's edit of Ann's request is sent neither with Ann's secret nor with his.
    let session = chat().await;
    let card = scene.asks("ann", &session).await;
    let mine = entracte_application::json_value::from_serde(&json!({ "to": "bob" }));
    scene.model.push_lines([envelope_line("It failed.")]);
    assert_eq!(scene.decides("bob", &session, &card, &ApprovalChoice::ApproveEdited(mine)).await, "failed");

    // An instruction of Bob's instead of an approval makes both of them requesters.
    let session = chat().await;
    let card = scene.asks("ann", &session).await;
    scene.model.push_lines([command_request_line("actions", &[("BANK_PAY", json!({ "to": "bob" }))])]);
    let instead = ApprovalChoice::Reject(Some("pay Bob instead".into()));
    assert_eq!(scene.decides("bob", &session, &card, &instead).await, "waiting_decision");
    let turn = scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
    let card = waiting_approvals(&turn)[0].clone();
    assert_eq!(card.call.principal(), None);
    scene.model.push_lines([envelope_line("It failed.")]);
    assert_eq!(scene.decides("ann", &session, &card, &ApprovalChoice::Approve).await, "failed");

    // A round with messages of two people acts for neither.
    let session = chat().await;
    scene.asks("ann", &session).await;
    let card = scene.asks("bob", &session).await;
    scene.model.push_lines([envelope_line("It failed.")]);
    assert_eq!(scene.decides("ann", &session, &card, &ApprovalChoice::Approve).await, "failed");
    assert_eq!(scene.bank.paid(), Vec::<String>::new(), "nothing was sent");

    // Ann's earlier message is still read: Bob alone does not pay with his own secret there.
    let card = scene.asks("bob", &session).await;
    assert_eq!(card.call.principal(), None);
    scene.model.push_lines([envelope_line("It failed.")]);
    assert_eq!(scene.decides("ann", &session, &card, &ApprovalChoice::Approve).await, "failed");
    assert_eq!(scene.bank.paid(), Vec::<String>::new());

    // In a chat of his own he does.
    let session = chat().await;
    let card = scene.asks("bob", &session).await;
    assert_eq!(scene.decides("ann", &session, &card, &ApprovalChoice::Approve).await, "succeeded");
    assert_eq!(scene.bank.paid(), ["bearer secret-of-bob"]);
}

/// Input: Ann's automation, which Bob starts with an event and approves; expected: Ann's secret.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_uses_its_owners_credential() {
    let scene = OwnSecretFixture::new().await;
    let (life, workspace) = (&scene.life, &scene.life.workspace);
    let plan = AutomationParams {
        name: "Rent".into(),
        trigger: Trigger::Manual,
        policies: AutomationPolicies::default(),
        enabled: true,
        message: UserMessage::text("pay Carl"),
        voice: ModelSelection { provider: "fake".into(), model: "fake-1".into(), dialect: Dialect::Envelope },
        require_validation: false,
        restriction: Restriction::Open,
    };
    let create = CreateAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let automation = create.run(workspace, "ann".into(), plan).await.unwrap();
    scene.model.push_lines([command_request_line("actions", &[("BANK_PAY", json!({ "to": "carl" }))])]);
    let run = RunAutomation::new(life.mail_sender.clone(), life.services.ids.clone());
    let event = Some(r#"{"to":"bob"}"#.to_owned());
    let session = run.run(workspace, "bob".into(), &automation, event).await.unwrap().session;
    let turn = life.follow().run_until_idle(workspace, &session, 0).await.unwrap();
    let card = waiting_approvals(&turn)[0].clone();
    assert_eq!(card.call.asked_by.people, ["ann", "bob"], "under four eyes Bob's event would count");
    scene.model.push_lines([envelope_line("Paid.")]);
    scene.decides("bob", &session, &card, &ApprovalChoice::Approve).await;
    assert_eq!(scene.bank.paid(), ["bearer secret-of-ann"]);
}
