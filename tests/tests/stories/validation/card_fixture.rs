//! Consecutive processes on the same database, each under its own configuration, and the cards that a person sees.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are the helpers of tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_commands::egress::{EgressClient, EgressSettings};
use entracte_adapters_commands::http::{HttpToolConfig, HttpToolExecutor};
use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpEnvironment, McpExecutor, McpServerConfig, PinFile};
use entracte_application::ports::CommandSpec;
use entracte_application::ports::{
    ActionDescription, ActionPlan, ActionPlanError, ActionTarget, CallRequest, Clock, CommandExecutor,
    ResourceReader, SchemaRequirement, StoreError,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::system::{SystemSecretStore, sha256};
use entracte_application::use_cases::{
    ApprovalChoice, ApprovalSelection, ApprovalView, ChangeSession, ChangeSettings, DecideApprovals,
    ReadApprovals, SessionUpdate, UseCaseError,
};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::message::{MessageBody, SystemKind};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::JsonValue;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::cryptography::crypto;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, NOON, RuntimeFixture, SequentialIds, ServicesFixtureParts,
    command_request_line, services,
};
use serde_json::{Value as Json, json};

use super::card_table::entries_of;
use super::fixture::{last_resource_id, waiting_approvals};

/// A clock that stands at its set time; sleeps really pass, and are short.
pub(crate) struct SettableClock(pub(crate) AtomicI64);

#[async_trait]
impl Clock for SettableClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        // A jump of the clock is no time that the owner was asleep.
        Millis(0)
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(std::time::Duration::from_millis(span.0.clamp(1, 20).unsigned_abs())).await;
    }
}

/// The real declarations, with commands that are counted instead of run.
pub(crate) struct RunCountingExecutor {
    inner: Arc<dyn CommandExecutor>,
    ran: Arc<AtomicU32>,
}

#[async_trait]
impl CommandExecutor for RunCountingExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        self.inner.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        if self.inner.commands().iter().any(|spec| spec.name == request.command.name) {
            self.ran.fetch_add(1, Ordering::SeqCst);
        }
        CallOutcome::Succeeded { content: "done".into(), digest: sha256(b"done"), files: Vec::new() }
    }

    async fn plan(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionPlan, ActionPlanError> {
        self.inner.plan(request, rows).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        self.inner.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionTarget, StoreError> {
        self.inner.target(request, rows).await
    }

    async fn overwrites(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Vec<(String, JsonValue)>, StoreError> {
        self.inner.overwrites(request, rows).await
    }

    async fn schema(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaRequirement>, StoreError> {
        self.inner.schema(request, rows).await
    }
}

/// The configuration of a process: one HTTP tool, one MCP server with one tool, as JSON.
#[derive(Clone)]
pub(crate) struct ToolServerConfig {
    pub(crate) http: Option<Json>,
    pub(crate) mcp: Json,
    pub(crate) declaration: Json,
}

impl ToolServerConfig {
    pub(crate) fn new() -> Self {
        Self {
            http: Some(json!({
                "name": "notes.send",
                "method": "POST",
                "url": "https://notes.test/v1/{book}",
                "headers": { "X-Team": "blue", "Authorization": { "secret_env": "NOTES_KEY" } },
                "body": "json",
                "destructive": false,
                "doc": "Sends a note.",
                "arguments": {
                    "type": "object",
                    "properties": { "book": { "type": "string" }, "text": { "type": "string" } },
                    "required": ["book", "text"],
                    "additionalProperties": false,
                },
            })),
            mcp: json!({
                "command": "notes-server",
                "args": ["--read-only"],
                "env": { "TOKEN": { "secret_env": "NOTES_TOKEN" } },
            }),
            declaration: json!({
                "name": "add",
                "description": "Adds a note.",
                "schema": { "type": "object", "properties": { "text": { "type": "string" } } },
            }),
        }
    }
}

/// A change between the card and the decision.
pub(crate) enum ApprovalCardChange {
    /// The HTTP tool in the configuration.
    Http(fn(&mut Json)),
    /// The HTTP tool is removed from the configuration.
    NoHttp,
    /// The entry of the MCP server.
    Mcp(fn(&mut Json)),
    /// The MCP server's declaration of its tool, accepted by a person.
    Declaration(fn(&mut Json)),
    /// A setting of the workspace.
    Set(&'static str, &'static str),
    /// The session requires approval of all its actions.
    SessionAsks,
    /// An action of another session.
    Act(&'static str, fn(&ApprovalCardFixture) -> Json),
    /// This many hours pass.
    Hours(i64),
}

/// The outcome of the decision after the change.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum StaleApprovalOutcome {
    /// Another card is shown.
    Asked,
    /// The call ends with this state.
    Ends(&'static str),
}

/// Creates the requested command: word and parameters.
pub(crate) type ApprovalCommandFactory = fn(&ApprovalCardFixture) -> (&'static str, Json);

pub(crate) struct ApprovalCardFixture {
    pub(crate) life: RuntimeFixture,
    pub(crate) zone: String,
    pub(crate) tool: String,
    pub(crate) entry: String,
}

/// Consecutive processes on the same database.
pub(crate) struct ApprovalProcessFixture {
    pub(crate) parts: ServicesFixtureParts,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) clock: Arc<SettableClock>,
    pub(crate) ran: Arc<AtomicU32>,
    pub(crate) folder: tempfile::TempDir,
}

impl ApprovalProcessFixture {
    pub(crate) fn new(stores: StoreFixture, folder: tempfile::TempDir) -> Self {
        let (model, clock) =
            (Arc::new(FakeModel::default()), Arc::new(SettableClock(AtomicI64::new(NOON.0))));
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors: Vec::new(),
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, model, clock, ran: Arc::default(), folder }
    }

    /// A process under this configuration.
    pub(crate) async fn life(&mut self, config: &ToolServerConfig) -> RuntimeFixture {
        let http: Vec<HttpToolConfig> =
            config.http.iter().map(|tool| serde_json::from_value(tool.clone()).unwrap()).collect();
        let egress = Arc::new(EgressClient::new(EgressSettings::default(), crypto()));
        let http = HttpToolExecutor::new(http, egress, Arc::new(SystemSecretStore)).unwrap();
        let server: McpServerConfig = serde_json::from_value(config.mcp.clone()).unwrap();
        let surroundings = McpEnvironment {
            secrets: Arc::new(SystemSecretStore),
            variables: BTreeMap::new(),
            logins: McpLoginStore::new("logins", crypto()),
            folder: "servers".into(),
            bounds: entracte_application::settings::SchemaBounds::default(),
            log: None,
            files: None,
            crypto: crypto(),
        };
        let entries = BTreeMap::from([("notes".to_owned(), server)]);
        let mcp = McpExecutor::new(entries, self.pins(&config.declaration), surroundings, []).unwrap();
        let rows = self.parts.stores.resources.clone();
        let counted = |inner: Arc<dyn CommandExecutor>| -> Arc<dyn CommandExecutor> {
            Arc::new(RunCountingExecutor { inner, ran: self.ran.clone() })
        };
        let resources: Arc<dyn CommandExecutor> = Arc::new(ResourcesExecutor::new(rows));
        self.parts.executors = vec![resources, counted(Arc::new(http)), counted(Arc::new(mcp))];
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }

    /// The declaration as a person accepted it.
    pub(crate) fn pins(&self, declaration: &Json) -> PinFile {
        let path = self.folder.path().join("pins.json");
        let hash = entracte_application::json_value::from_serde(declaration).canonical();
        let pin = json!({ "hash": sha256(hash.as_bytes()).as_str(), "declaration": declaration });
        let pins = json!({
            "version": 1, "servers": { "notes": { "tools": { "add": { "accepted": pin } } } },
        });
        std::fs::write(&path, pins.to_string()).unwrap();
        PinFile::open(path).unwrap()
    }

    /// A zone with a tool with an entry.
    pub(crate) async fn scene(&mut self, config: &ToolServerConfig) -> ApprovalCardFixture {
        let life = self.life(config).await;
        let mut scene =
            ApprovalCardFixture { life, zone: String::new(), tool: String::new(), entry: String::new() };
        self.run_action(&scene, "CREATE_ZONE", json!({ "name": "Health" })).await;
        scene.zone = last_resource_id(&scene.life, "zone").await;
        let tool = json!({
            "zone_id": scene.zone, "tool_type": "tracking", "name": "Weight",
            "config": { "kind": "numeric", "min": 30, "max": 200 },
        });
        self.run_action(&scene, "CREATE_TOOL", tool).await;
        scene.tool = last_resource_id(&scene.life, "tool").await;
        self.run_action(&scene, "CREATE_DATA", entries_of(&scene)).await;
        scene.entry = last_resource_id(&scene.life, "entry").await;
        scene
    }

    /// Runs one action in a session of its own.
    pub(crate) async fn run_action(&self, scene: &ApprovalCardFixture, word: &str, params: Json) {
        let session = scene.life.chat(false).await;
        // A write whose schema the model has not seen is answered with the schema.
        for _ in 0..2 {
            self.model.push_lines([command_request_line("actions", &[(word, params.clone())])]);
            scene.life.send_and_wait(&session, "do it").await;
            match scene.state(&session).await.as_str() {
                "succeeded" => return,
                "waiting_decision" => {
                    scene.life.decide_and_wait(&session, ApprovalChoice::Approve).await;
                    return;
                }
                "schema_required" => {}
                other => panic!("{word} is {other}"),
            }
        }
        panic!("{word} was not done");
    }

    /// The card of a call for which the model itself requests an approval.
    pub(crate) async fn card(
        &self,
        scene: &ApprovalCardFixture,
        (word, params): (&str, Json),
    ) -> (SessionId, ApprovalView) {
        let session = scene.life.chat(false).await;
        let reply = json!({
            "pre_text": "May I?", "actions": [{ "type": word, "params": params }], "validation_request": true,
        });
        loop {
            self.model.push_lines([FakeModelLine::Says(reply.to_string())]);
            let turn = scene.life.send_and_wait(&session, "do it").await;
            match scene.state(&session).await.as_str() {
                "waiting_decision" => return (session, waiting_approvals(&turn)[0].clone()),
                "schema_required" => {}
                other => panic!("{word} is {other}"),
            }
        }
    }

    pub(crate) async fn apply_change(
        &mut self,
        scene: ApprovalCardFixture,
        config: &ToolServerConfig,
        session: &SessionId,
        change: &ApprovalCardChange,
    ) -> ApprovalCardFixture {
        let mut config = config.clone();
        match change {
            ApprovalCardChange::Http(change) => change(config.http.as_mut().unwrap()),
            ApprovalCardChange::NoHttp => config.http = None,
            ApprovalCardChange::Mcp(change) => change(&mut config.mcp),
            ApprovalCardChange::Declaration(change) => change(&mut config.declaration),
            ApprovalCardChange::Set(key, value) => {
                let settings = ChangeSettings::new(scene.life.mail_sender.clone());
                let changes = vec![((*key).to_owned(), Some((*value).to_owned()))];
                settings.run(&scene.life.workspace, "bob".into(), changes).await.unwrap();
                return scene;
            }
            ApprovalCardChange::SessionAsks => {
                let (mail_sender, store) =
                    (scene.life.mail_sender.clone(), scene.life.services.store.clone());
                let wanted = SessionUpdate { require_validation: Some(true), ..SessionUpdate::default() };
                let change = ChangeSession::new(mail_sender, store);
                change.run(&scene.life.workspace, session, "bob".into(), wanted).await.unwrap();
                return scene;
            }
            ApprovalCardChange::Act(word, params) => {
                let params = params(&scene);
                self.run_action(&scene, word, params).await;
                return scene;
            }
            ApprovalCardChange::Hours(hours) => {
                self.clock.0.fetch_add(Millis::hours(*hours).0 * 1000, Ordering::SeqCst);
                return scene;
            }
        }
        let ApprovalCardFixture { life, zone, tool, entry } = scene;
        drop(life);
        ApprovalCardFixture { life: self.life(&config).await, zone, tool, entry }
    }
}

impl ApprovalCardFixture {
    pub(crate) async fn decide(&self, session: &SessionId, shown: &ApprovalView) -> Result<(), UseCaseError> {
        let services = &self.life.services;
        let decide = DecideApprovals::new(self.life.mail_sender.clone(), services.store.clone());
        let shown = [ApprovalSelection::from_approval(shown)];
        let (workspace, ann) = (&self.life.workspace, "ann".into());
        decide.run_for_selection(workspace, session, ann, &shown, &ApprovalChoice::Approve).await.map(|_| ())
    }

    pub(crate) async fn open_approvals(&self, session: &SessionId) -> Vec<ApprovalView> {
        let services = &self.life.services;
        let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
        let read = ReadApprovals::new(store, log, rows, services.catalog.get(), services.clock.clone());
        read.run(&self.life.workspace, session).await.unwrap()
    }

    /// The state of the session's last call.
    pub(crate) async fn state(&self, session: &SessionId) -> String {
        self.life.calls(session).await.last().unwrap().1.clone()
    }

    /// The stored rows of the workspace's own data.
    pub(crate) async fn rows(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for kind in ["zone", "tool", "entry"] {
            let filter =
                entracte_application::ports::ResourceFilter { kind: kind.into(), ..Default::default() };
            let rows = self.life.services.rows.resources(&self.life.workspace, &filter).await.unwrap();
            all.extend(rows.into_iter().map(|row| (format!("{} {}", row.id, row.name), row.body)));
        }
        all
    }

    /// How often the session was informed that an approval was withdrawn.
    pub(crate) async fn withdrawn_approval_count(&self, session: &SessionId) -> usize {
        let entries = self.life.entries(session).await;
        let messages = entries.iter().flat_map(entracte_application::journal::JournalEntry::messages);
        let traces = messages.filter(|message| match &message.body {
            MessageBody::System(system) => {
                system.kind == SystemKind::ValidationCancelled && system.results.is_empty()
            }
            _ => false,
        });
        traces.count()
    }
}
