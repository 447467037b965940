//! Shapes of the limits on the use of standing approvals, and of what calls used.

use std::borrow::Cow;

use entracte_domain::decimal::Decimal;
use entracte_domain::validation::{RuleUse, RuleUseState, RuleUses, UseLimit, UseLimits, UseTally};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::iso;

/// An exact decimal number, as a text: `"200.00"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecimalText(pub Decimal);

impl Serialize for DecimalText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DecimalText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let wrong = |_| D::Error::custom("a number is written as a text of plain digits, like \"200.00\"");
        Decimal::from_sum(&text).map(Self).map_err(wrong)
    }
}

/// One limit.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UseLimitShape {
    /// At most so many calls; none: as many as there are.
    pub calls: Option<u32>,
    /// At most so much in all of the argument that is summed; none: as much as there is.
    #[schema(value_type = Option<String>)]
    pub sum: Option<DecimalText>,
}

/// The limits of a rule; all of them hold at once.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UseLimitsShape {
    /// In one session with its agents: in one run of an automation.
    #[serde(default)]
    pub run: UseLimitShape,
    /// On one day of the workspace.
    #[serde(default)]
    pub day: UseLimitShape,
    /// In all.
    #[serde(default)]
    pub total: UseLimitShape,
    /// The argument whose numbers are summed; given exactly if there is a sum.
    pub summed: Option<String>,
}

/// What calls used of a limit.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct UseTallyShape {
    /// How many calls.
    pub calls: u32,
    /// The sum of their amounts.
    #[schema(value_type = String)]
    pub sum: DecimalText,
}

/// One call that used a rule.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleUseShape {
    /// The call.
    pub call: String,
    /// Its amount; 0 if no argument is summed.
    #[schema(value_type = String)]
    pub amount: DecimalText,
    /// When it was approved, or started.
    pub at: String,
    /// `reserved`: the call has not started; `started`.
    pub state: Cow<'static, str>,
}

/// What calls used of the limits of a rule.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleUsageShape {
    /// In all.
    pub total: UseTallyShape,
    /// How many of these calls have not started.
    pub reserved: u32,
    /// When the latest day began that a limit counts for; null: no day has a limit, or none was used.
    pub day: Option<String>,
    /// What calls used on that day, and those that have not started; null: as above.
    pub on_day: Option<UseTallyShape>,
    /// What each session with its agents used that has not ended, if that is limited.
    pub runs: Vec<RunUsageShape>,
    /// The latest calls, the latest last, at most 100.
    pub latest: Vec<RuleUseShape>,
}

/// What a session with its agents used.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RunUsageShape {
    /// The session.
    pub session: String,
    /// What its calls used.
    pub used: UseTallyShape,
}

impl UseLimitShape {
    fn new(limit: UseLimit) -> Self {
        Self { calls: limit.calls, sum: limit.sum.map(DecimalText) }
    }

    fn into_limit(self) -> UseLimit {
        UseLimit { calls: self.calls, sum: self.sum.map(|sum| sum.0) }
    }
}

impl UseLimitsShape {
    /// The shape of limits.
    pub fn new(limits: &UseLimits) -> Self {
        let UseLimits { run, day, total, summed } = limits;
        let [run, day, total] = [*run, *day, *total].map(UseLimitShape::new);
        Self { run, day, total, summed: summed.clone() }
    }

    /// The limits of the shape.
    pub fn into_limits(self) -> UseLimits {
        let Self { run, day, total, summed } = self;
        let [run, day, total] = [run, day, total].map(UseLimitShape::into_limit);
        UseLimits { run, day, total, summed }
    }
}

impl UseTallyShape {
    fn new(used: UseTally) -> Self {
        Self { calls: used.calls, sum: DecimalText(used.sum) }
    }
}

impl RuleUsageShape {
    /// The shape of what was used.
    pub fn new(uses: &RuleUses) -> Self {
        let is_reserved = |used: &&RuleUse| used.state == RuleUseState::Reserved;
        let reserved = uses.latest.iter().filter(is_reserved).count();
        let day = uses.day.map(|(day, _)| day);
        Self {
            total: UseTallyShape::new(uses.total),
            reserved: u32::try_from(reserved).unwrap_or(u32::MAX),
            day: day.map(iso),
            on_day: day.map(|day| UseTallyShape::new(uses.used_on(day))),
            runs: uses.runs.iter().map(|(run, used)| RunUsageShape::new(run.to_string(), *used)).collect(),
            latest: uses.latest.iter().map(RuleUseShape::new).collect(),
        }
    }
}

impl RunUsageShape {
    fn new(session: String, used: UseTally) -> Self {
        Self { session, used: UseTallyShape::new(used) }
    }
}

impl RuleUseShape {
    fn new(used: &RuleUse) -> Self {
        Self {
            call: used.call.to_string(),
            amount: DecimalText(used.amount),
            at: iso(used.at),
            state: used.state.word().into(),
        }
    }
}
