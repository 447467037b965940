//! One measured row: its figures, and the goals they are compared with.

use serde_json::{Map, Value, json};

/// The bound that a figure should meet.
#[derive(Clone, Copy, Debug)]
pub enum GoalBound {
    /// At least this value.
    AtLeast(f64),
    /// At most this value.
    AtMost(f64),
}

/// A figure with its goal.
#[derive(Clone, Debug)]
pub struct BenchGoal {
    /// Name of the figure.
    pub what: &'static str,
    /// The measured value.
    pub value: f64,
    /// The bound to meet.
    pub bound: GoalBound,
}

impl BenchGoal {
    /// Whether the value meets the bound.
    pub fn is_met(&self) -> bool {
        match self.bound {
            GoalBound::AtLeast(least) => self.value >= least,
            GoalBound::AtMost(most) => self.value <= most,
        }
    }
}

/// One row of results.
#[derive(Clone, Debug)]
pub struct BenchResultRow {
    /// Name of the row.
    pub row: &'static str,
    /// Which of several cases, for example `1x50`.
    pub case: String,
    /// Kind of the database: `sqlite` or `postgres`.
    pub store: &'static str,
    /// The measured figures by name.
    pub figures: Vec<(&'static str, f64)>,
    /// The figures that have a goal.
    pub goals: Vec<BenchGoal>,
}

impl BenchResultRow {
    /// Creates a row without figures.
    pub fn new(row: &'static str, case: impl Into<String>, store: &'static str) -> Self {
        Self { row, case: case.into(), store, figures: Vec::new(), goals: Vec::new() }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: f64) -> Self {
        self.figures.push((name, value));
        self
    }

    /// Adds a figure with a goal.
    #[must_use]
    pub fn held(mut self, what: &'static str, value: f64, bound: GoalBound) -> Self {
        self.goals.push(BenchGoal { what, value, bound });
        self
    }

    /// The row as one line of JSON.
    pub fn json(&self) -> String {
        let figures = self.figures.iter().map(|(name, value)| ((*name).to_owned(), number(*value)));
        let goals = self.goals.iter().map(|goal| {
            let (word, bound) = match goal.bound {
                GoalBound::AtLeast(least) => ("at_least", least),
                GoalBound::AtMost(most) => ("at_most", most),
            };
            json!({ "what": goal.what, "value": number(goal.value), word: bound, "met": goal.is_met() })
        });
        let mut object = Map::new();
        object.insert("row".into(), self.row.into());
        object.insert("case".into(), self.case.clone().into());
        object.insert("store".into(), self.store.into());
        object.extend(figures);
        object.insert("goals".into(), goals.collect());
        Value::Object(object).to_string()
    }
}

/// Three decimal places are as precise as these measurements are.
fn number(value: f64) -> Value {
    json!((value * 1000.0).round() / 1000.0)
}

/// Formats the rows as a table for people.
pub fn table(rows: &[BenchResultRow]) -> String {
    let mut lines = Vec::new();
    for row in rows {
        let head = format!("{} {} {}", row.store, row.row, row.case);
        for (name, value) in &row.figures {
            lines.push(format!("{head:<28} {name:<34} {value:>12.3}"));
        }
        for goal in &row.goals {
            let (word, bound) = match goal.bound {
                GoalBound::AtLeast(least) => (">=", least),
                GoalBound::AtMost(most) => ("<=", most),
            };
            let verdict = if goal.is_met() { "met" } else { "MISSED" };
            lines.push(format!(
                "{head:<28} {:<34} {:>12.3}   {word} {bound}  {verdict}",
                goal.what, goal.value
            ));
        }
    }
    lines.join("\n")
}
