//! Declarations of agents in the configuration.

use entracte_domain::command::{AgentLimits as Limits, AgentTerms};
use entracte_domain::id::Digest;
use entracte_domain::restriction::{CommandPattern, Restriction};
use entracte_domain::rights::{Budget, NameSet, RequestedRights};
use entracte_domain::session::{Dialect, LimitProfile, ModelSelection, SessionKind, SessionRules};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};

use crate::json_value;
use crate::texts::LocalizedTexts;

/// An agent that sessions may call: the table `[agents.NAME]` of the configuration.
///
/// ```
/// use entracte_application::agents::AgentDeclaration;
///
/// let declared: AgentDeclaration = serde_json::from_value(serde_json::json!({
///     "description": "Finds the jobs that are open.",
///     "instructions": { "role": "You maintain the jobs of the company." },
///     "commands": ["tool_data.*"],
///     "limits": { "rounds": 4 },
/// })).unwrap();
/// let agent = declared.with_name("JobManager");
/// assert!(agent.check().is_ok());
/// assert_eq!(agent.command(), "agents.JobManager");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDeclaration {
    /// Its name: the key of its table.
    #[serde(skip)]
    pub name: String,
    /// Its purpose, for its callers.
    pub description: String,
    /// Its instructions, which replace those of an automation or a session.
    pub instructions: AgentInstructions,
    /// The provider that serves it; by default the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model at `provider`; by default the provider's own default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The commands it may request: names, `x.*`, or `*` for all that its caller may. Empty by default.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Its limits, where they differ from those of all agents (`limits.agent.…`).
    #[serde(default)]
    pub limits: AgentLimitSettings,
    /// JSON Schema of `result` in its EXIT_WITH_RESULT; any object by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_schema: Option<serde_json::Value>,
    /// The model resolved from `provider` and `model`; `None` uses the caller's model.
    #[serde(skip)]
    pub voice: Option<ModelSelection>,
}

/// The instructions of an agent. All parts but the role are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentInstructions {
    /// Its identity and mission.
    pub role: String,
    /// The business context it needs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// The purpose of its commands.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commands: String,
    /// How to proceed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub strategy: String,
    /// The criteria of success.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub success: String,
    /// The content of its report.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub report: String,
    /// When and how it ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ending: String,
}

/// The limits of one agent; a missing value uses that of all agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLimitSettings {
    /// The maximum number of model calls per mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// The maximum tokens of a request; beyond them the conversation is summarised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// The maximum output tokens of one model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
    /// The maximum duration of a model call in seconds, without the time its commands take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_seconds: Option<u32>,
    /// The number of agents it may start in turn; 0 unless its `commands` name some, and then
    /// [`AgentLimitSettings::AGENTS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<u32>,
}

/// One part of an agent's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentInstructionPart<'a> {
    /// The key in the configuration.
    pub key: &'static str,
    /// The key of its title in the catalogue of texts.
    pub title: &'static str,
    /// The text of the part.
    pub text: &'a str,
}

impl AgentInstructions {
    /// The seven parts in reading order, including empty ones.
    pub fn parts(&self) -> [AgentInstructionPart<'_>; 7] {
        let part = |key, title, text| AgentInstructionPart { key, title, text };
        [
            part("role", "agent-part-role", self.role.as_str()),
            part("context", "agent-part-context", self.context.as_str()),
            part("commands", "agent-part-commands", self.commands.as_str()),
            part("strategy", "agent-part-strategy", self.strategy.as_str()),
            part("success", "agent-part-success", self.success.as_str()),
            part("report", "agent-part-report", self.report.as_str()),
            part("ending", "agent-part-ending", self.ending.as_str()),
        ]
    }

    /// All parts as one text, each under its title.
    pub fn text(&self, texts: &LocalizedTexts) -> String {
        let said = self.parts().into_iter().filter(|part| !part.text.trim().is_empty());
        let parts = said.map(|part| format!("{}\n{}", texts.render(part.title, &[]), part.text.trim()));
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

impl AgentLimitSettings {
    /// The default number of agents that an agent may start, if it may start any.
    pub const AGENTS: u32 = 3;

    /// Converts to the domain's limits, where 0 means unset.
    pub fn to_domain_limits(self) -> Limits {
        Limits {
            rounds: self.rounds.unwrap_or_default(),
            context_tokens: self.context_tokens.unwrap_or_default(),
            output_tokens: self.output_tokens.unwrap_or_default(),
            model_time: Millis::seconds(self.call_seconds.unwrap_or_default().into()),
        }
    }

    /// The limits that are set, with their keys.
    pub fn iter_set_limits(self) -> impl Iterator<Item = (&'static str, u32)> {
        let all = [
            ("rounds", self.rounds),
            ("context_tokens", self.context_tokens),
            ("output_tokens", self.output_tokens),
            ("call_seconds", self.call_seconds),
            ("agents", self.agents),
        ];
        all.into_iter().filter_map(|(key, limit)| Some((key, limit?)))
    }
}

impl AgentDeclaration {
    /// Sets the name.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The name of the command that calls the agent.
    pub fn command(&self) -> String {
        super::command_name_of_agent(&self.name)
    }

    /// The terms of this version for the state machine. `own` are the commands allowed to every session that may
    /// request any; `continues` is the command that answers an agent.
    pub fn terms(&self, version: &Digest, own: &[&str], continues: &str) -> AgentTerms {
        let gate = Restriction::parse(self.commands.iter().map(String::as_str));
        let mut gate = gate.unwrap_or(Restriction::Only(Vec::new()));
        let calls_agents = self
            .commands
            .iter()
            .any(|command| command == Restriction::EVERY || super::agent_name_of_command(command).is_some());
        if let Restriction::Only(only) = &mut gate
            && !only.is_empty()
        {
            only.extend(own.iter().map(|name| CommandPattern::from_text(name)));
            only.extend(calls_agents.then(|| CommandPattern::from_text(continues)));
        }
        let usual = if calls_agents { AgentLimitSettings::AGENTS } else { 0 };
        let agents = self.limits.agents.unwrap_or(usual);
        let limits = self.limits.to_domain_limits();
        // Without a limit an agent has the rounds of its kind; agents below it get the same number each.
        let rounds = match limits.rounds {
            0 => SessionRules::new(SessionKind::Agent, LimitProfile::Autonomous).rounds,
            rounds => rounds,
        };
        let budget = Budget { agents, rounds: rounds.saturating_mul(agents.saturating_add(1)) };
        let wish = RequestedRights {
            gate,
            require_approval: false,
            unattended: None,
            rules: NameSet::All,
            provider: self.voice.as_ref().map(|voice| voice.provider.clone()),
            providers: NameSet::All,
            budget,
        };
        AgentTerms { name: self.name.clone(), version: version.clone(), wish, limits }
    }

    /// The complete declaration as one value, of which the version is a hash. It contains the resolved model, so that
    /// a change of the model changes the version.
    pub fn version_input(&self) -> serde_json::Value {
        let mut meaning = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = meaning.as_object_mut() {
            fields.insert("name".to_owned(), self.name.as_str().into());
            if let Some(ModelSelection { provider, model, dialect }) = &self.voice {
                let dialect = match dialect {
                    Dialect::Envelope => "envelope",
                    Dialect::Tools => "tools",
                };
                fields.insert("voice".to_owned(), serde_json::json!([provider, model, dialect]));
            }
        }
        meaning
    }

    /// The same value in canonical form, for comparisons.
    pub fn canonical(&self) -> JsonValue {
        json_value::from_serde(&self.version_input())
    }
}
