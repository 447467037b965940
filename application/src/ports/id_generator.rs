use entracte_domain::id::{AutomationId, SessionId, TaskId};
use entracte_domain::time::Millis;

/// Randomness: ids that nobody can guess, and jitter. Nothing else in Entracte draws random numbers.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// use entracte_application::ports::IdGenerator;
/// use entracte_domain::id::SessionId;
/// use entracte_domain::time::Millis;
///
/// /// Ids that count: the same in every run of a test.
/// struct Counting(AtomicU32);
///
/// impl IdGenerator for Counting {
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
/// assert_eq!(Counting(AtomicU32::new(1)).session(), SessionId::new("ses_k1"));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait IdGenerator: Send + Sync {
    /// A new session id, `ses_…`, unique for ever.
    fn session(&self) -> SessionId;

    /// A new automation id, `aut_…`, unique for ever.
    fn automation(&self) -> AutomationId {
        AutomationId::new(format!("aut_{}", self.key()))
    }

    /// A new task id, `tsk_…`, with at least 128 random bits: nobody else can name a task.
    fn task(&self) -> TaskId {
        TaskId::new(format!("tsk_{}{}", self.key(), self.key()))
    }

    /// A new key for things that carry no id of their own (resources, client keys): lower-case letters and
    /// digits, unique for ever.
    fn key(&self) -> String;

    /// A secret of at least 256 bits, in lower-case letters and digits: four keys, each of 80.
    fn secret(&self) -> String {
        (0..4).map(|_| self.key()).collect()
    }

    /// A span between zero and `most`.
    fn jitter(&self, most: Millis) -> Millis;
}
