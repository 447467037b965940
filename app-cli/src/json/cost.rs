use entracte_application::use_cases::CostTotal;
use entracte_domain::usage::Usage;
use serde::Serialize;

use super::turn::TokenUsageObject;

/// `entracte.cost/1`: token use and cost of model calls.
#[derive(Serialize)]
pub(crate) struct CostObject {
    schema: &'static str,
    /// The grouping of the rows.
    by: &'static str,
    workspace: String,
    /// The first and the last requested day in this time zone; null without a limit.
    since: Option<String>,
    until: Option<String>,
    zone: String,
    rows: Vec<CostRowObject>,
    total: CostRowObject,
}

/// One row.
#[derive(Serialize)]
pub(crate) struct CostRowObject {
    /// The id, day or name common to its calls; null for the total, and for calls outside any automation.
    key: Option<String>,
    /// The name of its session or automation.
    name: Option<String>,
    attempts: u64,
    usage: TokenUsageObject,
}

impl CostRowObject {
    /// The row for these calls.
    pub(crate) fn new(key: Option<String>, name: Option<String>, attempts: u64, usage: Usage) -> Self {
        Self { key, name, attempts, usage: usage.into() }
    }

    /// The row for a sum.
    pub(crate) fn of(sum: &CostTotal<(Option<String>, Option<String>)>) -> Self {
        let (key, name) = sum.key.clone();
        Self::new(key, name, sum.attempts, sum.usage)
    }
}

impl CostObject {
    /// The rows and their total.
    pub(crate) fn new(
        by: &'static str,
        workspace: &str,
        since: Option<String>,
        until: Option<String>,
        zone: &str,
        rows: Vec<CostRowObject>,
        total: CostRowObject,
    ) -> Self {
        let (workspace, zone) = (workspace.to_owned(), zone.to_owned());
        Self { schema: "entracte.cost/1", by, workspace, since, until, zone, rows, total }
    }
}

/// The rows as comma-separated values (RFC 4180), with a header and without a total, so that readers can sum them.
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

/// A text as a CSV cell. A text that a spreadsheet would interpret as a formula gets an apostrophe.
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
    fn rows_are_csv_without_formulas() {
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
