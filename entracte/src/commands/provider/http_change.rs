//! Single changes of a provider by a person in the console: its model, its address, its key, and whether new sessions
//! use it. Everything else of its entry stays, with its comments.

use std::path::Path;

use entracte_application::ports::ProviderChange;
use entracte_domain::id::Digest;
use toml_edit::Value;

use super::change::{LayerCheck, check_name, plan_change, unknown_entry_error, write_checked};
use super::config_target::ConfigEditTarget;
use super::draft::check_entry_answers;
use super::http_edit::{is_read, key_stays, own_target};
use super::key_file::{keep, write_key};
use super::setting_value::value_of;
use crate::command_context::CommandContext;
use crate::config::{ConfigEntryChange, EntryTable};
use crate::error::CliError;

/// Where an entry may say that its key is.
const KEY_PLACES: [&str; 4] = ["api_key_env", "api_key_file", "api_key_command", "api_key_command_cwd"];

/// Applies a change, if `check` agrees with the changed file; a new key counts only if the model answers with it.
pub(in crate::commands) async fn change_entry(
    context: &CommandContext,
    name: &str,
    change: &ProviderChange,
    read: &Digest,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    check_name(name)?;
    let target = own_target(context)?;
    if !target.edited.has(EntryTable::PROVIDERS, name) {
        return Err(unknown_entry_error(context, name));
    }
    is_read(&target, name, Some(read))?;
    let Some(key) = &change.key else {
        return write_changed(context, target, name, edit_of(change, None)?, check).await;
    };
    // It is removed again if anything below fails.
    let stored = write_key(context, name, key)?;
    write_changed(context, target, name, edit_of(change, Some(&stored))?, check).await?;
    keep(stored)
}

/// The keys of an entry to set, and what else a change means.
struct EntryEdit {
    set: Vec<(String, Value)>,
    has_new_key: bool,
    is_default: bool,
}

fn edit_of(change: &ProviderChange, key: Option<&Path>) -> Result<EntryEdit, CliError> {
    let typed = [("model", &change.model), ("base_url", &change.base_url)];
    let typed = typed.into_iter().filter_map(|(key, text)| Some((key, text.as_ref()?)));
    let mut set = typed
        .map(|(key, text)| Ok((key.to_owned(), value_of(key, text)?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    set.extend(key.map(|file| ("api_key_file".to_owned(), Value::from(file.display().to_string()))));
    Ok(EntryEdit { set, has_new_key: key.is_some(), is_default: change.is_default })
}

async fn write_changed(
    context: &CommandContext,
    mut target: ConfigEditTarget,
    name: &str,
    edit: EntryEdit,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    let EntryEdit { set, has_new_key, is_default } = edit;
    let is_set = |key: &String| set.iter().any(|(known, _)| known == key);
    let is_other_place = |key: &String| has_new_key && KEY_PLACES.contains(&key.as_str()) && !is_set(key);
    let unset = target.edited.keys(EntryTable::PROVIDERS, name).into_iter().filter(is_other_place).collect();
    if is_default {
        target.edited.set_default(name);
    }
    let (text, entry) = plan_change(context, &mut target, name, ConfigEntryChange::Edit { set, unset })?;
    let entry = entry.ok_or_else(|| unknown_entry_error(context, name))?;
    match has_new_key {
        true => check_entry_answers(&context.settings.parts, &entry).await?,
        // A stored key goes to no address but those that it was stored for.
        false => key_stays(context, &entry.config)?,
    }
    write_checked(context, &target, &text, check)
}
