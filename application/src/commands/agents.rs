//! The commands by which agents are called. Nothing of them is ever run by an executor: calling an agent makes a session,
//! in the commit that starts the call, and its end is the call's result.

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

/// The most characters of what an agent is asked, or answered.
const QUERY_MAX_CHARS: usize = 20_000;

/// One command for each declared agent, and `agent.continue`.
pub struct AgentsExecutor {
    agents: Vec<Arc<AgentDeclaration>>,
}

impl AgentsExecutor {
    /// The name of the command that answers an agent which asked.
    pub const CONTINUE: &'static str = "agent.continue";
    /// Its type in the envelope.
    pub const CONTINUE_WORD: &'static str = "AGENT_CONTINUE";

    /// Of these agents, each checked before.
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

    /// Nothing of it is ever run: the session that was made is what works.
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
    fn each_agent_is_a_command_and_one_answers_them_all() {
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
    fn nothing_is_offered_where_no_agent_is_declared() {
        assert_eq!(catalog(Vec::new()).entries().count(), 0);
    }

    #[test]
    fn another_role_is_another_version() {
        let version =
            |role| catalog(vec![agent("JobManager", role)]).find("JobManager").unwrap().version.clone();
        assert_eq!(version("a"), version("a"));
        assert_ne!(version("a"), version("b"));
    }
}
