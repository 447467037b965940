//! What a standing approval covers that is given with a decision on a call, and the widths that its card offers.

use super::{ArgumentCondition, NumberRange, UseLimit, UseLimits};
use crate::decimal::Decimal;
use crate::value::JsonValue;

/// The calls that a standing approval covers which a person gives with a decision.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleWidth {
    /// The condition of each argument. Other arguments are not allowed.
    pub arguments: Vec<(String, ArgumentCondition)>,
    /// The limits on its use.
    pub limits: UseLimits,
    /// Whether it applies only to what asks: the agent, the automation of a run, or else the session.
    pub requester_only: bool,
}

impl RuleWidth {
    /// Calls a day that an offered width approves.
    pub const OFFERED_CALLS_A_DAY: u32 = 5;
}

/// The widths that the card of a call offers, the narrowest first: exactly this call again, and calls whose numbers are
/// not larger. `conditions` are those of a standing approval without a width, see
/// [`super::conditions_from_arguments`]; `is_for_run` offers the automation or agent that asks alone, too.
pub fn offered_widths(
    arguments: &JsonValue,
    conditions: &[(String, ArgumentCondition)],
    is_for_run: bool,
) -> Vec<RuleWidth> {
    let JsonValue::Object(members) = arguments else { return Vec::new() };
    let day = UseLimit { calls: Some(RuleWidth::OFFERED_CALLS_A_DAY), sum: None };
    let limits = UseLimits { day, ..UseLimits::default() };
    let exact = members.iter().map(|(name, value)| (name.clone(), ArgumentCondition::Is(value.clone())));
    let same = RuleWidth { arguments: exact.collect(), limits: limits.clone(), requester_only: is_for_run };
    let bounded = |(name, condition): &(String, ArgumentCondition)| {
        let bound = arguments.get(name).and_then(up_to);
        (name.clone(), bound.unwrap_or_else(|| condition.clone()))
    };
    let arguments: Vec<(String, ArgumentCondition)> = conditions.iter().map(bounded).collect();
    let has_bound = arguments.iter().any(|(_, condition)| matches!(condition, ArgumentCondition::Range(_)));
    let up_to_these = RuleWidth { arguments, limits, requester_only: false };
    let mut widths = vec![same];
    if has_bound && is_for_run {
        widths.push(RuleWidth { requester_only: true, ..up_to_these.clone() });
    }
    if has_bound {
        widths.push(up_to_these);
    }
    widths
}

/// The condition that a number is not larger than this one; `None` for other values and numbers that are not positive.
fn up_to(value: &JsonValue) -> Option<ArgumentCondition> {
    let JsonValue::Number(number) = value else { return None };
    let most = number.parse::<Decimal>().ok().filter(|most| *most > Decimal::ZERO)?;
    Some(ArgumentCondition::Range(NumberRange { least: Some(Decimal::ZERO), most: Some(most) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::conditions_from_arguments;

    fn payment(amount: &str) -> JsonValue {
        JsonValue::Object(vec![
            ("to".into(), "FR76".into()),
            ("amount".into(), JsonValue::Number(amount.into())),
        ])
    }

    /// Input: a payment that leaves the workspace; expected: the same payment again, and smaller ones to the same account,
    /// each at most five times a day.
    #[test]
    fn card_offers_the_same_and_smaller_amounts() {
        let call = payment("200.00");
        let widths = offered_widths(&call, &conditions_from_arguments(&call, true), false);
        assert_eq!(widths.len(), 2);
        let meets = |width: &RuleWidth, amount: &str| {
            let number = JsonValue::Number(amount.into());
            width.arguments.iter().all(|(name, condition)| match name.as_str() {
                "amount" => condition.is_met_by(&number),
                _ => condition.is_met_by(&"FR76".into()) && !condition.is_met_by(&"FR77".into()),
            })
        };
        assert!(meets(&widths[0], "200.00") && !meets(&widths[0], "199"));
        assert!(meets(&widths[1], "199") && meets(&widths[1], "200") && !meets(&widths[1], "200.01"));
        assert!(widths.iter().all(|width| width.limits.day.calls == Some(5) && width.limits.is_valid()));
        assert_eq!(offered_widths(&call, &conditions_from_arguments(&call, true), true).len(), 3);
    }

    #[test]
    fn unusual_amount_is_offered_as_it_is_only() {
        for amount in ["2e2", "-5", "0"] {
            let call = payment(amount);
            let widths = offered_widths(&call, &conditions_from_arguments(&call, true), false);
            assert_eq!(widths.len(), 1, "{amount}");
        }
    }
}
