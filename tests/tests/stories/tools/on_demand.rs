//! More commands of servers than a prompt has room for: they are listed, found and called on demand.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::command_naming::CommandNaming;
use entracte_application::commands::{Catalog, FindCommandsExecutor};
use entracte_application::json_value::from_serde;
use entracte_application::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, PromptTurn, ResourceReader, StoreError,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::WorkspaceLocale;
use entracte_application::system::sha256;
use entracte_application::use_cases::ApprovalChoice;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::{Command, EffectClass, FIND_COMMANDS};
use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::restriction::Restriction;
use entracte_domain::session::Dialect;
use entracte_domain::time::Timestamp;
use entracte_tests::fakes::strict_model::{StrictModelStep, calls, says};
use entracte_tests::strict::StrictApi;
use serde_json::{Value, json};

use super::fixture::NativeToolFixture;

/// Servers of twelve tools each: a query `look_0` and actions `do_1` to `do_11`, with about 800 bytes each.
struct ManyServers {
    count: usize,
    /// Command and arguments of each call.
    ran: Mutex<Vec<String>>,
}

impl ManyServers {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { count, ran: Mutex::default() })
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

#[async_trait]
impl CommandExecutor for ManyServers {
    fn commands(&self) -> Vec<CommandSpec> {
        let text = json!({"type": "string", "description": "x".repeat(600)});
        let schema = json!({"type": "object", "properties": {"of": text}, "required": ["of"], "additionalProperties": false});
        let tool = |server: usize, tool: usize| {
            let server = format!("s{server:02}");
            let name = if tool == 0 { format!("{server}.look_0") } else { format!("{server}.do_{tool}") };
            let (word, doc) =
                (name.to_uppercase().replace('.', "_"), format!("Does the thing {tool}. At length."));
            let spec = match tool {
                0 => CommandSpec::query(&word, &name, &doc, schema.clone()),
                _ => CommandSpec {
                    egress: true,
                    ..CommandSpec::action(&word, &name, &doc, EffectClass::Once, schema.clone())
                },
            };
            CommandSpec { server: Some(server), ..spec }
        };
        (0..self.count)
            .flat_map(|server| (0..12).map(move |number| (server, number)))
            .map(|(s, t)| tool(s, t))
            .collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        let content = format!("{} {}", request.command.name, request.command.arguments.to_json());
        self.ran.lock().unwrap().push(content.clone());
        CallOutcome::Succeeded { digest: sha256(content.as_bytes()), content, files: Vec::new() }
    }

    async fn describe(
        &self,
        _request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        Ok(ActionDescription::default())
    }
}

async fn scene(api: StrictApi, dialect: Dialect, servers: &Arc<ManyServers>) -> NativeToolFixture {
    let executor: Arc<dyn CommandExecutor> = servers.clone();
    NativeToolFixture::with_servers(api, RuleBook::default(), dialect, vec![executor]).await
}

/// The system prompt and the names of the declared tools of the last request.
fn last_prompt(scene: &NativeToolFixture) -> (String, Vec<String>) {
    let (request, _) = scene.model.requests().pop().unwrap();
    let system = request.system.iter().map(|block| format!("{block}\n")).collect();
    (system, request.tools.iter().map(|tool| tool.name.clone()).collect())
}

/// The wire names of the calls in the last request.
fn sent_calls(scene: &NativeToolFixture) -> Vec<(String, String)> {
    let (request, _) = scene.model.requests().pop().unwrap();
    let said = request.turns.iter().filter_map(|turn| match turn.as_ref() {
        PromptTurn::Assistant(said) => Some(said.calls.clone()),
        PromptTurn::User(_) => None,
    });
    said.flatten().map(|call| (call.name, call.arguments)).collect()
}

/// Input: 50 servers with 600 tools; expected: the model reads a list of them, finds one, and calls it through
/// `run_command`; a person sees and approves the command itself, which runs once.
#[tokio::test(start_paused = true)]
async fn fifty_servers_fit() {
    for api in StrictApi::ALL {
        let servers = ManyServers::new(50);
        let scene = scene(api, Dialect::Tools, &servers).await;
        let find = calls(&[("c1", "commands_find", json!({"names": ["s07_do_3", "s99_do_1"]}))]);
        let wrapped = json!({"name": "s07_do_3", "arguments": {"of": "a"}});
        let look = json!({"name": "s08_look_0", "arguments": {"of": "b"}});
        let act = calls(&[("c2", "run_command", look), ("c3", "run_command", wrapped)]);
        scene.model.push_steps([find, act, says("so")]);
        scene.turn("Do the thing 3 of 7.").await;
        let (system, tools) = last_prompt(&scene);
        assert!(system.contains("- s07_do_3: Does the thing 3\n"), "{api:?} {system}");
        assert!(
            tools.contains(&"run_command".into()) && tools.contains(&"commands_find".into()),
            "{tools:?}"
        );
        assert!(!tools.contains(&"s07_do_3".into()) && tools.contains(&"zones_create".into()), "{tools:?}");
        assert!(tools.len() < 150, "{api:?}: {}", tools.len());

        let results = scene.last_results();
        let found: Value = serde_json::from_str(&results[0].1).unwrap();
        assert_eq!(found["unknown"], json!(["s99_do_1"]));
        assert_eq!(found["commands"][0]["command"], "s07_do_3");
        assert_eq!(found["commands"][0]["arguments"]["required"], json!(["of"]));

        let cards = scene.cards().await;
        assert_eq!(cards.len(), 1, "{api:?}");
        assert_eq!(cards[0].call.command.name, "s07.do_3", "a person sees the command itself");
        assert_eq!(servers.ran(), [r#"s08.look_0 {"of":"b"}"#], "{api:?}: a query runs unasked");
        scene.decides(&cards[0], &ApprovalChoice::Approve).await.unwrap();
        assert_eq!(servers.ran()[1..], [r#"s07.do_3 {"of":"a"}"#.to_owned()], "{api:?}");
        let sent = sent_calls(&scene);
        assert_eq!(sent[2], ("run_command".into(), r#"{"name":"s07_do_3","arguments":{"of":"a"}}"#.into()));
        assert_eq!(scene.model.refusals(), [] as [String; 0], "{api:?}");
    }
}

/// Input: the same in an envelope; expected: the listed command is requested like any other.
#[tokio::test(start_paused = true)]
async fn envelope_requests_listed_commands_like_any_other() {
    let servers = ManyServers::new(50);
    let scene = scene(StrictApi::Messages, Dialect::Envelope, &servers).await;
    let reply = |list: &str, word: &str, params: Value| {
        says(&json!({"pre_text": "So.", list: [{"type": word, "params": params}]}).to_string())
    };
    let done: StrictModelStep = says(r#"{"pre_text": "Done."}"#);
    scene.model.push_steps([
        reply("queries", "FIND_COMMANDS", json!({"query": "thing 4", "server": "s07"})),
        reply("actions", "S07_DO_4", json!({"of": "a"})),
        done,
    ]);
    scene.turn("Do the thing 4 of 7.").await;
    let (system, _) = last_prompt(&scene);
    assert!(system.contains("- S07_DO_4: Does the thing 4\n"), "{system}");
    let cards = scene.cards().await;
    assert_eq!(cards[0].call.command.name, "s07.do_4");
    scene.decides(&cards[0], &ApprovalChoice::Approve).await.unwrap();
    assert_eq!(servers.ran(), [r#"s07.do_4 {"of":"a"}"#]);
}

/// Input: two servers whose tools have room; expected: each is a tool of its own, and nothing is listed.
#[tokio::test(start_paused = true)]
async fn commands_with_room_are_tools_of_their_own() {
    let servers = ManyServers::new(2);
    let scene = scene(StrictApi::Chat, Dialect::Tools, &servers).await;
    scene.model.push_steps([calls(&[("c1", "s01_look_0", json!({"of": "b"}))]), says("so")]);
    scene.turn("Look.").await;
    let (system, tools) = last_prompt(&scene);
    assert!(tools.contains(&"s01_do_11".into()) && !tools.contains(&"run_command".into()), "{tools:?}");
    assert!(!tools.contains(&"commands_find".into()) && !system.contains("on demand"), "{tools:?}");
    assert_eq!(servers.ran(), [r#"s01.look_0 {"of":"b"}"#]);
}

/// Input: a session that may use one server; expected: the query finds nothing of the others, and they are not listed.
#[tokio::test(start_paused = true)]
async fn query_finds_only_what_the_session_may_request() {
    let servers = ManyServers::new(3);
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![servers];
    let finder = FindCommandsExecutor::for_executors(&executors).unwrap();
    let found = async |restriction: Restriction, arguments: Value| {
        let request = CallRequest {
            workspace: WorkspaceKey::new("ann:home"),
            session: SessionId::new("ses_1"),
            call: CallId::new("cal_1"),
            command: Command { name: FIND_COMMANDS.into(), arguments: from_serde(&arguments) },
            acts_as: None,
            via: Vec::new(),
            key: "key".into(),
            task: None,
            attempt: 1,
            now: Timestamp(0),
            reference: Timestamp(0),
            locale: WorkspaceLocale::default(),
            naming: CommandNaming::Types,
            restriction,
            progress: entracte_application::ports::CallProgressSink::default(),
        };
        match finder.run(request).await {
            CallOutcome::Succeeded { content, .. } => serde_json::from_str::<Value>(&content).unwrap(),
            other => json!(format!("{other:?}")),
        }
    };
    let one = || Restriction::parse(["s01.*"]).unwrap();
    let by_name = found(one(), json!({"names": ["S01_DO_1", "S02_DO_1"]})).await;
    assert_eq!(by_name["commands"].as_array().unwrap().len(), 1, "{by_name}");
    assert_eq!(by_name["unknown"], json!(["S02_DO_1"]));
    let by_words = found(one(), json!({"query": "thing 2"})).await;
    assert!(
        !by_words.to_string().contains("S02") && by_words["commands"][0]["command"] == "S01_DO_2",
        "{by_words}"
    );
    let of_server = found(Restriction::Open, json!({"server": "s02"})).await;
    let described = of_server["commands"].as_array().unwrap().len();
    let named = of_server["others"].as_array().map_or(0, Vec::len);
    assert_eq!(described + named, 12, "{of_server}");
    assert!(found(Restriction::Open, json!({})).await.to_string().contains("INVALID_ARGUMENTS"));
}

/// Input: a server is listed while the process runs; expected: a chat that begins afterwards has its tools, and one that
/// is open may call them.
#[tokio::test(start_paused = true)]
async fn commands_listed_later_reach_running_workspaces() {
    let mut scene = scene(StrictApi::Chat, Dialect::Tools, &ManyServers::new(1)).await;
    scene.model.push_steps([says("so")]);
    scene.turn("Hello.").await;
    assert!(!last_prompt(&scene).1.contains(&"s01_look_0".into()));

    let servers = ManyServers::new(2);
    let executors: Vec<Arc<dyn CommandExecutor>> = vec![scene.outside.clone(), servers.clone()];
    scene.life.services.catalog.replace(Arc::new(Catalog::new(&executors).unwrap()));
    let look = || calls(&[("c1", "s01_look_0", json!({"of": "b"}))]);
    scene.model.push_steps([look(), says("so")]);
    scene.turn("Look.").await;
    assert_eq!(servers.ran(), [r#"s01.look_0 {"of":"b"}"#]);

    scene.begin_chat(Dialect::Tools).await;
    scene.model.push_steps([look(), says("so")]);
    scene.turn("Look.").await;
    assert!(last_prompt(&scene).1.contains(&"s01_look_0".into()));
    assert_eq!(servers.ran().len(), 2);
}
