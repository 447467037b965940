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
                    let value = format!("{}{}", place.prefix, secret.expose_secret());
                    revealed.scrubber.secrets.push(secret);
                    value.into()
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
    /// The text without the secrets, as they are and as JSON writes them, should a server have echoed them.
    pub(super) fn scrubbed(&self, text: String) -> String {
        self.secrets.iter().map(ExposeSecret::expose_secret).fold(text, |text, secret| {
            let quoted = serde_json::Value::from(secret).to_string();
            text.replace(secret, REMOVED).replace(quoted.trim_matches('"'), REMOVED)
        })
    }
}

/// Shorter secrets are left in a text: they would be found by chance, and mangle it.
const SCRUB_MIN_BYTES: usize = 4;
/// What stands where a secret was.
const REMOVED: &str = "[secret]";

#[cfg(test)]
mod tests {
    use entracte_application::ports::SecretReference;

    use super::*;

    struct Store;

    impl SecretStore for Store {
        fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
            match reference {
                SecretReference::Environment(name) => Ok(format!("se\"cret of {name}").into()),
                SecretReference::File(_) => Ok("abc".into()),
            }
        }
    }

    #[test]
    fn a_secret_gets_its_prefix_and_never_comes_back() {
        let texts = r#"{"plain": "text", "key": {"secret_env": "K", "prefix": "Bearer "}, "pin": {"secret_file": "f"}}"#;
        let revealed = Revealed::of(&serde_json::from_str(texts).unwrap(), &Store).unwrap();
        let values: Vec<(&str, &str)> = revealed.iter().collect();
        assert_eq!(values, [("key", "Bearer se\"cret of K"), ("pin", "abc"), ("plain", "text")]);
        let echoed = r#"text abc se"cret of K, {"key": "Bearer se\"cret of K"}"#;
        let scrubbed = revealed.scrubber().scrubbed(echoed.to_owned());
        assert_eq!(scrubbed, r#"text abc [secret], {"key": "Bearer [secret]"}"#);
    }
}
