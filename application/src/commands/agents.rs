//! The commands that call agents. No executor ever runs them: calling an agent creates a session in the commit
//! that starts the call, and the end of that session is the call's result.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::value::JsonValue;
use serde_json::json;

use super::call_outcomes::{doc, object};
use crate::agents::{AgentDeclaration, agent_name_of_command};
use crate::ports::{
    ActionDescription, CallRequest, CommandExecutor, CommandSpec, ResourceReader, StoreError,
};
use crate::texts::{LocalizedTexts, say};

/// Maximum characters of an agent's mission, or of an answer to it.
const QUERY_MAX_CHARS: usize = 20_000;

/// One command for each declared agent, and `agent.continue`.
pub struct AgentsExecutor {
    agents: Vec<Arc<AgentDeclaration>>,
}

impl AgentsExecutor {
    /// Name of the command that answers an agent's question.
    pub const CONTINUE: &'static str = "agent.continue";
    /// Its type in the envelope.
    pub const CONTINUE_WORD: &'static str = "AGENT_CONTINUE";

    /// The commands of these agents, whose declarations must be valid.
    pub fn new(agents: impl IntoIterator<Item = AgentDeclaration>) -> Self {
        Self { agents: agents.into_iter().map(Arc::new).collect() }
    }

    /// Whether a command calls an agent, or answers one.
    pub fn is_child(command: &str) -> bool {
        command == Self::CONTINUE || agent_name_of_command(command).is_some()
    }
}

fn text() -> serde_json::Value {
    json!({ "type": "string", "minLength": 1, "maxLength": QUERY_MAX_CHARS })
}

fn call_of(agent: &Arc<AgentDeclaration>) -> CommandSpec {
    let schema = object(&json!({ "query": text() }), &["query"]);
    CommandSpec {
        independent: true,
        target: agent.version_input(),
        agent: Some(agent.clone()),
        ..CommandSpec::action(&agent.name, &agent.command(), &agent.description, EffectClass::Child, schema)
    }
}

fn continues() -> CommandSpec {
    let schema = object(&json!({ "child": text(), "answer": text() }), &["child", "answer"]);
    let (word, name) = (AgentsExecutor::CONTINUE_WORD, AgentsExecutor::CONTINUE);
    CommandSpec {
        independent: true,
        ..CommandSpec::action(word, name, &doc(word), EffectClass::Child, schema)
    }
}

#[async_trait]
impl CommandExecutor for AgentsExecutor {
    fn commands(&self) -> Vec<CommandSpec> {
        match self.agents.is_empty() {
            true => Vec::new(),
            false => self.agents.iter().map(call_of).chain([continues()]).collect(),
        }
    }

    fn schemas_are_tested(&self) -> bool {
        true
    }

    /// Never called: the work is done by the created session.
    async fn run(&self, _request: CallRequest) -> CallOutcome {
        CallOutcome::Lost { found_by_start: None, lands_by: None }
    }

    async fn describe(
        &self,
        request: CallRequest,
        _rows: Arc<dyn ResourceReader>,
    ) -> Result<ActionDescription, StoreError> {
        let texts = LocalizedTexts::for_language(request.locale.language);
        let argument = |name: &str| {
            let given = request.command.arguments.get(name);
            given.and_then(JsonValue::as_text).unwrap_or_default().to_owned()
        };
        let says = match agent_name_of_command(&request.command.name) {
            Some(agent) => say!(texts, "agent-card", agent = agent, query = argument("query")),
            None => {
                say!(texts, "agent-continue-card", child = argument("child"), answer = argument("answer"))
            }
        };
        Ok(ActionDescription { says, ..ActionDescription::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AgentInstructions;
    use crate::commands::Catalog;

    fn agent(name: &str, role: &str) -> AgentDeclaration {
        AgentDeclaration {
            description: format!("What {name} is for."),
            instructions: AgentInstructions { role: role.into(), ..AgentInstructions::default() },
            ..AgentDeclaration::default()
        }
        .with_name(name)
    }

    fn catalog(agents: Vec<AgentDeclaration>) -> Catalog {
        Catalog::new(&[Arc::new(AgentsExecutor::new(agents))]).unwrap()
    }

    #[test]
    fn each_agent_has_a_command_plus_continue() {
        let catalog = catalog(vec![agent("JobManager", "a"), agent("TaskManager", "b")]);
        let names: Vec<&str> = catalog.entries().map(|known| known.spec.name.as_str()).collect();
        assert_eq!(names, ["agent.continue", "agents.JobManager", "agents.TaskManager"]);
        let called = catalog.find("JobManager").unwrap();
        assert_eq!(called.spec.doc, "What JobManager is for.");
        assert!(called.spec.independent && called.spec.agent.is_some());
        let one = JsonValue::from([("query", JsonValue::from("what is open?"))]);
        assert_eq!(called.faults(&one), []);
        let more =
            JsonValue::from([("query", JsonValue::from("x")), ("workspace", JsonValue::from("bob:home"))]);
        assert!(!called.faults(&more).is_empty(), "a query is all that a caller gives");
    }

    #[test]
    fn no_agents_declare_no_commands() {
        assert_eq!(catalog(Vec::new()).entries().count(), 0);
    }

    #[test]
    fn changed_role_changes_command_version() {
        let version =
            |role| catalog(vec![agent("JobManager", role)]).find("JobManager").unwrap().version.clone();
        assert_eq!(version("a"), version("a"));
        assert_ne!(version("a"), version("b"));
    }
}
