//! What the types of an entry cannot say: which keys go together, and which values make no sense. What a model forbids is
//! in `model`.
//!
//! Pure; it opens no file and no connection.

use super::{ConfigError, ProviderConfig};
use crate::profiles::Profile;

/// An entry under examination.
pub(super) struct Check<'a> {
    pub(super) entry: &'a str,
    pub(super) config: &'a ProviderConfig,
}

impl Check<'_> {
    /// The first thing that is wrong.
    pub(super) fn run(&self) -> Result<(), ConfigError> {
        match Profile::of(self.config.kind) {
            None => self.rehearsal(),
            Some(profile) => self.network(profile),
        }
    }

    fn rehearsal(&self) -> Result<(), ConfigError> {
        if self.config.script.is_none() {
            return self.wrong("script", "is missing", "add script = \"story.toml\"");
        }
        if let Some(key) = self.of_networks() {
            return self.wrong(key, "is set, and a rehearsal has no network", "remove it, or change kind");
        }
        self.limits()
    }

    /// The first key that says something only of a network.
    fn of_networks(&self) -> Option<&'static str> {
        let config = self.config;
        let keys = [
            ("api_key_env", config.api_key_env.is_some()),
            ("api_key_file", config.api_key_file.is_some()),
            ("base_url", config.base_url.is_some()),
            ("effort", config.effort.is_some()),
            ("service_tier", config.service_tier.is_some()),
            ("temperature", config.temperature.is_some()),
            ("top_p", config.top_p.is_some()),
            ("structured_output", config.structured_output.is_some()),
        ];
        keys.into_iter().find(|(_, set)| *set).map(|(key, _)| key)
    }

    fn network(&self, profile: &Profile) -> Result<(), ConfigError> {
        let config = self.config;
        if config.script.is_some() {
            return self.wrong("script", "is only for kind \"rehearsal\"", "remove it, or change kind");
        }
        if config.model.as_deref().is_none_or(str::is_empty) {
            let mend = format!("add model = \"{}\"", profile.example_model);
            return self.wrong("model", "is missing", &mend);
        }
        if config.api_key_env.is_some() && config.api_key_file.is_some() {
            return self.wrong("api_key_file", "stands beside api_key_env", "keep one of the two");
        }
        if config.api_key_env.as_deref().is_some_and(|name| !is_variable(name)) {
            let mend = "export NAME=… and write NAME here, never the key";
            return self.wrong("api_key_env", "is no name of a variable", mend);
        }
        self.address(profile)?;
        self.model(profile)?;
        self.limits()
    }

    fn address(&self, profile: &Profile) -> Result<(), ConfigError> {
        let Some(address) = self.config.base_url.as_deref().or(profile.base_url) else {
            let mend = "add base_url, for Ollama: base_url = \"http://localhost:11434/v1\"";
            return self.wrong("base_url", "is missing", mend);
        };
        let Some(url) = reqwest::Url::parse(address).ok().filter(reqwest::Url::has_host) else {
            let problem = format!("“{address}” is not an address");
            return self.wrong("base_url", &problem, "write it like https://host/v1");
        };
        if url.scheme() != "http" && url.scheme() != "https" {
            let problem = format!("“{address}” is neither http nor https");
            return self.wrong("base_url", &problem, "write it like https://host/v1");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return self.wrong("base_url", "holds a user or password", "put the key into api_key_env");
        }
        Ok(())
    }

    fn limits(&self) -> Result<(), ConfigError> {
        let config = self.config;
        let numbers = [
            ("connect_timeout_seconds", config.connect_timeout_seconds),
            ("idle_timeout_seconds", config.idle_timeout_seconds),
            ("call_timeout_seconds", config.call_timeout_seconds),
            ("context_tokens", config.context_tokens),
            ("max_output_tokens", config.max_output_tokens.map(u64::from)),
        ];
        if let Some((key, _)) = numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            return self.wrong(key, "0 allows nothing", "use 1 or more, or remove it");
        }
        match (config.max_output_tokens, config.context_tokens) {
            (Some(output), Some(context)) if u64::from(output) >= context => {
                let problem = format!("{output} leaves no room in context_tokens ({context})");
                self.wrong("max_output_tokens", &problem, "make it smaller")
            }
            _ => Ok(()),
        }
    }

    pub(super) fn wrong(&self, key: &str, problem: &str, mend: &str) -> Result<(), ConfigError> {
        Err(ConfigError {
            entry: self.entry.to_owned(),
            key: key.to_owned(),
            problem: problem.to_owned(),
            mend: mend.to_owned(),
        })
    }
}

/// Whether a shell could export it. The keys of the known providers hold a `-` and are none.
fn is_variable(name: &str) -> bool {
    let letter = |character: char| character.is_ascii_alphabetic() || character == '_';
    name.starts_with(letter) && name.chars().all(|character| letter(character) || character.is_ascii_digit())
}
