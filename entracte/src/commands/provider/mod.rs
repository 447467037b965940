//! `provider`: changes the configured providers in their file, and checks that they answer.

mod change;
mod check;
mod config_target;
mod draft;
pub(super) mod http_change;
pub(super) mod http_edit;
mod key_file;
mod list;
mod listed_entries;
mod models;
mod setting_value;
mod show;

pub(super) use change::{unusable_entry_error, usual_model_of, write_text};
pub(super) use config_target::{ConfigEditTarget, target_for_new_entry};
pub(super) use draft::{NewProviderEntry, ProviderDraft, unanswered_error};
pub(super) use key_file::{StoredKeyFile, keep, write_key, write_private};
pub(super) use list::lists_words;
pub(super) use listed_entries::{entries_with_key_state, is_set, public_entries};
pub(super) use setting_value::{looks_secret, names_secret};

use crate::args::ProviderCommand;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Runs `provider …`.
pub(crate) async fn run(context: &CommandContext, command: ProviderCommand) -> Result<CliExitCode, CliError> {
    match command {
        ProviderCommand::List => list::list(context).await,
        ProviderCommand::Show { name: Some(name), .. } => show::show(context, &name),
        ProviderCommand::Show { name: None, .. } => show::schema(context),
        ProviderCommand::Add(args) => change::add(context, args),
        ProviderCommand::Edit(args) => change::edit(context, args),
        ProviderCommand::Remove(args) => change::remove(context, args),
        ProviderCommand::Models { name, limit } => models::models(context, name, limit.into()).await,
        ProviderCommand::Check { name } => check::check(context, name).await,
    }
}

/// No provider has this name.
fn unknown(name: &str, known: &[String]) -> CliError {
    let known = known.join(", ");
    let text = message!("provider-unknown", provider = name, known = known);
    CliError::new(CliExitCode::NotFound, text)
}

/// The names of the providers in force.
fn names(context: &CommandContext) -> Vec<String> {
    context.settings.providers.iter().map(|entry| entry.name.clone()).collect()
}
