//! Configuration entry `[providers.NAME]`.
//!
//! Data only, with a JSON Schema for editors. [`ProviderConfig::check`] finds errors that the types cannot exclude and
//! names the entry, the key, the value and the fix. An entry never contains a secret, only a reference to one.

mod check;
mod describe;
mod fallback;
mod model;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use entracte_application::ports::{ModelCallLimits, SecretProgramSpec, SecretReference};
use entracte_application::texts::{LocalizedMessage, saying};
use entracte_domain::time::Millis;
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use fallback::FallbackConfig;

use crate::profiles::{EndedApi, ProviderProfile};
pub use crate::provider_kind::{CacheTtl, CommandDialect, KeyAuth, ProviderKind, StructuredOutput};
use crate::token_price::TokenPrices;

/// What an entry says of one of its models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Longest wait for the first piece of a stream; as the entry says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_timeout_seconds: Option<u64>,
    /// Longest silence between two pieces of a stream; as the entry says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<u64>,
    /// Longest whole call; as the entry says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_timeout_seconds: Option<u64>,
    /// What its tokens cost; as the entry says unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<TokenPrices>,
    /// Whether it reads images; as its kind says unless said: yes for Claude, OpenAI, Azure and Gemini. A model that does
    /// not reads a line that names each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub images: Option<bool>,
    /// Whether it reads PDF; as its kind says unless said: yes for Claude, OpenAI and Azure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf: Option<bool>,
}

/// An entry `[providers.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderConfig {
    /// What it speaks.
    pub kind: ProviderKind,
    /// The model that is used when a session names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The environment variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The file that holds the key and nothing else. A relative path counts from the folder of the file with this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_file: Option<String>,
    /// The program that prints the key, with its arguments. It is run at each call, without a shell, in
    /// `api_key_command_cwd`, from which relative paths of it count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_command: Option<Vec<String>>,
    /// The folder in which that program works; that of the file with this entry unless said, from which a relative one counts
    /// too. Never the one where this process stands: the program of an entry of no file works in `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_command_cwd: Option<String>,
    /// How the key is sent; as the kind sends it unless said. Gateways often want `bearer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<KeyAuth>,
    /// More headers of every request. They are shown, so a key has no place in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_headers: Option<BTreeMap<String, String>>,
    /// More fields of the body of every model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra_body: Option<BTreeMap<String, Value>>,
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
    /// Longest wait for the first piece of a stream, once connected; as `idle_timeout_seconds` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_timeout_seconds: Option<u64>,
    /// Longest silence between two pieces of a stream; 120 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout_seconds: Option<u64>,
    /// Longest whole call; 600 unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_timeout_seconds: Option<u64>,
    /// Longest wait for the server's word on the context window of a model that neither `context_tokens` nor a table tells;
    /// 5 unless said, 0 never asks. It is asked once in a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_timeout_seconds: Option<u64>,
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
    /// Sampling temperature of relaunches, rounds that the results of calls begin; as `temperature` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaunch_temperature: Option<f64>,
    /// Most tokens of the answer of a relaunch, reasoning included; as `max_output_tokens` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaunch_max_output_tokens: Option<u32>,
    /// How far the server holds an answer to a JSON shape; the kind's own unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<StructuredOutput>,
    /// Whether tokens are asked for in a stream (`stream_options`, Chat Completions); the kind's own unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_options: Option<bool>,
    /// Whether a model may ask for several calls in one answer (`parallel_tool_calls`); as the server does unless said. Where
    /// it may not, what it asks for beyond the first call is refused, whatever the server can be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_tool_calls: Option<bool>,
    /// Most tools that one request declares; as the server accepts unless said: 128 for OpenAI, Azure and Groq, any number
    /// for others. Commands of MCP servers beyond, and then other configured commands, are listed and described on demand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_tools: Option<u32>,
    /// Most characters of the description of a tool; a longer one is cut. As the server accepts unless said: 1,024 for
    /// Azure, any number for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_description_chars: Option<u32>,
    /// Whether requests name their session to the server's cache (`prompt_cache_key`); the kind's own unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache_key: Option<bool>,
    /// Whether a model of OpenAI that reasons is asked to sum up what it thinks, so that it is not silent for minutes;
    /// yes at OpenAI itself unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_summary: Option<bool>,
    /// How long Claude keeps what it caches: `5m` unless said, or `1h`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_ttl: Option<CacheTtl>,
    /// What holds for one model only: `[providers.NAME.models."MODEL"]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, ModelConfig>,
    /// What tokens cost; as the table of this version says unless said, or not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<TokenPrices>,
    /// Whether the cost in US dollars that an answer reports (`usage.cost`, or LiteLLM's header `x-litellm-response-cost`)
    /// is the bill; the kind's own unless said: yes for OpenRouter and Perplexity. `prices` come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_cost: Option<bool>,
    /// Which other entries a session goes to when this one fails: `[providers.NAME.fallback]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<FallbackConfig>,
    /// The script of a rehearsal. A relative path counts from the folder of the file with this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// An error in an entry, with its fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.saying())]
pub struct ConfigError {
    /// Name of the entry.
    pub entry: String,
    /// Key inside the entry.
    pub key: String,
    /// The error, with the wrong value.
    pub problem: LocalizedMessage,
    /// Instructions to correct the entry.
    pub fix: LocalizedMessage,
}

impl ConfigError {
    /// The whole message as one localizable text, rendered once the language is known.
    pub fn saying(&self) -> LocalizedMessage {
        let place = format!("providers.{}.{}", self.entry, self.key);
        saying!("fault-entry", place = place, problem = self.problem.clone(), fix = self.fix.clone())
    }
}

impl ProviderConfig {
    /// An entry of this kind with no other key set.
    pub fn new(kind: ProviderKind) -> Self {
        Self {
            kind,
            model: None,
            api_key_env: None,
            api_key_file: None,
            api_key_command: None,
            api_key_command_cwd: None,
            auth: None,
            extra_headers: None,
            extra_body: None,
            base_url: None,
            dialect: CommandDialect::default(),
            stream: true,
            connect_timeout_seconds: None,
            first_byte_timeout_seconds: None,
            idle_timeout_seconds: None,
            call_timeout_seconds: None,
            window_timeout_seconds: None,
            context_tokens: None,
            max_output_tokens: None,
            effort: None,
            service_tier: None,
            temperature: None,
            top_p: None,
            relaunch_temperature: None,
            relaunch_max_output_tokens: None,
            structured_output: None,
            stream_options: None,
            parallel_tool_calls: None,
            most_tools: None,
            tool_description_chars: None,
            prompt_cache_key: None,
            reasoning_summary: None,
            cache_ttl: None,
            models: BTreeMap::new(),
            prices: None,
            reported_cost: None,
            fallback: None,
            script: None,
        }
    }

    /// Parses an entry from TOML text without its header, and checks it.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the text is not TOML of an entry, or the entry fails its check.
    pub fn from_toml(entry: &str, text: &str) -> Result<Self, ConfigError> {
        let config: Self = toml::from_str(text).map_err(|error| ConfigError {
            entry: entry.to_owned(),
            key: "*".to_owned(),
            problem: saying!("fault-words", words = error.to_string().trim()),
            fix: saying!("fault-correct-under", entry = entry),
        })?;
        config.check(entry)?;
        Ok(config)
    }

    /// Checks whether the entry can be used; returns the first error.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] names the entry, the field and the fix.
    pub fn check(&self, entry: &str) -> Result<(), ConfigError> {
        check::ProviderConfigCheck { entry, config: self }.run()
    }

    /// Checks whether the provider still supports the API of the entry's kind. An entry with an address of its own uses
    /// another server, which may.
    ///
    /// # Errors
    /// The end of the API, with the entry that replaces this one.
    pub fn require_supported_api(&self, entry: &str) -> Result<(), ConfigError> {
        let profile = ProviderProfile::of_kind(self.kind);
        let ended = profile.filter(|profile| profile.is_own_address(self.base_url.as_deref()));
        let Some((profile, ended)) = ended.and_then(|profile| Some((profile, profile.ended?))) else {
            return Ok(());
        };
        let EndedApi { on, kind, base_url, model } = ended;
        let variable = self.api_key_env.as_deref().or(profile.key_variable).unwrap_or_default();
        Err(ConfigError {
            entry: entry.to_owned(),
            key: "kind".to_owned(),
            problem: saying!("fault-api-ended", by = profile.display_name, given = self.kind.word(), on = on),
            fix: saying!(
                "fault-api-instead",
                kind = kind.word(),
                address = base_url,
                variable = variable,
                model = model
            ),
        })
    }

    /// The reference to the key; `None` if no key is sent.
    pub fn secret_reference(&self) -> Option<SecretReference> {
        let profile = ProviderProfile::of_kind(self.kind)?;
        let printing = |line| SecretProgramSpec { line, folder: self.api_key_command_cwd.clone() };
        self.api_key_command
            .clone()
            .map(|line| SecretReference::Command(printing(line)))
            .or_else(|| self.api_key_file.clone().map(SecretReference::File))
            .or_else(|| self.api_key_env.clone().map(SecretReference::Environment))
            .or_else(|| profile.key_variable.map(|name| SecretReference::Environment(name.to_owned())))
    }

    /// Whether the server is on this machine or in its network, where a key is often a placeholder (`none`, `ollama`).
    pub fn is_local(&self) -> bool {
        let address = self
            .base_url
            .as_deref()
            .or(ProviderProfile::of_kind(self.kind).and_then(|profile| profile.base_url));
        address.and_then(|address| Url::parse(address).ok()).is_some_and(|base| is_local_address(&base))
    }

    /// Whether the cost that answers report is the bill.
    pub(crate) fn takes_reported_cost(&self, profile: &ProviderProfile) -> bool {
        self.reported_cost.unwrap_or(profile.tells_cost)
    }

    /// The prices of a model's tokens, if the entry sets them.
    pub(crate) fn prices_of(&self, model: &str) -> Option<TokenPrices> {
        self.models.get(model).and_then(|own| own.prices).or(self.prices)
    }

    pub(crate) fn window_timeout_seconds(&self) -> u64 {
        self.window_timeout_seconds.unwrap_or(WINDOW_TIMEOUT_SECONDS)
    }

    pub(crate) fn connect_timeout(&self) -> Duration {
        Duration::from_secs(self.connect_timeout_seconds.unwrap_or(CONNECT_TIMEOUT_SECONDS))
    }

    /// The longest stream silence that is allowed for any model of the entry.
    pub(crate) fn longest_silence(&self) -> Option<Duration> {
        let of = |model: &str| {
            let patience = self.call_timeouts(model);
            patience.first_byte.max(patience.idle)
        };
        self.models.keys().map(|model| of(model)).chain([of("")]).max().flatten()
    }

    /// The timeouts of calls to a model.
    pub(crate) fn call_timeouts(&self, model: &str) -> CallTimeouts {
        let own = self.models.get(model).cloned().unwrap_or_default();
        let idle = own.idle_timeout_seconds.or(self.idle_timeout_seconds).unwrap_or(IDLE_TIMEOUT_SECONDS);
        // A model's own idle timeout also limits the wait for its first piece.
        let first = own.first_byte_timeout_seconds.or(own.idle_timeout_seconds);
        let first = first.or(self.first_byte_timeout_seconds).unwrap_or(idle);
        let whole = own.call_timeout_seconds.or(self.call_timeout_seconds).unwrap_or(CALL_TIMEOUT_SECONDS);
        CallTimeouts {
            first_byte: self.stream.then(|| Duration::from_secs(first)),
            idle: self.stream.then(|| Duration::from_secs(idle)),
            whole: Duration::from_secs(whole),
        }
    }

    /// The limits that the runtime sets on calls. The transport has the same limits and reports more about the
    /// connection, so it must time out first; the runtime's limits also include the connection time.
    pub(crate) fn limits(&self, model: &str) -> ModelCallLimits {
        let millis = |span: Duration| Millis(i64::try_from(span.as_millis()).unwrap_or(i64::MAX));
        // `None` is no limit: a whole answer is silent until it is complete, so only a stream can be silent for too
        // long.
        let silence = |span: Option<Duration>, spare: Duration| {
            span.map_or(Millis(0), |span| millis(span.saturating_add(spare)))
        };
        let CallTimeouts { first_byte, idle, whole } = self.call_timeouts(model);
        ModelCallLimits {
            first_byte: silence(first_byte, self.connect_timeout().saturating_add(SPARE)),
            idle: silence(idle, SPARE),
            whole: millis(whole.saturating_add(SPARE)),
        }
    }
}

/// Timeouts of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallTimeouts {
    /// For the first piece of a stream, once connected. `None` for a whole answer, which is silent until it is
    /// complete.
    pub(crate) first_byte: Option<Duration>,
    /// Longest silence between two pieces of a stream.
    pub(crate) idle: Option<Duration>,
    /// For the whole call.
    pub(crate) whole: Duration,
}

/// Margin by which the runtime's time limit exceeds the transport's.
const SPARE: Duration = Duration::from_secs(1);
const CONNECT_TIMEOUT_SECONDS: u64 = 15;
const WINDOW_TIMEOUT_SECONDS: u64 = 5;
const IDLE_TIMEOUT_SECONDS: u64 = 120;
const CALL_TIMEOUT_SECONDS: u64 = 600;

fn yes() -> bool {
    true
}

/// Whether a server is on this machine or in its network.
pub(crate) fn is_local_address(base: &Url) -> bool {
    let Some(host) = base.host_str() else { return false };
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        Ok(IpAddr::V4(at)) => at.is_loopback() || at.is_private() || at.is_link_local(),
        Ok(IpAddr::V6(at)) => at.is_loopback() || at.is_unique_local(),
        Err(_) => host.ends_with(".local") || !host.contains('.'),
    }
}
