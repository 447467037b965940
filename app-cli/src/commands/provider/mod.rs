//! `provider`: changes the configured providers in their file, and checks that they answer.

mod change;
mod check;
mod config_target;
pub(super) mod http_edit;
mod list;
mod models;
mod setting_value;
mod show;

pub(super) use list::{is_set, lists_words, place_words};

use std::path::Path;

use crate::args::ProviderCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Runs `provider …`; `config` is the file of `--config`.
pub(crate) async fn run(
    desk: &CommandContext,
    config: Option<&Path>,
    command: ProviderCommand,
) -> Result<CliExitCode, CliError> {
    match command {
        ProviderCommand::List => list::list(desk),
        ProviderCommand::Show { name: Some(name), .. } => show::show(desk, &name),
        ProviderCommand::Show { name: None, .. } => show::schema(desk),
        ProviderCommand::Add(args) => change::add(desk, config, args),
        ProviderCommand::Edit(args) => change::edit(desk, config, args),
        ProviderCommand::Remove(args) => change::remove(desk, config, args),
        ProviderCommand::Models { name, limit } => models::models(desk, name, limit.into()).await,
        ProviderCommand::Check { name } => check::check(desk, name).await,
    }
}

/// No provider has this name.
fn unknown(name: &str, known: &[String]) -> CliError {
    let known = known.join(", ");
    let text = message!("provider-unknown", provider = name, known = known);
    CliError::new(CliExitCode::NotFound, text)
}

/// The names of the providers in force.
fn names(desk: &CommandContext) -> Vec<String> {
    desk.settings.providers.iter().map(|entry| entry.name.clone()).collect()
}
