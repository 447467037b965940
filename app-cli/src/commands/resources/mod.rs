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

use std::sync::Arc;

use entracte_application::json_value::from_serde;
use entracte_application::use_cases::RunQueryCommand;
use entracte_domain::command::Command;
use serde_json::{Map, Value};

#[cfg(feature = "resources")]
use self::named_resources::missing_named;
use super::manual_action;
use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};

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
}

/// A text of a row; empty if it has none.
fn text<'v>(row: &'v Value, member: &str) -> &'v str {
    row[member].as_str().unwrap_or_default()
}

/// An object of the given arguments; absent ones remain unchanged.
fn present_arguments<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
