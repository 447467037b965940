use std::sync::Arc;

use super::SecretOwner;

/// Takes secrets out of a text: as they are, and in the encodings that they are commonly repeated in.
///
/// ```
/// use entracte_application::ports::Scrubber;
///
/// /// Knows one secret, as it is.
/// struct One(&'static str);
///
/// impl Scrubber for One {
///     fn scrubbed(&self, text: &str) -> String {
///         text.replace(self.0, "[secret]")
///     }
///     fn begun(&self, text: &str) -> usize {
///         (1..self.0.len()).rev().find(|count| text.ends_with(&self.0[..*count])).unwrap_or(0)
///     }
/// }
///
/// assert_eq!(One("sk-12345").scrubbed("It is sk-12345."), "It is [secret].");
/// assert_eq!(One("sk-12345").begun("It is sk-1"), 4);
/// ```
pub trait Scrubber: Send + Sync {
    /// The text without the secrets.
    fn scrub_text(&self, text: &str) -> String;

    /// How many bytes at the end of a text that goes on may be the beginning of a secret: they are shown with what
    /// follows, or not at all. The rest of the text begins and ends no secret.
    fn partial_secret_len(&self, text: &str) -> usize;
}

/// The secrets of the configuration, wherever they are kept, and those that people bring.
///
/// Contract: gives no secret, only what takes them out; one that cannot be read is left out. What a person keeps in one
/// workspace is taken out of no text of another workspace or of another person: otherwise whoever keeps a word as a secret
/// could make it vanish elsewhere, and find out there whether a guess is somebody's secret.
///
/// ```
/// use entracte_application::ports::{KnownSecrets, NoSecrets};
///
/// // A program that has none.
/// assert_eq!(NoSecrets.scrubber(&[]).scrubbed("It is sk-12345."), "It is sk-12345.");
/// ```
pub trait SecretScrubberFactory: Send + Sync {
    /// What takes out those of the configuration and those of these people, as they are now: they are read for every model
    /// call, so a renewed one needs no restart. The holders are the people whose secrets may have been used for the text.
    fn scrubber(&self, holders: &[SecretOwner]) -> Arc<dyn Scrubber>;
}

/// No secret is known.
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
