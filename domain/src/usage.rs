//! Tokens, counted in the four kinds that every provider bills, and what they cost.

use crate::dollars::Dollars;

/// Tokens of one or many model calls, and their cost as far as it is known. Absent is not zero: attempts whose usage never
/// came are counted apart, and so are the tokens that have a price.
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
    /// What the tokens with a known price cost, at the prices of when the call was made.
    pub cost: Dollars,
    /// How many of the tokens have a known price.
    pub priced: u64,
}

/// What is known of a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// All of it.
    Exactly(Dollars),
    /// A part of it; the rest has no known price, or its usage never came.
    AtLeast(Dollars),
    /// Nothing.
    Unknown,
}

impl Usage {
    /// Adds another call's usage.
    pub fn add(&mut self, other: Usage) {
        self.input = self.input.saturating_add(other.input);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.output = self.output.saturating_add(other.output);
        self.unknown_attempts = self.unknown_attempts.saturating_add(other.unknown_attempts);
        self.cost = self.cost.plus(other.cost);
        self.priced = self.priced.saturating_add(other.priced);
    }

    /// Notes an attempt whose usage never came.
    pub fn add_unknown_attempt(&mut self) {
        self.unknown_attempts = self.unknown_attempts.saturating_add(1);
    }

    /// All tokens that came in, from wherever.
    pub const fn all_input(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All tokens.
    pub const fn tokens(&self) -> u64 {
        self.all_input().saturating_add(self.output)
    }

    /// The same, all of which costs so much.
    #[must_use]
    pub const fn with_cost(self, cost: Dollars) -> Self {
        Self { cost, priced: self.tokens(), ..self }
    }

    /// What is known of its cost.
    pub const fn known_cost(&self) -> Cost {
        match (self.unknown_attempts, self.tokens()) {
            (0, tokens) if tokens <= self.priced => Cost::Exactly(self.cost),
            _ if self.priced == 0 => Cost::Unknown,
            _ => Cost::AtLeast(self.cost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_price_is_not_free() {
        let cent: Dollars = "0.01".parse().unwrap();
        let told = Usage { input: 2, output: 1, ..Usage::default() };
        assert_eq!(Usage::default().known_cost(), Cost::Exactly(Dollars::ZERO), "nothing was called");
        assert_eq!(told.known_cost(), Cost::Unknown);
        assert_eq!(told.with_cost(cent).known_cost(), Cost::Exactly(cent));
        assert_eq!(
            told.with_cost(Dollars::ZERO).known_cost(),
            Cost::Exactly(Dollars::ZERO),
            "free is a price"
        );
        let mut sum = told.with_cost(cent);
        sum.add(told.with_cost(cent));
        assert_eq!(sum.known_cost(), Cost::Exactly(cent.times(2)));
        let mut half = sum;
        half.add(told);
        assert_eq!(half.known_cost(), Cost::AtLeast(cent.times(2)), "one call has no price");
        sum.add_unknown_attempt();
        assert_eq!(sum.known_cost(), Cost::AtLeast(cent.times(2)), "one call was lost");
        let lost = Usage { unknown_attempts: 1, ..Usage::default() };
        assert_eq!(lost.known_cost(), Cost::Unknown);
    }
}
