//! Tokens, counted in the four kinds that every provider bills.

/// Tokens of one or many model calls. Absent is not zero: attempts whose usage never came are counted apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Usage {
    /// Input tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
    /// Output tokens, reasoning included.
    pub output: u64,
    /// Attempts whose usage is not known (stopped, lost): perhaps billed.
    pub unknown_attempts: u32,
}

impl Usage {
    /// Adds another call's usage.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.unknown_attempts = self.unknown_attempts.saturating_add(other.unknown_attempts);
    }

    /// Notes an attempt whose usage never came.
    pub fn add_unknown_attempt(&mut self) {
        self.unknown_attempts = self.unknown_attempts.saturating_add(1);
    }
}
