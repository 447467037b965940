//! A main model, and agents that each play their own lines.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::agents::{AgentDeclaration, AgentInstructions};
use entracte_application::commands::AgentsExecutor;
use entracte_application::ports::{
    CallRequest, CommandExecutor, CommandSpec, ModelCallLimits, ModelReply, ModelRequest, Provider,
    ProviderDescription, ProviderFailure, ReplySink,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::RetentionSettings;
use entracte_application::use_cases::{NewChat, ReadCalls, ShowSession, StartChat};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::SessionId;
use entracte_domain::session::{Dialect, SessionFacts};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModel, FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock,
    retention_settings, services_with_retention,
};
use serde_json::{Value, json};

/// Plays the lines of each agent's model, identified by the role in the prompt; a prompt without a role is the main
/// model's.
#[derive(Default)]
pub(crate) struct RoleModelProvider {
    main: Arc<FakeModel>,
    agents: BTreeMap<String, Arc<FakeModel>>,
}

impl RoleModelProvider {
    fn speaker(&self, request: &ModelRequest) -> &FakeModel {
        let is_told = |role: &str| request.system.iter().any(|block| block.contains(role));
        self.agents.iter().find(|(name, _)| is_told(&role(name))).map_or(&*self.main, |(_, model)| &**model)
    }
}

/// The role of an agent, which identifies its prompt.
pub(crate) fn role(agent: &str) -> String {
    format!("You are the agent called {agent}.")
}

#[async_trait]
impl Provider for RoleModelProvider {
    fn info(&self) -> ProviderDescription {
        self.main.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.main.encoding()
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        self.main.limits(model)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.main.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        self.speaker(&request).call(request, sink).await
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        self.main.check().await
    }
}

/// A store, a recording executor, a main model and agents.
pub(crate) struct AgentFixture {
    pub(crate) parts: ServicesFixtureParts,
    pub(crate) outside: Arc<RecordingExecutor>,
    retention: RetentionSettings,
    cast: Arc<RoleModelProvider>,
}

/// The recording executor with an approval before each send.
struct GuardedLetterExecutor(Arc<RecordingExecutor>);

#[async_trait]
impl CommandExecutor for GuardedLetterExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        let asks = |spec: CommandSpec| CommandSpec { destructive: spec.name == "outside.send", ..spec };
        self.0.commands().into_iter().map(asks).collect()
    }

    async fn run(&self, request: CallRequest) -> CallOutcome {
        self.0.run(request).await
    }
}

/// An agent that may request these commands.
pub(crate) fn agent(name: &str, commands: &[&str]) -> AgentDeclaration {
    AgentDeclaration {
        description: format!("What {name} is for."),
        instructions: AgentInstructions { role: role(name), ..AgentInstructions::default() },
        commands: commands.iter().map(|&command| command.to_owned()).collect(),
        ..AgentDeclaration::default()
    }
    .with_name(name)
}

impl AgentFixture {
    pub(crate) fn with_agents(agents: Vec<AgentDeclaration>) -> Self {
        Self::under(agents, RuleBook::default())
    }

    pub(crate) fn under(agents: Vec<AgentDeclaration>, rules: RuleBook) -> Self {
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
        let speakers = agents.iter().map(|agent| (agent.name.clone(), Arc::default())).collect();
        let cast = Arc::new(RoleModelProvider { main: Arc::default(), agents: speakers });
        let outside = Arc::new(RecordingExecutor::default());
        for agent in &agents {
            agent.check().unwrap();
        }
        let resources = entracte_adapters_commands::ResourcesExecutor::new(stores.resources.clone());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![
            Arc::new(GuardedLetterExecutor(outside.clone())),
            Arc::new(resources),
            Arc::new(AgentsExecutor::new(agents)),
        ];
        let parts = ServicesFixtureParts {
            stores,
            provider: cast.clone(),
            executors,
            rules,
            clock: Arc::new(TokioClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        Self { parts, outside, retention: RetentionSettings::default(), cast }
    }

    /// Retains data under these limits, in the text form of the workspace's setting.
    pub(crate) fn with_limits(mut self, limits: &str) -> Self {
        self.retention = retention_settings(limits);
        self
    }

    pub(crate) async fn start_runtime(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services_with_retention(&self.parts, self.retention.clone())).await
    }

    /// Adds these lines of the main model.
    pub(crate) fn main(&self, lines: impl IntoIterator<Item = FakeModelLine>) {
        self.cast.main.push_lines(lines);
    }

    /// Adds these lines of an agent.
    pub(crate) fn push_agent_lines(&self, agent: &str, lines: impl IntoIterator<Item = FakeModelLine>) {
        self.cast.agents[agent].push_lines(lines);
    }

    /// The requests to an agent's model, or to the main model (`""`), in order.
    pub(crate) fn model_requests(&self, agent: &str) -> Vec<ModelRequest> {
        let model = self.cast.agents.get(agent).unwrap_or(&self.cast.main);
        model.requests.lock().unwrap().clone()
    }
}

/// Calls these agents in one reply.
pub(crate) fn calls(agents: &[(&str, &str)]) -> FakeModelLine {
    let actions: Vec<Value> =
        agents.iter().map(|(agent, query)| json!({ "type": agent, "params": { "query": query } })).collect();
    FakeModelLine::Says(json!({ "pre_text": "", "actions": actions, "keep_control": true }).to_string())
}

/// Answers an agent that asked.
pub(crate) fn continues(child: &SessionId, answer: &str) -> FakeModelLine {
    let action = json!({ "type": "AGENT_CONTINUE", "params": { "child": child.as_str(), "answer": answer } });
    FakeModelLine::Says(json!({ "pre_text": "", "actions": [action], "keep_control": true }).to_string())
}

/// Ends the mission.
pub(crate) fn exit_line(result: &Value) -> FakeModelLine {
    let exit = json!({ "reason": "done", "result": result, "conclusion": "It is done." });
    FakeModelLine::Says(json!({ "pre_text": "", "EXIT_WITH_RESULT": exit }).to_string())
}

/// Asks the caller, or the user.
pub(crate) fn asks_principal(question: &str, whom: &str) -> FakeModelLine {
    let asks = json!({ "question": question, "for": whom });
    FakeModelLine::Says(json!({ "pre_text": "", "ASK_PRINCIPAL_AGENT": asks }).to_string())
}

/// A chat in this dialect.
pub(crate) async fn start_chat(
    life: &RuntimeFixture,
    dialect: Dialect,
    require_validation: bool,
) -> SessionId {
    let chat =
        NewChat { dialect, require_validation, model: "fake-1".into(), ..NewChat::new("Home", "fake") };
    let start = StartChat::new(life.mail_sender.clone(), life.services.ids.clone());
    start.run(&life.workspace, chat).await.unwrap().session
}

/// The results of a session's calls to agents, as its model reads them.
pub(crate) async fn results(life: &RuntimeFixture, session: &SessionId) -> Vec<Value> {
    let read = ReadCalls::new(life.services.store.clone(), life.services.log.clone());
    let calls = read.run(&life.workspace, session).await.unwrap();
    let agents = calls.into_iter().filter(|view| AgentsExecutor::is_child(&view.call.command.name));
    let contents = agents.filter_map(|view| view.content);
    contents.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text))).collect()
}

/// The session that the `number`th call of a session to an agent created.
pub(crate) async fn child(life: &RuntimeFixture, session: &SessionId, number: usize) -> SessionId {
    let read = ReadCalls::new(life.services.store.clone(), life.services.log.clone());
    let calls = read.run(&life.workspace, session).await.unwrap();
    let mut agents = calls.iter().filter(|view| {
        entracte_application::agents::agent_name_of_command(&view.call.command.name).is_some()
    });
    agents.nth(number).unwrap().call.id.child_session_id()
}

/// The facts of a session.
pub(crate) async fn facts(life: &RuntimeFixture, session: &SessionId) -> SessionFacts {
    ShowSession::new(life.services.store.clone()).run(&life.workspace, session).await.unwrap().facts
}
