//! Shapes of the entries of the configuration that a person edits.

use entracte_application::ports::{
    ConfigEntry, ConfigEntryEdit, ConfigEntryEffect, ConfigEntryTrial, HIDDEN_VALUE, NewEntrySecret,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

/// An entry of the configuration, without secrets.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ConfigEntryShape {
    /// Its name.
    pub name: String,
    /// Its settings as a configuration file has them. A value that is not shown, because it may be a secret, is
    /// `{ "hidden": true }`; sent back like this, it stays as it is.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// It is in the configuration file of the server, and can be changed there. One from elsewhere is changed where it is
    /// set.
    pub editable: bool,
}

impl ConfigEntryShape {
    /// The entry as a program is shown it: without the values in addresses and arguments, which may be secrets although no
    /// secret belongs there.
    pub fn for_program(entry: &ConfigEntry) -> Self {
        let mut shape = Self::from(entry);
        hide_details(&mut shape.settings);
        shape
    }
}

/// Hides the arguments of a program, and the values in the queries of addresses.
fn hide_details(settings: &mut Value) {
    if let Some(arguments) = settings.get_mut("args") {
        *arguments = json!({ HIDDEN_VALUE: true });
    }
    for place in ["/url", "/ask/url"] {
        if let Some(Value::String(address)) = settings.pointer_mut(place) {
            *address = without_query_values(address);
        }
    }
}

/// An address whose query has only the names of its values, and the templates of arguments.
fn without_query_values(address: &str) -> String {
    let Some((path, query)) = address.split_once('?') else { return address.to_owned() };
    let shown = |part: &str| match part.split_once('=') {
        Some((_, value)) if value.starts_with('{') && value.ends_with('}') => part.to_owned(),
        Some((name, _)) => format!("{name}=…"),
        None => "…".to_owned(),
    };
    let query: Vec<String> = query.split('&').map(shown).collect();
    format!("{path}?{}", query.join("&"))
}

impl From<&ConfigEntry> for ConfigEntryShape {
    fn from(entry: &ConfigEntry) -> Self {
        Self { name: entry.name.clone(), settings: entry.settings.clone(), editable: entry.digest.is_some() }
    }
}

/// What an entry is to say. It has no `Debug`: nothing shows a secret.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigEntryEditShape {
    /// All of its settings, as its entry in the file has them.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// The secrets that it sends from now on, beside those that its settings name.
    #[serde(default)]
    pub secrets: Vec<EntrySecretShape>,
    /// It is written only if it works.
    #[serde(default)]
    pub must_work: bool,
}

/// A secret that an entry sends in a header. It has no `Debug`: nothing shows a secret.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntrySecretShape {
    /// The name of the header.
    pub header: String,
    /// What stands before the secret, such as `Bearer ` with its space.
    #[serde(default)]
    pub prefix: String,
    /// The secret. It is kept in a file of the server that only its owner can read, and never shown again.
    pub secret: String,
}

impl From<ConfigEntryEditShape> for ConfigEntryEdit {
    fn from(shape: ConfigEntryEditShape) -> Self {
        let secret = |secret: EntrySecretShape| NewEntrySecret {
            header: secret.header.trim().to_owned(),
            prefix: secret.prefix,
            secret: SecretString::from(secret.secret.trim().to_owned()),
        };
        Self {
            settings: shape.settings,
            secrets: shape.secrets.into_iter().map(secret).collect(),
            must_work: shape.must_work,
        }
    }
}

/// That an entry is written.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WrittenEntryShape {
    /// Its name.
    pub name: String,
    /// `at once`: from the next call on; `from the next start`: of the server.
    pub counts: &'static str,
}

impl WrittenEntryShape {
    /// The shape of a written entry.
    pub fn new(name: String, effect: ConfigEntryEffect) -> Self {
        let counts = match effect {
            ConfigEntryEffect::AtOnce => "at once",
            ConfigEntryEffect::AtNextStart => "from the next start",
        };
        Self { name, counts }
    }
}

/// What came of trying an entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EntryTrialShape {
    /// It works.
    pub works: bool,
    /// What it answered, or why it does not work.
    pub says: String,
}

impl From<ConfigEntryTrial> for EntryTrialShape {
    fn from(trial: ConfigEntryTrial) -> Self {
        Self { works: trial.works, says: trial.says }
    }
}
