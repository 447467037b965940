use entracte_adapters_db::CostCountResult;
use entracte_application::use_cases::CostReportRow;
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
    /// Sessions that the rows leave out, because their logs could not be read.
    sessions_uncounted: u64,
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
}

impl From<CostReportRow> for CostRowObject {
    fn from(row: CostReportRow) -> Self {
        Self::new(row.key, row.name, row.attempts, row.usage)
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
        sessions_uncounted: u64,
    ) -> Self {
        let (workspace, zone) = (workspace.to_owned(), zone.to_owned());
        let schema = "entracte.cost/1";
        Self { schema, by, workspace, since, until, zone, rows, total, sessions_uncounted }
    }
}

/// `entracte.cost_rebuild/1`: what adding up all costs anew came to.
#[derive(Serialize)]
pub(crate) struct CostRebuildObject {
    schema: &'static str,
    /// Sessions whose costs were added up.
    counted: u64,
    /// Sessions whose logs cannot be read.
    unreadable: u64,
}

impl CostRebuildObject {
    /// The result.
    pub(crate) fn new(result: CostCountResult) -> Self {
        let CostCountResult { counted, unreadable } = result;
        Self { schema: "entracte.cost_rebuild/1", counted, unreadable }
    }
}

/// The header of rows as comma-separated values (RFC 4180). There is no total, so that readers can sum the rows.
pub(crate) fn csv_header(by: &str) -> String {
    format!("{by},name,attempts,input,cache_read,cache_write,output,cost_usd,cost_at_least")
}

/// A row as comma-separated values.
pub(crate) fn csv_row(row: &CostRowObject) -> String {
    let text = |text: &Option<String>| cell(text.as_deref().unwrap_or_default());
    let mut cells = vec![text(&row.key), text(&row.name), row.attempts.to_string()];
    cells.extend(row.usage.cells());
    cells.join(",")
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
        let lines = rows.iter().map(csv_row);
        assert_eq!(
            std::iter::once(csv_header("session")).chain(lines).collect::<Vec<_>>(),
            [
                "session,name,attempts,input,cache_read,cache_write,output,cost_usd,cost_at_least",
                "ses_1,\"a, \"\"b\"\"\",2,3,0,0,1,0.0001,false",
                "ses_1,'=SUM(A1),2,3,0,0,1,,false",
            ]
        );
    }
}
