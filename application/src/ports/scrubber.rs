use std::sync::Arc;

use super::SecretOwner;

/// Removes secrets from texts: in plain form, and in the encodings in which they are commonly repeated.
///
/// ```
/// use entracte_application::ports::Scrubber;
///
/// /// Removes one secret in plain form.
/// struct One(&'static str);
///
/// impl Scrubber for One {
///     fn scrub_text(&self, text: &str) -> String {
///         text.replace(self.0, "[secret]")
///     }
///     fn partial_secret_len(&self, text: &str) -> usize {
///         (1..self.0.len()).rev().find(|count| text.ends_with(&self.0[..*count])).unwrap_or(0)
///     }
/// }
///
/// assert_eq!(One("sk-12345").scrub_text("It is sk-12345."), "It is [secret].");
/// assert_eq!(One("sk-12345").partial_secret_len("It is sk-1"), 4);
/// ```
pub trait Scrubber: Send + Sync {
    /// Removes the secrets from a text.
    fn scrub_text(&self, text: &str) -> String;

    /// How many bytes at the end of an unfinished text may be the beginning of a secret: these bytes must only be
    /// shown with the text that follows. The rest of the text contains no partial secret.
    fn partial_secret_len(&self, text: &str) -> usize;
}

/// Creates scrubbers for the secrets of the configuration and of people.
///
/// Contract: it exposes no secret, only scrubbers; an unreadable secret is left out. A person's secrets in one
/// workspace are not scrubbed from texts of other workspaces or other people: otherwise a person who stores a word as
/// a secret could make it vanish elsewhere, and find out there whether a guess is another person's secret.
///
/// ```
/// use entracte_application::ports::{NoopScrubber, SecretScrubberFactory};
///
/// // A program without secrets.
/// assert_eq!(NoopScrubber.scrubber(&[]).scrub_text("It is sk-12345."), "It is sk-12345.");
/// ```
pub trait SecretScrubberFactory: Send + Sync {
    /// The scrubber for the current secrets of the configuration and of these people: they are read for every model
    /// call, so a renewed secret needs no restart. The holders are the people whose secrets may have been used for the
    /// text.
    fn scrubber(&self, holders: &[SecretOwner]) -> Arc<dyn Scrubber>;
}

/// A factory that knows no secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopScrubber;

impl SecretScrubberFactory for NoopScrubber {
    fn scrubber(&self, _holders: &[SecretOwner]) -> Arc<dyn Scrubber> {
        Arc::new(Self)
    }
}

impl Scrubber for NoopScrubber {
    fn scrub_text(&self, text: &str) -> String {
        text.to_owned()
    }

    fn partial_secret_len(&self, _text: &str) -> usize {
        0
    }
}
