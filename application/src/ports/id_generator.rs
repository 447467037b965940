use entracte_domain::id::{AutomationId, SessionId, TaskId};
use entracte_domain::time::Millis;

/// Randomness: unguessable ids, and jitter. No other part of Entracte generates random numbers.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use entracte_application::ports::IdGenerator;
/// use entracte_domain::id::SessionId;
/// use entracte_domain::time::Millis;
///
/// /// Sequential ids: the same in every run of a test.
/// struct SequentialIds(AtomicU32);
///
/// impl IdGenerator for SequentialIds {
///     fn session(&self) -> SessionId {
///         SessionId::new(format!("ses_{}", self.key()))
///     }
///     fn key(&self) -> String {
///         format!("k{}", self.0.fetch_add(1, Ordering::Relaxed))
///     }
///     fn jitter(&self, _: Millis) -> Millis {
///         Millis(0)
///     }
/// }
///
/// assert_eq!(SequentialIds(AtomicU32::new(1)).session(), SessionId::new("ses_k1"));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait IdGenerator: Send + Sync {
    /// A new globally unique session id, `ses_…`.
    fn session(&self) -> SessionId;

    /// A new globally unique automation id, `aut_…`.
    fn automation(&self) -> AutomationId {
        AutomationId::new(format!("aut_{}", self.key()))
    }

    /// A new task id, `tsk_…`, with at least 128 random bits, so that it cannot be guessed.
    fn task(&self) -> TaskId {
        TaskId::new(format!("tsk_{}{}", self.key(), self.key()))
    }

    /// A new globally unique key for things without an id of their own (resources, client keys): lower-case letters
    /// and digits.
    fn key(&self) -> String;

    /// A secret of at least 256 bits in lower-case letters and digits: four keys of 80 bits each.
    fn secret(&self) -> String {
        (0..4).map(|_| self.key()).collect()
    }

    /// A random span between zero and `most`.
    fn jitter(&self, most: Millis) -> Millis;
}
