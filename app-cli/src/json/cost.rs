use entracte_application::use_cases::CostTotal;
use entracte_domain::usage::Usage;
use serde::Serialize;

use super::turn::TokenUsageObject;

/// `entracte.cost/1`: what model calls used and cost.
#[derive(Serialize)]
pub(crate) struct CostObject {
    schema: &'static str,
    /// What a row stands for.
    by: &'static str,
    workspace: String,
    /// The first and the last day, when they were asked for, in this zone.
    since: Option<String>,
    until: Option<String>,
    zone: String,
    rows: Vec<CostRowObject>,
    total: CostRowObject,
}

/// One row.
#[derive(Serialize)]
pub(crate) struct CostRowObject {
    /// The id, day or name that its calls have in common; null for the total, and for calls outside of any automation.
    key: Option<String>,
    /// The name of its session or automation.
    name: Option<String>,
    attempts: u64,
    usage: TokenUsageObject,
}

impl CostRowObject {
    /// The row of these calls.
    pub(crate) fn new(key: Option<String>, name: Option<String>, attempts: u64, usage: Usage) -> Self {
        Self { key, name, attempts, usage: usage.into() }
    }

    /// The row of a sum.
    pub(crate) fn of(sum: &CostTotal<(Option<String>, Option<String>)>) -> Self {
        let (key, name) = sum.key.clone();
        Self::new(key, name, sum.attempts, sum.usage)
    }
}

impl CostObject {
    /// These rows and their total.
    pub(crate) fn new(
        by: &'static str,
        workspace: &str,
        (since, until): (Option<String>, Option<String>),
        zone: &str,
        rows: Vec<CostRowObject>,
        total: CostRowObject,
    ) -> Self {
        let (workspace, zone) = (workspace.to_owned(), zone.to_owned());
        Self { schema: "entracte.cost/1", by, workspace, since, until, zone, rows, total }
    }
}

/// The rows as comma-separated values (RFC 4180), a head first and no total: whoever reads them adds.
pub(crate) fn csv(by: &str, rows: &[CostRowObject]) -> Vec<String> {
    let head = "name,attempts,input,cache_read,cache_write,output,cost_usd,cost_at_least";
    let row = |row: &CostRowObject| {
        let text = |text: &Option<String>| cell(text.as_deref().unwrap_or_default());
        let mut cells = vec![text(&row.key), text(&row.name), row.attempts.to_string()];
        cells.extend(row.usage.cells());
        cells.join(",")
    };
    std::iter::once(format!("{by},{head}")).chain(rows.iter().map(row)).collect()
}

/// A text as a cell. What a spreadsheet would take for a formula gets an apostrophe.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    if text.contains(['"', ',', '\n', '\r']) {
        return format!("\"{guard}{}\"", text.replace('"', "\"\""));
    }
    format!("{guard}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_comma_separated_and_no_name_is_a_formula() {
        let usage = Usage { input: 3, output: 1, ..Usage::default() };
        let priced = usage.with_cost("0.0001".parse().unwrap());
        let row = |name: &str, usage| CostRowObject::new(Some("ses_1".into()), Some(name.into()), 2, usage);
        let rows = [row("a, \"b\"", priced), row("=SUM(A1)", usage)];
        assert_eq!(
            csv("session", &rows),
            [
                "session,name,attempts,input,cache_read,cache_write,output,cost_usd,cost_at_least",
                "ses_1,\"a, \"\"b\"\"\",2,3,0,0,1,0.0001,false",
                "ses_1,'=SUM(A1),2,3,0,0,1,,false",
            ]
        );
    }
}
