//! A value of the configuration that is a text, or says where a secret is kept.

use entracte_application::ports::SecretReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text that anybody may read, or a secret's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a text, or { secret_env = \"NAME\" } or { secret_file = \"path\" }, with prefix = \"…\" or not"
)]
pub enum SecretText {
    /// No secret.
    Text(String),
    /// Where the secret is kept.
    Secret(SecretPlace),
}

/// Where a secret is kept. One of the two places, and what stands before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretPlace {
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// The file that holds it and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<String>,
    /// What stands before it, such as `Bearer ` with its space.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

impl SecretPlace {
    /// The same place in the port's words; none when it is not said, or said twice.
    pub(crate) fn reference(&self) -> Option<SecretReference> {
        match (&self.secret_env, &self.secret_file) {
            (Some(name), None) => Some(SecretReference::Environment(name.clone())),
            (None, Some(path)) => Some(SecretReference::File(path.clone())),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        SecretText::Text(text.to_owned())
    }
}
