//! A runtime on the store under test: a model that requests one action, and an executor that counts its sends. The
//! clock moves only when it is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailRequest, NewSessionRequest, SendMessageRequest};
use entracte_application::ports::CommandSpec;
use entracte_application::ports::{
    ActionDescription, CallRequest, Clock, CommandExecutor, ModelReply, ModelRequest, Ownership, Provider,
    ProviderDescription, ProviderFailure, ReplyEnd, ReplySink, ResourceReader, StoreError,
};
use entracte_application::runtime::{
    EffectContext, EffectOutcome, LoadedWorkspace, OwnershipLease, RuntimeServices, StaticProviderRegistry,
    StorePorts, TurnFollowUp, WorkspaceInput, perform,
};
use entracte_application::system::sha256;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{CommandKind, EffectClass};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Effect, SessionKind};
use entracte_domain::time::{Millis, Timestamp};

use crate::contracts::StoreFixture;
use crate::contracts::rows::HOME;

/// Time limit of the action, and how long after that its effect may still appear.
pub(super) const TIMEOUT: Millis = Millis::seconds(15);
pub(super) const SETTLE: Millis = Millis::seconds(5);

/// 2026-11-20T12:00:00Z.
const NOON: Timestamp = Timestamp(1_795_176_000_000_000);

/// A clock that moves only when it is set.
pub(super) struct OwnershipTestClock(AtomicI64);

impl OwnershipTestClock {
    pub(super) fn pass(&self, span: Millis) {
        self.0.fetch_add(span.0 * 1000, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for OwnershipTestClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        self.now().since(NOON)
    }

    async fn sleep(&self, _: Millis) {
        std::future::pending().await
    }
}

/// The executor of the action `outside.send`, whose effect class the test chooses.
pub(super) struct CountingActionExecutor {
    effect: EffectClass,
    pub(super) sent: AtomicU32,
    pub(super) asked: AtomicU32,
}

#[async_trait]
impl CommandExecutor for CountingActionExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        vec![CommandSpec {
            word: "SEND".into(),
            name: "outside.send".into(),
            kind: CommandKind::Action,
            effect: self.effect,
            schema: serde_json::json!({ "type": "object" }).into(),
            cacheable: false,
            independent: false,
            state_scopes: Vec::new(),
            destructive: false,
            egress: false,
            asks: false,
            four_eyes: false,
            approvers: None,
            server: None,
            agent: None,
            target: serde_json::Value::Null,
            timeout: Some(TIMEOUT),
            settle: SETTLE,
            key_lifetime: Millis::hours(1),
            task: None,
            doc: String::new(),
            example: None,
        }]
    }

    async fn run(&self, _: CallRequest) -> CallOutcome {
        self.sent.fetch_add(1, Ordering::SeqCst);
        CallOutcome::Succeeded { content: "sent".into(), digest: sha256(b"sent"), files: Vec::new() }
    }

    async fn probe_outcome(&self, _: CallRequest) -> CallOutcome {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let happened = Some(self.sent.load(Ordering::SeqCst) > 0);
        CallOutcome::Probed { happened, content: "sent".into(), digest: sha256(b"sent") }
    }

    async fn describe(
        &self,
        _: CallRequest,
        _: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription { says: "Send it".into(), ..ActionDescription::default() })
    }
}

/// A model that requests the action on every call.
#[derive(Default)]
pub(super) struct SingleActionModel {
    pub(super) asked: AtomicU32,
}

#[async_trait]
impl Provider for SingleActionModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "clerk".into(),
            kind: "clerk".into(),
            display_name: "Clerk".into(),
            default_model: "clerk".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    async fn call(&self, _: ModelRequest, _: Arc<dyn ReplySink>) -> Result<ModelReply, ProviderFailure> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let text = r#"{"pre_text":"I send it.","actions":[{"type":"SEND","params":{"to":"bob"}}]}"#;
        Ok(ModelReply {
            text: text.into(),
            calls: Vec::new(),
            end: ReplyEnd::Done,
            usage: None,
            model: None,
            raw: None,
            request_id: None,
            body_digest: None,
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("clerk".into())
    }
}

/// State that all processes of a test share.
pub(super) struct OwnershipContractFixture {
    pub(super) clock: Arc<OwnershipTestClock>,
    pub(super) outside: Arc<CountingActionExecutor>,
    pub(super) clerk: Arc<SingleActionModel>,
    pub(super) ownership: Arc<dyn Ownership>,
    stores: StoreFixture,
}

impl OwnershipContractFixture {
    /// Creates the fixture on these stores with an action of this effect class.
    pub(super) fn new(stores: StoreFixture, effect: EffectClass) -> Self {
        Self {
            clock: Arc::new(OwnershipTestClock(AtomicI64::new(NOON.0))),
            outside: Arc::new(CountingActionExecutor {
                effect,
                sent: AtomicU32::new(0),
                asked: AtomicU32::new(0),
            }),
            clerk: Arc::default(),
            ownership: stores.ownership.clone(),
            stores,
        }
    }

    /// The services of a process that starts now.
    pub(super) fn services(&self) -> Arc<RuntimeServices> {
        let StoreFixture { store, log, resources, mail, automations, tasks, ownership, .. } = &self.stores;
        let ports = StorePorts {
            store: store.clone(),
            log: log.clone(),
            rows: resources.clone(),
            mail_store: mail.clone(),
            automations: automations.clone(),
            tasks: tasks.clone(),
            ownership: ownership.clone(),
            knowledge: None,
            files: None,
        };
        let providers = Arc::new(StaticProviderRegistry::new([self.clerk.clone() as Arc<dyn Provider>]));
        let services = RuntimeServices::new(ports, providers, &[self.outside.clone() as _]).unwrap();
        Arc::new(RuntimeServices { clock: self.clock.clone(), started_at: self.clock.now(), ..services })
    }

    /// Starts a process that acquires ownership and resumes unfinished work.
    pub(super) async fn begin(&self) -> SteppedOwnerProcess {
        let services = self.services();
        let owner = Arc::new(services.acquire_ownership().await.unwrap());
        let opened = LoadedWorkspace::open(services.clone(), owner.clone(), WorkspaceKey::new(HOME)).await;
        let mut process = SteppedOwnerProcess {
            services,
            owner,
            workspace: opened.unwrap(),
            turn: TurnFollowUp::default(),
        };
        process.hand_in(WorkspaceInput::Started).await;
        process
    }

    /// Revokes the ownership of a process without notice, as a server lock is lost with its connection.
    pub(super) fn revoke_ownership(&self, process: &SteppedOwnerProcess) {
        self.ownership.release(process.owner.epoch());
    }

    /// How often the action was sent.
    pub(super) fn sent(&self) -> u32 {
        self.outside.sent.load(Ordering::SeqCst)
    }

    /// How often the executor was queried whether the action happened.
    pub(super) fn asked(&self) -> u32 {
        self.outside.asked.load(Ordering::SeqCst)
    }
}

/// One process, driven step by step.
pub(super) struct SteppedOwnerProcess {
    pub(super) services: Arc<RuntimeServices>,
    pub(super) owner: Arc<OwnershipLease>,
    pub(super) workspace: LoadedWorkspace,
    /// Follow-up of its last turn.
    pub(super) turn: TurnFollowUp,
}

/// The requests that create a chat and send a message to it.
pub(super) fn requests() -> [Mail; 2] {
    let id = SessionId::new("ses_own");
    let new = NewSessionRequest {
        id: id.clone(),
        kind: SessionKind::Chat,
        name: "chat".into(),
        provider: "clerk".into(),
        model: "clerk".into(),
        dialect: Dialect::Envelope,
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
    };
    let message = UserMessage::text("Send it.");
    let send =
        MailRequest::session(id, SendMessageRequest { author: "ann".into(), message, client_key: None });
    [Mail::from_request(MailRequest::workspace(new)), Mail::from_request(send)]
}

impl SteppedOwnerProcess {
    /// Handles one input and everything that follows immediately.
    pub(super) async fn hand_in(&mut self, item: WorkspaceInput) {
        let mut incoming = vec![item];
        loop {
            self.turn = self.workspace.handle(&mut incoming).await.unwrap();
            if !self.turn.again {
                return;
            }
        }
    }

    /// Advances to a chat that waits for the model's answer.
    pub(super) async fn ask_model(&mut self) {
        for mail in requests() {
            self.hand_in(WorkspaceInput::Request { mail, reply: None, row: None }).await;
        }
        assert!(matches!(self.effect(), Some((_, Effect::CallModel { .. }))), "{:?}", self.turn.touched);
    }

    /// Advances until the action is committed as started but not sent yet.
    pub(super) async fn start_action(&mut self) {
        self.ask_model().await;
        let (session, outcome) = self.perform().await.expect("the model is asked");
        self.hand_in(WorkspaceInput::Outcome { session, outcome }).await;
        assert!(matches!(self.effect(), Some((_, Effect::RunCall { .. }))), "{:?}", self.turn.touched);
    }

    /// The effect that its last turn requests.
    pub(super) fn effect(&self) -> Option<(SessionId, Effect)> {
        let wanted =
            |(session, effects): &(SessionId, Vec<Effect>)| Some((session.clone(), effects.first()?.clone()));
        self.turn.touched.iter().find_map(wanted)
    }

    /// Performs the effect; `None` if nothing was sent.
    pub(super) async fn perform(&mut self) -> Option<(SessionId, EffectOutcome)> {
        let (session, effect) = self.effect().expect("there is something to do");
        let job = self.workspace.build_job(&session, &effect).await.unwrap().expect("it is wanted");
        let (services, owner) = (self.services.clone(), self.owner.clone());
        let (under_way, language) = (self.workspace.under_way(), self.workspace.language());
        let means = EffectContext { services, owner, begun: self.turn.begun, under_way, language };
        let workspace = self.workspace.key().clone();
        let outcome = perform(means, workspace, session.clone(), job).await?;
        Some((session, outcome))
    }

    /// Performs the effect and applies its outcome.
    pub(super) async fn finish(&mut self) {
        let (session, outcome) = self.perform().await.expect("it is sent");
        self.hand_in(WorkspaceInput::Outcome { session, outcome }).await;
    }
}
