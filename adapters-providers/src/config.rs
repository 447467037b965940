//! An entry `[providers.NAME]` of the configuration.
//!
//! Data only, with a JSON Schema for editors. [`ProviderConfig::check`] finds what the types cannot: it names the
//! entry, the key, the value and the mend. Secrets are never in here, only where they are kept.

mod check;
mod describe;
mod model;
#[cfg(test)]
mod tests;

use std::time::Duration;

use entracte_application::ports::SecretReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::profiles::Profile;

/// What a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Claude, over the Messages API.
    Claude,
    /// OpenAI, over the Responses API.
    Openai,
    /// Groq, over Chat Completions.
    Groq,
    /// Any endpoint that speaks Chat Completions: Ollama, vLLM, llama.cpp, DeepSeek, …
    Compatible,
    /// The offline provider that plays a script.
    Rehearsal,
}

impl Kind {
    /// The word in the configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Claude => "claude",
            Kind::Openai => "openai",
            Kind::Groq => "groq",
            Kind::Compatible => "compatible",
            Kind::Rehearsal => "rehearsal",
        }
    }
}

/// How commands are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandDialect {
    /// As native tools of the provider.
    #[default]
    Tools,
    /// In the JSON envelope of the answer's text.
    Envelope,
}

/// How far the server holds an answer to a JSON shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// To the schema, where the schema is one that it can enforce.
    Schema,
    /// To being a JSON object.
    Json,
    /// Not at all: the shape is asked for in words only.
    None,
}

/// An entry `[providers.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// What it speaks.
    pub kind: Kind,
    /// The model that is used when a session names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The file that holds the key and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<String>,
    /// The address of the API, up to and with its version where the provider writes it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// How commands are asked for; `tools` unless said.
    #[serde(default)]
    pub dialect: CommandDialect,
    /// Whether the answer is streamed; yes unless said.
    #[serde(default = "yes")]
    pub stream: bool,
    /// Longest wait for a connection; 15 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect_timeout_seconds: Option<u64>,
    /// Longest silence between two pieces of a stream; 120 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<u64>,
    /// Longest whole call; 600 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_timeout_seconds: Option<u64>,
    /// Tokens that the model reads and writes at once; what does not fit is summed up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    /// Most tokens of one answer, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How hard the model thinks, in the provider's own words (`low`, `medium`, `high`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    /// The provider's service tier, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// Sampling temperature, 0 to 2; not for Claude, nor for models of OpenAI that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1; not for Claude, nor for models of OpenAI that reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// How far the server holds an answer to a JSON shape; the kind's own unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<StructuredOutput>,
    /// The script of a rehearsal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// What is wrong with an entry, and the mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("providers.{entry}.{key}: {problem}; {mend}")]
pub struct ConfigError {
    /// The entry.
    pub entry: String,
    /// The key in it.
    pub key: String,
    /// What is wrong, with the value.
    pub problem: String,
    /// What to do.
    pub mend: String,
}

impl ProviderConfig {
    /// An entry of this kind with nothing else set.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            model: None,
            api_key_env: None,
            api_key_file: None,
            base_url: None,
            dialect: CommandDialect::default(),
            stream: true,
            connect_timeout_seconds: None,
            idle_timeout_seconds: None,
            call_timeout_seconds: None,
            context_tokens: None,
            max_output_tokens: None,
            effort: None,
            service_tier: None,
            temperature: None,
            top_p: None,
            structured_output: None,
            script: None,
        }
    }

    /// Reads an entry from TOML text without its header, and checks it.
    pub fn from_toml(entry: &str, text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError {
            entry: entry.to_owned(),
            key: "*".to_owned(),
            problem: error.to_string().trim().to_owned(),
            mend: format!("correct it under [providers.{entry}]"),
        })?;
        config.check(entry)?;
        Ok(config)
    }

    /// Whether the entry can be used; the first thing that is wrong with it.
    pub fn check(&self, entry: &str) -> Result<(), ConfigError> {
        check::Check { entry, config: self }.run()
    }

    /// Where the key is kept; none when none is sent.
    pub fn secret_reference(&self) -> Option<SecretReference> {
        let profile = Profile::of(self.kind)?;
        self.api_key_file
            .clone()
            .map(SecretReference::File)
            .or_else(|| self.api_key_env.clone().map(SecretReference::Environment))
            .or_else(|| profile.key_variable.map(|name| SecretReference::Environment(name.to_owned())))
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        Duration::from_secs(self.connect_timeout_seconds.unwrap_or(CONNECT_TIMEOUT_SECONDS))
    }

    pub(crate) fn idle_timeout(&self) -> Duration {
        Duration::from_secs(self.idle_timeout_seconds.unwrap_or(IDLE_TIMEOUT_SECONDS))
    }

    pub(crate) fn call_timeout(&self) -> Duration {
        Duration::from_secs(self.call_timeout_seconds.unwrap_or(CALL_TIMEOUT_SECONDS))
    }
}

const CONNECT_TIMEOUT_SECONDS: u64 = 15;
const IDLE_TIMEOUT_SECONDS: u64 = 120;
const CALL_TIMEOUT_SECONDS: u64 = 600;

fn yes() -> bool {
    true
}
