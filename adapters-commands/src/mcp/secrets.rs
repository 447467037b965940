//! Secrets on their way to a server, and their removal from everything that comes back.

use std::collections::BTreeMap;

use entracte_application::ports::{SecretError, SecretStore};
use secrecy::{ExposeSecret, SecretString};

use super::config::SecretText;

/// Values with their secrets in place. Never shown.
#[derive(Debug, Default)]
pub(super) struct Revealed {
    values: BTreeMap<String, SecretString>,
    scrubber: Scrubber,
}

/// Knows the secrets that a server was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Scrubber {
    secrets: Vec<SecretString>,
}

impl Revealed {
    /// Gets the secrets.
    pub(super) fn of(
        texts: &BTreeMap<String, SecretText>,
        store: &dyn SecretStore,
    ) -> Result<Self, SecretError> {
        let mut revealed = Self::default();
        for (name, text) in texts {
            let value = match text {
                SecretText::Text(text) => SecretString::from(text.as_str()),
                SecretText::Secret(place) => {
                    let secret = store.secret(&place.reference())?;
                    revealed.scrubber.secrets.push(secret.clone());
                    secret
                }
            };
            revealed.values.insert(name.clone(), value);
        }
        revealed.scrubber.secrets.retain(|secret| secret.expose_secret().len() >= SCRUB_MIN_BYTES);
        // A secret within another one must not leave the rest of the other behind.
        revealed.scrubber.secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        Ok(revealed)
    }

    /// Name and value of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.expose_secret()))
    }

    /// A value.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(ExposeSecret::expose_secret)
    }

    /// What takes the secrets out of a text.
    pub(super) fn scrubber(&self) -> Scrubber {
        self.scrubber.clone()
    }
}

impl Scrubber {
    /// The text without the secrets, should a server have echoed them.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| text.replace(secret.expose_secret(), "[secret]"))
    }
}

/// Shorter secrets are left in a text: they would be found by chance, and mangle it.
const SCRUB_MIN_BYTES: usize = 4;
