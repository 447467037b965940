//! Standing approvals in words, for people.

use std::collections::BTreeMap;

use entracte_application::json_value::to_text;
use entracte_application::texts::{LocalizedTexts, say};

use super::rule::ConditionShape;
use super::rule_limits::{UseLimitShape, UseLimitsShape};

/// The conditions on the arguments, in one sentence; empty without conditions.
pub fn conditions_in_words(arguments: &BTreeMap<String, ConditionShape>, texts: &LocalizedTexts) -> String {
    let one = |(name, condition): (&String, &ConditionShape)| condition_in_words(name, condition, texts);
    arguments.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn condition_in_words(name: &str, condition: &ConditionShape, texts: &LocalizedTexts) -> String {
    match condition {
        ConditionShape::Any => say!(texts, "rule-is-any", name = name),
        ConditionShape::Is(value) => say!(texts, "rule-is", name = name, value = to_text(&value.0)),
        ConditionShape::OneOf(values) => {
            let values: Vec<String> = values.iter().map(|value| to_text(&value.0)).collect();
            say!(texts, "rule-is-one-of", name = name, values = values.join(", "))
        }
        ConditionShape::Range { least: Some(least), most: Some(most) } => {
            let (least, most) = (least.0.to_string(), most.0.to_string());
            say!(texts, "rule-is-range", name = name, least = least, most = most)
        }
        ConditionShape::Range { least: Some(least), most: None } => {
            say!(texts, "rule-is-least", name = name, least = least.0.to_string())
        }
        ConditionShape::Range { least: None, most } => {
            let most = most.map(|most| most.0.to_string()).unwrap_or_default();
            say!(texts, "rule-is-most", name = name, most = most)
        }
        ConditionShape::Prefix(text) => say!(texts, "rule-is-prefix", name = name, text = text),
        ConditionShape::Pattern(text) => say!(texts, "rule-is-pattern", name = name, text = text),
    }
}

/// The limits of a rule, each in words; empty if there are none.
pub fn limits_in_words(limits: &UseLimitsShape, texts: &LocalizedTexts) -> Vec<String> {
    let summed = limits.summed.as_deref().unwrap_or_default();
    let spans = [("run", limits.run), ("day", limits.day), ("total", limits.total)];
    spans.into_iter().flat_map(|(span, limit)| limit_in_words(span, limit, summed, texts)).collect()
}

fn limit_in_words(
    span: &str,
    limit: UseLimitShape,
    summed: &str,
    texts: &LocalizedTexts,
) -> impl Iterator<Item = String> {
    let calls = limit.calls.map(|count| say!(texts, "rule-most-calls", count = count, span = span));
    let sum = limit
        .sum
        .map(|sum| say!(texts, "rule-most-sum", name = summed, sum = sum.0.to_string(), span = span));
    calls.into_iter().chain(sum)
}
