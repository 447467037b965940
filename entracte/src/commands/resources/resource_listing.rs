//! Answers of queries on resources, printed as tables or as JSON.

use entracte_adapters_http::shapes::command_outcome::ResultShape;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::value::JsonValue;

use super::ResourceCommandContext;
use crate::commands::command_run::print_object;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};

/// A column of a list: its head, and its cell for a row.
pub(super) type ResourceListColumn<'a> = (&'a str, fn(&JsonValue, &LocalizedTexts) -> String);

impl ResourceCommandContext<'_> {
    /// The texts in the workspace's language; also sets the time zone of displayed times.
    pub(super) async fn texts(&self) -> Result<&'static LocalizedTexts, CliError> {
        self.api.texts().await
    }

    /// Prints a list: the query's result as JSON, else a table of these columns. `empty_notice` is the text key of the
    /// notice for an empty list.
    pub(super) async fn list(
        &self,
        member: &str,
        empty_notice: &str,
        answer: ResultShape,
        columns: &[ResourceListColumn<'_>],
    ) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        if out.json {
            return self.print(answer);
        }
        let (texts, answer) = (self.texts().await?, answer.result.0);
        let all = rows(&answer, member);
        let cells = |row: &JsonValue| columns.iter().map(|(_, cell)| cell(row, texts)).collect();
        let cells: Vec<Vec<String>> = all.iter().map(cells).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        write_table(out, &heads(texts, &names), &cells)?;
        if all.is_empty() {
            out.write_notice(&texts.render(empty_notice, &[]));
        }
        if answer.get("more").and_then(JsonValue::as_bool) == Some(true) {
            let total = answer.get("total").and_then(JsonValue::as_i64).unwrap_or_default();
            let shown = all.len();
            out.write_notice(&say!(texts, "own-more", shown = shown, total = total));
        }
        Ok(CliExitCode::Done)
    }

    /// Prints the result of a query as JSON.
    pub(super) fn print(&self, answer: ResultShape) -> Result<CliExitCode, CliError> {
        print_object(self.context, answer)?;
        Ok(CliExitCode::Done)
    }
}

/// The rows of an answer's list; none if it has no such list.
pub(super) fn rows<'v>(answer: &'v JsonValue, member: &str) -> &'v [JsonValue] {
    answer.get(member).and_then(JsonValue::as_list).unwrap_or_default()
}
