//! The removal of secrets from texts.

use secrecy::{ExposeSecret, SecretString};

/// Knows the secrets that the other side was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scrubber {
    secrets: Vec<SecretString>,
}

impl Scrubber {
    /// Takes these secrets out of texts.
    pub(crate) fn new(mut secrets: Vec<SecretString>) -> Self {
        secrets.retain(|secret| secret.expose_secret().len() >= SCRUB_MIN_BYTES);
        // A secret within another one must not leave the rest of the other behind.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
        Self { secrets }
    }

    /// The text without the secrets, as they are and as JSON writes them, should the other side have echoed them.
    pub(crate) fn scrubbed(&self, text: String) -> String {
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
    use super::*;

    #[test]
    fn secrets_are_taken_out_as_they_are_and_as_json_writes_them() {
        let secrets = ["abcd", "abcdef\"g", "xy"].map(SecretString::from);
        let text = r#"abcd, abcdef"g, {"key": "abcdef\"g"}, xy"#;
        let scrubbed = Scrubber::new(secrets.into()).scrubbed(text.to_owned());
        assert_eq!(scrubbed, r#"[secret], [secret], {"key": "[secret]"}, xy"#);
    }
}
