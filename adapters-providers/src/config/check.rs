//! What the types of an entry cannot say: which keys go together, and which values a provider refuses.
//!
//! Pure; it opens no file and no connection.

use super::{ConfigError, ProviderConfig};
use crate::profiles::{Profile, Sampling};

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
        Ok(())
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
        self.word("effort", config.effort.as_deref(), profile.efforts)?;
        self.word("service_tier", config.service_tier.as_deref(), profile.service_tiers)?;
        self.sampling(profile, "temperature", config.temperature)?;
        self.sampling(profile, "top_p", config.top_p)?;
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

    fn word(&self, key: &str, value: Option<&str>, words: &[&str]) -> Result<(), ConfigError> {
        match value {
            Some(value) if !words.is_empty() && !words.contains(&value) => {
                let mend = format!("use one of: {}", words.join(", "));
                self.wrong(key, &format!("“{value}” is not known to {}", self.config.kind.word()), &mend)
            }
            _ => Ok(()),
        }
    }

    fn sampling(&self, profile: &Profile, key: &str, value: Option<f64>) -> Result<(), ConfigError> {
        let Some(value) = value else { return Ok(()) };
        let model = self.config.model.as_deref().unwrap_or_default();
        let refused = match profile.sampling {
            Sampling::Never => true,
            Sampling::ExceptFor(families) => !families.iter().any(|family| model.starts_with(family)),
            Sampling::Always => false,
        };
        if refused {
            let problem = format!("{value} is set, and {} refuses {key} for “{model}”", profile.display_name);
            return self.wrong(key, &problem, "remove it");
        }
        let most = if key == "top_p" { 1.0 } else { 2.0 };
        if !(0.0..=most).contains(&value) {
            return self.wrong(key, &format!("{value} is out of range"), &format!("use 0 to {most}"));
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
        match numbers.into_iter().find(|(_, value)| *value == Some(0)) {
            Some((key, _)) => self.wrong(key, "0 allows nothing", "use 1 or more, or remove it"),
            None => Ok(()),
        }
    }

    fn wrong(&self, key: &str, problem: &str, mend: &str) -> Result<(), ConfigError> {
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
