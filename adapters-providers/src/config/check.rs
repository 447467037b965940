//! Validates what the types of an entry cannot express: keys that conflict and values that make no sense. Parameters
//! that a model forbids are checked in `model`.
//!
//! Pure; it opens no file and no connection.

use std::collections::BTreeMap;

use entracte_application::texts::{LocalizedMessage, saying};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::{ConfigError, FallbackConfig, ProviderConfig, ProviderKind};
use crate::profiles::ProviderProfile;
use crate::token_price::TokenPrices;

/// Checks one entry.
pub(super) struct ProviderConfigCheck<'a> {
    pub(super) entry: &'a str,
    pub(super) config: &'a ProviderConfig,
}

impl ProviderConfigCheck<'_> {
    /// Returns the first error of the entry.
    pub(super) fn run(&self) -> Result<(), ConfigError> {
        self.fallback()?;
        match ProviderProfile::of_kind(self.config.kind) {
            None => self.rehearsal(),
            Some(profile) => self.network(profile),
        }
    }

    /// Checks the fallback lists of this entry alone; the existence of other entries is not known here.
    fn fallback(&self) -> Result<(), ConfigError> {
        for (key, names) in self.config.fallback.iter().flat_map(FallbackConfig::lists) {
            let key = format!("fallback.{key}");
            for (place, name) in names.iter().enumerate() {
                if name == self.entry {
                    let problem = saying!("fault-fallback-itself", given = name);
                    return self.config_error(&key, problem, saying!("fault-fallback-others"));
                }
                if names[..place].contains(name) {
                    let problem = saying!("fault-fallback-twice", given = name);
                    return self.config_error(&key, problem, saying!("fault-fallback-once"));
                }
            }
        }
        Ok(())
    }

    fn rehearsal(&self) -> Result<(), ConfigError> {
        if self.config.script.is_none() {
            return self.config_error("script", saying!("fault-missing"), saying!("fault-add-script"));
        }
        if let Some(key) = self.network_only_key() {
            return self.config_error(key, saying!("fault-no-network"), saying!("fault-remove-or-kind"));
        }
        self.limits()
    }

    /// The first key that has a meaning only for network providers.
    fn network_only_key(&self) -> Option<&'static str> {
        let config = self.config;
        let keys = [
            ("api_key_env", config.api_key_env.is_some()),
            ("api_key_file", config.api_key_file.is_some()),
            ("api_key_command", config.api_key_command.is_some()),
            ("api_key_command_cwd", config.api_key_command_cwd.is_some()),
            ("auth", config.auth.is_some()),
            ("extra_headers", config.extra_headers.is_some()),
            ("extra_body", config.extra_body.is_some()),
            ("base_url", config.base_url.is_some()),
            ("stream_options", config.stream_options.is_some()),
            ("parallel_tool_calls", config.parallel_tool_calls.is_some()),
            ("most_tools", config.most_tools.is_some()),
            ("tool_description_chars", config.tool_description_chars.is_some()),
            ("prompt_cache_key", config.prompt_cache_key.is_some()),
            ("reasoning_summary", config.reasoning_summary.is_some()),
            ("cache_ttl", config.cache_ttl.is_some()),
            ("models", !config.models.is_empty()),
            ("window_timeout_seconds", config.window_timeout_seconds.is_some()),
            ("effort", config.effort.is_some()),
            ("service_tier", config.service_tier.is_some()),
            ("temperature", config.temperature.is_some()),
            ("top_p", config.top_p.is_some()),
            ("relaunch_temperature", config.relaunch_temperature.is_some()),
            ("relaunch_max_output_tokens", config.relaunch_max_output_tokens.is_some()),
            ("structured_output", config.structured_output.is_some()),
            ("reported_cost", config.reported_cost.is_some()),
        ];
        keys.into_iter().find(|(_, set)| *set).map(|(key, _)| key)
    }

    fn network(&self, profile: &ProviderProfile) -> Result<(), ConfigError> {
        let config = self.config;
        if config.script.is_some() {
            return self.config_error(
                "script",
                saying!("fault-only-rehearsal"),
                saying!("fault-remove-or-kind"),
            );
        }
        if config.model.as_deref().is_none_or(str::is_empty) {
            let fix = saying!("fault-add-model", model = profile.example_model);
            return self.config_error("model", saying!("fault-missing"), fix);
        }
        self.check_single_key_source()?;
        if config.api_key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let fix = saying!("fault-export-key");
            return self.config_error("api_key_env", saying!("fault-not-variable"), fix);
        }
        self.address(profile)?;
        self.check_headers_and_extra_body()?;
        self.model(profile)?;
        self.limits()
    }

    fn check_single_key_source(&self) -> Result<(), ConfigError> {
        let config = self.config;
        let places = [
            ("api_key_env", config.api_key_env.is_some()),
            ("api_key_file", config.api_key_file.is_some()),
            ("api_key_command", config.api_key_command.is_some()),
        ];
        let set: Vec<&str> = places.into_iter().filter(|(_, set)| *set).map(|(key, _)| key).collect();
        if let [first, second, ..] = set.as_slice() {
            return self.config_error(
                second,
                saying!("fault-with-key", key = *first),
                saying!("fault-keep-one-of-two"),
            );
        }
        match config.api_key_command.as_deref() {
            None if config.api_key_command_cwd.is_some() => {
                let problem = saying!("fault-only-key-command");
                self.config_error("api_key_command_cwd", problem, saying!("fault-remove"))
            }
            Some([]) => self.config_error(
                "api_key_command",
                saying!("fault-no-program"),
                saying!("fault-program-like"),
            ),
            Some([program, ..]) if program.trim().is_empty() => self.config_error(
                "api_key_command",
                saying!("fault-no-program"),
                saying!("fault-program-like"),
            ),
            _ => Ok(()),
        }
    }

    fn check_headers_and_extra_body(&self) -> Result<(), ConfigError> {
        for (name, value) in self.config.extra_headers.iter().flatten() {
            if OWN_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                let fix = saying!("fault-auth-says");
                return self.config_error("extra_headers", saying!("fault-own-header", given = name), fix);
            }
            let is_header =
                HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok();
            if !is_header {
                return self.config_error(
                    "extra_headers",
                    saying!("fault-not-header", given = name),
                    saying!("fault-header-like"),
                );
            }
        }
        let is_background =
            |fields: &BTreeMap<String, Value>| fields.get("background") == Some(&Value::Bool(true));
        if !self.config.stream && self.config.extra_body.as_ref().is_some_and(is_background) {
            let problem = saying!("fault-background-whole");
            return self.config_error("extra_body", problem, saying!("fault-background-stream"));
        }
        let own = self.config.kind.wire().fields();
        let fields = self.config.extra_body.iter().flat_map(BTreeMap::keys);
        match fields.into_iter().find(|field| own.contains(&field.as_str())) {
            Some(field) => {
                let fix = saying!("fault-own-setting");
                self.config_error("extra_body", saying!("fault-own-field", given = field), fix)
            }
            None => Ok(()),
        }
    }

    fn address(&self, profile: &ProviderProfile) -> Result<(), ConfigError> {
        let Some(address) = self.config.base_url.as_deref().or(profile.base_url) else {
            let fix = match profile.kind {
                ProviderKind::Azure => saying!("fault-add-azure"),
                _ => saying!("fault-add-url"),
            };
            return self.config_error("base_url", saying!("fault-missing"), fix);
        };
        let Some(url) = reqwest::Url::parse(address).ok().filter(reqwest::Url::has_host) else {
            let problem = saying!("fault-not-address", given = address);
            return self.config_error("base_url", problem, saying!("fault-address-like"));
        };
        if url.scheme() != "http" && url.scheme() != "https" {
            let problem = saying!("fault-not-http", given = address);
            return self.config_error("base_url", problem, saying!("fault-address-like"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.config_error("base_url", saying!("fault-holds-user"), saying!("fault-key-to-env"));
        }
        Ok(())
    }

    fn limits(&self) -> Result<(), ConfigError> {
        let config = self.config;
        let numbers = [
            ("connect_timeout_seconds", config.connect_timeout_seconds),
            ("first_byte_timeout_seconds", config.first_byte_timeout_seconds),
            ("idle_timeout_seconds", config.idle_timeout_seconds),
            ("call_timeout_seconds", config.call_timeout_seconds),
            ("context_tokens", config.context_tokens),
            ("max_output_tokens", config.max_output_tokens.map(u64::from)),
            ("relaunch_max_output_tokens", config.relaunch_max_output_tokens.map(u64::from)),
            ("most_tools", config.most_tools.map(u64::from)),
            ("tool_description_chars", config.tool_description_chars.map(u64::from)),
        ];
        if let Some((key, _)) = numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            return self.config_error(key, saying!("fault-allows-nothing"), saying!("fault-one-or-more"));
        }
        self.prices("prices", config.prices)?;
        for (model, own) in &config.models {
            self.prices(&format!("models.\"{model}\".prices"), own.prices)?;
            let waits = [own.first_byte_timeout_seconds, own.idle_timeout_seconds, own.call_timeout_seconds];
            if waits.contains(&Some(0)) {
                let key = format!("models.\"{model}\"");
                return self.config_error(
                    &key,
                    saying!("fault-allows-nothing"),
                    saying!("fault-one-or-more"),
                );
            }
        }
        self.check_context_room("max_output_tokens", config.max_output_tokens)?;
        self.check_context_room("relaunch_max_output_tokens", config.relaunch_max_output_tokens)
    }

    /// Checks that the output limit fits into the context window, which includes the output.
    fn check_context_room(&self, key: &str, output: Option<u32>) -> Result<(), ConfigError> {
        match (output, self.config.context_tokens) {
            (Some(output), Some(context)) if u64::from(output) >= context => {
                let problem = saying!("fault-no-room", given = output, context = context);
                self.config_error(key, problem, saying!("fault-smaller"))
            }
            _ => Ok(()),
        }
    }

    /// Requires that prices include input and output; the other kinds may be absent.
    fn prices(&self, key: &str, prices: Option<TokenPrices>) -> Result<(), ConfigError> {
        let Some(prices) = prices else { return Ok(()) };
        let missing = [("input", prices.input), ("output", prices.output)];
        match missing.into_iter().find(|(_, price)| price.is_none()) {
            Some((name, _)) => {
                let fix = saying!("fault-add-price", name = name);
                self.config_error(key, saying!("fault-price-missing", name = name), fix)
            }
            None => Ok(()),
        }
    }

    pub(super) fn config_error(
        &self,
        key: &str,
        problem: LocalizedMessage,
        fix: LocalizedMessage,
    ) -> Result<(), ConfigError> {
        Err(ConfigError { entry: self.entry.to_owned(), key: key.to_owned(), problem, fix })
    }
}

/// Headers that the client, or a dedicated setting, writes.
const OWN_HEADERS: [&str; 8] = [
    "authorization",
    "x-api-key",
    "api-key",
    "proxy-authorization",
    "content-type",
    "content-length",
    "accept",
    "host",
];

/// Whether a shell could export a variable of this name. API keys of known providers contain a `-` and thus are not
/// valid names.
fn is_variable(name: &str) -> bool {
    let letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    name.starts_with(letter) && name.chars().all(|character| letter(character) || character.is_ascii_digit())
}
