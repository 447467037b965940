//! Every example request in the prompt is executed unchanged, by the real application with the real commands.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::collections::BTreeSet;
use std::sync::Arc;

use entracte_adapters_commands::ResourcesExecutor;
use entracte_application::commands::Catalog;
use entracte_application::context::TokenEstimator;
use entracte_application::json_value;
use entracte_application::ports::{
    CallRequest, CommandExecutor, CommandSpec, WorkspaceCommit, documents_arguments,
};
use entracte_application::prompt::{PromptFacts, chunks, level1};
use entracte_application::protocol::envelope;
use entracte_application::protocol::tools::declarations;
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::{ChunkImportance, ChunkImportances, Language, WorkspaceLocale};
use entracte_application::use_cases::{ApprovalChoice, PendingDecision};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::session::{Dialect, LimitProfile, SessionKind, SessionRules};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, NOON, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    command_request_line, envelope_line, services,
};
use serde_json::{Value, json};

const KINDS: [SessionKind; 4] =
    [SessionKind::Chat, SessionKind::Seed, SessionKind::Automation, SessionKind::Agent];

/// A process with the real commands, and a model that plays given lines.
struct PromptExampleFixture {
    parts: ServicesFixtureParts,
    model: Arc<FakeModel>,
}

impl PromptExampleFixture {
    fn new() -> Self {
        let memory = Arc::new(MemoryStore::new());
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory.clone(),
            keep: Box::new(()),
        };
        let model = Arc::new(FakeModel::default());
        let parts = ServicesFixtureParts {
            stores,
            provider: model.clone(),
            executors: vec![Arc::new(ResourcesExecutor::new(memory))],
            rules: RuleBook::default(),
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, model }
    }

    /// A workspace with the rows that the examples name: the zone `zon_x_1_0`, in it the tool `tool_x_2_0` with the
    /// entry `ent_x_3_0_0`; and the shared text `general` with the proposal `prp_x_1_0`.
    async fn with_rows() -> (Self, SessionId) {
        let stage = Self::new();
        let session = RuntimeFixture::start_runtime(services(&stage.parts)).await.chat(false).await;
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
        // The examples name the first proposal.
        let first = json!({"key": "general", "version": 0, "text": "One.\n"});
        stage.make(4, "shared_texts.propose", &first).await;
        stage.make(5, "shared_texts.publish", &json!({"proposal_id": "prp_x_4_0"})).await;
        let next = json!({"key": "general", "version": 1, "text": "Two.\n"});
        stage.make(1, "shared_texts.propose", &next).await;
        (stage, session)
    }

    /// Commits the plan of an executor's action, as call number `place` of the session `ses_x`.
    async fn make(&self, place: usize, name: &str, arguments: &Value) {
        let key = WorkspaceKey::new("ann:home");
        let request = CallRequest {
            workspace: key.clone(),
            session: SessionId::new("ses_x"),
            call: CallId::new(format!("cal_x_{place}_0")),
            command: Command {
                name: name.into(),
                arguments: json_value::parse(&arguments.to_string()).unwrap(),
            },
            acts_as: None,
            via: Vec::new(),
            key: format!("key {place}"),
            task: None,
            attempt: 1,
            now: NOON,
            reference: NOON,
            locale: WorkspaceLocale::default(),
            naming: entracte_application::command_naming::CommandNaming::Types,
            restriction: entracte_domain::restriction::Restriction::Open,
            progress: entracte_application::ports::CallProgressSink::default(),
        };
        let StoreFixture { store, resources, .. } = &self.parts.stores;
        let plan = self.parts.executors[0].plan(request, resources.clone()).await.unwrap();
        let workspace = store.workspace(&key).await.unwrap().unwrap();
        let commit = WorkspaceCommit {
            expected_seq: Some(workspace.seq),
            resources: plan.changes,
            ..WorkspaceCommit::for_workspace(workspace)
        };
        store.commit(commit).await.unwrap();
    }

    /// Lets the model reply with this text; returns each command in it with its outcome.
    async fn carries_out(&self, session: &SessionId, reply: &str) -> Vec<(String, String)> {
        let life = RuntimeFixture::start_runtime(services(&self.parts)).await;
        let shown =
            [("SCHEMA", json!({"tool_type": "tracking"})), ("SCHEMA", json!({"tool_id": "tool_x_2_0"}))];
        self.model
            .push_lines([command_request_line("queries", &shown), envelope_line("I know the schemas.")]);
        life.send_and_wait(session, "what do entries look like?").await;
        let before = life.calls(session).await.len();

        self.model.push_lines([FakeModelLine::Says(reply.to_owned()), envelope_line("That was all.")]);
        let turn = life.send_and_wait(session, "go on").await;
        assert_eq!(turn.troubles, [], "{reply}");
        if matches!(turn.waiting, Some(PendingDecision::Validation(_))) {
            life.decide_and_wait(session, ApprovalChoice::Approve).await;
        }
        life.verify(session).await;
        life.calls(session).await.split_off(before)
    }
}

/// The catalog of every session.
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
            let rules = SessionRules::new(kind, LimitProfile::Autonomous);
            let types = catalog.resource_types(&Restriction::Open, language);
            let facts = PromptFacts {
                kind,
                dialect,
                rules: &rules,
                mode: PlanMode::Free,
                result: None,
                catalog: &specs,
                listing: None,
                types: &types,
                workspace: "ann:home",
                zone: "UTC",
                language,
                importance: ChunkImportance::Helpful,
                grades: &ChunkImportances::NONE,
            };
            prompts.push((language, kind, dialect, level1(&facts)));
        }
    }
    prompts
}

/// The JSON objects at the ends of prompt lines: whole replies, and commands.
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

/// A reply that requests only this command.
fn alone(catalog: &Catalog, command: &str) -> String {
    let word = serde_json::from_str::<Value>(command).unwrap()["type"].as_str().unwrap().to_owned();
    let known = catalog.find(&word).unwrap_or_else(|| panic!("no command {word}"));
    let list = match known.spec.kind {
        CommandKind::Query => "queries",
        CommandKind::Action => "actions",
    };
    // The command is in the reply byte for byte as in the prompt.
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
    // Many examples occur in several prompts; each is executed once, in a workspace of its own.
    let mut to_run = BTreeSet::new();
    for (language, kind, dialect, prompt) in prompts(&catalog) {
        let (answers, commands) = examples(&prompt);
        let expected = match (dialect, kind) {
            (Dialect::Envelope, SessionKind::Chat) => (6, documented),
            // An agent reads, acts, ends and asks.
            (Dialect::Envelope, SessionKind::Agent) => (4, documented),
            (Dialect::Envelope, _) => (3, documented),
            // Native tools carry their own documentation.
            (Dialect::Tools, _) => (0, 0),
        };
        assert_eq!((answers.len(), commands.len()), expected, "{language:?} {kind:?} {dialect:?}");
        for answer in &answers {
            assert_eq!(envelope::parse_reply(answer, language).faults, [], "{language:?} {kind:?}: {answer}");
            let said = envelope::parse_reply(answer, language).message;
            if said.exit.is_some() || said.asks.is_some() {
                // Ends or asks, as only an agent does.
                assert_eq!((kind, asked(answer)), (SessionKind::Agent, 0), "{answer}");
            } else if said.completed {
                // Ends a run, and requests nothing to execute.
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
        let (stage, session) = PromptExampleFixture::with_rows().await;
        let calls = stage.carries_out(&session, &reply).await;
        assert_eq!(calls.len(), asked(&reply), "{reply}");
        for (name, state) in calls {
            assert_eq!(state, "succeeded", "{name} in {reply}");
        }
    }
}

/// Input: level 1 of every kind of session, in both dialects and languages; expected: the configuration and the entries
/// of each tool type are documented once, unless a command's schema contains them; not for sessions that may neither
/// fill nor configure tools, and not if the part is left out.
/// and configure none, and where that part is left out.
#[test]
fn level_1_describes_each_tool_type() {
    let catalog = catalog();
    let shapes = [
        "tracking",
        r#"{kind: "numeric"|"scale"|"text"|"choice"|"boolean"|"duration"|"counter", max?: number, min?: number, options?: [string], unit?: string}"#,
        "{value: number|string|boolean}",
        "notes",
        "{}",
        "{text: string, title?: string}",
        "journal",
        "{moods?: [string]}",
        "{mood?: string, text: string, title?: string}",
        "list",
        "{due_required?: boolean}",
        "{done?: boolean, due?: date, item: string, note?: string, order?: integer}",
    ];
    for (language, kind, dialect, prompt) in prompts(&catalog) {
        for tool in shapes.chunks(3) {
            let ends = match language {
                Language::En => format!("config {}; data {}", tool[1], tool[2]),
                Language::Fr => format!("config {} ; data {}", tool[1], tool[2]),
            };
            let says = |line: &&str| line.starts_with(&format!("- {}", tool[0])) && line.ends_with(&ends);
            assert_eq!(prompt.lines().filter(says).count(), 1, "{language:?} {kind:?} {dialect:?}: {prompt}");
        }
        let command = match dialect {
            Dialect::Envelope => "SCHEMA ",
            Dialect::Tools => "schemas_get ",
        };
        let title = prompt.split("\n# ").find(|part| part.contains("\n- tracking")).unwrap();
        assert!(title.contains(command), "{title}");
    }
    let reader = Restriction::Only(vec![CommandPattern::from_text("tool_data.get")]);
    assert_eq!(catalog.resource_types(&reader, Language::En), []);
}

/// Sizes of the first request of a chat: each part in bytes, then the declarations of native tools, or the schema of a
/// reply.
fn sizes(
    catalog: &Catalog,
    specs: &[CommandSpec],
    language: Language,
    dialect: Dialect,
) -> Vec<(String, usize)> {
    let rules = SessionRules::new(SessionKind::Chat, LimitProfile::Autonomous);
    let types = catalog.resource_types(&Restriction::Open, language);
    let facts = PromptFacts {
        kind: SessionKind::Chat,
        dialect,
        rules: &rules,
        mode: rules.mode,
        result: None,
        catalog: specs,
        listing: None,
        types: &types,
        workspace: "ann:home",
        zone: "UTC",
        language,
        importance: ChunkImportance::Helpful,
        grades: &ChunkImportances::NONE,
    };
    let mut sizes: Vec<(String, usize)> =
        chunks(&facts).into_iter().map(|chunk| (chunk.name.to_owned(), chunk.text.len())).collect();
    match dialect {
        Dialect::Envelope => {
            sizes.push(("reply schema".into(), envelope::schema_for(specs).to_string().len()));
        }
        Dialect::Tools => {
            let tools = declarations(specs, SessionKind::Chat, language);
            sizes.push(("descriptions".into(), tools.iter().map(|tool| tool.description.len()).sum()));
            sizes.push(("schemas".into(), tools.iter().map(|tool| tool.schema.to_string().len()).sum()));
        }
    }
    sizes
}

/// Input: the commands of Entracte, and the same as if another source had declared them. Expected: the documentation of
/// an argument occurs once. The figures are printed.
#[test]
fn the_first_prompt_documents_no_argument_twice() {
    let catalog = catalog();
    let ours = catalog.specs();
    for spec in &ours {
        assert!(
            documents_arguments(spec),
            "{} has an argument that its documentation does not name",
            spec.name
        );
    }
    // One more word, so that the catalog of texts does not know the documentation.
    let others: Vec<CommandSpec> =
        ours.iter().map(|spec| CommandSpec { doc: format!("{}.", spec.doc), ..spec.clone() }).collect();
    for dialect in [Dialect::Envelope, Dialect::Tools] {
        let told = |specs: &[CommandSpec], language: Language| {
            let sizes = sizes(&catalog, specs, language, dialect);
            let sum: usize = sizes.iter().map(|(_, bytes)| bytes).sum();
            println!(
                "{language:?} {dialect:?}: {sum} bytes, {} tokens: {sizes:?}",
                TokenEstimator::GUESS.tokens(sum)
            );
            sum
        };
        // Commands of another source have no French documentation.
        let (before, after) = (told(&others, Language::En), told(&ours, Language::En));
        assert!(after * 20 < before * 19, "{dialect:?}: {before} -> {after}");
        told(&ours, Language::Fr);
    }
    let first = declarations(&ours, SessionKind::Chat, Language::En);
    assert!(
        first.iter().all(|tool| tool.schema.pointer("/properties/request_validation/description").is_none())
    );
}
