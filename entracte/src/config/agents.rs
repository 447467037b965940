//! The configured agents: `[agents.NAME]`.

use std::collections::BTreeMap;

use entracte_adapters_providers::config::ProviderConfig;
use entracte_application::agents::{AgentDeclaration, agent_name_of_command};
use entracte_domain::session::ModelSelection;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeString, DeValue, ValueDeserializer};

use super::file::ConfigFileReader;
use super::layers::LayerProviderEntry;
use crate::program_parts::HostProvider;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// An agent of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentEntry {
    /// The declaration; its provider and model are not resolved yet.
    pub(crate) declared: AgentDeclaration,
    /// The origin of the entry.
    pub(crate) origin: String,
}

impl ConfigFileReader<'_> {
    /// Reads the table `agents`.
    pub(super) fn agents(
        &self,
        key: &Spanned<DeString<'_>>,
        value: Spanned<DeValue<'_>>,
    ) -> Result<Vec<AgentEntry>, ConfigFault> {
        let DeValue::Table(entries) = value.into_inner() else {
            let fault = ConfigFault::new(message!("config-tables", setting = "agents"));
            return Err(fault.at(self.place(key.span())));
        };
        let mut agents = Vec::new();
        for (name, value) in entries {
            let (place, entry) = (self.place(name.span()), name.get_ref().to_string());
            let declared = AgentDeclaration::deserialize(ValueDeserializer::from(value.clone()))
                .map_err(|error| self.wrong(&format!("agents.{entry}"), &error, &place))?
                .with_name(&entry);
            let origin = self.origin(place.line);
            declared.check().map_err(|fault| {
                ConfigFault::new(fault.saying()).at(self.place_of(&value, &fault.key, &place))
            })?;
            agents.push(AgentEntry { declared, origin });
        }
        Ok(agents)
    }
}

/// Adds the agents of a lower layer; existing names win as a whole.
pub(super) fn join(agents: &mut Vec<AgentEntry>, others: Vec<AgentEntry>) {
    for other in others {
        if agents.iter().all(|known| known.declared.name != other.declared.name) {
            agents.push(other);
        }
    }
}

/// The agents by name, with their providers and models resolved: of those that the host gives, else of the configured ones.
///
/// # Errors
/// When one names an unknown provider or agent.
pub(crate) fn agents(
    entries: &[AgentEntry],
    providers: &[LayerProviderEntry],
    given: &BTreeMap<String, HostProvider>,
) -> Result<Vec<AgentDeclaration>, ConfigFault> {
    let mut agents = Vec::new();
    for AgentEntry { declared, origin } in entries {
        let voice = match &declared.provider {
            Some(provider) => Some(voice(declared, provider, providers, given, origin)?),
            None => None,
        };
        for named in declared.commands.iter().filter_map(|command| agent_name_of_command(command)) {
            let is_known = named == "*" || entries.iter().any(|entry| entry.declared.name == named);
            if !is_known {
                let says = message!(
                    "config-agent-unknown",
                    agent = &declared.name,
                    given = named,
                    origin = origin.as_str()
                );
                let known = entries.iter().map(|entry| entry.declared.name.clone()).collect();
                return Err(ConfigFault::new(says).allowing(named, known));
            }
        }
        agents.push(AgentDeclaration { voice, ..declared.clone() });
    }
    agents.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(agents)
}

fn voice(
    declared: &AgentDeclaration,
    provider: &str,
    providers: &[LayerProviderEntry],
    given: &BTreeMap<String, HostProvider>,
    origin: &str,
) -> Result<ModelSelection, ConfigFault> {
    if let Some(of_host) = given.get(provider) {
        return Ok(of_host.selection(provider, declared.model.clone()));
    }
    let Some(entry) = providers.iter().find(|entry| entry.name == provider) else {
        let says =
            message!("config-agent-provider", agent = &declared.name, provider = provider, origin = origin);
        let configured = providers.iter().map(|entry| entry.name.clone());
        let known = given.keys().cloned().chain(configured).collect();
        return Err(ConfigFault::new(says).allowing(provider, known));
    };
    let model = declared.model.clone().or_else(|| entry.config.model.clone()).unwrap_or_default();
    // The agent's model must be valid for the provider's entry too.
    let config = ProviderConfig { model: Some(model.clone()), ..entry.config.clone() };
    if declared.model.is_some() {
        config.check(&entry.name).map_err(|error| ConfigFault::new(error.saying()))?;
    }
    Ok(ModelSelection { provider: entry.name.clone(), model, dialect: entry.dialect })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::file::read;
    use crate::config::layers::{ConfigLayer, built_in_providers};

    const JOBS: &str = r#"
[agents.JobManager]
description = "Finds the jobs that are open."
provider = "groq"
commands = ["tool_data.*", "agents.TaskManager"]

[agents.JobManager.instructions]
role = "You maintain the jobs."

[agents.JobManager.limits]
rounds = 4

[agents.TaskManager]
description = "Plans tasks."
instructions = { role = "You plan tasks." }
"#;

    fn layer(text: &str) -> Result<ConfigLayer, ConfigFault> {
        read("entracte.toml", text, Path::new(""))
    }

    fn resolved(text: &str) -> Result<Vec<AgentDeclaration>, String> {
        let layer = layer(text).map_err(|fault| fault.to_string())?;
        agents(&layer.agents, &built_in_providers(), &BTreeMap::new()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn agents_are_declared_with_their_model_and_limits() {
        let agents = resolved(JOBS).unwrap();
        let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["JobManager", "TaskManager"]);
        let voice = agents[0].voice.as_ref().unwrap();
        assert_eq!((voice.provider.as_str(), voice.model.as_str()), ("groq", "openai/gpt-oss-120b"));
        assert_eq!((agents[0].limits.rounds, agents[1].voice.as_ref()), (Some(4), None));
    }

    #[test]
    fn agent_fault_names_position_and_value() {
        let cases = [
            (JOBS.replace("groq", "grok"), "grok"),
            (JOBS.replace("agents.TaskManager\"]", "agents.TaskManger\"]"), "TaskManger"),
            (JOBS.replace("rounds = 4", "rouns = 4"), "rouns"),
            (JOBS.replace("role = \"You maintain the jobs.\"", "role = \" \""), "instructions.role"),
            (JOBS.replace("[agents.TaskManager]", "[agents.\"Task Manager\"]"), "Task Manager"),
            ("agents = 3".to_owned(), "agents"),
        ];
        for (text, expected) in cases {
            let fault = resolved(&text).unwrap_err();
            assert!(fault.contains(expected), "{fault}");
        }
    }

    #[test]
    fn agent_of_higher_layer_wins_whole() {
        let mut all = layer(JOBS).unwrap().agents;
        let lower = JOBS.replace("Finds the jobs", "Loses the jobs").replace("TaskManager", "Another");
        join(&mut all, layer(&lower).unwrap().agents);
        let found: Vec<&str> = all.iter().map(|entry| entry.declared.description.as_str()).collect();
        assert_eq!(found, ["Finds the jobs that are open.", "Plans tasks.", "Plans tasks."]);
    }
}
