//! Settings in layers: flags over variables over `./entracte.toml` over the user's file over defaults. Pure.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_commands::secret::DeclaredSecret;
use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::rehearsal::{RehearsalScript, ScriptError};
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;

use super::agents::{self, AgentEntry};
use super::secret_shorthand::PLACES;
use super::secrets;
use super::setting_keys::{keys, variable};
use super::tools::ExternalToolsConfig;
use super::value::SettingValue;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// Settings of one source, each with where exactly it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ConfigLayer {
    /// Values by the name of their setting.
    pub(crate) values: BTreeMap<String, (SettingValue, String)>,
    /// Providers, in the order of the source.
    pub(crate) providers: Vec<LayerProviderEntry>,
    /// Tools from outside.
    pub(crate) tools: ExternalToolsConfig,
    /// Agents.
    pub(crate) agents: Vec<AgentEntry>,
    /// Declared secrets, by name.
    pub(crate) secrets: Vec<(String, DeclaredSecret)>,
}

impl ConfigLayer {
    /// The text of a setting, when it is set.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some((SettingValue::Text(text), _)) => Some(text),
            Some(_) | None => None,
        }
    }

    /// A length of time, or what is usual.
    pub(super) fn span(&self, name: &str, usual: Millis) -> Millis {
        match self.values.get(name) {
            Some((SettingValue::Span(span), _)) => *span,
            Some(_) | None => usual,
        }
    }

    /// A count, or what is usual.
    pub(super) fn count(&self, name: &str, usual: u64) -> u64 {
        match self.values.get(name) {
            Some((SettingValue::Count(count), _)) => *count,
            Some(_) | None => usual,
        }
    }

    /// A count of what is in memory.
    pub(super) fn size(&self, name: &str, usual: usize) -> usize {
        usize::try_from(self.count(name, usual as u64)).unwrap_or(usize::MAX)
    }

    /// A count that is small.
    pub(super) fn small(&self, name: &str, usual: u32) -> u32 {
        u32::try_from(self.count(name, usual.into())).unwrap_or(u32::MAX)
    }

    /// Sets a text that is not set yet.
    pub(super) fn add(&mut self, name: &str, text: &str, origin: &str) {
        let value = (SettingValue::Text(text.to_owned()), origin.to_owned());
        self.values.entry(name.to_owned()).or_insert(value);
    }
}

/// A provider of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerProviderEntry {
    /// Its name.
    pub(crate) name: String,
    /// The entry.
    pub(crate) config: ProviderConfig,
    /// How commands are encoded for it: as the entry says, else as is usual for its kind.
    pub(crate) dialect: Dialect,
    /// Where it was found.
    pub(crate) origin: String,
    /// Where its model was found, when that is somewhere else.
    pub(crate) model_origin: Option<String>,
    /// Its line.
    pub(crate) line: usize,
}

/// All layers in one: what comes first wins. An entry of a provider is taken whole.
pub(crate) fn merge(layers: impl IntoIterator<Item = ConfigLayer>) -> ConfigLayer {
    let mut merged = ConfigLayer::default();
    for layer in layers {
        // What a higher layer says of the place of the database hides all that a lower one says of it.
        let placed = PLACES.iter().any(|place| merged.values.contains_key(*place));
        for (name, value) in layer.values {
            if placed && PLACES.contains(&name.as_str()) {
                continue;
            }
            merged.values.entry(name).or_insert(value);
        }
        merged.tools.join(layer.tools);
        agents::join(&mut merged.agents, layer.agents);
        secrets::join(&mut merged.secrets, layer.secrets);
        for entry in layer.providers {
            if merged.providers.iter().all(|known| known.name != entry.name) {
                merged.providers.push(entry);
            }
        }
    }
    merged
}

/// The settings that variables set.
pub(crate) fn of_variables(variables: &BTreeMap<String, String>) -> Result<ConfigLayer, ConfigFault> {
    let mut layer = ConfigLayer::default();
    for key in keys() {
        let variable = variable(&key.name);
        let Some(text) = variables.get(&variable).filter(|text| !text.is_empty()) else { continue };
        let Some(value) = key.kind.read(text) else {
            let says =
                message!("config-variable", variable = variable, given = text, what = key.kind.expected());
            return Err(ConfigFault::new(says));
        };
        layer.values.insert(key.name, (value, variable));
    }
    Ok(layer)
}

/// The settings that flags set.
pub(crate) fn of_flags(flags: &[(&str, Option<String>)]) -> ConfigLayer {
    let mut layer = ConfigLayer::default();
    for (name, value) in flags {
        if let Some(value) = value {
            layer.values.insert((*name).to_owned(), (SettingValue::Text(value.clone()), format!("--{name}")));
        }
    }
    layer
}

/// How commands are encoded for a provider whose entry does not say: as native tools where there is a model that has
/// them. A script is written in the envelope, unless its entry says otherwise.
pub(crate) const fn usual_dialect(kind: ProviderKind) -> Dialect {
    match kind {
        ProviderKind::Claude
        | ProviderKind::Openai
        | ProviderKind::Groq
        | ProviderKind::Compatible
        | ProviderKind::Ollama
        | ProviderKind::Vllm
        | ProviderKind::Mistral
        | ProviderKind::Gemini
        | ProviderKind::Deepseek
        | ProviderKind::Openrouter
        | ProviderKind::Azure => Dialect::Tools,
        ProviderKind::Perplexity | ProviderKind::Rehearsal => Dialect::Envelope,
    }
}

/// The name of the provider that plays the script of a command line.
pub(crate) const REHEARSAL: &str = "rehearsal";

/// The provider that plays this script. Native calls need the dialect that has them.
///
/// # Errors
/// When the script cannot be read.
pub(crate) fn rehearsal(script: &Path) -> Result<LayerProviderEntry, ScriptError> {
    let has_calls = RehearsalScript::read(script)?.turns.iter().any(|turn| !turn.calls.is_empty());
    let path = std::path::absolute(script).unwrap_or_else(|_| script.to_owned());
    let kind = ProviderKind::Rehearsal;
    Ok(LayerProviderEntry {
        name: REHEARSAL.to_owned(),
        config: ProviderConfig { script: Some(path.display().to_string()), ..ProviderConfig::new(kind) },
        dialect: if has_calls { Dialect::Tools } else { usual_dialect(kind) },
        origin: "--script".to_owned(),
        model_origin: None,
        line: 0,
    })
}

/// The origin of a provider that no file names.
pub(crate) const BUILT_IN: &str = "built in";

/// The providers that are there when no file names any.
pub(crate) fn built_in_providers() -> Vec<LayerProviderEntry> {
    let entry = |name: &str, kind, model: &str, key: &str| LayerProviderEntry {
        name: name.to_owned(),
        config: ProviderConfig {
            model: Some(model.to_owned()),
            api_key_env: Some(key.to_owned()),
            ..ProviderConfig::new(kind)
        },
        dialect: usual_dialect(kind),
        origin: BUILT_IN.to_owned(),
        model_origin: None,
        line: 0,
    };
    vec![
        entry("claude", ProviderKind::Claude, "claude-opus-5-5", "ANTHROPIC_API_KEY"),
        entry("openai", ProviderKind::Openai, "gpt-6-sol", "OPENAI_API_KEY"),
        entry("groq", ProviderKind::Groq, "openai/gpt-oss-120b", "GROQ_API_KEY"),
    ]
}
