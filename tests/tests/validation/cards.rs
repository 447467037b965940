//! An approval is bound to what was shown: whatever changes between card and decision, a yes to the old card runs
//! nothing, and another card with another id is shown. On both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are the helpers of tests")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use async_trait::async_trait;
use entracte_adapters_commands::ResourcesExecutor;
use entracte_adapters_commands::egress::{Egress, EgressSettings};
use entracte_adapters_commands::http::{HttpToolConfig, HttpTools};
use entracte_adapters_commands::mcp::{McpExecutor, McpServerConfig, McpSurroundings, PinFile};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::commands::CommandSpec;
use entracte_application::ports::{
    CallRequest, Clock, CommandExecutor, Description, Plan, PlanError, ResourceReader, SchemaUse, StoreError,
    Target,
};
use entracte_application::settings::RuleBook;
use entracte_application::system::{SystemSecrets, sha256};
use entracte_application::use_cases::{
    AnswerApprovals, Approval, ChangeSession, ChangeSettings, Choice, ReadApprovals, SessionChange, Shown,
    UseCaseError,
};
use entracte_domain::command::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::message::{Body, SystemKind};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::value::Value;
use entracte_tests::contracts::Stores;
use entracte_tests::postgres::{self, of};
use entracte_tests::stage::{CountingIds, FakeModel, Life, Line, NOON, Parts, asks, services};
use serde_json::{Value as Json, json};

use crate::place::{asked, only};

/// A clock that stands where it was set; who sleeps sleeps for real, and shortly.
struct SetClock(AtomicI64);

#[async_trait]
impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Millis {
        // A jump of the clock is no time that the owner slept through.
        Millis(0)
    }

    async fn sleep(&self, span: Millis) {
        tokio::time::sleep(std::time::Duration::from_millis(span.0.clamp(1, 20).unsigned_abs())).await;
    }
}

/// The real declarations, of commands that are counted instead of run.
struct Counted {
    inner: Arc<dyn CommandExecutor>,
    ran: Arc<AtomicU32>,
}

#[async_trait]
impl CommandExecutor for Counted {
    fn commands(&self) -> Vec<CommandSpec> {
        self.inner.commands()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        if self.inner.commands().iter().any(|spec| spec.name == request.command.name) {
            self.ran.fetch_add(1, Ordering::SeqCst);
        }
        CallOutcome::Succeeded { content: "done".into(), digest: sha256(b"done") }
    }

    async fn plan(&self, request: CallRequest, rows: Arc<dyn ResourceReader>) -> Result<Plan, PlanError> {
        self.inner.plan(request, rows).await
    }

    async fn describe(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Description, StoreError> {
        self.inner.describe(request, rows).await
    }

    async fn target(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Target, StoreError> {
        self.inner.target(request, rows).await
    }

    async fn overwrites(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Vec<(String, Value)>, StoreError> {
        self.inner.overwrites(request, rows).await
    }

    async fn schema(
        &self,
        request: CallRequest,
        rows: Arc<dyn ResourceReader>,
    ) -> Result<Option<SchemaUse>, StoreError> {
        self.inner.schema(request, rows).await
    }
}

/// The configuration of a process: one HTTP tool, one MCP server with one tool, as JSON.
#[derive(Clone)]
struct Config {
    http: Option<Json>,
    mcp: Json,
    declaration: Json,
}

impl Config {
    fn new() -> Self {
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

/// What changes between the card and the decision.
enum Change {
    /// The HTTP tool of the configuration.
    Http(fn(&mut Json)),
    /// The HTTP tool is taken out of the configuration.
    NoHttp,
    /// The entry of the MCP server.
    Mcp(fn(&mut Json)),
    /// What the MCP server says of its tool, accepted by a person.
    Declaration(fn(&mut Json)),
    /// A setting of the workspace.
    Set(&'static str, &'static str),
    /// The session asks for approval of all its actions.
    SessionAsks,
    /// An action of another session.
    Act(&'static str, fn(&Scene) -> Json),
    /// So many hours pass.
    Hours(i64),
}

/// What comes of it.
#[derive(Clone, Copy, PartialEq)]
enum Then {
    /// Another card is shown.
    Asked,
    /// The call ends with this state.
    Ends(&'static str),
}

/// What is asked for: word and parameters.
type Ask = fn(&Scene) -> (&'static str, Json);

struct Scene {
    life: Life,
    zone: String,
    tool: String,
    entry: String,
}

/// One process after the other on the same database.
struct Stage {
    parts: Parts,
    model: Arc<FakeModel>,
    clock: Arc<SetClock>,
    ran: Arc<AtomicU32>,
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(stores: Stores, folder: tempfile::TempDir) -> Self {
        let (model, clock) = (Arc::new(FakeModel::default()), Arc::new(SetClock(AtomicI64::new(NOON.0))));
        let parts = Parts {
            stores,
            provider: model.clone(),
            executors: Vec::new(),
            rules: RuleBook::default(),
            clock: clock.clone(),
            ids: Arc::new(CountingIds::default()),
        };
        Self { parts, model, clock, ran: Arc::default(), folder }
    }

    /// A process under this configuration.
    async fn life(&mut self, config: &Config) -> Life {
        let http: Vec<HttpToolConfig> =
            config.http.iter().map(|tool| serde_json::from_value(tool.clone()).unwrap()).collect();
        let egress = Arc::new(Egress::new(EgressSettings::default()));
        let http = HttpTools::new(http, egress, Arc::new(SystemSecrets)).unwrap();
        let server: McpServerConfig = serde_json::from_value(config.mcp.clone()).unwrap();
        let surroundings = McpSurroundings {
            secrets: Arc::new(SystemSecrets),
            variables: BTreeMap::new(),
            bounds: entracte_application::settings::Bounds::default(),
        };
        let entries = BTreeMap::from([("notes".to_owned(), server)]);
        let mcp = McpExecutor::new(entries, self.pins(&config.declaration), surroundings, []).unwrap();
        let rows = self.parts.stores.resources.clone();
        let counted = |inner: Arc<dyn CommandExecutor>| -> Arc<dyn CommandExecutor> {
            Arc::new(Counted { inner, ran: self.ran.clone() })
        };
        let resources: Arc<dyn CommandExecutor> = Arc::new(ResourcesExecutor::new(rows));
        self.parts.executors = vec![resources, counted(Arc::new(http)), counted(Arc::new(mcp))];
        Life::begin(services(&self.parts)).await
    }

    /// The declaration as a person accepted it.
    fn pins(&self, declaration: &Json) -> PinFile {
        let path = self.folder.path().join("pins.json");
        let hash = entracte_application::json::from_serde(declaration).canonical();
        let pin = json!({ "hash": sha256(hash.as_bytes()).as_str(), "declaration": declaration });
        let pins = json!({
            "version": 1, "servers": { "notes": { "tools": { "add": { "accepted": pin } } } },
        });
        std::fs::write(&path, pins.to_string()).unwrap();
        PinFile::open(path).unwrap()
    }

    /// A zone with a tool with an entry.
    async fn scene(&mut self, config: &Config) -> Scene {
        let life = self.life(config).await;
        let mut scene = Scene { life, zone: String::new(), tool: String::new(), entry: String::new() };
        self.acts(&scene, "CREATE_ZONE", json!({ "name": "Health" })).await;
        scene.zone = only(&scene.life, "zone").await;
        let tool = json!({
            "zone_id": scene.zone, "tool_type": "tracking", "name": "Weight",
            "config": { "kind": "numeric", "min": 30, "max": 200 },
        });
        self.acts(&scene, "CREATE_TOOL", tool).await;
        scene.tool = only(&scene.life, "tool").await;
        self.acts(&scene, "CREATE_DATA", entries_of(&scene)).await;
        scene.entry = only(&scene.life, "entry").await;
        scene
    }

    /// An action by itself, in a session of its own.
    async fn acts(&self, scene: &Scene, word: &str, params: Json) {
        let session = scene.life.chat(false).await;
        // A write in a shape that the model has not seen is answered with the shape.
        for _ in 0..2 {
            self.model.will([asks("actions", &[(word, params.clone())])]);
            scene.life.turn(&session, "do it").await;
            match scene.state(&session).await.as_str() {
                "succeeded" => return,
                "waiting_decision" => {
                    scene.life.decide(&session, Choice::Approve).await;
                    return;
                }
                "schema_required" => {}
                other => panic!("{word} is {other}"),
            }
        }
        panic!("{word} was not done");
    }

    /// The card of a call that the model itself wants a person to see.
    async fn card(&self, scene: &Scene, (word, params): (&str, Json)) -> (SessionId, Approval) {
        let session = scene.life.chat(false).await;
        let reply = json!({
            "pre_text": "May I?", "actions": [{ "type": word, "params": params }], "validation_request": true,
        });
        loop {
            self.model.will([Line::Says(reply.to_string())]);
            let turn = scene.life.turn(&session, "do it").await;
            match scene.state(&session).await.as_str() {
                "waiting_decision" => return (session, asked(&turn)[0].clone()),
                "schema_required" => {}
                other => panic!("{word} is {other}"),
            }
        }
    }

    async fn change(&mut self, scene: Scene, config: &Config, session: &SessionId, change: &Change) -> Scene {
        let mut config = config.clone();
        match change {
            Change::Http(change) => change(config.http.as_mut().unwrap()),
            Change::NoHttp => config.http = None,
            Change::Mcp(change) => change(&mut config.mcp),
            Change::Declaration(change) => change(&mut config.declaration),
            Change::Set(key, value) => {
                let settings = ChangeSettings::new(scene.life.mail_sender.clone());
                let changes = vec![((*key).to_owned(), Some((*value).to_owned()))];
                settings.run(&scene.life.workspace, "bob".into(), changes).await.unwrap();
                return scene;
            }
            Change::SessionAsks => {
                let (mail_sender, store) =
                    (scene.life.mail_sender.clone(), scene.life.services.store.clone());
                let wanted = SessionChange { require_validation: Some(true), ..SessionChange::default() };
                let change = ChangeSession::new(mail_sender, store);
                change.run(&scene.life.workspace, session, "bob".into(), wanted).await.unwrap();
                return scene;
            }
            Change::Act(word, params) => {
                let params = params(&scene);
                self.acts(&scene, word, params).await;
                return scene;
            }
            Change::Hours(hours) => {
                self.clock.0.fetch_add(Millis::hours(*hours).0 * 1000, Ordering::SeqCst);
                return scene;
            }
        }
        let Scene { life, zone, tool, entry } = scene;
        drop(life);
        Scene { life: self.life(&config).await, zone, tool, entry }
    }
}

impl Scene {
    async fn decide(&self, session: &SessionId, shown: &Approval) -> Result<(), UseCaseError> {
        let services = &self.life.services;
        let decide = AnswerApprovals::new(self.life.mail_sender.clone(), services.store.clone());
        let shown = [Shown::of(shown)];
        let (workspace, ann) = (&self.life.workspace, "ann".into());
        decide.run_for_shown(workspace, session, ann, &shown, &Choice::Approve).await.map(|_| ())
    }

    async fn open(&self, session: &SessionId) -> Vec<Approval> {
        let services = &self.life.services;
        let (store, log, rows) = (services.store.clone(), services.log.clone(), services.rows.clone());
        let read = ReadApprovals::new(store, log, rows, services.catalog.clone(), services.clock.clone());
        read.run(&self.life.workspace, session).await.unwrap()
    }

    /// The state of the session's last call.
    async fn state(&self, session: &SessionId) -> String {
        self.life.calls(session).await.last().unwrap().1.clone()
    }

    /// The rows of the workspace's own data, as they are stored.
    async fn rows(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for kind in ["zone", "tool", "entry"] {
            let filter =
                entracte_application::ports::ResourceFilter { kind: kind.into(), ..Default::default() };
            let rows = self.life.services.rows.resources(&self.life.workspace, &filter).await.unwrap();
            all.extend(rows.into_iter().map(|row| (format!("{} {}", row.id, row.name), row.body)));
        }
        all
    }

    /// How often the session was told that an approval was withdrawn.
    async fn withdrawn(&self, session: &SessionId) -> usize {
        let entries = self.life.entries(session).await;
        let messages = entries.iter().flat_map(entracte_application::codec::Entry::messages);
        let traces = messages.filter(|message| match &message.body {
            Body::System(system) => {
                system.kind == SystemKind::ValidationCancelled && system.results.is_empty()
            }
            _ => false,
        });
        traces.count()
    }
}

fn entries_of(scene: &Scene) -> Json {
    json!({ "tool_id": scene.tool, "entries": [{ "timestamp": "2026-11-20T08:00:00Z", "data": { "value": 72 } }] })
}

fn sends(_: &Scene) -> (&'static str, Json) {
    ("NOTES_SEND", json!({ "book": "trip", "text": "We leave at nine." }))
}

fn adds(_: &Scene) -> (&'static str, Json) {
    ("NOTES_ADD", json!({ "text": "We leave at nine." }))
}

fn raises(scene: &Scene) -> (&'static str, Json) {
    ("UPDATE_TOOL", json!({ "tool_id": scene.tool, "config": { "max": 250 } }))
}

fn renames(scene: &Scene) -> (&'static str, Json) {
    ("UPDATE_ZONE", json!({ "zone_id": scene.zone, "name": "Body" }))
}

fn corrects(scene: &Scene) -> (&'static str, Json) {
    ("UPDATE_DATA", json!({ "entry_id": scene.entry, "data": { "value": 71 } }))
}

fn forgets(scene: &Scene) -> (&'static str, Json) {
    ("DELETE_DATA", json!({ "entry_ids": [scene.entry] }))
}

fn removes(scene: &Scene) -> (&'static str, Json) {
    ("DELETE_TOOL", json!({ "tool_id": scene.tool }))
}

fn removes_all(scene: &Scene) -> (&'static str, Json) {
    ("DELETE_ZONE", json!({ "zone_id": scene.zone }))
}

fn table() -> Vec<(&'static str, Ask, Change, Then)> {
    use Change::*;
    use Then::*;
    let unfit = Ends("invalid_arguments");
    vec![
        ("the host", sends, Http(|tool| tool["url"] = "https://evil.test/v1/{book}".into()), Asked),
        ("the path", sends, Http(|tool| tool["url"] = "https://notes.test/v2/{book}".into()), Asked),
        ("the query", sends, Http(|tool| tool["url"] = "https://notes.test/v1?b={book}".into()), Asked),
        ("the scheme's port", sends, Http(|t| t["url"] = "https://notes.test:8443/v1/{book}".into()), Asked),
        ("the method", sends, Http(|tool| tool["method"] = "PUT".into()), Asked),
        ("one header more", sends, Http(|tool| tool["headers"]["X-Copy-To"] = "eve".into()), Asked),
        ("one header less", sends, Http(|tool| tool["headers"] = json!({ "X-Team": "blue" })), Asked),
        ("the text of a header", sends, Http(|tool| tool["headers"]["X-Team"] = "red".into()), Asked),
        (
            "whose secret",
            sends,
            Http(|tool| tool["headers"]["Authorization"] = json!({ "secret_env": "EVE_KEY" })),
            Asked,
        ),
        (
            "the body",
            sends,
            Http(|tool| {
                tool["body"] = "none".into();
                tool["url"] = "https://notes.test/v1/{book}/{text}".into();
            }),
            Asked,
        ),
        (
            "the effect class",
            sends,
            Http(|tool| {
                tool["effect"] = "idempotent".into();
                tool["idempotency_header"] = "Idempotency-Key".into();
            }),
            Asked,
        ),
        ("cannot be undone", sends, Http(|tool| tool["destructive"] = true.into()), Asked),
        ("runs beside others", sends, Http(|tool| tool["independent"] = true.into()), Asked),
        (
            "a schema that was tightened",
            sends,
            Http(|tool| tool["arguments"]["properties"]["text"]["maxLength"] = 100.into()),
            Asked,
        ),
        (
            "a schema that was loosened",
            sends,
            Http(|tool| tool["arguments"]["required"] = json!(["book"])),
            Asked,
        ),
        (
            "a schema that refuses the arguments",
            sends,
            Http(|tool| tool["arguments"]["properties"]["text"]["maxLength"] = 3.into()),
            unfit,
        ),
        ("a word of the envelope", sends, Http(|tool| tool["word"] = "SEND_NOTE".into()), Asked),
        ("a command that is gone", sends, NoHttp, Ends("unknown_command")),
        ("the program", adds, Mcp(|server| server["command"] = "other-server".into()), Asked),
        ("an argument of the program", adds, Mcp(|server| server["args"] = json!(["--write"])), Asked),
        ("no argument of the program", adds, Mcp(|server| server["args"] = json!([])), Asked),
        ("a variable of its environment", adds, Mcp(|server| server["env"]["MODE"] = "x".into()), Asked),
        (
            "the place of its secret",
            adds,
            Mcp(|server| server["env"]["TOKEN"] = json!({ "secret_env": "EVE_TOKEN" })),
            Asked,
        ),
        ("what it inherits", adds, Mcp(|server| server["inherit"] = json!(["PATH", "HOME"])), Asked),
        ("the folder it works in", adds, Mcp(|server| server["cwd"] = "/srv/eve".into()), Asked),
        (
            "an address for a program",
            adds,
            Mcp(|server| *server = json!({ "url": "https://mcp.test/" })),
            Asked,
        ),
        ("its effect class", adds, Mcp(|s| s["tools"] = json!({ "add": { "effect": "idempotent" } })), Asked),
        ("that it sends out", adds, Mcp(|s| s["tools"] = json!({ "add": { "egress": false } })), Asked),
        ("that it destroys", adds, Mcp(|s| s["tools"] = json!({ "add": { "destructive": false } })), Asked),
        (
            "what its server says of it",
            adds,
            Declaration(|tool| tool["description"] = "Adds a note, and sends it to eve.".into()),
            Asked,
        ),
        (
            "its schema",
            adds,
            Declaration(|tool| tool["schema"]["properties"]["to"] = json!({ "type": "string" })),
            Asked,
        ),
        (
            "a schema of its own that refuses the arguments",
            adds,
            Declaration(|tool| tool["schema"]["required"] = json!(["to"])),
            unfit,
        ),
        ("the workspace asks", raises, Set("require_validation", "true"), Asked),
        (
            "the zone asks",
            raises,
            Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "require_validation": true })),
            Asked,
        ),
        (
            "the tool asks",
            raises,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "require_validation": true })),
            Asked,
        ),
        ("the session asks", raises, SessionAsks, Asked),
        (
            "a value that is overwritten",
            raises,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "config": { "max": 210 } })),
            Asked,
        ),
        (
            "a name that is overwritten",
            renames,
            Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "name": "Fitness" })),
            Asked,
        ),
        (
            "an entry that is overwritten",
            corrects,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        (
            "an entry that is deleted",
            forgets,
            Act("UPDATE_DATA", |at| json!({ "entry_id": at.entry, "data": { "value": 70 } })),
            Asked,
        ),
        ("one entry more to lose", removes, Act("CREATE_DATA", entries_of), Asked),
        (
            "a tool that goes with its zone",
            removes_all,
            Act("UPDATE_TOOL", |at| json!({ "tool_id": at.tool, "name": "Mass" })),
            Asked,
        ),
        ("a row that is gone", raises, Act("DELETE_TOOL", |at| json!({ "tool_id": at.tool })), Asked),
        ("too late", raises, Hours(72), Ends("expired")),
        ("too late, outside", sends, Hours(72), Ends("expired")),
    ]
}

/// The same on a new database of each kind.
async fn on_both(mut look: impl AsyncFnMut(Stage, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    look(Stage::new(of(&database, Box::new(())), folder), "SQLite").await;
    if let Some(stores) = postgres::stores() {
        look(Stage::new(stores, tempfile::tempdir().unwrap()), "Postgres").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_bound_to_what_was_shown() {
    let table = table();
    assert!(table.len() >= 30);
    for (what, ask, change, then) in &table {
        on_both(async |mut stage, on| {
            let config = Config::new();
            let scene = stage.scene(&config).await;
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            assert!(card.digest.is_some() && !card.is_changed, "{what} on {on}");
            let scene = stage.change(scene, &config, &session, change).await;
            let before = scene.rows().await;

            let late = scene.decide(&session, &card).await;
            assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{what} on {on}: {late:?}");
            assert_eq!(stage.ran.load(Ordering::SeqCst), 0, "{what} on {on}: it ran");
            assert_eq!(scene.rows().await, before, "{what} on {on}: it was done");

            let open = scene.open(&session).await;
            let state = scene.state(&session).await;
            match then {
                Then::Asked => {
                    assert_eq!(state, "waiting_decision", "{what} on {on}");
                    assert_ne!((&open[0].id, &open[0].digest), (&card.id, &card.digest), "{what} on {on}");
                    assert_ne!(open[0].id, card.id, "{what} on {on}: another card has another id");
                    assert!(!open[0].is_changed, "{what} on {on}: it is the card of now");
                    assert_eq!(scene.withdrawn(&session).await, 1, "{what} on {on}: the trace");
                }
                Then::Ends(end) => {
                    assert_eq!((state.as_str(), open.len()), (*end, 0), "{what} on {on}");
                }
            }
            scene.life.verify(&session).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_did_not_change_is_approved_and_runs() {
    on_both(async |mut stage, on| {
        let config = Config::new();
        let scene = stage.scene(&config).await;
        for (ask, runs) in [(sends as Ask, 1), (adds, 2), (raises, 2)] {
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            scene.decide(&session, &card).await.unwrap();
            scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
            assert_eq!(scene.state(&session).await, "succeeded", "on {on}");
            assert_eq!(stage.ran.load(Ordering::SeqCst), runs, "on {on}");
            scene.life.verify(&session).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_language_change_withdraws_nothing() {
    // Another language, another zone of time, another name of what asks, another text for the model: words, all of them.
    let words = [
        Change::Set("language", "fr"),
        Change::Set("zone", "Europe/Paris"),
        Change::Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "name": "Santé" })),
        Change::Http(|tool| tool["doc"] = "Sends a note to a book.".into()),
        Change::Http(|tool| tool["timeout_seconds"] = 3.into()),
        Change::Hours(1),
    ];
    for ask in [sends as Ask, raises, corrects, removes] {
        on_both(async |mut stage, on| {
            let config = Config::new();
            let mut scene = stage.scene(&config).await;
            let flag = json!({ "zone_id": scene.zone, "require_validation": true });
            stage.acts(&scene, "UPDATE_ZONE", flag).await;
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            for change in &words {
                scene = stage.change(scene, &config, &session, change).await;
                let open = scene.open(&session).await;
                assert_eq!((&open[0].id, &open[0].digest), (&card.id, &card.digest), "on {on}");
                assert!(!open[0].is_changed, "on {on}");
            }
            scene.decide(&session, &card).await.unwrap();
            scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
            assert_eq!(scene.state(&session).await, "succeeded", "on {on}");
            assert_eq!(scene.withdrawn(&session).await, 0, "on {on}");
            scene.life.verify(&session).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cleared_action_starts_while_others_are_undecided() {
    on_both(async |mut stage, on| {
        let mut config = Config::new();
        config.http.as_mut().unwrap()["independent"] = true.into();
        let scene = stage.scene(&config).await;
        let note = |text: &str| ("NOTES_SEND", json!({ "book": "trip", "text": text }));
        let session = scene.life.chat(true).await;
        stage.model.will([asks("actions", &[note("one"), raises(&scene), note("two")])]);
        let turn = scene.life.turn(&session, "do it").await;
        let cards = asked(&turn).to_vec();
        let calls: Vec<_> = cards.iter().map(|card| card.call.id.clone()).collect();
        assert_eq!(cards.iter().map(|card| card.starts_after.len()).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(
            cards[1].starts_after,
            calls[..1],
            "on {on}: an ordered one waits for what stands before it"
        );

        scene.decide(&session, &cards[2]).await.unwrap();
        scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(stage.ran.load(Ordering::SeqCst), 1, "on {on}: the independent one ran");
        let before = scene.rows().await;
        scene.decide(&session, &cards[1]).await.unwrap();
        scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(scene.rows().await, before, "on {on}: the ordered one waits for the first");
        assert_eq!(scene.open(&session).await.len(), 1);

        scene.decide(&session, &cards[0]).await.unwrap();
        scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(stage.ran.load(Ordering::SeqCst), 2, "on {on}");
        assert_ne!(scene.rows().await, before, "on {on}");
        let states: Vec<String> =
            scene.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, ["succeeded", "succeeded", "succeeded"], "on {on}");
        scene.life.verify(&session).await;
    })
    .await;
}

/// What succeeded is told as carried out, also when a message takes the place of the other decisions.
#[tokio::test(flavor = "multi_thread")]
async fn what_succeeded_is_not_told_as_cancelled() {
    on_both(async |mut stage, on| {
        let mut config = Config::new();
        config.http.as_mut().unwrap()["independent"] = true.into();
        let scene = stage.scene(&config).await;
        let note = |text: &str| ("NOTES_SEND", json!({ "book": "trip", "text": text }));
        let session = scene.life.chat(true).await;
        stage.model.will([asks("actions", &[note("one"), note("two")])]);
        let turn = scene.life.turn(&session, "do it").await;
        scene.decide(&session, &asked(&turn)[1]).await.unwrap();
        scene.life.follow().until_rest(&scene.life.workspace, &session, 0).await.unwrap();
        scene.life.turn(&session, "leave it").await;
        let entries = scene.life.entries(&session).await;
        let told: Vec<(SystemKind, String)> = entries
            .iter()
            .flat_map(entracte_application::codec::Entry::messages)
            .filter_map(|message| match message.body {
                Body::System(system) => Some(system),
                _ => None,
            })
            .flat_map(|system| {
                let kind = system.kind;
                system.results.into_iter().map(move |result| (kind, result.status.word().to_owned()))
            })
            .collect();
        let expected = [
            (SystemKind::ValidationCancelled, "cancelled".to_owned()),
            (SystemKind::ActionsExecuted, "succeeded".to_owned()),
        ];
        assert_eq!(told, expected, "on {on}");
        scene.life.verify(&session).await;
    })
    .await;
}
