//! The defaults of an entry, and the JSON Schema of its keys.

use entracte_application::ports::SecretReference;
use serde_json::Value;

use super::{CALL_TIMEOUT_SECONDS, CONNECT_TIMEOUT_SECONDS, IDLE_TIMEOUT_SECONDS, ProviderConfig};
use crate::profiles::ProviderProfile;

impl ProviderConfig {
    /// The entry with its defaults filled in, as it is applied. Values that the server chooses stay unset.
    #[must_use]
    pub fn in_force(&self) -> Self {
        let Some(profile) = ProviderProfile::of_kind(self.kind) else { return self.clone() };
        let variable = match self.secret_reference() {
            Some(SecretReference::Environment(name)) => Some(name),
            Some(SecretReference::File(_) | SecretReference::Command(_)) | None => None,
        };
        Self {
            api_key_env: variable,
            base_url: self.base_url.clone().or_else(|| profile.base_url.map(str::to_owned)),
            connect_timeout_seconds: self.connect_timeout_seconds.or(Some(CONNECT_TIMEOUT_SECONDS)),
            idle_timeout_seconds: self.idle_timeout_seconds.or(Some(IDLE_TIMEOUT_SECONDS)),
            call_timeout_seconds: self.call_timeout_seconds.or(Some(CALL_TIMEOUT_SECONDS)),
            structured_output: self.structured_output.or(Some(profile.structured_output)),
            ..self.clone()
        }
    }

    /// The JSON Schema of an entry.
    pub fn json_schema() -> Value {
        schemars::schema_for!(Self).to_value()
    }
}
