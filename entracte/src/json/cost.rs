//! What `cost … --json` and `--csv` print.

use entracte_adapters_db::CostCountResult;
use entracte_adapters_http::shapes::cost::CostRow;
use serde::Serialize;

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

/// The header of rows as comma-separated values (RFC 4180). There is no total, so that readers can sum the rows; those of
/// sessions overlap.
pub(crate) fn csv_header(by: &str) -> String {
    format!("{by},name,attempts,input,cache_read,cache_write,output,cost_usd,cost_at_least")
}

/// A row as comma-separated values.
pub(crate) fn csv_row(row: &CostRow) -> String {
    let usage = &row.usage;
    let counts = [row.attempts, usage.input, usage.cache_read, usage.cache_write, usage.output];
    let mut cells = vec![cell(&row.key), cell(row.name.as_deref().unwrap_or_default())];
    cells.extend(counts.map(|count| count.to_string()));
    cells.extend([usage.cost_usd.clone().unwrap_or_default(), usage.cost_at_least.to_string()]);
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
    use entracte_domain::usage::Usage;

    use super::*;

    #[test]
    fn rows_are_csv_without_formulas() {
        let usage = Usage { input: 3, output: 1, ..Usage::default() };
        let priced = usage.with_cost("0.0001".parse().unwrap());
        let row = |name: &str, usage: Usage| {
            let (key, name) = ("ses_1".to_owned(), Some(name.to_owned()));
            CostRow { key, name, attempts: 2, usage: usage.into(), reservations: None }
        };
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
