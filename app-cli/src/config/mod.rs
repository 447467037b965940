//! The configuration: read in layers, resolved to what the services are built with.
//!
//! `value` and `keys` say which settings there are; `file` reads a file, `layers` puts the layers together,
//! `settings` makes types of them, `show` prints them with their origins. `project` is the file of the folder:
//! `restrict` says what of it is in force before a person trusts it, `trusted` keeps what was trusted.

mod agents;
mod bounds;
mod built;
mod database;
mod edit;
mod embeddings;
mod fallbacks;
mod file;
mod keys;
mod knowledge;
mod layers;
mod notify;
mod project;
mod restrict;
mod rules;
mod server;
mod settings;
mod show;
mod telemetry;
#[cfg(test)]
mod tests;
mod tools;
mod trusted;
mod unknown;
mod value;
mod words;
mod write;

use std::path::{Path, PathBuf};

pub(crate) use crate::message::ConfigFault;
pub(crate) use crate::span::{span, written};
pub(crate) use database::{DatabasePlace, expect as expect_database};
pub(crate) use edit::{Change, Edited};
pub(crate) use fallbacks::fallbacks;
pub(crate) use layers::{BUILT_IN, ProviderEntry, REHEARSAL, rehearsal};
pub(crate) use project::{Examined, Project, examine, place, trust_follows, trust_text};
pub(crate) use restrict::{LeftOut, is_stricter, names};
pub(crate) use rules::limits;
pub(crate) use server::{ServerSettings, base_path as server_base_path, bind as server_bind};
pub(crate) use settings::{BackupSettings, Settings, check_workspace};
pub(crate) use show::{Shown, shown};
pub(crate) use trusted::{TrustFault, TrustList, TrustedContent};
pub(crate) use unknown::{UnknownVariable, unknown_variables};
pub(crate) use write::{ConfigFile, WriteFault};

use self::layers::{Layer, merge, of_flags, of_variables};
use crate::args::Cli;
use crate::environment::Environment;
use crate::message::{Message, message};

/// The file in the folder where the command is run.
pub(crate) const LOCAL_FILE: &str = "entracte.toml";

/// Reads and resolves the configuration.
pub(crate) fn load(cli: &Cli, environment: &Environment) -> Result<Settings, ConfigFault> {
    let data = cli.data.as_ref().map(|path| path.display().to_string());
    let mut flags = of_flags(&[("data", data), ("workspace", cli.workspace.clone())]);
    if let Some(file) = cli.data.as_deref().filter(|path| is_database(path)) {
        flags.open_file(file);
    }
    let mut all = vec![flags, of_variables(&environment.variables)?];
    let mut project = None;
    match told(cli.config.as_deref(), environment) {
        Some(path) => all.push(required(&path)?),
        None => {
            let user = user_layer(environment)?;
            if let Some(found) = examine(Path::new(LOCAL_FILE), environment)? {
                all.push(found.in_force);
                project = Some(found.project);
            }
            all.push(user);
        }
    }
    Ok(Settings { project, ..Settings::of(merge(all), environment)? })
}

/// Whether `--data` names the file of a database and not the folder of one.
fn is_database(path: &Path) -> bool {
    let is_named_so = path.extension().is_some_and(|extension| extension == "db");
    path.is_file() || (is_named_so && !path.is_dir())
}

/// What the person's own file says. One that would lie in the folder where the command is run, because there is no
/// home, is not the person's.
fn user_layer(environment: &Environment) -> Result<Layer, ConfigFault> {
    let file = user_file(environment);
    let layer = if file.is_absolute() { optional(&file)? } else { None };
    Ok(layer.unwrap_or_default())
}

/// The file that is read alone, when a flag or a variable names one.
pub(crate) fn told(flag: Option<&Path>, environment: &Environment) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(|| environment.variable("ENTRACTE_CONFIG").map(PathBuf::from))
}

/// The user's file.
pub(crate) fn user_file(environment: &Environment) -> PathBuf {
    environment.config_dir.join("config.toml")
}

fn required(path: &Path) -> Result<Layer, ConfigFault> {
    optional(path)?
        .ok_or_else(|| ConfigFault::new(message!("config-no-file", file = path.display().to_string())))
}

fn unreadable(path: &Path, error: &std::io::Error) -> Message {
    message!("cannot-be-read", file = path.display().to_string(), why = error.to_string())
}

fn optional(path: &Path) -> Result<Option<Layer>, ConfigFault> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            file::read(&path.display().to_string(), &text, folder).map(Some)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigFault::new(unreadable(path, &error))),
    }
}
