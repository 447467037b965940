//! Every request example of the prompt is carried out as it stands, by the real application with the real commands.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::commands::Catalog;
use entracte_application::json;
use entracte_application::ports::{CallRequest, CommandExecutor, Commit};
use entracte_application::prompt::{PromptFacts, level1};
use entracte_application::protocol::envelope;
use entracte_application::rules::RuleBook;
use entracte_application::settings::Importance;
use entracte_application::settings::{ChunkGrades, Language, Locale};
use entracte_application::use_cases::{Choice, Waiting};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::session::{Dialect, Profile, Rules, SessionKind};
use entracte_tests::contracts::Stores;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::stage::{
    CountingIds, FakeModel, Life, Line, NOON, Parts, TokioClock, asks, says, services,
};
use serde_json::{Value, json};

const KINDS: [SessionKind; 4] =
    [SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent];

/// A process with the real commands, and a model that says what it is told.
struct Stage {
    parts: Parts,
    model: Arc<FakeModel>,
}

impl Stage {
    fn new() -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = Stores {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            ownership: memory.clone(),
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        let parts = Parts {
            stores,
            provider: model.clone(),
            executors: vec![Arc::new(ResourcesExecutor::new(memory))],
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(CountingIds::default()),
        };
        Self { parts, model }
    }

    /// A workspace in which the rows are that examples name: the zone `zon_x_1_0`, in it the tool `tool_x_2_0` with
    /// the entry `ent_x_3_0_0`.
    async fn with_rows() -> (Self, SessionId) {
        let stage = Self::new();
        let session = Life::begin(services(&stage.parts)).await.chat(false).await;
        let config = json!({"kind": "numeric", "unit": "kg", "min": 30, "max": 200});
        let entry = json!({"data": {"value": 72.5}, "timestamp": "2026-11-18T00:00:00Z"});
        let rows = [
            ("zones.create", json!({"name": "Rooms"})),
            (
                "tools.create",
                json!({"zone_id": "zon_x_1_0", "tool_type": "tracking", "name": "Scale", "config": config}),
            ),
            ("tool_data.batch_create", json!({"tool_id": "tool_x_2_0", "entries": [entry]})),
        ];
        for (place, (name, arguments)) in rows.into_iter().enumerate() {
            stage.make(place + 1, name, &arguments).await;
        }
        (stage, session)
    }

    /// Commits what an action of the executor plans, as call number `place` of the session `ses_x`.
    async fn make(&self, place: usize, name: &str, arguments: &Value) {
        let key = WorkspaceKey::new("ann:home");
        let request = CallRequest {
            workspace: key.clone(),
            session: SessionId::new("ses_x"),
            call: CallId::new(format!("cal_x_{place}_0")),
            command: Command { name: name.into(), arguments: json::parse(&arguments.to_string()).unwrap() },
            acts_as: None,
            key: format!("key {place}"),
            attempt: 1,
            now: NOON,
            reference: NOON,
            locale: Locale::default(),
        };
        let Stores { store, resources, .. } = &self.parts.stores;
        let plan = self.parts.executors[0].plan(request, resources.clone()).await.unwrap();
        let workspace = store.workspace(&key).await.unwrap().unwrap();
        let commit = Commit {
            expected_seq: Some(workspace.seq),
            workspace,
            sessions: Vec::new(),
            log: Vec::new(),
            calls: Vec::new(),
            resources: plan.changes,
            blobs: Vec::new(),
            answers: Vec::new(),
            deleted: Vec::new(),
            automations: Vec::new(),
            occurrences: Vec::new(),
            deleted_automations: Vec::new(),
            deletions: Vec::new(),
            receipts: Vec::new(),
            spent_links: Vec::new(),
        };
        store.commit(commit).await.unwrap();
    }

    /// Has the model say this text; what became of each command in it.
    async fn carries_out(&self, session: &SessionId, reply: &str) -> Vec<(String, String)> {
        let life = Life::begin(services(&self.parts)).await;
        let shown =
            [("SCHEMA", json!({"tool_type": "tracking"})), ("SCHEMA", json!({"tool_id": "tool_x_2_0"}))];
        self.model.will([asks("queries", &shown), says("I know the schemas.")]);
        life.turn(session, "what do entries look like?").await;
        let before = life.calls(session).await.len();

        self.model.will([Line::Says(reply.to_owned()), says("That was all.")]);
        let turn = life.turn(session, "go on").await;
        assert_eq!(turn.troubles, [], "{reply}");
        if matches!(turn.waiting, Some(Waiting::Validation(_))) {
            life.decide(session, Choice::Approve).await;
        }
        life.verify(session).await;
        life.calls(session).await.split_off(before)
    }
}

/// The catalog that every session has.
fn catalog() -> Catalog {
    let executor: Arc<dyn CommandExecutor> = Arc::new(ResourcesExecutor::new(Arc::new(MemoryStore::new())));
    Catalog::new(&[executor]).unwrap()
}

/// Level 1 of each kind of session in each dialect and language.
fn prompts(catalog: &Catalog) -> Vec<(Language, SessionKind, Dialect, String)> {
    let specs = catalog.specs();
    let mut prompts = Vec::new();
    for (language, kind) in Language::ALL.into_iter().flat_map(|of| KINDS.map(|kind| (of, kind))) {
        for dialect in [Dialect::Envelope, Dialect::Tools] {
            let rules = Rules::new(kind, Profile::Autonomous);
            let facts = PromptFacts {
                kind,
                dialect,
                rules: &rules,
                catalog: &specs,
                workspace: "ann:home",
                zone: "UTC",
                language,
                importance: Importance::Helpful,
                grades: &ChunkGrades::NONE,
            };
            prompts.push((language, kind, dialect, level1(&facts)));
        }
    }
    prompts
}

/// The JSON objects that lines of a prompt end with: whole answers, and commands.
fn examples(prompt: &str) -> (Vec<String>, Vec<String>) {
    let (mut answers, mut commands) = (Vec::new(), Vec::new());
    for line in prompt.lines() {
        let Some(json) = line.find("{\"").and_then(|at| line.get(at..)) else { continue };
        let Ok(example) = serde_json::from_str::<Value>(json) else { continue };
        match (&example["pre_text"], &example["type"]) {
            (Value::String(_), _) => answers.push(json.to_owned()),
            (_, Value::String(_)) => commands.push(json.to_owned()),
            _ => panic!("an example of neither an answer nor a command: {json}"),
        }
    }
    (answers, commands)
}

/// The answer that asks for this command alone.
fn alone(catalog: &Catalog, command: &str) -> String {
    let word = serde_json::from_str::<Value>(command).unwrap()["type"].as_str().unwrap().to_owned();
    let known = catalog.find(&word).unwrap_or_else(|| panic!("no command {word}"));
    let list = match known.spec.kind {
        CommandKind::Query => "queries",
        CommandKind::Action => "actions",
    };
    // The command stands in the answer byte for byte as in the prompt.
    format!("{{\"pre_text\":\"\",\"{list}\":[{command}]}}")
}

fn asked(answer: &str) -> usize {
    let said: Value = serde_json::from_str(answer).unwrap();
    ["queries", "actions"].iter().filter_map(|list| said[*list].as_array()).map(Vec::len).sum()
}

#[tokio::test(start_paused = true)]
async fn every_prompt_example_is_executable() {
    let catalog = catalog();
    let documented = catalog.specs().iter().filter(|spec| spec.example.is_some()).count();
    assert!(documented > 10);
    // Many examples stand in several prompts; each is carried out once, in a workspace of its own.
    let mut to_run = BTreeSet::new();
    for (language, kind, dialect, prompt) in prompts(&catalog) {
        let (answers, commands) = examples(&prompt);
        let expected = match (dialect, kind) {
            (Dialect::Envelope, SessionKind::Chat) => (6, documented),
            (Dialect::Envelope, _) => (3, documented),
            // Native tools bring their own documentation.
            (Dialect::Tools, _) => (0, 0),
        };
        assert_eq!((answers.len(), commands.len()), expected, "{language:?} {kind:?} {dialect:?}");
        for answer in &answers {
            assert_eq!(envelope::read(answer).faults, [], "{language:?} {kind:?}: {answer}");
            if envelope::read(answer).message.completed {
                // Ends a run, and asks for nothing that could be carried out.
                assert_ne!(kind, SessionKind::Chat, "{answer}");
                assert_eq!(asked(answer), 0, "{answer}");
            } else {
                to_run.insert(answer.clone());
            }
        }
        to_run.extend(commands.iter().map(|command| alone(&catalog, command)));
    }
    assert!(to_run.len() > documented, "{to_run:?}");
    for reply in to_run {
        let (stage, session) = Stage::with_rows().await;
        let calls = stage.carries_out(&session, &reply).await;
        assert_eq!(calls.len(), asked(&reply), "{reply}");
        for (name, state) in calls {
            assert_eq!(state, "succeeded", "{name} in {reply}");
        }
    }
}
