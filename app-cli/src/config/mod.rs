//! The configuration: read in layers, resolved to what the house is built with.
//!
//! `value` and `keys` say which settings there are; `file` reads a file, `layers` puts the layers together,
//! `settings` makes types of them, `show` prints them with their origins. Only this file touches the disk.

mod database;
mod edit;
mod fault;
mod file;
mod keys;
mod layers;
mod rules;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod tools;
mod unknown;
mod value;
mod write;

use std::path::{Path, PathBuf};

pub(crate) use database::DatabasePlace;
pub(crate) use edit::{Change, Edited};
pub(crate) use fault::{ConfigFault, nearest};
pub(crate) use layers::ProviderEntry;
pub(crate) use settings::{Settings, check_workspace};
pub(crate) use show::{Shown, shown};
pub(crate) use tools::OutsideTools;
pub(crate) use unknown::unknown_variables;
pub(crate) use value::{span, written};
pub(crate) use write::{ConfigFile, WriteFault};

use self::layers::{Layer, merge, of_flags, of_variables};
use crate::args::Cli;
use crate::environment::Environment;

/// The file in the folder where the command is run.
pub(crate) const LOCAL_FILE: &str = "entracte.toml";

/// Reads and resolves the configuration.
pub(crate) fn load(cli: &Cli, environment: &Environment) -> Result<Settings, ConfigFault> {
    let flags = of_flags(&[
        ("data", cli.data.as_ref().map(|path| path.display().to_string())),
        ("workspace", cli.workspace.clone()),
    ]);
    let mut all = vec![flags, of_variables(&environment.variables)?];
    match told(cli.config.as_deref(), environment) {
        Some(path) => all.push(required(&path)?),
        None => {
            all.extend(optional(Path::new(LOCAL_FILE))?);
            all.extend(optional(&user_file(environment))?);
        }
    }
    Settings::of(merge(all), environment)
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
        .ok_or_else(|| ConfigFault::new(format!("there is no configuration file {}", path.display())))
}

fn optional(path: &Path) -> Result<Option<Layer>, ConfigFault> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            file::read(&path.display().to_string(), &text, folder).map(Some)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigFault::new(format!("{} cannot be read: {error}", path.display()))),
    }
}
