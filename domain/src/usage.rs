//! Token counts, in the four kinds that every provider bills, and their cost.

use crate::dollars::Dollars;

/// Tokens of one or more model calls, and their known cost. Unknown is not zero: attempts without usage data and tokens
/// with a price are counted separately.
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
    /// Attempts without usage data (stopped, lost): perhaps billed.
    pub unknown_attempts: u32,
    /// Cost of the tokens with a known price, at the prices of the time of the call.
    pub cost: Dollars,
    /// Number of tokens with a known price.
    pub priced: u64,
}

/// A possibly incomplete cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// The full cost.
    Exactly(Dollars),
    /// A lower bound: the rest has no known price or no usage data.
    AtLeast(Dollars),
    /// No price is known.
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

    /// Counts an attempt without usage data.
    pub fn add_unknown_attempt(&mut self) {
        self.unknown_attempts = self.unknown_attempts.saturating_add(1);
    }

    /// Splits the usage into so many shares, at least one, whose tokens and costs are its own together. The cost of each
    /// share is known as far as that of the usage: a share counts an attempt without usage data if it is not known exactly.
    pub fn split(self, shares: usize) -> Vec<Usage> {
        let count = shares.max(1);
        let tokens_of = |tokens: u64, index: usize| {
            let (part, rest) = (tokens / count as u64, tokens % count as u64);
            part + u64::from((index as u64) < rest)
        };
        let share_of = |(index, cost)| {
            let share = Usage {
                input: tokens_of(self.input, index),
                cache_read: tokens_of(self.cache_read, index),
                cache_write: tokens_of(self.cache_write, index),
                output: tokens_of(self.output, index),
                cost,
                ..Usage::default()
            };
            match self.known_cost() {
                Cost::Exactly(_) => Usage { priced: share.tokens(), ..share },
                Cost::AtLeast(_) => Usage {
                    unknown_attempts: self.unknown_attempts.max(1),
                    priced: share.tokens().max(1),
                    ..share
                },
                Cost::Unknown => Usage { unknown_attempts: self.unknown_attempts.max(1), ..share },
            }
        };
        self.cost.split(count).enumerate().map(share_of).collect()
    }

    /// All input tokens, cached or not.
    pub const fn all_input(&self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// All tokens, input and output.
    pub const fn tokens(&self) -> u64 {
        self.all_input().saturating_add(self.output)
    }

    /// The same tokens, all of them priced at this total cost.
    #[must_use]
    pub const fn with_cost(self, cost: Dollars) -> Self {
        Self { cost, priced: self.tokens(), ..self }
    }

    /// The same tokens with a lower bound of their cost, because the bill has parts beside tokens. One token counts as
    /// unpriced, so that every sum with them stays a lower bound.
    #[must_use]
    pub const fn with_least_cost(self, cost: Dollars) -> Self {
        Self { cost, priced: self.tokens().saturating_sub(1), ..self }
    }

    /// The cost as known.
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

    /// Input: usage of known, partly known and unknown cost; expected: shares that are the usage together, each with a cost
    /// as known as that of the usage.
    #[test]
    fn shares_are_the_usage_together() {
        let told = Usage { input: 7, cache_read: 5, output: 11, ..Usage::default() };
        let mut lost = told.with_cost("0.01".parse().unwrap());
        lost.add_unknown_attempt();
        for usage in
            [told, told.with_cost("0.01".parse().unwrap()), told.with_least_cost("1".parse().unwrap()), lost]
        {
            for shares in [1, 2, 3] {
                let split = usage.split(shares);
                assert_eq!(split.len(), shares);
                let kinds = |cost| std::mem::discriminant(&cost);
                assert!(split.iter().all(|share| kinds(share.known_cost()) == kinds(usage.known_cost())));
                let mut sum = Usage::default();
                split.into_iter().for_each(|share| sum.add(share));
                assert_eq!((sum.tokens(), sum.output, sum.cost), (usage.tokens(), usage.output, usage.cost));
            }
        }
    }

    #[test]
    fn unpriced_usage_is_not_free() {
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
        let mut more = told.with_least_cost(cent);
        assert_eq!(more.known_cost(), Cost::AtLeast(cent), "searches are billed beside the tokens");
        more.add(told.with_cost(cent));
        assert_eq!(more.known_cost(), Cost::AtLeast(cent.times(2)));
        let lost = Usage { unknown_attempts: 1, ..Usage::default() };
        assert_eq!(lost.known_cost(), Cost::Unknown);
    }
}
