//! Checks the parameters of an entry against the model that they are sent to. Pure.

use entracte_application::texts::{LocalizedMessage, saying};

use super::check::ProviderConfigCheck;
use super::{ConfigError, StructuredOutput};
use crate::profiles::{EffortSupport, NO_REASONING, ProviderProfile, SamplingSupport};

impl ProviderConfigCheck<'_> {
    /// The first parameter that the entry's model forbids.
    pub(super) fn model(&self, profile: &ProviderProfile) -> Result<(), ConfigError> {
        let config = self.config;
        self.effort(profile)?;
        self.tier(profile)?;
        self.sampling(profile, "temperature", config.temperature, 2.0)?;
        self.sampling(profile, "top_p", config.top_p, 1.0)?;
        self.sampling(profile, "relaunch_temperature", config.relaunch_temperature, 2.0)?;
        if config.structured_output == Some(StructuredOutput::Json) && !profile.json_mode {
            let problem = saying!("fault-unsupported", given = "json", by = profile.display_name);
            return self.config_error("structured_output", problem, saying!("fault-schema-or-none"));
        }
        self.output(profile, "max_output_tokens", config.max_output_tokens)?;
        self.output(profile, "relaunch_max_output_tokens", config.relaunch_max_output_tokens)
    }

    fn name(&self) -> &str {
        self.config.model.as_deref().unwrap_or_default()
    }

    fn effort(&self, profile: &ProviderProfile) -> Result<(), ConfigError> {
        let Some(effort) = self.config.effort.as_deref() else { return Ok(()) };
        let model = self.name();
        match profile.family(model).efforts {
            EffortSupport::Any => Ok(()),
            EffortSupport::Refused => {
                let by = profile.display_name;
                let problem =
                    saying!("fault-refused-word", given = effort, by = by, key = "effort", model = model);
                self.config_error("effort", problem, saying!("fault-remove"))
            }
            EffortSupport::Of(words) if words.contains(&effort) => Ok(()),
            EffortSupport::Of(words) => {
                let problem = saying!("fault-unsupported-model", given = effort, model = model);
                self.config_error("effort", problem, saying!("fault-use-one-of", words = words.join(", ")))
            }
        }
    }

    fn tier(&self, profile: &ProviderProfile) -> Result<(), ConfigError> {
        let words = profile.service_tiers;
        match self.config.service_tier.as_deref() {
            Some(tier) if !words.is_empty() && !words.contains(&tier) => {
                let problem = saying!("fault-unsupported", given = tier, by = profile.display_name);
                self.config_error(
                    "service_tier",
                    problem,
                    saying!("fault-use-one-of", words = words.join(", ")),
                )
            }
            _ => Ok(()),
        }
    }

    fn sampling(
        &self,
        profile: &ProviderProfile,
        key: &str,
        value: Option<f64>,
        most: f64,
    ) -> Result<(), ConfigError> {
        let Some(value) = value else { return Ok(()) };
        let reasons = self.config.effort.as_deref() != Some(NO_REASONING);
        match profile.family(self.name()).sampling {
            SamplingSupport::Never => {
                return self.refused(profile, key, &value.to_string(), saying!("fault-remove"));
            }
            SamplingSupport::WithoutReasoning if reasons => {
                let fix = saying!("fault-remove-or-none");
                return self.refused(profile, key, &value.to_string(), fix);
            }
            SamplingSupport::WithoutReasoning | SamplingSupport::Always => {}
        }
        if (0.0..=most).contains(&value) {
            return Ok(());
        }
        let problem = saying!("fault-out-of-range", given = value.to_string());
        self.config_error(key, problem, saying!("fault-use-to", most = most.to_string()))
    }

    fn output(&self, profile: &ProviderProfile, key: &str, tokens: Option<u32>) -> Result<(), ConfigError> {
        let Some(tokens) = tokens else { return Ok(()) };
        let model = self.name();
        match profile.family(model).most_output_tokens {
            Some(most) if tokens > most => {
                let problem = saying!("fault-too-many-tokens", given = tokens, model = model);
                self.config_error(key, problem, saying!("fault-use-or-less", most = most))
            }
            _ => Ok(()),
        }
    }

    fn refused(
        &self,
        profile: &ProviderProfile,
        key: &str,
        given: &str,
        fix: LocalizedMessage,
    ) -> Result<(), ConfigError> {
        let (by, model) = (profile.display_name, self.name());
        self.config_error(
            key,
            saying!("fault-refused", given = given, by = by, key = key, model = model),
            fix,
        )
    }
}
