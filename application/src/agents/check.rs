//! Checks of an agent declaration that its types cannot express.

use entracte_domain::restriction::Restriction;

use super::AgentDeclaration;
use crate::schema::{Schema, SchemaRefusal};
use crate::settings::SchemaBounds;
use crate::texts::{LocalizedMessage, saying};

/// A fault in the declaration of an agent, and how to fix it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.saying())]
pub struct AgentFault {
    /// The name of the agent.
    pub agent: String,
    /// The key in its table.
    pub key: String,
    /// The fault, with the value.
    pub problem: LocalizedMessage,
    /// How to fix it.
    pub fix: LocalizedMessage,
}

impl AgentFault {
    /// The fault and the fix as one localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        let Self { agent, key, problem, fix } = self;
        saying!("fault-agent", agent = agent, key = key, problem = problem.clone(), fix = fix.clone())
    }
}

/// The maximum length of a name, so that the agent's tool name fits every wire format.
const NAME_MAX: usize = 40;
/// The maximum number of characters of the description that callers read.
const DESCRIPTION_MAX_CHARS: usize = 2_000;
/// The maximum size in bytes of all instructions of an agent.
const INSTRUCTIONS_MAX_BYTES: usize = 32 * 1024;

type AgentCheckResult = Result<(), AgentFault>;

impl AgentDeclaration {
    /// Checks that the agent can be used.
    ///
    /// # Errors
    /// The first fault, with its value.
    pub fn check(&self) -> Result<(), AgentFault> {
        self.check_name()?;
        self.check_texts()?;
        self.check_model()?;
        self.check_commands()?;
        self.check_limits()?;
        self.check_result_schema()
    }

    fn check_name(&self) -> AgentCheckResult {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let begins = self.name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if self.name.len() > NAME_MAX || !begins || !self.name.chars().all(fits) {
            let problem = saying!("fault-agent-name", given = &self.name);
            return self.fault("name", problem, saying!("fault-agent-name-like"));
        }
        Ok(())
    }

    fn check_texts(&self) -> AgentCheckResult {
        if self.description.trim().is_empty() {
            return self.fault("description", saying!("fault-empty"), saying!("fault-agent-say-for"));
        }
        let chars = self.description.chars().count();
        if chars > DESCRIPTION_MAX_CHARS {
            let problem = saying!("fault-agent-chars", count = chars, most = DESCRIPTION_MAX_CHARS);
            return self.fault("description", problem, saying!("fault-agent-shorter"));
        }
        if self.instructions.role.trim().is_empty() {
            return self.fault("instructions.role", saying!("fault-empty"), saying!("fault-agent-say-who"));
        }
        let bytes: usize = self.instructions.parts().iter().map(|part| part.text.len()).sum();
        if bytes > INSTRUCTIONS_MAX_BYTES {
            let problem = saying!("fault-agent-bytes", count = bytes, most = INSTRUCTIONS_MAX_BYTES);
            return self.fault("instructions", problem, saying!("fault-agent-shorter"));
        }
        Ok(())
    }

    fn check_model(&self) -> AgentCheckResult {
        match (&self.provider, &self.model) {
            (None, Some(model)) => {
                let problem = saying!("fault-agent-no-provider", given = model);
                self.fault("model", problem, saying!("fault-agent-name-provider"))
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    fn check_commands(&self) -> AgentCheckResult {
        match Restriction::parse(self.commands.iter().map(String::as_str)) {
            Ok(_) => Ok(()),
            Err(fault) => {
                let problem = saying!("fault-agent-pattern", given = fault.given);
                self.fault("commands", problem, saying!("fault-agent-pattern-like"))
            }
        }
    }

    fn check_limits(&self) -> AgentCheckResult {
        match self.limits.iter_set_limits().find(|(_, limit)| *limit == 0) {
            Some((key, _)) => self.fault(
                &format!("limits.{key}"),
                saying!("fault-agent-zero"),
                saying!("fault-agent-at-least-1"),
            ),
            None => Ok(()),
        }
    }

    fn check_result_schema(&self) -> AgentCheckResult {
        let Some(schema) = &self.result_schema else { return Ok(()) };
        if schema.get("type").and_then(serde_json::Value::as_str) != Some("object") {
            let problem = saying!("fault-not-object");
            return self.fault("result_schema.type", problem, saying!("fault-add-object"));
        }
        match Schema::new(schema, &SchemaBounds::WIDEST) {
            Ok(_) => Ok(()),
            Err(SchemaRefusal::NoSchema { says, .. }) => {
                let problem = saying!("fault-not-schema", why = says);
                self.fault("result_schema", problem, saying!("fault-correct"))
            }
            Err(why) => self.fault("result_schema", why.saying(), saying!("fault-simpler")),
        }
    }

    fn fault(&self, key: &str, problem: LocalizedMessage, fix: LocalizedMessage) -> AgentCheckResult {
        let (agent, key) = (self.name.clone(), key.to_owned());
        Err(AgentFault { agent, key, problem, fix })
    }
}
