//! Layered settings: flags over variables over `./entracte.toml` over the user's file over defaults. Pure.

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
use super::setting_keys::{SettingAlias, keys, variable};
use super::tools::ExternalToolsConfig;
use super::value::SettingValue;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// The settings of one source, each with its exact origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ConfigLayer {
    /// Values by setting name, with their origins.
    pub(crate) values: BTreeMap<String, (SettingValue, String)>,
    /// The providers, in the order of the source.
    pub(crate) providers: Vec<LayerProviderEntry>,
    /// The external tools.
    pub(crate) tools: ExternalToolsConfig,
    /// The agents.
    pub(crate) agents: Vec<AgentEntry>,
    /// The declared secrets by name.
    pub(crate) secrets: Vec<(String, DeclaredSecret)>,
}

impl ConfigLayer {
    /// The text of a setting, if it is set.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        match self.values.get(name) {
            Some((SettingValue::Text(text), _)) => Some(text),
            Some(_) | None => None,
        }
    }

    /// The duration of a setting, or the default `usual`.
    pub(super) fn span(&self, name: &str, usual: Millis) -> Millis {
        match self.values.get(name) {
            Some((SettingValue::Span(span), _)) => *span,
            Some(_) | None => usual,
        }
    }

    /// The count of a setting, or the default `usual`.
    pub(super) fn count(&self, name: &str, usual: u64) -> u64 {
        match self.values.get(name) {
            Some((SettingValue::Count(count), _)) => *count,
            Some(_) | None => usual,
        }
    }

    /// The count of a setting as `usize`.
    pub(super) fn size(&self, name: &str, usual: usize) -> usize {
        usize::try_from(self.count(name, usual as u64)).unwrap_or(usize::MAX)
    }

    /// The count of a setting as `u32`.
    pub(super) fn small(&self, name: &str, usual: u32) -> u32 {
        u32::try_from(self.count(name, usual.into())).unwrap_or(u32::MAX)
    }

    /// Sets a text unless it is set already.
    pub(super) fn add(&mut self, name: &str, text: &str, origin: &str) {
        let value = (SettingValue::Text(text.to_owned()), origin.to_owned());
        self.values.entry(name.to_owned()).or_insert(value);
    }
}

/// A provider of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerProviderEntry {
    /// The name of the entry.
    pub(crate) name: String,
    /// The entry.
    pub(crate) config: ProviderConfig,
    /// The command dialect: the entry's, else the default of its kind.
    pub(crate) dialect: Dialect,
    /// The origin of the entry.
    pub(crate) origin: String,
    /// The origin of its model, if that differs.
    pub(crate) model_origin: Option<String>,
    /// Its line in the file.
    pub(crate) line: usize,
}

/// Merges the layers; earlier ones win. A provider entry is taken as a whole.
pub(crate) fn merge(layers: impl IntoIterator<Item = ConfigLayer>) -> ConfigLayer {
    let mut merged = ConfigLayer::default();
    for layer in layers {
        // A database location of a higher layer hides all location settings of lower ones.
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

/// The layer of environment variables.
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
    for alias in SettingAlias::all() {
        let variable = variable(alias.name);
        let Some(text) = variables.get(&variable).filter(|text| !text.is_empty()) else { continue };
        let Some(value) = alias.kind.read(text) else {
            let what = alias.kind.expected();
            let says = message!("config-variable", variable = variable, given = text, what = what);
            return Err(ConfigFault::new(says));
        };
        layer.values.entry(alias.of.to_owned()).or_insert(((alias.convert)(value), variable));
    }
    Ok(layer)
}

/// The layer of settings that the host of the program gives, by their names.
pub(crate) fn of_host(settings: &BTreeMap<String, String>) -> Result<ConfigLayer, ConfigFault> {
    let (mut layer, keys) = (ConfigLayer::default(), keys());
    for (name, text) in settings {
        let Some(key) = keys.iter().find(|key| key.name == *name) else {
            return Err(ConfigFault::new(message!("config-no-setting", setting = name)));
        };
        let Some(value) = key.kind.read(text) else {
            let says = message!("config-must-be", setting = name, what = key.kind.expected());
            return Err(ConfigFault::new(says));
        };
        layer.values.insert(name.clone(), (value, HOST.to_owned()));
    }
    Ok(layer)
}

/// The origin of settings that the host of the program gives.
const HOST: &str = "the program";

/// The layer of flags.
pub(crate) fn of_flags(flags: &[(&str, Option<String>)]) -> ConfigLayer {
    let mut layer = ConfigLayer::default();
    for (name, value) in flags {
        if let Some(value) = value {
            layer.values.insert((*name).to_owned(), (SettingValue::Text(value.clone()), format!("--{name}")));
        }
    }
    layer
}

/// The default dialect of a provider kind: native tools for models that support them. Rehearsal scripts use the
/// envelope, unless their entry sets another one.
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

/// The name of the provider that plays a script given on the command line.
pub(crate) const REHEARSAL: &str = "rehearsal";

/// The provider that plays this script. Native calls select the dialect that supports them.
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

/// The built-in providers, used when no file names any.
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
