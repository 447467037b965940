//! Resolves the secrets in the configuration of a server.

use std::collections::BTreeMap;

use entracte_application::ports::{SecretError, SecretStore};
use secrecy::{ExposeSecret, SecretString};

use crate::secret::SecretText;
use entracte_application::system::SecretScrubber;

/// Named values with their secrets resolved. Never displayed.
#[derive(Debug, Default)]
pub(super) struct ResolvedSecretValues {
    values: BTreeMap<String, SecretString>,
    scrubber: SecretScrubber,
}

impl ResolvedSecretValues {
    /// Resolves the secrets of `values`.
    pub(super) fn resolve(
        texts: &BTreeMap<String, SecretText>,
        store: &dyn SecretStore,
    ) -> Result<Self, SecretError> {
        let (mut values, mut secrets) = (BTreeMap::new(), Vec::new());
        for (name, text) in texts {
            let value = match text {
                SecretText::Text(text) => SecretString::from(text.as_str()),
                SecretText::Secret(place) => {
                    // The configuration check guarantees a reference.
                    let Some(reference) = place.reference() else { continue };
                    let secret = store.secret(&reference)?;
                    let value = format!("{}{}", place.prefix, secret.expose_secret());
                    secrets.push(secret);
                    value.into()
                }
            };
            values.insert(name.clone(), value);
        }
        Ok(Self { values, scrubber: SecretScrubber::new(secrets) })
    }

    /// The names and values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.expose_secret()))
    }

    /// The value of that name.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(ExposeSecret::expose_secret)
    }

    /// Scrubs the secrets from a text.
    pub(super) fn scrubber(&self) -> SecretScrubber {
        self.scrubber.clone()
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::ports::SecretReference;

    use super::*;

    struct SecretStoreFixture;

    impl SecretStore for SecretStoreFixture {
        fn secret(&self, reference: &SecretReference) -> Result<SecretString, SecretError> {
            match reference {
                SecretReference::Environment(name) => Ok(format!("se\"cret of {name}").into()),
                SecretReference::File(_) | SecretReference::Command(_) => Ok("abc".into()),
            }
        }
    }

    #[test]
    fn secret_is_prefixed_and_scrubbed_from_output() {
        let texts = r#"{"plain": "text", "key": {"secret_env": "K", "prefix": "Bearer "}, "pin": {"secret_file": "f"}}"#;
        let revealed =
            ResolvedSecretValues::resolve(&serde_json::from_str(texts).unwrap(), &SecretStoreFixture)
                .unwrap();
        let values: Vec<(&str, &str)> = revealed.iter().collect();
        assert_eq!(values, [("key", "Bearer se\"cret of K"), ("pin", "abc"), ("plain", "text")]);
        let echoed = r#"text abc se"cret of K, {"key": "Bearer se\"cret of K"}"#;
        let scrubbed = revealed.scrubber().scrub_owned(echoed.to_owned());
        assert_eq!(scrubbed, r#"text abc [secret], {"key": "Bearer [secret]"}"#);
    }
}
