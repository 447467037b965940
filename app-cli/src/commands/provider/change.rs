//! `provider add`, `edit`, `remove`: the new text is checked as it would be read, and only then written.

use std::path::{Path, PathBuf};

use serde_json::json;
use toml_edit::Value;

use super::list::is_default;
use super::target::{Target, of_new, with_entry};
use super::value::{known, pair, refuse_secret, secret, value_of};
use super::{names, unknown};
use crate::args::{AddProvider, EditProvider, RemoveProvider};
use crate::config::{Change, ConfigFault, ProviderEntry, WriteFault};
use crate::desk::Desk;
use crate::error::{CliError, Exit};
use crate::wiring::secrets;

/// Keys whose values are paths.
const PATHS: [&str; 2] = ["api_key_file", "script"];

/// A change on its way into a file.
struct Plan<'a> {
    name: &'a str,
    verb: &'static str,
    change: Change,
    default: bool,
}

/// Adds one.
pub(super) fn add(desk: &Desk, config: Option<&Path>, args: AddProvider) -> Result<Exit, CliError> {
    check_name(&args.name)?;
    if args.api_key.is_some() {
        return Err(secret("--api-key"));
    }
    let target = of_new(desk, config, args.file.clone())?;
    refuse_known(desk, &args, &target)?;
    let keys = settled(added(&args)?, &target)?;
    let plan = Plan { name: &args.name, verb: "added", change: Change::Add(keys), default: args.default };
    carry_out(desk, target, plan)
}

/// Changes one.
pub(super) fn edit(desk: &Desk, config: Option<&Path>, args: EditProvider) -> Result<Exit, CliError> {
    refuse_secret("NAME", &args.name)?;
    let set = args.set.iter().map(|text| pair(text)).collect::<Result<Vec<_>, _>>()?;
    refuse_twice(set.iter().map(|(key, _)| key.as_str()).chain(args.unset.iter().map(String::as_str)))?;
    if set.is_empty() && args.unset.is_empty() && !args.default {
        let next = format!("entracte provider edit {} --set KEY=VALUE", args.name);
        return Err(CliError::with_next(Exit::Usage, "nothing is to be changed; say what", next));
    }
    let target = with_entry(desk, config, args.file, &args.name)?.ok_or_else(|| nowhere(desk, &args.name))?;
    refuse_unset(&args.name, &args.unset, &target)?;
    let set = settled(set, &target)?;
    let change = Change::Edit { set, unset: args.unset };
    carry_out(desk, target, Plan { name: &args.name, verb: "changed", change, default: args.default })
}

/// Takes one out.
pub(super) fn remove(desk: &Desk, config: Option<&Path>, args: RemoveProvider) -> Result<Exit, CliError> {
    refuse_secret("NAME", &args.name)?;
    let target = with_entry(desk, config, args.file, &args.name)?.ok_or_else(|| nowhere(desk, &args.name))?;
    if desk.settings.default_provider.as_deref() == Some(&args.name) {
        return Err(is_the_default(desk, &args.name));
    }
    let plan = Plan { name: &args.name, verb: "removed", change: Change::Remove, default: false };
    carry_out(desk, target, plan)
}

fn carry_out(desk: &Desk, mut target: Target, plan: Plan<'_>) -> Result<Exit, CliError> {
    target.edited.change(plan.name, plan.change).map_err(|fault| unfit(&fault))?;
    if plan.default {
        target.edited.set_default(plan.name);
    }
    let text = target.edited.text();
    let layer = target.file.check(&text).map_err(|fault| unfit(&fault))?;
    target.file.write(&text).map_err(unwritten)?;
    let entry = layer.providers.into_iter().find(|entry| entry.name == plan.name);
    told(desk, &target, plan.name, plan.verb, entry.as_ref())?;
    if plan.default {
        say_other_default(desk, &target, plan.name);
    }
    Ok(Exit::Done)
}

/// Says what was done, and what is still to do.
fn told(
    desk: &Desk,
    target: &Target,
    name: &str,
    verb: &str,
    entry: Option<&ProviderEntry>,
) -> Result<(), CliError> {
    let file = target.file.shown();
    if desk.out.json {
        let done =
            json!({ "schema": "entracte.provider_change/1", "name": name, "change": verb, "file": file });
        desk.out.object(&done)?;
    } else {
        desk.out.data(&format!("{verb} {name} in {file}"))?;
    }
    let Some(entry) = entry else { return Ok(()) };
    if let Some(Err(error)) = entry.config.secret_reference().map(|place| secrets().secret(&place)) {
        desk.out.say(&format!("its key is still to come: {error}"));
    }
    desk.out.say(&format!("try it: entracte provider check {name}"));
    Ok(())
}

/// A default that is set elsewhere may be read before this one.
fn say_other_default(desk: &Desk, target: &Target, name: &str) {
    let Some((default, origin)) = desk.settings.default_origin() else { return };
    let here = origin.rsplit_once(':').is_some_and(|(file, _)| file == target.file.shown());
    if !here && default != name {
        desk.out
            .say(&format!("default_provider is “{default}” in {origin}, which may be read before this file"));
    }
}

/// The keys of a new entry, in the order in which they are written.
fn added(args: &AddProvider) -> Result<Vec<(String, Value)>, CliError> {
    let flags = [
        ("kind", Some(&args.kind)),
        ("model", args.model.as_ref()),
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

/// Paths count from where they are typed; in a file of another folder they are written out.
fn settled(mut keys: Vec<(String, Value)>, target: &Target) -> Result<Vec<(String, Value)>, CliError> {
    if target.file.folder() == Path::new("") {
        return Ok(keys);
    }
    for (key, value) in keys.iter_mut().filter(|(key, _)| PATHS.contains(&key.as_str())) {
        let typed = PathBuf::from(value.as_str().unwrap_or_default());
        let whole = std::path::absolute(&typed).map_err(|error| {
            CliError::new(Exit::Usage, format!("{key}: “{}” is no path: {error}", typed.display()))
        })?;
        *value = Value::from(whole.display().to_string());
    }
    Ok(keys)
}

fn check_name(name: &str) -> Result<(), CliError> {
    refuse_secret("NAME", name)?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(fits) {
        return Ok(());
    }
    let text = format!("the name “{name}” must be of letters, digits, _ and -");
    Err(CliError::with_next(Exit::Usage, text, "entracte provider add --help"))
}

/// Refuses a name that is taken: in the file, or in a file that is read besides.
fn refuse_known(desk: &Desk, args: &AddProvider, target: &Target) -> Result<(), CliError> {
    let besides = desk.settings.providers.iter().find(|entry| entry.name == args.name && entry.line > 0);
    let origin = match besides {
        _ if target.edited.has(&args.name) => target.file.shown(),
        Some(entry) if args.file.is_none() => entry.origin.clone(),
        _ => return Ok(()),
    };
    let next = format!("entracte provider edit {} --set KEY=VALUE", args.name);
    let text = format!("there is already a provider {} in {origin}; change it:", args.name);
    Err(CliError::with_next(Exit::Conflict, text, next))
}

fn refuse_twice<'a>(keys: impl Iterator<Item = &'a str>) -> Result<(), CliError> {
    let mut seen = std::collections::BTreeSet::new();
    for key in keys {
        if !seen.insert(key) {
            let text = format!("“{key}” is named twice; name it once");
            return Err(CliError::with_next(Exit::Usage, text, "entracte provider edit --help"));
        }
    }
    Ok(())
}

fn refuse_unset(name: &str, unset: &[String], target: &Target) -> Result<(), CliError> {
    let there = target.edited.keys(name);
    for key in unset {
        known(key)?;
        if !there.contains(key) {
            let text = format!("“{key}” is not set in [providers.{name}] of {}", target.file.shown());
            return Err(CliError::with_next(Exit::NotFound, text, format!("entracte provider show {name}")));
        }
    }
    Ok(())
}

/// No file has the entry.
fn nowhere(desk: &Desk, name: &str) -> CliError {
    match desk.settings.providers.iter().find(|entry| entry.name == name) {
        Some(entry) if entry.line == 0 => {
            let kind = entry.config.kind.word();
            let model = entry.config.model.as_deref().unwrap_or_default();
            let text = format!("{name} is built in and stands in no file; write it into one:");
            let next = format!("entracte provider add {name} --kind {kind} --model {model}");
            CliError::with_next(Exit::Conflict, text, next)
        }
        Some(entry) => {
            let text = format!("{name} is not in that file; it is in {}", entry.origin);
            CliError::with_next(Exit::NotFound, text, "entracte provider list")
        }
        None => unknown(name, &names(desk)),
    }
}

/// The default stays until another one is named.
fn is_the_default(desk: &Desk, name: &str) -> CliError {
    let why = match desk.settings.default_origin() {
        Some((_, origin)) => format!("default_provider in {origin}"),
        None => "the first of the configuration".to_owned(),
    };
    let other = desk.settings.providers.iter().find(|entry| !is_default(desk, entry));
    let next = match other {
        Some(other) => format!("entracte provider edit {} --default", other.name),
        None => "entracte provider add NAME --kind KIND --model MODEL --default".to_owned(),
    };
    let text = format!("{name} is the default provider ({why}); make another one the default first:");
    CliError::with_next(Exit::Conflict, text, next)
}

/// The change would make an entry that cannot be used. Its line is in no file yet, so none is told.
fn unfit(fault: &ConfigFault) -> CliError {
    let mut text = fault.says.clone();
    if let Some(guess) = &fault.guess {
        text.push_str(&format!("; did you mean “{guess}”?"));
    }
    if !fault.allowed.is_empty() {
        text.push_str(&format!("\nallowed here: {}", fault.allowed.join(", ")));
    }
    CliError::with_next(Exit::Usage, text, "entracte provider show --schema")
}

fn unwritten(fault: WriteFault) -> CliError {
    let exit = match &fault {
        WriteFault::Changed(_) => Exit::Conflict,
        WriteFault::Io { .. } => Exit::Failure,
    };
    CliError::with_next(exit, format!("{fault}; it is as it was"), "entracte config show --origin")
}
