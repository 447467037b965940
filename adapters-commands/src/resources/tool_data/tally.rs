//! Aggregates entries: their number, and for each field the statistics that its scale allows.

use std::collections::BTreeMap;

use entracte_domain::value::JsonValue;
use rust_decimal::Decimal;

use super::decimal_sum::{DecimalSum, exact};
use crate::json::{number, object};
use crate::resources::decoded_resource::DecodedResource;
use crate::resources::tool_types::{MeasurableField, MeasureScale};

/// A tally of entries.
pub(crate) struct EntryTally {
    entries: u64,
    fields: Vec<FieldTally>,
}

/// A tally of the values of one field.
enum FieldTally {
    /// Statistics of numbers, and how many numbers cannot be counted exactly.
    Numbers(DecimalSum, u64),
    /// The frequency of each value; the values of a choice are listed from the start.
    Each(BTreeMap<String, u64>, Vec<String>),
    /// The frequencies of true and false.
    Truths(u64, u64),
    /// The number of texts.
    Texts(u64),
}

impl EntryTally {
    /// An empty tally.
    pub(crate) fn of(measures: &[MeasurableField]) -> Self {
        Self { entries: 0, fields: measures.iter().map(|measure| FieldTally::of(&measure.scale)).collect() }
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, measures: &[MeasurableField], entry: &DecodedResource) {
        self.entries += 1;
        for (field, measure) in self.fields.iter_mut().zip(measures) {
            if let Some(value) = measure.of(entry) {
                field.add(value);
            }
        }
    }

    /// The result as JSON: `count`, then each field by its name.
    pub(crate) fn members(&self, measures: &[MeasurableField]) -> Vec<(String, JsonValue)> {
        let fields = self.fields.iter().zip(measures);
        let mut members = vec![("count".to_owned(), number(self.entries))];
        members
            .extend(fields.map(|(field, measure)| (measure.field.to_owned(), field.value(&measure.scale))));
        members
    }
}

impl FieldTally {
    fn of(scale: &MeasureScale) -> Self {
        match scale {
            MeasureScale::Number(_) => FieldTally::Numbers(DecimalSum::default(), 0),
            MeasureScale::Choice(options) => FieldTally::Each(BTreeMap::new(), options.clone()),
            MeasureScale::Truth => FieldTally::Truths(0, 0),
            MeasureScale::Text => FieldTally::Texts(0),
        }
    }

    /// A value of another type than the field's stems from an earlier configuration, and is not counted.
    fn add(&mut self, value: &JsonValue) {
        match (self, value) {
            (FieldTally::Numbers(sum, beyond), JsonValue::Number(text)) => match exact(text) {
                Some(number) => sum.add(number),
                None => *beyond += 1,
            },
            (FieldTally::Each(counts, _), JsonValue::Text(text)) => {
                *counts.entry(text.clone()).or_default() += 1
            }
            (FieldTally::Truths(yes, _), JsonValue::Bool(true)) => *yes += 1,
            (FieldTally::Truths(_, no), JsonValue::Bool(false)) => *no += 1,
            (FieldTally::Texts(count), JsonValue::Text(_)) => *count += 1,
            (_, _) => {}
        }
    }

    fn value(&self, scale: &MeasureScale) -> JsonValue {
        match self {
            FieldTally::Numbers(sum, beyond) => numbers(sum, *beyond, scale),
            FieldTally::Each(counts, options) => {
                let count = |option: &String| number(counts.get(option).copied().unwrap_or_default());
                let others = counts.keys().filter(|other| !options.contains(other));
                let all = options.iter().chain(others).map(|option| (option.clone(), count(option)));
                JsonValue::from([
                    ("count", number(counts.values().sum())),
                    ("options", JsonValue::Object(all.collect())),
                ])
            }
            FieldTally::Truths(yes, no) => {
                JsonValue::from([("count", number(yes + no)), ("true", number(*yes)), ("false", number(*no))])
            }
            FieldTally::Texts(count) => JsonValue::from([("count", number(*count))]),
        }
    }
}

fn numbers(sum: &DecimalSum, beyond: u64, scale: &MeasureScale) -> JsonValue {
    let unit = match scale {
        MeasureScale::Number(unit) => unit.clone(),
        MeasureScale::Choice(_) | MeasureScale::Truth | MeasureScale::Text => None,
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
