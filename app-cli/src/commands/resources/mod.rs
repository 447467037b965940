//! `text`, and (feature `resources`) `zone`, `tool`, `entry`: subcommands for a person's own data. Each becomes a command of the catalog that
//! runs like every manual call: with the same checks and approvals, journaled as that person's.

mod action_result;
#[cfg(feature = "resources")]
pub(super) mod entry;
#[cfg(feature = "resources")]
mod named_resources;
pub(super) mod shared_text;
#[cfg(feature = "resources")]
pub(super) mod tool;
#[cfg(feature = "resources")]
pub(super) mod zone;

use std::sync::Arc;

use entracte_application::json_value::from_serde;
use entracte_application::texts::LocalizedTexts;
use entracte_application::use_cases::RunQueryCommand;
use entracte_domain::command::Command;
use serde_json::{Map, Value, json};

#[cfg(feature = "resources")]
use self::named_resources::missing_named;
use super::manual_action;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::render::listing::{heads, write_table};
use crate::render::text::block;

/// A column of a list: its head, and its cell for a row.
type ResourceListColumn<'a> = (&'a str, fn(&Value, &LocalizedTexts) -> String);

/// The context of a command on a person's own data.
struct ResourceCommandContext<'a> {
    context: &'a CommandContext,
    services: Arc<AppServices>,
}

/// The error of a query, as it is: there is nothing that a person could name.
#[cfg(not(feature = "resources"))]
fn missing_named(error: CliError, _query: &str) -> CliError {
    error
}

impl<'a> ResourceCommandContext<'a> {
    fn new(context: &'a CommandContext) -> Result<Self, CliError> {
        Ok(Self { context, services: context.open_services()? })
    }

    /// Runs a query and returns its answer.
    async fn run_query(&self, name: &str, arguments: Value) -> Result<Value, CliError> {
        let AppServices { store, clock, ids, .. } = &*self.services;
        let run = RunQueryCommand::new(self.services.catalog(), store.clone(), clock.clone(), ids.clone());
        let content = run.run(&self.context.settings.workspace, name, from_serde(&arguments)).await;
        let content = content.map_err(|error| missing_named(error.into(), name))?;
        Ok(serde_json::from_str(&content).unwrap_or(Value::Null))
    }

    /// Runs a manual action, and reports its result.
    async fn run_action(self, name: &str, arguments: Map<String, Value>) -> Result<CliExitCode, CliError> {
        let command = Command { name: name.to_owned(), arguments: from_serde(&Value::Object(arguments)) };
        manual_action::run_manual_action(
            self.context,
            self.services,
            command,
            action_result::action_result_text,
        )
        .await
    }

    /// The texts in the workspace's language.
    async fn texts(&self) -> Result<&'static LocalizedTexts, CliError> {
        self.context.texts(&self.services, &self.context.settings.workspace).await
    }

    /// Prints a list: the query's answer as JSON, else a table of these columns. `empty_notice` is the text key of the
    /// notice for an empty list.
    async fn list(
        &self,
        command: &str,
        member: &str,
        empty_notice: &str,
        answer: &Value,
        columns: &[ResourceListColumn<'_>],
    ) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        if out.json {
            out.write_json_line(
                &json!({ "schema": "entracte.result/1", "command": command, "result": answer }),
            )?;
            return Ok(CliExitCode::Done);
        }
        let texts = self.texts().await?;
        let all = rows(answer, member);
        let cells = |row: &Value| columns.iter().map(|(_, cell)| cell(row, texts)).collect();
        let cells: Vec<Vec<String>> = all.iter().map(cells).collect();
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        write_table(out, &heads(texts, &names), &cells)?;
        if all.is_empty() {
            out.write_notice(&texts.render(empty_notice, &[]));
        }
        if answer["more"] == json!(true) {
            let (shown, total) = (all.len(), answer["total"].as_u64().unwrap_or_default());
            out.write_notice(&entracte_application::texts::say!(
                texts,
                "own-more",
                shown = shown,
                total = total
            ));
        }
        Ok(CliExitCode::Done)
    }

    /// Prints one resource as the query answered it.
    fn show(&self, command: &str, answer: &Value) -> Result<CliExitCode, CliError> {
        let out = &self.context.out;
        if out.json {
            out.write_json_line(
                &json!({ "schema": "entracte.result/1", "command": command, "result": answer }),
            )?;
        } else {
            out.write_data_line(&block(&format!("{answer:#}")))?;
        }
        Ok(CliExitCode::Done)
    }
}

fn rows<'v>(answer: &'v Value, member: &str) -> &'v [Value] {
    answer[member].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(row: &'v Value, member: &str) -> &'v str {
    row[member].as_str().unwrap_or_default()
}

/// An object of the given arguments; absent ones remain unchanged.
fn present_arguments<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
