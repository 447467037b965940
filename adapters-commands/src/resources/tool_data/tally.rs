//! What many entries come to: their number, and for each field what its scale allows.

use std::collections::BTreeMap;

use entracte_domain::value::JsonValue;
use rust_decimal::Decimal;

use super::exact::{Sum, exact};
use crate::json::{number, object};
use crate::resources::rows::Row;
use crate::resources::tool_types::{Measure, Scale};

/// A tally of entries.
pub(crate) struct Tally {
    entries: u64,
    fields: Vec<Field>,
}

/// A tally of the values of one field.
enum Field {
    /// Numbers, and how many of them cannot be counted exactly.
    Numbers(Sum, u64),
    /// How often each value; those of a choice from the start.
    Each(BTreeMap<String, u64>, Vec<String>),
    /// How often true and false.
    Truths(u64, u64),
    /// How many.
    Texts(u64),
}

impl Tally {
    /// Of nothing yet.
    pub(crate) fn of(measures: &[Measure]) -> Self {
        Self { entries: 0, fields: measures.iter().map(|measure| Field::of(&measure.scale)).collect() }
    }

    /// With one more entry.
    pub(crate) fn add(&mut self, measures: &[Measure], entry: &Row) {
        self.entries += 1;
        for (field, measure) in self.fields.iter_mut().zip(measures) {
            if let Some(value) = measure.of(entry) {
                field.add(value);
            }
        }
    }

    /// As the model reads it: `count`, then each field by its name.
    pub(crate) fn members(&self, measures: &[Measure]) -> Vec<(String, JsonValue)> {
        let fields = self.fields.iter().zip(measures);
        let mut members = vec![("count".to_owned(), number(self.entries))];
        members
            .extend(fields.map(|(field, measure)| (measure.field.to_owned(), field.value(&measure.scale))));
        members
    }
}

impl Field {
    fn of(scale: &Scale) -> Self {
        match scale {
            Scale::Number(_) => Field::Numbers(Sum::default(), 0),
            Scale::Choice(options) => Field::Each(BTreeMap::new(), options.clone()),
            Scale::Truth => Field::Truths(0, 0),
            Scale::Text => Field::Texts(0),
        }
    }

    /// A value of another kind than the field's stems from an earlier configuration and is not counted.
    fn add(&mut self, value: &JsonValue) {
        match (self, value) {
            (Field::Numbers(sum, beyond), JsonValue::Number(text)) => match exact(text) {
                Some(number) => sum.add(number),
                None => *beyond += 1,
            },
            (Field::Each(counts, _), JsonValue::Text(text)) => *counts.entry(text.clone()).or_default() += 1,
            (Field::Truths(yes, _), JsonValue::Bool(true)) => *yes += 1,
            (Field::Truths(_, no), JsonValue::Bool(false)) => *no += 1,
            (Field::Texts(count), JsonValue::Text(_)) => *count += 1,
            (_, _) => {}
        }
    }

    fn value(&self, scale: &Scale) -> JsonValue {
        match self {
            Field::Numbers(sum, beyond) => numbers(sum, *beyond, scale),
            Field::Each(counts, options) => {
                let count = |option: &String| number(counts.get(option).copied().unwrap_or_default());
                let others = counts.keys().filter(|other| !options.contains(other));
                let all = options.iter().chain(others).map(|option| (option.clone(), count(option)));
                JsonValue::from([
                    ("count", number(counts.values().sum())),
                    ("options", JsonValue::Object(all.collect())),
                ])
            }
            Field::Truths(yes, no) => {
                JsonValue::from([("count", number(yes + no)), ("true", number(*yes)), ("false", number(*no))])
            }
            Field::Texts(count) => JsonValue::from([("count", number(*count))]),
        }
    }
}

fn numbers(sum: &Sum, beyond: u64, scale: &Scale) -> JsonValue {
    let unit = match scale {
        Scale::Number(unit) => unit.clone(),
        Scale::Choice(_) | Scale::Truth | Scale::Text => None,
    };
    let some = sum.range.is_some();
    object([
        ("count", Some(number(u64::from(sum.count)))),
        ("unit", unit.map(JsonValue::from)),
        ("sum", some.then(|| shown(sum.sum))),
        ("min", sum.range.map(|(min, _)| shown(min))),
        ("max", sum.range.map(|(_, max)| shown(max))),
        ("mean", sum.mean().map(shown)),
        ("left_out", (beyond > 0).then(|| number(beyond))),
    ])
}

fn shown(number: Decimal) -> JsonValue {
    JsonValue::Number(number.normalize().to_string())
}
