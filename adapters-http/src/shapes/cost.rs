//! Shapes of tokens and costs.

use std::borrow::Cow;

use entracte_application::ports::ReservationSums;
use entracte_application::use_cases::{AUTOMATION_KEY, CostReportRow};
use entracte_domain::spending::{SpendingAmount, SpendingQuestion};
use entracte_domain::usage::{Cost, Usage};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What model calls used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageShape {
    /// Tokens that were read anew.
    pub input: u64,
    /// Tokens that came from a cache.
    pub cache_read: u64,
    /// Tokens that went into a cache.
    pub cache_write: u64,
    /// Tokens that were written.
    pub output: u64,
    /// Dollars, as a decimal text; null when nothing is known of them.
    pub cost_usd: Option<String>,
    /// A part of the cost is not known, so it is at least this.
    pub cost_at_least: bool,
}

impl From<Usage> for UsageShape {
    fn from(usage: Usage) -> Self {
        let Usage { input, cache_read, cache_write, output, .. } = usage;
        let (cost_usd, cost_at_least) = match usage.known_cost() {
            Cost::Exactly(cost) => (Some(cost.to_string()), false),
            Cost::AtLeast(cost) => (Some(cost.to_string()), true),
            Cost::Unknown => (None, false),
        };
        Self { input, cache_read, cache_write, output, cost_usd, cost_at_least }
    }
}

/// What model calls reserve of the caps on money and tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReservationsShape {
    /// Reserved by calls under way.
    pub reserved: SpendingShape,
    /// Reserved by calls whose usage is not known: perhaps billed.
    pub uncertain: SpendingShape,
    /// What calls used beyond what they had reserved.
    pub overrun: SpendingShape,
}

/// Money and tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpendingShape {
    /// Tokens.
    pub tokens: u64,
    /// Dollars, as a decimal text.
    pub cost_usd: String,
}

impl From<SpendingAmount> for SpendingShape {
    fn from(amount: SpendingAmount) -> Self {
        Self { tokens: amount.tokens, cost_usd: amount.cost.to_string() }
    }
}

impl ReservationsShape {
    /// The shape of these sums; `None` if all are zero.
    pub fn of(sums: ReservationSums) -> Option<Self> {
        let ReservationSums { reserved, uncertain, overrun } = sums;
        (sums != ReservationSums::default()).then(|| Self {
            reserved: reserved.into(),
            uncertain: uncertain.into(),
            overrun: overrun.into(),
        })
    }
}

/// The question at the soft line of a cap: may more of the cap be used?
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SpendingQuestionShape {
    /// The cap: the part of its setting’s name after `budget.`.
    pub scope: String,
    /// The most that may be allowed, which the question proposes: money or tokens.
    pub extra: SpendingShape,
    /// The least that lets the next call start.
    pub least: SpendingShape,
}

impl From<&SpendingQuestion> for SpendingQuestionShape {
    fn from(question: &SpendingQuestion) -> Self {
        Self {
            scope: question.excess.scope.word().to_owned(),
            extra: question.extra.into(),
            least: question.least().into(),
        }
    }
}

/// The answer to the question at the soft line of a cap. Without an amount as much is allowed as the question proposes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SpendingAnswerShape {
    /// False stops the session as at the cap.
    pub go_on: bool,
    /// Dollars, as a decimal text, if the question is about money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<String>,
    /// Tokens, if the question is about tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl SpendingAnswerShape {
    /// Allows what this question proposes: not more, whatever the session asks by the time that the answer arrives.
    pub fn as_proposed(question: &SpendingQuestionShape) -> Self {
        let SpendingShape { tokens, cost_usd } = &question.extra;
        match *tokens {
            0 => Self { go_on: true, cost_usd: Some(cost_usd.clone()), tokens: None },
            tokens => Self { go_on: true, cost_usd: None, tokens: Some(tokens) },
        }
    }
}

/// What a person found out about a model call whose usage was not known.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageSettlementShape {
    /// Tokens; 0 unless given.
    #[serde(default)]
    pub tokens: u64,
    /// Dollars, as a decimal text; "0" if it was not billed.
    pub cost_usd: String,
}

/// The cost of what has a key in common.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CostRow {
    /// The key: a session, a day, a model; of an automation among persons `(automation) ` and its id. Empty for calls outside of
    /// any automation, of an unknown person, or whose answer asked for no command.
    pub key: String,
    /// The name of its session or automation.
    #[serde(default)]
    pub name: Option<String>,
    /// Model calls. One that asked for several commands counts for each, and its usage is split into equal shares.
    pub attempts: u64,
    /// What they used.
    pub usage: UsageShape,
    /// What they reserve of caps; missing if nothing. Of a command: where it is the first that the answer asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservations: Option<ReservationsShape>,
}

impl CostRow {
    /// The id of the automation that stands among persons under this key.
    pub fn automation_of_person(&self) -> Option<&str> {
        self.key.strip_prefix(AUTOMATION_KEY)
    }
}

impl From<CostReportRow> for CostRow {
    fn from(row: CostReportRow) -> Self {
        Self {
            key: row.key.unwrap_or_default(),
            name: row.name,
            attempts: row.attempts,
            usage: row.usage.into(),
            reservations: ReservationsShape::of(row.reservations),
        }
    }
}

/// Costs.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CostsShape {
    /// What the rows have in common.
    pub by: Cow<'static, str>,
    /// The zone of the days.
    pub zone: String,
    /// A row for each key: sessions by age, their attempts by number, other keys in their order. Rows of sessions overlap: an
    /// agent counts in its own and in that of each session above it.
    pub rows: Vec<CostRow>,
    /// Where the next page begins: `?after=`; null after the last.
    pub next: Option<String>,
    /// All of it, on every page as of the first one.
    pub total: UsageShape,
    /// The model calls of `total`.
    #[serde(default)]
    pub total_attempts: u64,
    /// What the model calls of `total` reserve of caps; missing if nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_reservations: Option<ReservationsShape>,
    /// Sessions that are left out, because their logs could not be read when costs were added up.
    pub sessions_uncounted: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a question about money, and one about tokens; expected: the answer names the amount that was shown, in the unit
    /// of the question alone.
    #[test]
    fn proposed_answer_names_its_amount() {
        let amount = |tokens: u64, cost_usd: &str| SpendingShape { tokens, cost_usd: cost_usd.to_owned() };
        let answer = |extra: SpendingShape| {
            let least = extra.clone();
            let question = SpendingQuestionShape { scope: "tree".to_owned(), extra, least };
            let SpendingAnswerShape { go_on, cost_usd, tokens } = SpendingAnswerShape::as_proposed(&question);
            (go_on, cost_usd, tokens)
        };
        assert_eq!(answer(amount(0, "1.5")), (true, Some("1.5".to_owned()), None));
        assert_eq!(answer(amount(700, "0")), (true, None, Some(700)));
    }
}
