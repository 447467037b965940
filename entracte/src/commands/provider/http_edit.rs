//! Changes of providers by a server's operator: the file that `provider add` writes to, without access to the machine
//! beyond a model's address and the name of the variable with its key.

use entracte_adapters_providers::config::ProviderConfig;
use entracte_application::system::sha256;
use entracte_domain::id::Digest;
use serde_json::Value as Json;
use toml_edit::Value;
use url::Url;

use super::change::{LayerCheck, change, is_the_default, unknown_entry_error};
use super::config_target::{ConfigEditTarget, target_for_new_entry};
use super::setting_value::value_of;
use crate::command_context::CommandContext;
use crate::config::{ConfigEntryChange, EntryTable, trust_follows};
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::{UserText, message};

/// Keys that would start a program, read a local file, or contain a secret.
const LOCAL: [&str; 5] =
    ["api_key_command", "api_key_command_cwd", "api_key_file", "script", "extra_headers"];

/// The required suffix of a key's variable, so that an operator cannot use other secrets of the process.
const KEY: &str = "_API_KEY";

/// The entity tag of an entry in the current file.
pub(in crate::commands) fn tag(context: &CommandContext, name: &str) -> Result<Option<Digest>, CliError> {
    Ok(of(&target_for_new_entry(context, None)?, name))
}

/// The file to change. A file that a folder is trusted for stays as a person wrote it: this would extend the trust.
pub(in crate::commands) fn own_target(context: &CommandContext) -> Result<ConfigEditTarget, CliError> {
    let target = target_for_new_entry(context, None)?;
    if !trust_follows(&target.file, &context.environment) {
        return Ok(target);
    }
    let text = message!("provider-trusted-file", file = one_line(&target.file.shown()));
    Err(CliError::new(CliExitCode::Usage, text))
}

/// Whether the file may be changed, before anything else is done for it.
pub(in crate::commands) fn check_own_file(context: &CommandContext) -> Result<(), CliError> {
    own_target(context).map(drop)
}

fn of(target: &ConfigEditTarget, name: &str) -> Option<Digest> {
    target.edited.entry_text(EntryTable::PROVIDERS, name).map(|text| sha256(text.as_bytes()))
}

/// The desired state of an entry.
pub(in crate::commands) struct DesiredProviderEntry<'a> {
    /// Its name.
    pub(in crate::commands) name: &'a str,
    /// Its settings.
    pub(in crate::commands) settings: &'a Json,
    /// Whether it becomes the default provider.
    pub(in crate::commands) is_default: bool,
}

/// Writes an entry with exactly these settings, if `check` agrees with the changed file.
pub(in crate::commands) fn put(
    context: &CommandContext,
    &DesiredProviderEntry { name, settings, is_default }: &DesiredProviderEntry<'_>,
    read: Option<&Digest>,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    let set = keys(settings)?;
    // An invalid entry is reported when it is written.
    if let Ok(config) = serde_json::from_value::<ProviderConfig>(settings.clone()) {
        key_stays(context, &config)?;
    }
    let mut target = own_target(context)?;
    is_read(&target, name, read)?;
    let elsewhere = context.settings.providers.iter().find(|entry| entry.name == name && entry.line > 0);
    if let Some(entry) = elsewhere.filter(|_| read.is_none()) {
        let text = message!("provider-exists", provider = name, origin = &entry.origin);
        return Err(CliError::new(CliExitCode::Conflict, text));
    }
    let is_given = |key: &String| set.iter().any(|(given, _)| given == key);
    let unset =
        target.edited.keys(EntryTable::PROVIDERS, name).into_iter().filter(|key| !is_given(key)).collect();
    let wanted =
        if read.is_none() { ConfigEntryChange::Add(set) } else { ConfigEntryChange::Edit { set, unset } };
    change(context, &mut target, name, wanted, is_default, check)
}

/// Removes an entry, if `check` agrees with the changed file.
pub(in crate::commands) fn remove(
    context: &CommandContext,
    name: &str,
    read: &Digest,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    let mut target = own_target(context)?;
    if !target.edited.has(EntryTable::PROVIDERS, name) {
        return Err(unknown_entry_error(context, name));
    }
    is_read(&target, name, Some(read))?;
    if context.settings.default_provider.as_deref() == Some(name) {
        // The entry was not changed by another request; it is in use.
        return Err(is_the_default(context, name).with_exit(CliExitCode::NotAllowed));
    }
    change(context, &mut target, name, ConfigEntryChange::Remove, false, check)
}

/// Checks that the entry is the one that was read; `None` means that it must not exist.
pub(super) fn is_read(target: &ConfigEditTarget, name: &str, read: Option<&Digest>) -> Result<(), CliError> {
    if of(target, name).as_ref() == read {
        return Ok(());
    }
    let text = message!("config-changed", file = target.file.shown());
    Err(CliError::new(CliExitCode::Conflict, text))
}

fn keys(settings: &Json) -> Result<Vec<(String, Value)>, CliError> {
    let wrong = |text: UserText| CliError::new(CliExitCode::Usage, text);
    let members = settings.as_object().ok_or_else(|| wrong(message!("provider-no-object")))?;
    let key = |(key, value): (&String, &Json)| {
        if LOCAL.contains(&key.as_str()) {
            return Err(wrong(message!("provider-local-key", key = key)));
        }
        let text = written(value).ok_or_else(|| wrong(message!("provider-null-key", key = key)))?;
        if key == "api_key_env" && !text.ends_with(KEY) {
            return Err(wrong(message!("provider-key-variable", key = key, ending = KEY)));
        }
        Ok((key.clone(), value_of(key, &text)?))
    };
    members.iter().map(key).collect()
}

/// Whether the key of an entry goes only where the machine's configuration already allows: to the default address of
/// its kind, to an address of an existing entry, or to its declared hosts. An operator who could choose both key and
/// address would get the key.
pub(super) fn key_stays(context: &CommandContext, config: &ProviderConfig) -> Result<(), CliError> {
    let Some(place) = config.secret_reference() else { return Ok(()) };
    let address = |config: &ProviderConfig| {
        let text = config.in_force().base_url.unwrap_or_default();
        Url::parse(&text).map(|url| url.origin()).ok()
    };
    let usual = ProviderConfig::new(config.kind).secret_reference();
    let is_usual = config.base_url.is_none() && usual.as_ref() == Some(&place);
    let is_known = context.settings.providers.iter().any(|entry| {
        entry.config.secret_reference().as_ref() == Some(&place) && address(&entry.config) == address(config)
    });
    // The hosts of a declared secret are checked with the whole configuration.
    let is_declared = context.settings.declared.references().any(|declared| declared == place);
    if is_usual || is_known || is_declared {
        return Ok(());
    }
    let text = message!("provider-key-elsewhere", place = place.words());
    Err(CliError::new(CliExitCode::Usage, text))
}

/// The value as typed: a string without quotes, others as in a file.
fn written(value: &Json) -> Option<String> {
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Number(_) => Some(value.to_string()),
        Json::Array(_) | Json::Object(_) => toml::Value::try_from(value).ok().map(|value| value.to_string()),
    }
}
