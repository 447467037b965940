//! The real clock, ids, schedules, secrets and hashing: the one place that touches time, randomness and the environment. And
//! the removal of secrets from texts.

mod clock;
mod random_ids;
mod schedule;
mod scrubber;
mod secrets;

pub use clock::SystemClock;
pub use random_ids::RandomIdGenerator;
pub use schedule::{CronInterpretation, CronScheduleCalculator, ZoneClockChange};
pub use scrubber::SecretScrubber;
pub use secrets::{MinLengthSecretStore, SystemSecretStore};

use entracte_domain::id::Digest;
use sha2::{Digest as _, Sha256};

/// The folder in which a program is started for which no file names one, and from which relative paths count that are of no
/// file. Never the one where this process stands: somebody else may have filled it with programs and files of the same
/// names.
pub const START_FOLDER: &str = "/";

/// SHA-256 of these bytes, in hex.
pub fn sha256(bytes: &[u8]) -> Digest {
    let mut hashing = Sha256Hasher::default();
    hashing.update(bytes);
    hashing.finalize()
}

/// SHA-256 of bytes that come in pieces.
#[derive(Clone, Debug, Default)]
pub struct Sha256Hasher(Sha256);

impl Sha256Hasher {
    /// The next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all that came, in hex.
    pub fn finalize(self) -> Digest {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            text.push(hex(byte >> 4));
            text.push(hex(byte & 15));
        }
        Digest::new(text)
    }
}

fn hex(nibble: u8) -> char {
    char::from_digit(u32::from(nibble), 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_nothing_is_the_known_one() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b"").as_str(), expected);
    }
}
