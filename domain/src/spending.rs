//! Caps on what model calls may use, in money and tokens, and the worst case that each attempt reserves of them.
//!
//! An attempt reserves before it is sent, and is settled by the usage that its provider reports. Of every cap
//! `spent + reserved + uncertain <= cap + overrun`, where the overrun is what attempts used beyond their reservations.

use crate::dollars::Dollars;

/// Money and tokens together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpendingAmount {
    /// Tokens, input and output.
    pub tokens: u64,
    /// US dollars.
    pub cost: Dollars,
}

impl SpendingAmount {
    /// Nothing.
    pub const ZERO: Self = Self { tokens: 0, cost: Dollars::ZERO };

    /// Adds both amounts; saturates at the largest ones.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), cost: self.cost.plus(other.cost) }
    }

    /// What is left after subtracting; nothing of a part that is smaller.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), cost: self.cost.minus(other.cost) }
    }
}

crate::words! {
    /// What the caps of a workspace apply to. The word is the last part of the name of its setting.
    #[derive(PartialOrd, Ord)]
    pub enum SpendingScope {
        /// One session, without its agents.
        Session = "session",
        /// A session that no other one called, with all agents below it; of an automation that is a run.
        Tree = "tree",
        /// All runs of an automation, with their agents, on one day.
        AutomationDay = "automation_day",
        /// The work that one person began, with its agents, on one day.
        PersonDay = "person_day",
        /// The workspace on one day.
        WorkspaceDay = "workspace_day",
        /// The workspace in one month.
        WorkspaceMonth = "workspace_month",
    }
}

crate::words! {
    /// What happens to a model call of unknown price while money is capped.
    pub enum UnknownPricePolicy {
        /// The call is not sent. A run waits for a person, who sets a price or changes the policy.
        Ask = "ask",
        /// The call is not sent, and a run ends.
        Refuse = "refuse",
        /// The call is sent; only its tokens are reserved.
        Tokens = "tokens",
    }
}

/// The most that may be used; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpendingCap {
    /// US dollars.
    pub cost: Option<Dollars>,
    /// Tokens.
    pub tokens: Option<u64>,
}

impl SpendingCap {
    /// No cap.
    pub const NONE: Self = Self { cost: None, tokens: None };

    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// What is used of a cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SpendingTotals {
    /// The usage of answered attempts.
    pub spent: SpendingAmount,
    /// The reservations of attempts under way.
    pub reserved: SpendingAmount,
    /// The reservations of attempts whose usage is unknown: perhaps billed.
    pub uncertain: SpendingAmount,
}

impl SpendingTotals {
    /// All that counts against a cap.
    pub const fn used(&self) -> SpendingAmount {
        self.spent.plus(self.reserved).plus(self.uncertain)
    }
}

/// A cap that an attempt would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpendingExcess {
    /// What the cap applies to.
    pub scope: SpendingScope,
    /// The numbers.
    pub numbers: SpendingExcessNumbers,
}

/// The numbers of an excess, in the unit that is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpendingExcessNumbers {
    /// In US dollars.
    Cost {
        /// The most that may be used.
        cap: Dollars,
        /// What is used already.
        used: Dollars,
        /// The worst case of the attempt.
        needed: Dollars,
    },
    /// In tokens.
    Tokens {
        /// The most that may be used.
        cap: u64,
        /// What is used already.
        used: u64,
        /// The worst case of the attempt.
        needed: u64,
    },
}

/// Why an attempt was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SpendingRefusal {
    /// It would exceed a cap.
    Cap(SpendingExcess),
    /// Its price is unknown, so it could exceed a cap of any height.
    UnknownPrice {
        /// Whether a run waits for a person instead of ending.
        asks: bool,
        /// Description for people, with the model.
        message: String,
    },
}

/// The excess of an attempt that needs this much over one cap; `None` if the cap leaves room for it.
pub fn spending_excess(
    scope: SpendingScope,
    cap: SpendingCap,
    totals: &SpendingTotals,
    needed: SpendingAmount,
) -> Option<SpendingExcess> {
    let used = totals.used();
    let all = used.plus(needed);
    if let Some(cap) = cap.cost.filter(|cap| all.cost > *cap) {
        let numbers = SpendingExcessNumbers::Cost { cap, used: used.cost, needed: needed.cost };
        return Some(SpendingExcess { scope, numbers });
    }
    let cap = cap.tokens.filter(|cap| all.tokens > *cap)?;
    let numbers = SpendingExcessNumbers::Tokens { cap, used: used.tokens, needed: needed.tokens };
    Some(SpendingExcess { scope, numbers })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(tokens: u64, cost: &str) -> SpendingAmount {
        SpendingAmount { tokens, cost: cost.parse().unwrap() }
    }

    /// Input: caps of which 0.60 USD and 900 tokens are spent, reserved or uncertain; expected: an attempt may use all that
    /// is left, and not more.
    #[test]
    fn attempts_may_use_what_a_cap_leaves() {
        let totals = SpendingTotals {
            spent: amount(500, "0.3"),
            reserved: amount(300, "0.2"),
            uncertain: amount(100, "0.1"),
        };
        let money = SpendingCap { cost: Some("1".parse().unwrap()), tokens: None };
        let tokens = SpendingCap { cost: None, tokens: Some(1_000) };
        let excess = |cap, needed| spending_excess(SpendingScope::Tree, cap, &totals, needed);
        assert_eq!(excess(money, amount(9_999, "0.4")), None);
        assert_eq!(excess(tokens, amount(100, "9")), None);
        assert_eq!(excess(SpendingCap::NONE, amount(9_999, "9")), None);
        let numbers = SpendingExcessNumbers::Cost {
            cap: "1".parse().unwrap(),
            used: "0.6".parse().unwrap(),
            needed: "0.400000000001".parse().unwrap(),
        };
        let expected = SpendingExcess { scope: SpendingScope::Tree, numbers };
        assert_eq!(excess(money, amount(0, "0.400000000001")), Some(expected));
        let numbers = SpendingExcessNumbers::Tokens { cap: 1_000, used: 900, needed: 101 };
        let expected = SpendingExcess { scope: SpendingScope::Tree, numbers };
        assert_eq!(excess(tokens, amount(101, "0")), Some(expected));
    }

    #[test]
    fn smaller_amounts_leave_nothing() {
        assert_eq!(amount(5, "1").minus(amount(7, "0.25")), amount(0, "0.75"));
        assert_eq!(amount(5, "1").minus(amount(2, "3")), amount(3, "0"));
    }
}
