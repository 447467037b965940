//! The real clock, ids, schedules, secrets and hashing: the one place that touches time, randomness and the environment.

mod clock;
mod ids;
mod schedule;
mod secrets;

pub use clock::SystemClock;
pub use ids::RandomIds;
pub use schedule::CronCalculator;
pub use secrets::SystemSecrets;

use entracte_domain::id::Digest;
use sha2::{Digest as _, Sha256};

/// SHA-256 of these bytes, in hex.
pub fn sha256(bytes: &[u8]) -> Digest {
    let hash = Sha256::digest(bytes);
    let mut text = String::with_capacity(64);
    for byte in hash {
        text.push(hex(byte >> 4));
        text.push(hex(byte & 15));
    }
    Digest::new(text)
}

/// The beginning of a hash, as rows keep it that hold many: long enough to tell things apart.
pub fn short(hash: &Digest) -> Digest {
    Digest::new(hash.as_str().chars().take(SHORT_CHARS).collect::<String>())
}

/// Letters of a short hash: 64 bits.
const SHORT_CHARS: usize = 16;

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
