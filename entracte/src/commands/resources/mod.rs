//! `text`, and (feature `resources`) `zone`, `tool`, `entry`: subcommands for a person's own data. Each becomes a command of the catalog that
//! runs like every manual call: with the same checks and approvals, journaled as that person's.

mod action_result;
#[cfg(feature = "resources")]
pub(super) mod entry;
#[cfg(feature = "resources")]
mod named_resources;
#[cfg(feature = "resources")]
mod resource_listing;
pub(super) mod shared_text;
#[cfg(feature = "resources")]
pub(super) mod tool;
#[cfg(feature = "resources")]
pub(super) mod zone;

use entracte_adapters_http::shapes::command_outcome::ResultShape;
use entracte_application::json_value::to_text;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::value::JsonValue;

#[cfg(feature = "resources")]
use self::named_resources::missing_named;
use super::command_run;
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

/// The context of a command on a person's own data.
struct ResourceCommandContext<'a> {
    context: &'a CommandContext,
    api: ApiClient<'a>,
}

/// The error of a query, as it is: there is nothing that a person could name.
#[cfg(not(feature = "resources"))]
fn missing_named(error: CliError, _query: &str) -> CliError {
    error
}

impl<'a> ResourceCommandContext<'a> {
    async fn open(context: &'a CommandContext) -> Result<Self, CliError> {
        Ok(Self { context, api: ApiClient::open(context).await? })
    }

    /// Runs a query.
    async fn run_query(&self, name: &str, arguments: JsonValue) -> Result<ResultShape, CliError> {
        let answer = command_run::run_query(&self.api, name, &arguments).await;
        answer.map_err(|error| missing_named(error, name))
    }

    /// Runs a manual action, and reports its result.
    async fn run_action(self, name: &str, arguments: CommandArguments) -> Result<CliExitCode, CliError> {
        let arguments = JsonValue::Object(arguments);
        let done = command_run::run_action(self.context, &self.api, name, &arguments).await?;
        command_run::report(self.context, &self.api, done, format_action_result).await
    }
}

/// The result of an action as text, or as it is where no text fits.
fn format_action_result(result: &JsonValue, texts: &LocalizedTexts) -> String {
    let text = action_result::action_result_text(result, texts);
    text.unwrap_or_else(|| command_run::format_compact(result, texts))
}

/// A text of a row; empty if it has none.
fn text<'v>(row: &'v JsonValue, member: &str) -> &'v str {
    row.get(member).and_then(JsonValue::as_text).unwrap_or_default()
}

/// A member of a row as JSON; `null` if it has none.
fn json_text(row: &JsonValue, member: &str) -> String {
    to_text(row.get(member).unwrap_or(&JsonValue::Null))
}

/// The arguments of a command, by name.
type CommandArguments = Vec<(String, JsonValue)>;

/// The given arguments; absent ones remain unchanged.
fn present_arguments<const N: usize>(members: [(&str, Option<JsonValue>); N]) -> CommandArguments {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
