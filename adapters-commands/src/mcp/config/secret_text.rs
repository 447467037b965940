//! A value of the configuration that is a text, or says where a secret is kept.

use entracte_application::ports::SecretReference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A text that anybody may read, or a secret's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a text, { secret_env = \"VARIABLE\" } or { secret_file = \"PATH\" }")]
pub enum SecretText {
    /// No secret.
    Text(String),
    /// Where the secret is kept.
    Secret(SecretPlace),
}

/// Where a secret is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SecretPlace {
    /// The environment variable that holds it.
    SecretEnv(String),
    /// The file that holds it and nothing else.
    SecretFile(String),
}

impl SecretPlace {
    /// The same place in the port's words.
    pub(in crate::mcp) fn reference(&self) -> SecretReference {
        match self {
            SecretPlace::SecretEnv(name) => SecretReference::Environment(name.clone()),
            SecretPlace::SecretFile(path) => SecretReference::File(path.clone()),
        }
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        SecretText::Text(text.to_owned())
    }
}
