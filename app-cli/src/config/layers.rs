//! Settings in layers: flags over variables over `./entracte.toml` over the user's file over defaults. Pure.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_adapters_providers::config::{Kind as ProviderKind, ProviderConfig};
use entracte_domain::session::Dialect;

use super::database::{PLACES, is_server};
use super::keys::{keys, variable};
use super::tools::OutsideTools;
use super::value::Value;
use crate::message::ConfigFault;
use crate::message::message;

/// Settings of one source, each with where exactly it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layer {
    /// Values by the name of their setting.
    pub(crate) values: BTreeMap<String, (Value, String)>,
    /// Providers, in the order of the source.
    pub(crate) providers: Vec<ProviderEntry>,
    /// Tools from outside.
    pub(crate) tools: OutsideTools,
}

impl Layer {
    /// The data are in this file, and what belongs to them beside it.
    pub(crate) fn open_file(&mut self, file: &Path) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).display().to_string();
        for (name, value) in [("data", folder), (PLACES[0], file.display().to_string())] {
            self.values.insert(name.to_owned(), (Value::Text(value), "--data".to_owned()));
        }
    }
}

/// A provider of the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProviderEntry {
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
pub(crate) fn merge(layers: impl IntoIterator<Item = Layer>) -> Layer {
    let mut merged = Layer::default();
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
        for entry in layer.providers {
            if merged.providers.iter().all(|known| known.name != entry.name) {
                merged.providers.push(entry);
            }
        }
    }
    merged
}

/// The settings that variables set.
pub(crate) fn of_variables(variables: &BTreeMap<String, String>) -> Result<Layer, ConfigFault> {
    let mut layer = Layer::default();
    for key in keys() {
        let variable = variable(&key.name);
        let Some(text) = variables.get(&variable).filter(|text| !text.is_empty()) else { continue };
        let Some(value) = key.kind.read(text) else {
            let says =
                message!("config-variable", variable = variable, given = text, what = key.kind.expected());
            return Err(ConfigFault::new(says));
        };
        let name = if key.name == "data" && is_server(text) { PLACES[0].to_owned() } else { key.name };
        layer.values.insert(name, (value, variable));
    }
    Ok(layer)
}

/// The settings that flags set.
pub(crate) fn of_flags(flags: &[(&str, Option<String>)]) -> Layer {
    let mut layer = Layer::default();
    for (name, value) in flags {
        if let Some(value) = value {
            // A database of a server has no folder: the flag says all of it.
            let setting = if *name == "data" && is_server(value) { PLACES[0] } else { name };
            layer.values.insert(setting.to_owned(), (Value::Text(value.clone()), format!("--{name}")));
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

/// The origin of a provider that no file names.
pub(super) const BUILT_IN: &str = "built in";

/// The providers that are there when no file names any.
pub(crate) fn built_in_providers() -> Vec<ProviderEntry> {
    let entry = |name: &str, kind, model: &str, key: &str| ProviderEntry {
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
