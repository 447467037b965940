//! Secrets on their way to a server.

use std::collections::BTreeMap;

use entracte_application::ports::{SecretError, SecretStore};
use secrecy::{ExposeSecret, SecretString};

use crate::secret::SecretText;
use entracte_application::system::SecretScrubber;

/// Values with their secrets in place. Never shown.
#[derive(Debug, Default)]
pub(super) struct ResolvedSecretValues {
    values: BTreeMap<String, SecretString>,
    scrubber: SecretScrubber,
}

impl ResolvedSecretValues {
    /// Gets the secrets.
    pub(super) fn resolve(
        texts: &BTreeMap<String, SecretText>,
        store: &dyn SecretStore,
    ) -> Result<Self, SecretError> {
        let (mut values, mut secrets) = (BTreeMap::new(), Vec::new());
        for (name, text) in texts {
            let value = match text {
                SecretText::Text(text) => SecretString::from(text.as_str()),
                SecretText::Secret(place) => {
                    // The entry was checked, so there is one.
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

    /// Name and value of each.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.expose_secret()))
    }

    /// A value.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(ExposeSecret::expose_secret)
    }

    /// What takes the secrets out of a text.
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
    fn a_secret_gets_its_prefix_and_never_comes_back() {
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
