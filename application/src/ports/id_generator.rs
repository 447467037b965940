use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

/// Randomness: ids that nobody can guess, and jitter. Nothing else in the house draws random numbers.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait IdGenerator: Send + Sync {
    /// A new session id, `ses_…`, unique for ever.
    fn session(&self) -> SessionId;

    /// A new key for things that carry no id of their own (resources, client keys): lower-case letters and
    /// digits, unique for ever.
    fn key(&self) -> String;

    /// A span between zero and `most`.
    fn jitter(&self, most: Millis) -> Millis;
}
