//! The real clock, ids, schedules, secrets and hashing: the only module that accesses time, randomness and the
//! environment. It also scrubs secrets from texts.

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

/// The working directory of programs that no configuration file names, and the base of relative paths from no file.
/// Never the current directory of this process, in which another person may have placed programs and files of the same
/// names.
pub const START_FOLDER: &str = "/";

/// SHA-256 of these bytes, in hex.
pub fn sha256(bytes: &[u8]) -> Digest {
    let mut hashing = Sha256Hasher::default();
    hashing.update(bytes);
    hashing.finalize()
}

/// Incremental SHA-256.
#[derive(Clone, Debug, Default)]
pub struct Sha256Hasher(Sha256);

impl Sha256Hasher {
    /// Hashes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all bytes, in hex.
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
    fn hash_of_empty_input_is_known() {
        let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b"").as_str(), expected);
    }
}
