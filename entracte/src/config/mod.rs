//! The configuration: read in layers, resolved to the values that services are built with.
//!
//! `value` and `setting_keys` define the settings; `file` reads a file, `path_resolution` resolves relative paths,
//! `key_span` locates faults; `edit` changes the text of a file, `entry_values` the values of its entries; `layers` merges the layers, `layer_entries`
//! compares the entries of one with them, `settings` converts them into types, `show` prints them
//! with their origins. `project` is the file of the working folder: `restrict` limits it until a person trusts it,
//! `trust_list` stores what is trusted.

mod agents;
mod bound_settings;
mod database;
mod edit;
mod embeddings;
mod entry_values;
mod fallbacks;
mod file;
mod files;
mod inbox;
mod key_span;
mod knowledge;
mod layer_entries;
mod layers;
mod notify;
mod path_resolution;
mod policy;
mod private_file;
mod project;
mod push_key_file;
mod restrict;
mod retention;
mod rules;
mod runtime_settings;
mod secret_shorthand;
mod secrets;
mod server;
mod server_list;
mod setting_keys;
mod settings;
mod show;
mod telemetry;
#[cfg(test)]
mod tests;
mod toml_messages;
mod tools;
mod trust_list;
mod unknown_variables;
mod value;
mod write;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use entracte_application::terminal_text::one_line;

pub(crate) use crate::user_text::ConfigFault;
pub(crate) use database::{DatabaseSource, expect as expect_database};
pub(crate) use edit::{ConfigEditor, ConfigEntryChange, EntryTable};
pub(crate) use entracte_application::duration_text::span;
pub(crate) use fallbacks::fallbacks;
pub(crate) use layers::{
    BUILT_IN, ConfigLayer, LayerProviderEntry, REHEARSAL, built_in_providers, rehearsal,
};
pub(crate) use path_resolution::PROVIDER_PATHS;
pub(crate) use policy::PolicySource;
pub(crate) use project::{
    ProjectConfig, ProjectConfigReview, examine, project_config_path, trust_follows, trust_text,
};
pub(crate) use push_key_file::PushKeyFile;
pub(crate) use restrict::{RestrictedKey, is_stricter, names};
pub(crate) use rules::limits;
pub(crate) use server::{ServerSettings, base_path as server_base_path, bind as server_bind};
pub(crate) use server_list::{ServerList, ServerListFault, ServerLogin};
pub(crate) use settings::{AppSettings, BackupSettings, check_workspace};
pub(crate) use show::{EffectiveSetting, effective_settings};
pub(crate) use tools::ExternalToolsConfig;
pub(crate) use trust_list::{TrustFault, TrustList, TrustedContent};
pub(crate) use unknown_variables::{UnknownVariable, unknown_variables};
pub(crate) use write::{ConfigFile, WriteFault};

use self::layers::{merge, of_flags, of_host, of_variables};
use self::path_resolution::ConfigFolder;
use self::secret_shorthand::{PLACES, parse_secret_shorthand};
use self::value::SettingValue;
use crate::args::Cli;
use crate::environment::ProcessEnvironment;
use crate::program_parts::ProgramParts;
use crate::user_text::{UserText, message};

/// The configuration file in the working folder.
pub(crate) const LOCAL_FILE: &str = "entracte.toml";

/// What the host of the program, and over it the command line, say about the configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigFlags {
    /// The location of the data.
    data: Option<PathBuf>,
    /// The workspace.
    workspace: Option<String>,
    /// The only file to read.
    pub(crate) file: Option<PathBuf>,
    /// Settings of the host by their names, which only options of the command line win over.
    pub(crate) host: BTreeMap<String, String>,
    /// The parts of the host.
    pub(crate) parts: Arc<ProgramParts>,
}

impl ConfigFlags {
    /// The workspace that the command line names.
    pub(crate) fn workspace(&self) -> Option<&str> {
        self.workspace.as_deref()
    }

    /// The same, with what the command line says in place of it.
    pub(crate) fn with_line(self, cli: &Cli) -> Self {
        Self {
            data: cli.data.clone(),
            workspace: cli.workspace.clone(),
            file: cli.config.clone().or(self.file),
            ..self
        }
    }
}

/// Reads and resolves the configuration.
pub(crate) fn load(
    named: &ConfigFlags,
    environment: &ProcessEnvironment,
) -> Result<AppSettings, ConfigFault> {
    load_layers(named, environment, optional)
}

/// Reads and resolves the configuration as it would be with this layer in the place of a file that new entries go to.
pub(crate) fn load_with(
    named: &ConfigFlags,
    environment: &ProcessEnvironment,
    own: ConfigLayer,
) -> Result<AppSettings, ConfigFault> {
    load_layers(named, environment, |_| Ok(Some(own.clone())))
}

/// Resolves all layers; `own` reads the only file, or the user's.
fn load_layers(
    named: &ConfigFlags,
    environment: &ProcessEnvironment,
    own: impl Fn(&Path) -> Result<Option<ConfigLayer>, ConfigFault>,
) -> Result<AppSettings, ConfigFault> {
    let data = named.data.as_ref().map(|path| path.display().to_string());
    let flags = of_flags(&[("data", data), ("workspace", named.workspace.clone())]);
    let mut all = vec![flags, of_host(&named.host)?, of_variables(&environment.variables)?];
    all.iter_mut().for_each(resolve_flag_paths);
    let mut project = None;
    match single_config_path(named.file.as_deref(), environment) {
        Some(path) => all.push(own(&path)?.ok_or_else(|| missing_file(&path))?),
        None => {
            let user = layer_of_user(environment, own)?;
            if let Some(found) = examine(Path::new(LOCAL_FILE), environment)? {
                all.push(found.in_force);
                project = Some(found.project);
            }
            all.push(user);
        }
    }
    settle_data(&mut all);
    Ok(AppSettings { project, ..AppSettings::resolve(merge(all), environment, named.parts.clone())? })
}

/// Resolves the paths of flags and variables in the working folder; a file that contains a secret must be given as an
/// absolute path.
fn resolve_flag_paths(layer: &mut ConfigLayer) {
    let kept = "database.url_file";
    if let Some((SettingValue::Text(path), _)) = layer.values.get_mut(kept) {
        *path = ConfigFolder::of(Path::new("")).setting(kept, std::mem::take(path));
    }
}

/// Interprets `data` in each layer: a folder; or a database file, whose folder then contains the other data; or a
/// database URL, and then a lower layer may still set the folder. The highest layer sets the database, and a database
/// setting in the same layer wins over `data`.
fn settle_data(layers: &mut [ConfigLayer]) {
    let (mut has_place, mut has_folder) = (false, false);
    for layer in layers {
        let Some((SettingValue::Text(data), origin)) = layer.values.remove("data") else { continue };
        let file = Path::new(&data);
        if let Some((place, text)) = parse_secret_shorthand(&data) {
            if !has_place {
                layer.add(place, text, &origin);
            }
        } else if is_database(file) {
            if !has_place {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                layer.add("data", &folder.unwrap_or(Path::new(".")).display().to_string(), &origin);
                layer.add(PLACES[0], &data, &origin);
                has_folder = true;
            }
        } else if !has_folder {
            layer.add("data", &data, &origin);
            has_folder = true;
        }
        has_place = true;
    }
}

/// Whether a path names a database file rather than its folder.
fn is_database(path: &Path) -> bool {
    let is_named_so = path.extension().is_some_and(|extension| extension == "db");
    path.is_file() || (is_named_so && !path.is_dir())
}

/// The layer of the user's file. A file that would be in the working folder, because there is no home folder, is not
/// the user's.
fn user_layer(environment: &ProcessEnvironment) -> Result<ConfigLayer, ConfigFault> {
    layer_of_user(environment, optional)
}

/// The same, read by `own`.
fn layer_of_user(
    environment: &ProcessEnvironment,
    own: impl Fn(&Path) -> Result<Option<ConfigLayer>, ConfigFault>,
) -> Result<ConfigLayer, ConfigFault> {
    let file = user_file(environment);
    let layer = if file.is_absolute() { own(&file)? } else { None };
    Ok(layer.unwrap_or_default())
}

/// The only file to read, if a flag or a variable names one.
pub(crate) fn single_config_path(flag: Option<&Path>, environment: &ProcessEnvironment) -> Option<PathBuf> {
    flag.map(Path::to_owned).or_else(|| environment.variable("ENTRACTE_CONFIG").map(PathBuf::from))
}

/// The user's configuration file.
pub(crate) fn user_file(environment: &ProcessEnvironment) -> PathBuf {
    environment.config_dir.join("config.toml")
}

fn missing_file(path: &Path) -> ConfigFault {
    ConfigFault::new(message!("config-no-file", file = path.display().to_string()))
}

fn unreadable(path: &Path, error: &std::io::Error) -> UserText {
    message!("cannot-be-read", file = one_line(&path.display().to_string()), why = error.to_string())
}

fn optional(path: &Path) -> Result<Option<ConfigLayer>, ConfigFault> {
    // Reading waits for a pipe, because the person named it.
    let no_text = |_| std::io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    let text = project::within_limit(path).and_then(|bytes| String::from_utf8(bytes).map_err(no_text));
    match text {
        Ok(text) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            file::read(&path.display().to_string(), &text, folder).map(Some)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigFault::new(unreadable(path, &error))),
    }
}
