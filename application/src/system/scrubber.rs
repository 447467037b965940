//! Scrubbing of secrets from texts.

mod encodings;

use secrecy::{ExposeSecret, SecretString};

use crate::ports::{self, SECRET_LEAST_CHARS};
use encodings::encodings;

/// Scrubs the secrets that a server was given from its messages: in plain form, JSON-escaped, in hex, base64 and
/// percent encoding.
#[derive(Clone, Debug, Default)]
pub struct SecretScrubber {
    /// The secrets in every encoding, longest first.
    looks: Vec<SecretString>,
}

impl SecretScrubber {
    /// Creates a scrubber of these secrets. Secrets shorter than [`SECRET_LEAST_CHARS`] are refused when read, so none
    /// of them is in use.
    pub fn new(mut secrets: Vec<SecretString>) -> Self {
        secrets.retain(|secret| secret.expose_secret().chars().count() >= SECRET_LEAST_CHARS);
        let mut looks: Vec<String> =
            secrets.iter().flat_map(|secret| encodings(secret.expose_secret())).collect();
        // Longest first, so that a secret within another one leaves no rest of it.
        looks.sort_by_key(|look| std::cmp::Reverse(look.len()));
        Self { looks: looks.into_iter().map(SecretString::from).collect() }
    }

    /// A scrubber of the secrets of both.
    pub fn merge(&self, other: &Self) -> Self {
        let mut looks: Vec<SecretString> = self.looks.iter().chain(&other.looks).cloned().collect();
        looks.sort_by_key(|look| std::cmp::Reverse(look.expose_secret().len()));
        Self { looks }
    }

    /// Scrubs the secrets from the text, in plain form and in the encodings that a server may have echoed.
    pub fn scrub_owned(&self, text: String) -> String {
        self.looks
            .iter()
            .map(ExposeSecret::expose_secret)
            .fold(text, |text, look| if text.contains(look) { text.replace(look, REMOVED) } else { text })
    }
}

impl ports::Scrubber for SecretScrubber {
    fn scrub_text(&self, text: &str) -> String {
        SecretScrubber::scrub_owned(self, text.to_owned())
    }

    fn partial_secret_len(&self, text: &str) -> usize {
        let looks = || self.looks.iter().map(ExposeSecret::expose_secret);
        let open = |look: &str| {
            let most = look.len().saturating_sub(1).min(text.len());
            let ends = (1..=most).rev().find(|count| text.as_bytes().ends_with(&look.as_bytes()[..*count]));
            ends.unwrap_or(0)
        };
        let mut begins = text.len() - looks().map(open).max().unwrap_or(0);
        // A complete secret that overlaps the retained end is retained, too.
        while let Some(earlier) = looks()
            .flat_map(|look| text.match_indices(look).map(move |(at, _)| (at, at + look.len())))
            .filter(|(at, end)| *at < begins && begins < *end)
            .map(|(at, _)| at)
            .min()
        {
            begins = earlier;
        }
        text.len() - begins
    }
}

/// The replacement of a secret.
const REMOVED: &str = "[secret]";

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbed(secret: &str, text: &str) -> String {
        SecretScrubber::new(vec![SecretString::from(secret)]).scrub_owned(text.to_owned())
    }

    #[test]
    fn plain_and_json_escaped_secrets_are_scrubbed() {
        let secrets = ["abcdefgh", "abcdefgh\"i", "dummy"].map(SecretString::from);
        let text = r#"abcdefgh, abcdefgh"i, {"key": "abcdefgh\"i"}, dummy"#;
        let scrubbed = SecretScrubber::new(secrets.into()).scrub_owned(text.to_owned());
        assert_eq!(scrubbed, r#"[secret], [secret], {"key": "[secret]"}, dummy"#);
    }

    #[test]
    fn partial_secret_at_end_is_detected() {
        let scrubber =
            SecretScrubber::new(vec![SecretString::from("sk-12345678"), SecretString::from("78-and-more")]);
        for (text, expected) in [
            ("", 0),
            ("Hello.", 0),
            ("It is s", 1),
            ("It is sk-1234567", 10),
            ("It is sk-12345679.", 0),
            // The end of the first may begin the second.
            ("It is sk-12345678", 11),
            ("Base64: c2stMTIz", 8),
        ] {
            assert_eq!(ports::Scrubber::partial_secret_len(&scrubber, text), expected, "{text}");
        }
    }

    #[test]
    fn secrets_in_echoed_encodings_are_scrubbed() {
        let secret = "sk-7f/3Q+é &z=9";
        let echoes = [
            "sk-7f%2F3Q%2B%C3%A9%20%26z%3D9",
            "sk-7f%2f3Q%2b%c3%a9%20%26z%3d9",
            "sk-7f%2F3Q%2B%C3%A9+%26z%3D9",
            r"sk-7f\/3Q+é &z=9",
            "736b2d37662f33512bc3a920267a3d39",
            "736B2D37662F33512BC3A920267A3D39",
            "c2stN2YvM1Erw6kgJno9OQ==",
            "c2stN2YvM1Erw6kgJno9OQ",
        ];
        for echo in echoes {
            assert_eq!(scrubbed(secret, &format!("<{echo}>")), "<[secret]>", "{echo}");
        }
    }

    #[test]
    fn secret_in_base64_is_found_at_every_alignment() {
        // `user:` and more before the secret, as in basic authentication and tokens, and text after it.
        let encoded = [
            "c3VwZXItc2VjcmV0LWtleS0xMjM0NTp0",
            "dTpzdXBlci1zZWNyZXQta2V5LTEyMzQ1OnQ=",
            "dXM6c3VwZXItc2VjcmV0LWtleS0xMjM0NTp0",
            "dXNlOnN1cGVyLXNlY3JldC1rZXktMTIzNDU6dA==",
        ];
        for text in encoded {
            let left = scrubbed("super-secret-key-12345", text);
            assert!(left.contains("[secret]"), "{text}: {left}");
            assert!(left.replace("[secret]", "").len() <= 12, "{text}: {left}");
        }
    }
}
