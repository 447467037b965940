//! Configuration values that are a text, or a reference to a secret.

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
    expecting = "a text, or { secret_env = \"NAME\" } { secret_file = \"path\" } or { secret_person = \"name\" }, with prefix = \"…\" or not"
)]
pub enum SecretText {
    /// A plain text.
    Text(String),
    /// Where the secret is kept.
    Secret(SecretPlace),
}

/// Where a secret is kept: one of the places, and the prefix of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretPlace {
    /// The environment variable that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// The file that holds it and nothing else. A relative path counts from the folder of the file with this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_file: Option<String>,
    /// The name of the requester's own secret: each person keeps one of that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_person: Option<String>,
    /// The prefix of the value, such as `Bearer ` with its space.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
}

impl SecretPlace {
    /// Whether exactly one place is set.
    pub(crate) fn is_one(&self) -> bool {
        [&self.secret_env, &self.secret_file, &self.secret_person].into_iter().flatten().count() == 1
    }

    /// The port's reference to the place; `None` if no place or several are set, and for a personal secret.
    pub fn reference(&self) -> Option<SecretReference> {
        match (&self.secret_env, &self.secret_file) {
            (Some(name), None) => Some(SecretReference::Environment(name.clone())),
            (None, Some(path)) => Some(SecretReference::File(path.clone())),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
}

/// A canonical form of configuration values for the version of a command: a secret by its place, so that a new secret
/// in the same place changes nothing; a text by its hash, because it may contain a secret too.
pub(crate) fn meanings(values: &BTreeMap<String, SecretText>) -> serde_json::Value {
    let meaning = |value: &SecretText| match value {
        SecretText::Text(text) => json!({ "text": sha256(text.as_bytes()).as_str() }),
        SecretText::Secret(SecretPlace { secret_env, secret_file, secret_person: None, prefix }) => {
            json!({ "env": secret_env, "file": secret_file, "prefix": prefix })
        }
        SecretText::Secret(SecretPlace { secret_person: Some(name), prefix, .. }) => {
            json!({ "person": name, "prefix": prefix })
        }
    };
    values.iter().map(|(name, value)| (name.clone(), meaning(value))).collect()
}

impl SecretText {
    /// The name of the requester's own secret, if it is one.
    pub(crate) fn own(&self) -> Option<&str> {
        match self {
            SecretText::Text(_) => None,
            SecretText::Secret(place) => place.secret_person.as_deref(),
        }
    }

    /// The reference to the secret's place; `None` for a plain text.
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
