//! A value of the configuration that is a text, or says where a secret is kept.

use std::collections::BTreeMap;

use entracte_application::ports::SecretReference;
use entracte_application::system::sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A plain text, or the place of a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a text, or { secret_env = \"NAME\" } or { secret_file = \"path\" }, with prefix = \"…\" or not"
)]
pub enum SecretText {
    /// A plain text.
    Text(String),
    /// Where the secret is kept.
    Secret(SecretPlace),
}

/// Where a secret is kept: one of the two places, and the prefix of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretPlace {
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// The file that holds it and nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<String>,
    /// The prefix of the value, such as `Bearer ` with its space.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

impl SecretPlace {
    /// The place as the port names it; none when no place is set, or both are.
    pub(crate) fn reference(&self) -> Option<SecretReference> {
        match (&self.secret_env, &self.secret_file) {
            (Some(name), None) => Some(SecretReference::Environment(name.clone())),
            (None, Some(path)) => Some(SecretReference::File(path.clone())),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

/// What values of the configuration mean, by their names, for the version of a command: a secret by the place where it
/// is kept, so that a new secret in the same place changes nothing; a text by its hash, as it may hold a secret too.
pub(crate) fn meanings(values: &BTreeMap<String, SecretText>) -> serde_json::Value {
    let meaning = |value: &SecretText| match value {
        SecretText::Text(text) => json!({ "text": sha256(text.as_bytes()).as_str() }),
        SecretText::Secret(SecretPlace { secret_env, secret_file, prefix }) => {
            json!({ "env": secret_env, "file": secret_file, "prefix": prefix })
        }
    };
    values.iter().map(|(name, value)| (name.clone(), meaning(value))).collect()
}

impl SecretText {
    /// Where it is kept, when it is a secret.
    pub fn reference(&self) -> Option<SecretReference> {
        match self {
            SecretText::Text(_) => None,
            SecretText::Secret(place) => place.reference(),
        }
    }
}

impl From<&str> for SecretText {
    fn from(text: &str) -> Self {
        SecretText::Text(text.to_owned())
    }
}
