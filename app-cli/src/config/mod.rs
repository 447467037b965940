//! The configuration: read in layers, resolved to what the house is built with.
//!
//! `value` and `keys` say which settings there are; `file` reads a file, `layers` puts the layers together,
//! `settings` makes types of them, `show` prints them with their origins. Only this file touches the disk.

mod fault;
mod file;
mod keys;
mod layers;
mod rules;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod value;

use std::path::{Path, PathBuf};

pub(crate) use fault::ConfigFault;
pub(crate) use layers::ProviderEntry;
pub(crate) use settings::Settings;
pub(crate) use show::{Shown, shown};

use self::layers::{Layer, merge, of_flags, of_variables};
use crate::args::Cli;
use crate::environment::Environment;

/// The file in the folder where the command is run.
const LOCAL_FILE: &str = "entracte.toml";

/// Reads and resolves the configuration.
pub(crate) fn load(cli: &Cli, environment: &Environment) -> Result<Settings, ConfigFault> {
    let flags = of_flags(&[
        ("data", cli.data.as_ref().map(|path| path.display().to_string())),
        ("workspace", cli.workspace.clone()),
    ]);
    let mut all = vec![flags, of_variables(&environment.variables)?];
    let told = cli.config.clone().or_else(|| environment.variable("ENTRACTE_CONFIG").map(PathBuf::from));
    match told {
        Some(path) => all.push(required(&path)?),
        None => {
            all.extend(optional(Path::new(LOCAL_FILE))?);
            all.extend(optional(&environment.config_dir.join("config.toml"))?);
        }
    }
    Settings::of(merge(all), environment)
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
