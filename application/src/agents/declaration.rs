//! What the configuration says of an agent.

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
/// let agent = declared.named("JobManager");
/// assert!(agent.check().is_ok());
/// assert_eq!(agent.command(), "agents.JobManager");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentDeclaration {
    /// Its name: the key of its table.
    #[serde(skip)]
    pub name: String,
    /// What it is for, as whoever may call it reads it.
    pub description: String,
    /// What it is told first, in place of what an automation or a session says.
    pub instructions: AgentInstructions,
    /// The provider that speaks for it; that of who called it unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model; the provider's own unless said. For `provider`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The commands that it may ask for: names, `x.*`, or `*` for all that its caller may. None unless said.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Where its limits differ from those of agents (`limits.agent.…`).
    #[serde(default)]
    pub limits: AgentLimitSettings,
    /// JSON Schema of `result` in its EXIT_WITH_RESULT; any object unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_schema: Option<serde_json::Value>,
    /// Who speaks for it, as the configuration resolves `provider` and `model`; none where its caller's model does.
    #[serde(skip)]
    pub voice: Option<ModelSelection>,
}

/// What an agent is told first. All but the role may be left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentInstructions {
    /// Who it is, and what its mission is.
    pub role: String,
    /// What it should know of the business.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// What its commands are for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commands: String,
    /// How to go about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub strategy: String,
    /// How it knows that the mission is accomplished.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub success: String,
    /// What its report holds.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub report: String,
    /// When and how it ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub ending: String,
}

/// Limits of one agent; each is that of all agents where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentLimitSettings {
    /// Model calls of a mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Tokens of a request; beyond them the conversation is summed up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Tokens that a model may answer with in one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u32>,
    /// How long a model call may take, in seconds. What a model waits for does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_seconds: Option<u32>,
    /// Agents that it may start in turn; none unless its `commands` name some, and then [`AgentLimitSettings::AGENTS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<u32>,
}

/// One part of what an agent is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentInstructionPart<'a> {
    /// The key in the configuration.
    pub key: &'static str,
    /// The key of its title in the catalogue of texts.
    pub title: &'static str,
    /// What it says.
    pub text: &'a str,
}

impl AgentInstructions {
    /// The seven parts in the order in which they are read, also those that say nothing.
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

    /// All of it as one text, each part under its title.
    pub fn text(&self, texts: &LocalizedTexts) -> String {
        let said = self.parts().into_iter().filter(|part| !part.text.trim().is_empty());
        let parts = said.map(|part| format!("{}\n{}", texts.render(part.title, &[]), part.text.trim()));
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

impl AgentLimitSettings {
    /// How many agents one may start that may start any, unless its limits say so.
    pub const AGENTS: u32 = 3;

    /// The same, as the machine knows them: 0 where nothing is said.
    pub fn to_domain_limits(self) -> Limits {
        Limits {
            rounds: self.rounds.unwrap_or_default(),
            context_tokens: self.context_tokens.unwrap_or_default(),
            output_tokens: self.output_tokens.unwrap_or_default(),
            model_time: Millis::seconds(self.call_seconds.unwrap_or_default().into()),
        }
    }

    /// Each limit that is set, by its key.
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
    /// The same under this name.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The command by which it is called.
    pub fn command(&self) -> String {
        super::command_name_of_agent(&self.name)
    }

    /// What the machine has to know of it, under this version. `own` are the commands that everybody may ask for who may
    /// ask for any; `continues` is the one that answers an agent.
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
        // Where nothing is set, an agent has the rounds of its kind; those below it are given as many each.
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

    /// All that it means, as one value: its version is a hash of this. Who speaks for it is part of it as it is resolved,
    /// so that another model is another agent.
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

    /// The same in the numbers of arguments, for comparisons.
    pub fn canonical(&self) -> JsonValue {
        json_value::from_serde(&self.version_input())
    }
}
