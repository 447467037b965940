//! Several processes on one database: each workspace is handled by one of them at a time, nothing is sent twice, and what
//! one leaves another takes over. Here all are in one process, each with its own connections and its own clock.

#![expect(clippy::expect_used, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailRequest, NewSessionRequest, SendMessageRequest};
use entracte_application::ports::{
    Clock as _, CommandExecutor, ModelCallLimits, ModelReply, ModelRequest, Provider, ProviderDescription,
    ProviderFailure, ReplyEnd, ReplySink, WorkerProcessDescription, WorkspaceOwnership,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{
    EffectContext, EffectOutcome, LoadedWorkspace, OwnershipLease, RuntimeServices, TurnError, TurnFollowUp,
    WorkspaceInput, perform,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{Dialect, Effect, SessionKind};
use entracte_domain::time::Millis;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::postgres::{TestDatabase, stores_of_database};
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, envelope_line,
    services,
};
use futures_util::future::join_all;
use serde_json::json;

/// A model that requests one action for each message, and then says that it is done.
#[derive(Default)]
struct OneActionModel {
    info: FakeModel,
    asked: Mutex<BTreeMap<SessionId, usize>>,
}

impl OneActionModel {
    /// How often it was asked, in all sessions.
    fn asked(&self) -> usize {
        self.asked.lock().unwrap().values().sum()
    }
}

#[async_trait]
impl Provider for OneActionModel {
    fn info(&self) -> ProviderDescription {
        self.info.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.info.encoding()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        self.info.limits(model)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.info.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            let number = asked.entry(request.session).or_default();
            *number += 1;
            *number
        };
        let line = if number % 2 == 1 { asks_to_send() } else { envelope_line("It is sent.") };
        let FakeModelLine::Says(text) = line else { unreachable!("an envelope is a text") };
        sink.text(&text);
        Ok(ModelReply {
            text,
            calls: Vec::new(),
            end: ReplyEnd::Done,
            usage: None,
            model: Some("fake-1".into()),
            raw: None,
            request_id: None,
            body_digest: None,
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.info.check().await
    }
}

/// It is asked again once the action is done.
fn asks_to_send() -> FakeModelLine {
    let action = json!({ "type": "SEND", "params": { "to": "bob" } });
    let said = json!({ "pre_text": "One moment.", "actions": [action], "keep_control": true });
    FakeModelLine::Says(said.to_string())
}

/// What all processes of a test share: the database, the model and the outside world.
struct SharedDatabaseFixture {
    made: TestDatabase,
    model: Arc<dyn Provider>,
    outside: Arc<RecordingExecutor>,
}

/// The services of one process, with its own clock.
struct ProcessFixture {
    services: Arc<RuntimeServices>,
    rights: Arc<dyn WorkspaceOwnership>,
    clock: Arc<TokioClock>,
}

impl SharedDatabaseFixture {
    /// Creates the fixture; `None` without a server.
    fn new(model: Arc<dyn Provider>) -> Option<Self> {
        let made = TestDatabase::make()?;
        Some(Self { made, model, outside: Arc::new(RecordingExecutor::default()) })
    }

    /// A process whose ids begin with `name`.
    fn process(&self, name: &str) -> ProcessFixture {
        let (database, clock) = (self.made.open(), Arc::new(TokioClock::default()));
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![self.outside.clone()];
        let services = services(&ServicesFixtureParts {
            stores: stores_of_database(&database, Box::new(())),
            provider: self.model.clone(),
            executors,
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::with_prefix(name)),
        });
        ProcessFixture { services, rights: database.workspace_ownership(), clock }
    }

    /// A running process.
    async fn life(&self, name: &str) -> RuntimeFixture {
        let ProcessFixture { services, rights, .. } = self.process(name);
        RuntimeFixture::start_beside_others(services, rights).await
    }

    /// Lets the leases of the processes end that entered before `next`.
    fn end_leases_before(&self, next: usize) {
        self.made.run(&format!("UPDATE workers SET until = 0 WHERE worker_id < {next}"));
    }
}

async fn a_moment() {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
}

/// Input: two servers, 100 workspaces, and requests that always go to the server that does not have the workspace;
/// expected: both work, each effect happens once, and both read the same stream.
#[tokio::test(flavor = "multi_thread")]
async fn two_servers_share_one_database() {
    const WORKSPACES: usize = 100;
    let model = Arc::new(OneActionModel::default());
    let Some(scene) = SharedDatabaseFixture::new(model.clone()) else { return };
    let lives = [scene.life("a").await, scene.life("b").await];
    let here = |at: usize| lives[at % 2].in_workspace(&format!("ann:{at}"));
    let there = |at: usize| lives[(at + 1) % 2].in_workspace(&format!("ann:{at}"));

    let chats = (0..WORKSPACES).map(|at| {
        let life = here(at);
        async move { life.chat(false).await }
    });
    let chats = join_all(chats).await;
    let sent = chats.iter().enumerate().map(|(at, session)| {
        let life = there(at);
        async move { life.send_message(session, "write to bob").await }
    });
    join_all(sent).await;
    for (at, session) in chats.iter().enumerate() {
        let there = there(at);
        there.follow().run_until_idle(&there.workspace, session, 0).await.unwrap();
        assert_eq!(there.calls(session).await, [("outside.send".into(), "succeeded".to_owned())]);
        assert_eq!(there.entries(session).await, here(at).entries(session).await);
        there.verify(session).await;
    }
    let effects = scene.outside.recorded_effects();
    let calls: BTreeSet<_> = effects.iter().map(|effect| effect.call.clone()).collect();
    assert_eq!((effects.len(), calls.len(), model.asked()), (WORKSPACES, WORKSPACES, 2 * WORKSPACES));
    assert!(lives.iter().all(|life| life.runtime.workspaces_in_memory() > 0), "both work");
}

/// One process, driven step by step.
struct SteppedProcess {
    services: Arc<RuntimeServices>,
    right: Arc<OwnershipLease>,
    workspace: LoadedWorkspace,
    turn: TurnFollowUp,
}

impl SteppedProcess {
    /// A process that acquires the workspace and resumes unfinished work.
    async fn begin(process: &ProcessFixture, key: &WorkspaceKey) -> Self {
        let services = process.services.clone();
        let entered =
            services.enter_shared_store(process.rights.clone(), &WorkerProcessDescription::default()).await;
        let entered = Arc::new(entered.unwrap());
        let right = services.acquire_workspace(&entered, key).await.unwrap().expect("nobody has it");
        let workspace = LoadedWorkspace::open(services.clone(), right.clone(), key.clone()).await.unwrap();
        let mut begun = Self { services, right, workspace, turn: TurnFollowUp::default() };
        begun.hand_in(WorkspaceInput::Started).await;
        begun
    }

    /// Handles one input and everything that follows immediately.
    async fn hand_in(&mut self, item: WorkspaceInput) {
        let mut incoming = vec![item];
        loop {
            self.turn = self.workspace.handle(&mut incoming).await.unwrap();
            if !self.turn.again {
                return;
            }
        }
    }

    /// The effect that its last turn requests.
    fn effect(&self) -> Option<(SessionId, Effect)> {
        let wanted =
            |(session, effects): &(SessionId, Vec<Effect>)| Some((session.clone(), effects.first()?.clone()));
        self.turn.touched.iter().find_map(wanted)
    }

    /// Performs the effect; `None` if nothing was sent.
    async fn perform(&mut self) -> Option<(SessionId, EffectOutcome)> {
        let (session, effect) = self.effect().expect("there is something to do");
        let job = self.workspace.build_job(&session, &effect).await.unwrap().expect("it is wanted");
        let (services, owner) = (self.services.clone(), self.right.clone());
        let (under_way, language) = (self.workspace.under_way(), self.workspace.language());
        let means = EffectContext { services, owner, begun: self.turn.begun, under_way, language };
        let outcome = perform(means, self.workspace.key().clone(), session.clone(), job).await?;
        Some((session, outcome))
    }

    /// Advances until the action is committed as started but not sent yet.
    async fn start_action(&mut self) {
        for mail in requests() {
            self.hand_in(WorkspaceInput::Request { mail, reply: None, row: None }).await;
        }
        let (session, outcome) = self.perform().await.expect("the model is asked");
        self.hand_in(WorkspaceInput::Outcome { session, outcome }).await;
        assert!(matches!(self.effect(), Some((_, Effect::RunCall { .. }))), "{:?}", self.turn.touched);
    }
}

/// The requests that create a chat and send a message to it.
fn requests() -> [Mail; 2] {
    let id = SessionId::new("ses_frozen");
    let new = NewSessionRequest {
        id: id.clone(),
        kind: SessionKind::Chat,
        name: "chat".into(),
        provider: "fake".into(),
        model: "fake-1".into(),
        dialect: Dialect::Envelope,
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
    };
    let message = UserMessage::text("write to bob");
    let send = SendMessageRequest { author: "ann".into(), message, client_key: None };
    [Mail::from_request(MailRequest::workspace(new)), Mail::from_request(MailRequest::session(id, send))]
}

/// Input: a process that freezes after an action is committed as started, and thaws after its lease, when another one has
/// the workspace; expected: it sends nothing and commits nothing.
#[tokio::test(flavor = "multi_thread")]
async fn frozen_worker_sends_nothing() {
    let Some(scene) = SharedDatabaseFixture::new(Arc::new(OneActionModel::default())) else { return };
    let home = WorkspaceKey::new("ann:home");
    let (one, two) = (scene.process("a"), scene.process("b"));
    let mut frozen = SteppedProcess::begin(&one, &home).await;
    frozen.start_action().await;

    one.clock.jump(one.services.settings.lease);
    scene.end_leases_before(2);
    let (lease, now) = (two.services.settings.lease, two.clock.now());
    let looking = two.rights.enter(&WorkerProcessDescription::default(), lease, now).await.unwrap();
    assert_eq!(two.rights.count_departures(looking, now).await.unwrap(), 1);
    let successor = SteppedProcess::begin(&two, &home).await;
    assert!(!matches!(successor.effect(), Some((_, Effect::RunCall { .. }))), "its outcome is unknown");

    assert!(frozen.perform().await.is_none());
    assert_eq!(scene.outside.recorded_effects(), []);
    assert!(frozen.right.is_lost());
    let [_, mail] = requests();
    let mut late = vec![WorkspaceInput::Request { mail, reply: None, row: None }];
    let told = frozen.workspace.handle(&mut late).await;
    assert!(matches!(told, Err(TurnError::NotOwner(_))), "{told:?}");
}

/// Input: a process that loses one of its two workspaces to another process; expected: its next request there is done by
/// the other one, and the rest of it goes on.
#[tokio::test(flavor = "multi_thread")]
async fn lost_workspace_does_not_stop_others() {
    let Some(scene) = SharedDatabaseFixture::new(Arc::new(OneActionModel::default())) else { return };
    let (one, two) = (scene.process("a"), scene.process("b"));
    let life = RuntimeFixture::start_beside_others(one.services, one.rights.clone()).await;
    let (lost, kept) = (life.in_workspace("ann:lost"), life.in_workspace("ann:kept"));
    let (in_lost, in_kept) = (lost.chat(false).await, kept.chat(false).await);
    let other = RuntimeFixture::start_beside_others(two.services, two.rights).await;

    let holder = one.rights.holder(&lost.workspace).await.unwrap().expect("it is at work");
    let row = life.services.store.workspace(&lost.workspace).await.unwrap().expect("it is created");
    one.rights.release(holder.id, &lost.workspace, row.epoch).await.unwrap();
    let seen_by_other = other.in_workspace("ann:lost");
    seen_by_other.send_and_wait(&in_lost, "write to bob").await;

    lost.send_and_wait(&in_lost, "once more").await;
    kept.send_and_wait(&in_kept, "write to bob").await;
    assert!(life.runtime.is_owner());
    let holder = one.rights.holder(&kept.workspace).await.unwrap().map(|record| record.id);
    assert_eq!(holder.map(|id| id.0), Some(1), "the first process still has it");
    assert_eq!(scene.outside.recorded_effects().len(), 3);
    lost.verify(&in_lost).await;
    kept.verify(&in_kept).await;
}

/// Input: a process that stops in order while its model answers; expected: within a second another process asks the model
/// again.
#[tokio::test(start_paused = true)]
async fn graceful_stop_moves_within_a_second() {
    let model = Arc::new(GatedFakeModel::default());
    model.model.push_lines([envelope_line("too late"), envelope_line("Here I am.")]);
    let Some(scene) = SharedDatabaseFixture::new(model.clone()) else { return };
    let (life, next) = (scene.life("a").await, scene.life("b").await);
    let session = life.chat(false).await;
    life.send_message(&session, "Are you there?").await;
    while model.asked() < 1 {
        a_moment().await;
    }
    assert!(!life.runtime.shutdown(Millis(0)).await, "the model has not answered");
    let left = tokio::time::Instant::now();
    while model.asked() < 2 {
        a_moment().await;
    }
    assert!(left.elapsed().as_millis() < 1000, "{:?}", left.elapsed());
    model.let_answer(2);
    next.follow().run_until_idle(&next.workspace, &session, 0).await.unwrap();
    next.verify(&session).await;
}

/// Input: a process that is gone without a word while its action is under way, and whose lease ends; expected: another one
/// takes the workspace over and does not repeat the action, whose outcome nobody knows; a chat at rest goes on there.
#[tokio::test(flavor = "multi_thread")]
async fn worker_crash_is_taken_over() {
    let Some(scene) = SharedDatabaseFixture::new(Arc::new(OneActionModel::default())) else { return };
    scene.outside.hangs.store(true, std::sync::atomic::Ordering::SeqCst);
    let (life, next) = (scene.life("a").await, scene.life("b").await);
    let (acting, resting) = (life.in_workspace("ann:acting"), life.in_workspace("ann:resting"));
    let (in_acting, in_resting) = (acting.chat(false).await, resting.chat(false).await);
    acting.send_message(&in_acting, "write to bob").await;
    while scene.outside.recorded_effects().is_empty() {
        a_moment().await;
    }
    drop((acting, resting, life));
    scene.end_leases_before(2);

    let (acting, resting) = (next.in_workspace("ann:acting"), next.in_workspace("ann:resting"));
    acting.follow().run_until_idle(&acting.workspace, &in_acting, 0).await.unwrap();
    assert_eq!(acting.calls(&in_acting).await, [("outside.send".into(), "unknown".to_owned())]);
    assert_eq!(scene.outside.recorded_effects().len(), 1, "it is not repeated");
    scene.outside.hangs.store(false, std::sync::atomic::Ordering::SeqCst);
    resting.send_and_wait(&in_resting, "write to bob").await;
    assert_eq!(scene.outside.recorded_effects().len(), 2);
    acting.verify(&in_acting).await;
    resting.verify(&in_resting).await;
}
