use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use crate::ports::IdGenerator;

/// Ids from the random numbers of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIdGenerator;

/// Letters and digits that are not easily confused (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 16 letters of 5 bits: 80 bits, so that collisions do not occur.
const KEY_LENGTH: usize = 16;

impl IdGenerator for RandomIdGenerator {
    fn session(&self) -> SessionId {
        SessionId::new(format!("ses_{}", self.key()))
    }

    fn key(&self) -> String {
        random::<KEY_LENGTH>().iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect()
    }

    fn jitter(&self, most: Millis) -> Millis {
        let span = most.0.max(0).unsigned_abs() + 1;
        Millis(i64::try_from(u64::from_le_bytes(random::<8>()) % span).unwrap_or(0))
    }
}

/// Random bytes. Panics on a machine without random numbers, because ids would be guessable.
#[expect(clippy::disallowed_methods, reason = "the one place that draws random numbers")]
#[expect(clippy::panic, reason = "no safe way on without random numbers")]
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the operating system provides no random numbers: {error}");
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_jitter_stays_in_its_bounds() {
        assert_ne!(RandomIdGenerator.session(), RandomIdGenerator.session());
        assert_eq!(RandomIdGenerator.key().len(), KEY_LENGTH);
        assert!((0..200).all(|_| (0..=3).contains(&RandomIdGenerator.jitter(Millis(3)).0)));
        assert_eq!(RandomIdGenerator.jitter(Millis(0)), Millis(0));
    }
}
