//! `provider add`, `edit`, `remove`: the new text is checked as if it were read, and only then written.

use std::path::{Path, PathBuf};
use std::slice::from_ref;

use entracte_adapters_providers::config::ProviderKind;
use entracte_application::texts::{LocalizedTexts, say};
use serde_json::json;
use toml_edit::Value;

use super::config_target::{ConfigEditTarget, target_for_new_entry, target_with_entry};
use super::list::is_default;
use super::listed_entries::is_set;
use super::setting_value::{known, pair, refuse_secret, secret, value_of};
use super::{names, unknown};
use crate::args::{AddProviderArgs, EditProviderArgs, RemoveProviderArgs};
use crate::command_context::CommandContext;
use crate::config::{
    ConfigEntryChange, ConfigFault, ConfigLayer, EntryTable, LayerProviderEntry, PROVIDER_PATHS, WriteFault,
    built_in_providers, fallbacks, trust_follows, trust_text,
};
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::secrets::provider_keys;
use crate::user_text::message;

/// A planned change of a configuration file.
struct ProviderChangePlan<'a> {
    name: &'a str,
    verb: &'static str,
    change: ConfigEntryChange,
    default: bool,
}

/// Adds a provider.
pub(super) fn add(context: &CommandContext, args: AddProviderArgs) -> Result<CliExitCode, CliError> {
    check_name(&args.name)?;
    if args.api_key.is_some() {
        return Err(secret("--api-key"));
    }
    let target = target_for_new_entry(context, args.file.clone())?;
    refuse_known(context, &args, &target)?;
    let keys = resolve_paths(added(&args)?, &target)?;
    let plan = ProviderChangePlan {
        name: &args.name,
        verb: "added",
        change: ConfigEntryChange::Add(keys),
        default: args.default,
    };
    carry_out(context, target, plan)
}

/// Changes a provider.
pub(super) fn edit(context: &CommandContext, args: EditProviderArgs) -> Result<CliExitCode, CliError> {
    refuse_secret("NAME", &args.name)?;
    let set = args.set.iter().map(|text| pair(text)).collect::<Result<Vec<_>, _>>()?;
    refuse_twice(set.iter().map(|(key, _)| key.as_str()).chain(args.unset.iter().map(String::as_str)))?;
    if set.is_empty() && args.unset.is_empty() && !args.default {
        let next = format!("entracte provider edit {} --set KEY=VALUE", args.name);
        return Err(CliError::with_next(CliExitCode::Usage, message!("provider-nothing-to-change"), next));
    }
    let target = target_with_entry(context, args.file, &args.name)?
        .ok_or_else(|| unknown_entry_error(context, &args.name))?;
    refuse_unset(&args.name, &args.unset, &target)?;
    let set = resolve_paths(set, &target)?;
    let change = ConfigEntryChange::Edit { set, unset: args.unset };
    carry_out(
        context,
        target,
        ProviderChangePlan { name: &args.name, verb: "changed", change, default: args.default },
    )
}

/// Removes a provider.
pub(super) fn remove(context: &CommandContext, args: RemoveProviderArgs) -> Result<CliExitCode, CliError> {
    refuse_secret("NAME", &args.name)?;
    let target = target_with_entry(context, args.file, &args.name)?
        .ok_or_else(|| unknown_entry_error(context, &args.name))?;
    if context.settings.default_provider.as_deref() == Some(&args.name) {
        return Err(is_the_default(context, &args.name));
    }
    let plan = ProviderChangePlan {
        name: &args.name,
        verb: "removed",
        change: ConfigEntryChange::Remove,
        default: false,
    };
    carry_out(context, target, plan)
}

fn carry_out(
    context: &CommandContext,
    mut target: ConfigEditTarget,
    plan: ProviderChangePlan<'_>,
) -> Result<CliExitCode, CliError> {
    let (name, verb, is_default) = (plan.name, plan.verb, plan.default);
    let entry = write(context, &mut target, plan)?;
    change_report(context, &target, name, verb, entry.as_ref())?;
    if is_default {
        say_other_default(context, &target, name);
    }
    Ok(CliExitCode::Done)
}

/// Writes a change after checking it; returns the new entry.
fn write(
    context: &CommandContext,
    target: &mut ConfigEditTarget,
    plan: ProviderChangePlan<'_>,
) -> Result<Option<LayerProviderEntry>, CliError> {
    if plan.default {
        target.edited.set_default(plan.name);
    }
    let (text, entry) = plan_change(context, target, plan.name, plan.change)?;
    write_text(context, target, &text)?;
    Ok(entry)
}

/// Writes the new text of a file, which stays trusted if it was.
pub(in crate::commands) fn write_text(
    context: &CommandContext,
    target: &ConfigEditTarget,
    text: &str,
) -> Result<(), CliError> {
    let trusted = trust_follows(&target.file, &context.environment);
    target.file.write(text).map_err(unwritten)?;
    if trusted {
        keep_trust(context, target, text);
    }
    Ok(())
}

/// The text of a file with a change, and the new entry, checked as if the file were read.
pub(super) fn plan_change(
    context: &CommandContext,
    target: &mut ConfigEditTarget,
    name: &str,
    change: ConfigEntryChange,
) -> Result<(String, Option<LayerProviderEntry>), CliError> {
    target
        .edited
        .change(EntryTable::PROVIDERS, name, change)
        .map_err(|fault| unusable_entry_error(&fault))?;
    let text = target.edited.text();
    let layer = target.file.check(&text).map_err(|fault| unusable_entry_error(&fault))?;
    check_others(context, &layer.providers, name).map_err(|fault| unusable_entry_error(&fault))?;
    Ok((text, layer.providers.into_iter().find(|entry| entry.name == name)))
}

/// Refuses a changed file that the rest of a running process does not agree with.
pub(in crate::commands) type LayerCheck<'a> = &'a (dyn Fn(ConfigLayer) -> Result<(), CliError> + Sync);

/// Writes a change for another interface, if `check` agrees with the changed file: prints nothing.
pub(super) fn change(
    context: &CommandContext,
    target: &mut ConfigEditTarget,
    name: &str,
    change: ConfigEntryChange,
    default: bool,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    check_name(name)?;
    if default {
        target.edited.set_default(name);
    }
    let (text, _) = plan_change(context, target, name, change)?;
    write_checked(context, target, &text, check)
}

/// Writes the new text of a file, if `check` agrees with it.
pub(super) fn write_checked(
    context: &CommandContext,
    target: &ConfigEditTarget,
    text: &str,
    check: LayerCheck<'_>,
) -> Result<(), CliError> {
    check(target.file.check(text).map_err(|fault| unusable_entry_error(&fault))?)?;
    write_text(context, target, text)
}

/// Checks that the fallbacks are valid with the changed file.
fn check_others(
    context: &CommandContext,
    written: &[LayerProviderEntry],
    name: &str,
) -> Result<(), ConfigFault> {
    let is_written = |entry: &&LayerProviderEntry| written.iter().any(|new| new.name == entry.name);
    // The built-in providers exist only as long as no file names any.
    let known = context.settings.providers.iter().filter(|entry| entry.line > 0);
    let others = known.filter(|entry| entry.name != name && !is_written(entry));
    let all: Vec<LayerProviderEntry> = written.iter().chain(others).cloned().collect();
    fallbacks(&all, &context.settings.parts.providers).map(drop)
}

/// Keeps the trust in a file that the person changed or created with this command.
fn keep_trust(context: &CommandContext, target: &ConfigEditTarget, text: &str) {
    if let Err(fault) = trust_text(&target.file.path, text, &context.environment) {
        context.out.write_warning(&one_line(
            &fault.words(LocalizedTexts::for_language(context.environment.language())),
        ));
    }
}

/// Reports the change, and the remaining steps.
fn change_report(
    context: &CommandContext,
    target: &ConfigEditTarget,
    name: &str,
    verb: &str,
    entry: Option<&LayerProviderEntry>,
) -> Result<(), CliError> {
    let (file, texts) = (target.file.shown(), context.environment.texts());
    if context.out.json {
        let done =
            json!({ "schema": "entracte.provider_change/1", "name": name, "change": verb, "file": file });
        context.out.write_json_line(&done)?;
    } else {
        context.out.write_data_line(&say!(
            texts,
            &format!("provider-{verb}"),
            provider = name,
            file = file
        ))?;
    }
    let Some(entry) = entry else { return Ok(()) };
    let keys = provider_keys(&context.settings.parts, from_ref(entry));
    let place = entry.config.secret_reference().filter(|place| is_set(place, keys.as_ref()) == Some(false));
    if let Some(Err(error)) = place.map(|place| keys.secret(&place)) {
        context.out.write_notice(&say!(texts, "provider-key-missing", why = error.to_string()));
    }
    context.out.write_notice(&say!(texts, "provider-try", provider = name));
    Ok(())
}

/// Warns of a default provider that is set elsewhere with higher precedence.
fn say_other_default(context: &CommandContext, target: &ConfigEditTarget, name: &str) {
    let Some((default, origin)) = context.settings.default_origin() else { return };
    let here = origin.rsplit_once(':').is_some_and(|(file, _)| file == target.file.shown());
    if !here && default != name {
        let texts = context.environment.texts();
        context.out.write_notice(&say!(texts, "provider-other-default", provider = default, origin = origin));
    }
}

/// The model that an entry of this kind has where none is configured; `None` for a server of another's.
fn usual_model(args: &AddProviderArgs) -> Option<String> {
    let sets = |key: &str| args.set.iter().any(|text| text.split('=').next().map(str::trim) == Some(key));
    let is_own = args.base_url.is_none() && !sets("base_url") && !sets("model");
    ProviderKind::from_word(&args.kind).and_then(usual_model_of).filter(|_| is_own)
}

/// The model that a service's provider has where none is configured; `None` if there is no usual one.
pub(in crate::commands) fn usual_model_of(kind: ProviderKind) -> Option<String> {
    built_in_providers().into_iter().find(|entry| entry.config.kind == kind)?.config.model
}

/// The keys of a new entry, in the order of writing.
fn added(args: &AddProviderArgs) -> Result<Vec<(String, Value)>, CliError> {
    let model = args.model.clone().or_else(|| usual_model(args));
    let flags = [
        ("kind", Some(&args.kind)),
        ("model", model.as_ref()),
        ("api_key_env", args.api_key_env.as_ref()),
        ("api_key_file", args.api_key_file.as_ref()),
        ("base_url", args.base_url.as_ref()),
        ("dialect", args.dialect.as_ref()),
    ];
    let flags = flags.into_iter().filter_map(|(key, text)| Some((key, text?)));
    let mut keys = flags
        .map(|(key, text)| Ok((key.to_owned(), value_of(key, text)?)))
        .collect::<Result<Vec<_>, CliError>>()?;
    for text in &args.set {
        keys.push(pair(text)?);
    }
    refuse_twice(keys.iter().map(|(key, _)| key.as_str()))?;
    Ok(keys)
}

/// Resolves paths in the working folder; a file in another folder gets absolute paths.
fn resolve_paths(
    mut keys: Vec<(String, Value)>,
    target: &ConfigEditTarget,
) -> Result<Vec<(String, Value)>, CliError> {
    if target.file.folder() == Path::new("") {
        return Ok(keys);
    }
    for (key, value) in &mut keys {
        let Some(path) = path_in(key, value) else { continue };
        let typed = PathBuf::from(path.as_str().unwrap_or_default());
        let whole = std::path::absolute(&typed).map_err(|error| {
            let typed = typed.display().to_string();
            CliError::new(
                CliExitCode::Usage,
                message!("provider-path", key = &*key, path = typed, why = error.to_string()),
            )
        })?;
        *path = Value::from(whole.display().to_string());
    }
    Ok(keys)
}

/// The path in a value: all of it, or the program that prints a key. A name without a slash is searched in PATH.
fn path_in<'a>(key: &str, value: &'a mut Value) -> Option<&'a mut Value> {
    if PROVIDER_PATHS.contains(&key) {
        return Some(value);
    }
    let program = value.as_array_mut().filter(|_| key == "api_key_command")?.get_mut(0)?;
    program.as_str().is_some_and(|program| program.contains('/')).then_some(program)
}

pub(super) fn check_name(name: &str) -> Result<(), CliError> {
    refuse_secret("NAME", name)?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(());
    }
    let text = message!("provider-name", name = name);
    Err(CliError::with_next(CliExitCode::Usage, text, "entracte provider add --help"))
}

/// Refuses a name that exists already, in the file or in another file that is read.
fn refuse_known(
    context: &CommandContext,
    args: &AddProviderArgs,
    target: &ConfigEditTarget,
) -> Result<(), CliError> {
    let besides = context.settings.providers.iter().find(|entry| entry.name == args.name && entry.line > 0);
    let origin = match besides {
        _ if target.edited.has(EntryTable::PROVIDERS, &args.name) => target.file.shown(),
        Some(entry) if args.file.is_none() => entry.origin.clone(),
        _ => return Ok(()),
    };
    let next = format!("entracte provider edit {} --set KEY=VALUE", args.name);
    let text = message!("provider-exists", provider = &args.name, origin = origin);
    Err(CliError::with_next(CliExitCode::Conflict, text, next))
}

fn refuse_twice<'a>(keys: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    let mut seen = std::collections::BTreeSet::new();
    for key in keys {
        if !seen.insert(key) {
            let text = message!("provider-twice", key = key);
            return Err(CliError::with_next(CliExitCode::Usage, text, "entracte provider edit --help"));
        }
    }
    Ok(())
}

fn refuse_unset(name: &str, unset: &[String], target: &ConfigEditTarget) -> Result<(), CliError> {
    let there = target.edited.keys(EntryTable::PROVIDERS, name);
    for key in unset {
        known(key)?;
        if !there.contains(key) {
            let text = message!("provider-not-set", key = key, provider = name, file = target.file.shown());
            return Err(CliError::with_next(
                CliExitCode::NotFound,
                text,
                format!("entracte provider show {name}"),
            ));
        }
    }
    Ok(())
}

/// No file contains the entry.
pub(super) fn unknown_entry_error(context: &CommandContext, name: &str) -> CliError {
    match context.settings.providers.iter().find(|entry| entry.name == name) {
        Some(entry) if entry.line == 0 => {
            let kind = entry.config.kind.word();
            let model = entry.config.model.as_deref().unwrap_or_default();
            let text = message!("provider-built-in", provider = name);
            let next = format!("entracte provider add {name} --kind {kind} --model {model}");
            CliError::with_next(CliExitCode::Conflict, text, next)
        }
        Some(entry) => {
            let text = message!("provider-elsewhere", provider = name, origin = &entry.origin);
            CliError::with_next(CliExitCode::NotFound, text, "entracte provider list")
        }
        None if context.settings.parts.providers.contains_key(name) => {
            let text = message!("provider-of-program", provider = name);
            CliError::with_next(CliExitCode::Conflict, text, format!("entracte provider show {name}"))
        }
        None => unknown(name, &names(context)),
    }
}

/// The default provider cannot be removed before another one is set.
pub(super) fn is_the_default(context: &CommandContext, name: &str) -> CliError {
    let why = match context.settings.default_origin() {
        Some((_, origin)) => message!("provider-default-in", origin = origin),
        None => message!("provider-default-first"),
    };
    let other = context.settings.providers.iter().find(|entry| !is_default(context, entry));
    let next = match other {
        Some(other) => format!("entracte provider edit {} --default", other.name),
        None => "entracte provider add NAME --kind KIND --model MODEL --default".to_owned(),
    };
    let text = message!("provider-is-default", provider = name, why = why);
    CliError::with_next(CliExitCode::Conflict, text, next)
}

/// The change would make an unusable entry. Its line is not in a file yet, so none is shown.
pub(in crate::commands) fn unusable_entry_error(fault: &ConfigFault) -> CliError {
    let fault = ConfigFault { place: None, ..fault.clone() };
    CliError::with_next(CliExitCode::Usage, fault, "entracte provider show --schema")
}

fn unwritten(fault: WriteFault) -> CliError {
    let exit = match &fault {
        WriteFault::Changed(_) => CliExitCode::Conflict,
        WriteFault::Io { .. } => CliExitCode::Failure,
    };
    let text = message!("provider-unwritten", why = fault.says());
    CliError::with_next(exit, text, "entracte config show --origin")
}
