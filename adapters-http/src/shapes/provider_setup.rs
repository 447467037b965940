//! Shapes of providers that a person sets up and changes.

use entracte_application::ports::{FoundModelServer, NewProviderSource, ProviderChange};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where the answers of a new provider come from. It has no `Debug`: nothing shows a key.
// Only a client serializes it, into its request.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(tag = "source", rename_all = "snake_case", deny_unknown_fields)]
pub enum NewProviderShape {
    /// A service, with the key of the person's account.
    Key {
        /// The key. It is kept in a file of the server that only its owner can read, and never shown again.
        key: String,
        /// The service: `claude`, `openai`, `groq`, …; null: as the prefix of the key tells.
        #[serde(default)]
        kind: Option<String>,
        /// The address of its API; null: the usual one.
        #[serde(default)]
        base_url: Option<String>,
        /// The model; null: the usual one of the service, else the first that it lists.
        #[serde(default)]
        model: Option<String>,
    },
    /// A model server that needs no key.
    Server {
        /// The address of its API, which speaks Chat Completions.
        base_url: String,
        /// The model; null: the first that it lists.
        #[serde(default)]
        model: Option<String>,
    },
    /// A script in the place of a model, to try a chat.
    Rehearsed {},
}

impl From<NewProviderShape> for NewProviderSource {
    fn from(shape: NewProviderShape) -> Self {
        match shape {
            NewProviderShape::Key { key, kind, base_url, model } => Self::Key {
                key: secret_of(&key),
                kind: text_of(kind),
                base_url: text_of(base_url),
                model: text_of(model),
            },
            NewProviderShape::Server { base_url, model } => {
                Self::Server { base_url: base_url.trim().to_owned(), model: text_of(model) }
            }
            NewProviderShape::Rehearsed {} => Self::Rehearsal,
        }
    }
}

/// The changes to the entry of a provider; null leaves a value as it is. It has no `Debug`: nothing shows a key.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderChangeShape {
    /// A key in place of the one before. It counts only if the model answers with it.
    #[serde(default)]
    pub key: Option<String>,
    /// The address of its API. A key that is kept for another address has to be sent again.
    #[serde(default)]
    pub base_url: Option<String>,
    /// The model of new sessions.
    #[serde(default)]
    pub model: Option<String>,
    /// New sessions use it that name none. False leaves the default as it is.
    #[serde(default)]
    pub default: bool,
}

impl From<ProviderChangeShape> for ProviderChange {
    fn from(shape: ProviderChangeShape) -> Self {
        Self {
            key: text_of(shape.key).map(|key| secret_of(&key)),
            base_url: text_of(shape.base_url),
            model: text_of(shape.model),
            is_default: shape.default,
        }
    }
}

/// The model servers that were found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelServersShape {
    /// Those of this machine that listed a model, at their usual ports.
    pub servers: Vec<ModelServerShape>,
}

/// A model server of the machine of the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ModelServerShape {
    /// The name that its provider gets.
    pub name: String,
    /// Which API it speaks.
    pub kind: String,
    /// The address of its API.
    pub base_url: String,
    /// Its models that hold conversations, in its order.
    pub models: Vec<String>,
}

impl From<FoundModelServer> for ModelServerShape {
    fn from(server: FoundModelServer) -> Self {
        Self { name: server.name, kind: server.kind, base_url: server.base_url, models: server.models }
    }
}

/// What was typed, without the spaces around it; a field that is left empty is none.
fn text_of(typed: Option<String>) -> Option<String> {
    typed.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn secret_of(typed: &str) -> SecretString {
    SecretString::from(typed.trim().to_owned())
}
