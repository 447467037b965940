//! Which configuration file a change goes to.

use std::path::{Path, PathBuf};

use crate::command_context::CommandContext;
use crate::config::{ConfigEditor, ConfigFault, ConfigFile, LOCAL_FILE, single_config_path, user_file};
use crate::error::{CliError, CliExitCode};

/// The file that a new entry goes to: the one that was named, else the user's.
pub(super) fn target_for_new_entry(
    desk: &CommandContext,
    config: Option<&Path>,
    file: Option<PathBuf>,
) -> Result<ConfigEditTarget, CliError> {
    let named = file.or_else(|| single_config_path(config, &desk.environment));
    ConfigEditTarget::read(named.unwrap_or_else(|| user_file(&desk.environment)))
}

/// The file that has an entry: the one that was named, else the first that is read and has it; none when no file
/// has it.
pub(super) fn target_with_entry(
    desk: &CommandContext,
    config: Option<&Path>,
    file: Option<PathBuf>,
    name: &str,
) -> Result<Option<ConfigEditTarget>, CliError> {
    let named = file.or_else(|| single_config_path(config, &desk.environment));
    let all = match named {
        Some(named) => vec![named],
        None => vec![PathBuf::from(LOCAL_FILE), user_file(&desk.environment)],
    };
    for path in all {
        let target = ConfigEditTarget::read(path)?;
        if target.edited.has(name) {
            return Ok(Some(target));
        }
    }
    Ok(None)
}

/// A file and its text under change.
pub(super) struct ConfigEditTarget {
    /// The file.
    pub(super) file: ConfigFile,
    /// Its text.
    pub(super) edited: ConfigEditor,
}

impl ConfigEditTarget {
    fn read(path: PathBuf) -> Result<Self, CliError> {
        let file = ConfigFile::read(path).map_err(wrong)?;
        let text = file.text.as_deref().unwrap_or_default();
        // What is wrong already is told with its line, before anything is changed.
        file.check(text).map_err(wrong)?;
        let edited = ConfigEditor::read(&file.shown(), text).map_err(wrong)?;
        Ok(Self { file, edited })
    }
}

/// A fault of a file as it is.
fn wrong(fault: ConfigFault) -> CliError {
    CliError::new(CliExitCode::Usage, fault).or_next("entracte config show --origin")
}
