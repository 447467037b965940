//! Caps on what model calls may use, in money and tokens, and the worst case that each attempt reserves of them.
//!
//! An attempt reserves before it is sent, and is settled by the usage that its provider reports. Of every cap
//! `spent + reserved + uncertain <= cap + overrun`, where the overrun is what attempts used beyond their reservations.
//!
//! A cap has a soft line below it, which holds like a cap until a person raises it.

use std::fmt;

use crate::dollars::Dollars;
use crate::localizable_text::{LocalizableText, sentences};
use crate::time::Timestamp;
use crate::usage::Usage;

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

    /// The tokens and the cost of a usage.
    pub const fn from_usage(usage: &Usage) -> Self {
        Self { tokens: usage.tokens(), cost: usage.cost }
    }

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

/// Formats the parts of the amount that are not zero, like `2.5 USD and 300 tokens`; `0 USD` if both are.
impl fmt::Display for SpendingAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, cost } = *self;
        if cost > Dollars::ZERO || tokens == 0 {
            write!(f, "{cost} USD")?;
        }
        if cost > Dollars::ZERO && tokens > 0 {
            f.write_str(" and ")?;
        }
        match tokens {
            0 => Ok(()),
            1.. => write!(f, "{tokens} tokens"),
        }
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

impl SpendingScope {
    /// Where the cap of this scope applies, in words.
    pub fn place(self) -> LocalizableText {
        match self {
            SpendingScope::Session => sentences::spending_session(),
            SpendingScope::Tree => sentences::spending_tree(),
            SpendingScope::AutomationDay => sentences::spending_automation_day(),
            SpendingScope::PersonDay => sentences::spending_person_day(),
            SpendingScope::WorkspaceDay => sentences::spending_workspace_day(),
            SpendingScope::WorkspaceMonth => sentences::spending_workspace_month(),
        }
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

    /// The soft line of the cap: this share of it, in percent, or what a person raised the line to; never above the cap.
    #[must_use]
    pub fn soft_line(self, percent: u32, raised: SpendingAmount) -> Self {
        Self {
            cost: self.cost.map(|cap| cap.percent(percent).max(raised.cost).min(cap)),
            tokens: self.tokens.map(|cap| percent_of(cap, percent).max(raised.tokens).min(cap)),
        }
    }

    /// What the cap leaves to other calls than the closing one, for which this share of it is kept, in percent.
    #[must_use]
    pub fn without_reserve(self, percent: u32) -> Self {
        Self {
            cost: self.cost.map(|cap| cap.minus(cap.percent(percent))),
            tokens: self.tokens.map(|cap| cap.saturating_sub(percent_of(cap, percent))),
        }
    }
}

/// So many hundredths of a number, rounded down.
fn percent_of(number: u64, percent: u32) -> u64 {
    let percent = u64::from(percent);
    (number / 100).saturating_mul(percent).saturating_add(number % 100 * percent / 100)
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
    /// It would exceed the soft line of a cap, and a person is asked.
    SoftLine(SpendingQuestion),
    /// Its price is unknown, so it could exceed a cap of any height.
    UnknownPrice {
        /// Whether a run waits for a person instead of ending.
        asks: bool,
        /// Description for people, with the model.
        message: String,
    },
}

/// The question at the soft line of a cap: may a session use more of it?
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpendingQuestion {
    /// What an attempt would exceed; its `cap` is the soft line.
    pub excess: SpendingExcess,
    /// What is left between the soft line and the cap without the reserve of the closing call, in the unit of the excess
    /// alone.
    pub extra: SpendingAmount,
    /// Begin of the day or month of the cap; 0 for a cap on a session or a tree.
    pub since: Timestamp,
    /// What most of it was spent for, the largest share first.
    pub spent_for: Vec<SpendingShare>,
}

/// What one command cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpendingShare {
    /// Name of the command; empty for answers that requested none.
    pub command: String,
    /// What the answers that requested it used.
    pub amount: SpendingAmount,
}

/// A person's answer to a spending question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpendingAnswer {
    /// So much more may be used.
    Continue(SpendingAmount),
    /// Nothing more may be used; the session stops as at the cap.
    Stop,
}

/// A soft line that a person raised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RaisedSpendingLine {
    /// What the cap applies to.
    pub scope: SpendingScope,
    /// The session, root session, automation or person of the scope; empty for the workspace.
    pub subject: String,
    /// Begin of the day or month of the cap; 0 for a cap on a session or a tree.
    pub since: Timestamp,
    /// The new line; a part that is 0 was not raised.
    pub line: SpendingAmount,
}

impl SpendingQuestion {
    /// The question of an attempt that needs this much over the soft line of one cap; `None` if the line leaves room.
    pub fn new(
        scope: SpendingScope,
        cap: SpendingCap,
        line: SpendingCap,
        totals: &SpendingTotals,
        needed: SpendingAmount,
    ) -> Option<Self> {
        let excess = spending_excess(scope, line, totals, needed)?;
        let extra = match excess.numbers {
            SpendingExcessNumbers::Cost { cap: line, .. } => {
                SpendingAmount { tokens: 0, cost: cap.cost?.minus(line) }
            }
            SpendingExcessNumbers::Tokens { cap: line, .. } => {
                SpendingAmount { tokens: cap.tokens?.saturating_sub(line), cost: Dollars::ZERO }
            }
        };
        Some(Self { excess, extra, since: Timestamp(0), spent_for: Vec::new() })
    }

    /// The least extra that leaves room for the attempt.
    pub const fn least(&self) -> SpendingAmount {
        match self.excess.numbers {
            SpendingExcessNumbers::Cost { cap, used, needed } => {
                SpendingAmount { tokens: 0, cost: used.plus(needed).minus(cap) }
            }
            SpendingExcessNumbers::Tokens { cap, used, needed } => {
                let tokens = used.saturating_add(needed).saturating_sub(cap);
                SpendingAmount { tokens, cost: Dollars::ZERO }
            }
        }
    }

    /// Whether this much more leaves room for the attempt, stays below the cap, and is in the unit of the question.
    pub fn allows(&self, extra: SpendingAmount) -> bool {
        let (least, most) = (self.least(), self.extra);
        let is_between = least.cost <= extra.cost && least.tokens <= extra.tokens;
        is_between && extra.cost <= most.cost && extra.tokens <= most.tokens
    }

    /// The soft line after this much more is allowed, in the unit of the question alone.
    pub const fn raised_line(&self, extra: SpendingAmount) -> SpendingAmount {
        match self.excess.numbers {
            SpendingExcessNumbers::Cost { cap, .. } => {
                SpendingAmount { tokens: 0, cost: cap.plus(extra.cost) }
            }
            SpendingExcessNumbers::Tokens { cap, .. } => {
                SpendingAmount { tokens: cap.saturating_add(extra.tokens), cost: Dollars::ZERO }
            }
        }
    }

    /// The question for people, with what was spent for what.
    pub fn text(&self) -> LocalizableText {
        let SpendingExcess { scope, numbers } = self.excess;
        let cost = |cost: Dollars| LocalizableText::from(cost.to_string());
        let mut text = match numbers {
            SpendingExcessNumbers::Cost { cap, used, needed } => sentences::spending_question_cost(
                scope.place(),
                cost(self.extra.cost),
                cost(used),
                cost(cap.plus(self.extra.cost)),
                cost(needed),
                scope.word(),
            ),
            SpendingExcessNumbers::Tokens { cap, used, needed } => {
                let (extra, cap) = (self.extra.tokens, cap.saturating_add(self.extra.tokens));
                sentences::spending_question_tokens(scope.place(), extra, used, cap, needed, scope.word())
            }
        };
        for (index, share) in self.spent_for.iter().enumerate() {
            let SpendingShare { command, amount } = share;
            let command = match command.as_str() {
                "" => sentences::spending_no_command(),
                command => command.into(),
            };
            let share = match numbers {
                SpendingExcessNumbers::Cost { .. } => {
                    sentences::spending_share_cost(command, cost(amount.cost))
                }
                SpendingExcessNumbers::Tokens { .. } => {
                    sentences::spending_share_tokens(command, amount.tokens)
                }
            };
            let before = match index {
                0 => LocalizableText::from(" ")
                    .with_appended(sentences::spending_spent_for())
                    .with_appended(" "),
                _ => "; ".into(),
            };
            text = text.with_appended(before).with_appended(share);
        }
        text
    }
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

    /// Input: a cap of 10 USD with a soft line of 80 %, and 7.90 USD of it used; expected: an attempt of 0.20 USD asks for the
    /// 2 USD that are left, any amount that lets it start and stays below the cap is allowed, and the raised line asks no more.
    #[test]
    fn soft_line_asks_for_what_the_cap_leaves() {
        let cap = SpendingCap { cost: Some("10".parse().unwrap()), tokens: Some(1_000) };
        let totals = SpendingTotals { spent: amount(5, "7.9"), ..SpendingTotals::default() };
        let ask = |raised, needed| {
            let line = cap.soft_line(80, raised);
            SpendingQuestion::new(SpendingScope::Tree, cap, line, &totals, needed)
        };
        assert_eq!(ask(SpendingAmount::ZERO, amount(1, "0.1")), None);
        let question = ask(SpendingAmount::ZERO, amount(1, "0.2")).unwrap();
        assert_eq!((question.extra, question.least()), (amount(0, "2"), amount(0, "0.1")));
        for (extra, is_allowed) in [
            (amount(0, "2"), true),
            (amount(0, "0.1"), true),
            (amount(0, "0.09"), false),
            (amount(0, "2.01"), false),
            (amount(7, "1"), false),
            (SpendingAmount::ZERO, false),
        ] {
            assert_eq!(question.allows(extra), is_allowed, "{extra:?}");
        }
        let raised = question.raised_line(amount(0, "0.5"));
        assert_eq!(raised, amount(0, "8.5"));
        assert_eq!(ask(raised, amount(1, "0.6")), None);
        let again = ask(raised, amount(1, "0.7")).unwrap();
        assert_eq!((again.extra, again.excess.scope), (amount(0, "1.5"), SpendingScope::Tree));
        let tokens = ask(raised, amount(796, "0.1")).unwrap();
        assert_eq!((tokens.extra, tokens.least()), (amount(200, "0"), amount(1, "0")));
    }

    #[test]
    fn soft_lines_stay_between_their_share_and_the_cap() {
        let cap = SpendingCap { cost: Some("0.99".parse().unwrap()), tokens: Some(u64::MAX) };
        let line = |percent, raised| cap.soft_line(percent, raised);
        assert_eq!(line(100, SpendingAmount::ZERO), cap);
        assert_eq!(line(80, amount(u64::MAX, "5")), cap);
        assert_eq!(line(50, SpendingAmount::ZERO).cost, Some("0.495".parse().unwrap()));
        assert_eq!(line(50, SpendingAmount::ZERO).tokens, Some(u64::MAX / 2));
        assert_eq!(SpendingCap::NONE.soft_line(80, amount(1, "1")), SpendingCap::NONE);
        let cap = SpendingCap { cost: Some("10".parse().unwrap()), tokens: Some(999) };
        let expected = SpendingCap { cost: Some("9".parse().unwrap()), tokens: Some(900) };
        assert_eq!((cap.without_reserve(10), cap.without_reserve(0)), (expected, cap));
    }

    #[test]
    fn smaller_amounts_leave_nothing() {
        assert_eq!(amount(5, "1").minus(amount(7, "0.25")), amount(0, "0.75"));
        assert_eq!(amount(5, "1").minus(amount(2, "3")), amount(3, "0"));
    }

    #[test]
    fn amounts_are_written_without_parts_that_are_zero() {
        let texts = [amount(0, "2.50"), amount(7, "0"), amount(7, "2"), SpendingAmount::ZERO]
            .map(|all| all.to_string());
        assert_eq!(texts, ["2.5 USD", "7 tokens", "2 USD and 7 tokens", "0 USD"]);
    }
}
