//! Chooses the configuration file to change.

use std::path::PathBuf;

use crate::command_context::CommandContext;
use crate::config::{
    ConfigEditor, ConfigFault, ConfigFile, EntryTable, LOCAL_FILE, single_config_path, user_file,
};
use crate::error::{CliError, CliExitCode};

/// The file for a new entry: the named one, else the user's.
pub(in crate::commands) fn target_for_new_entry(
    context: &CommandContext,
    file: Option<PathBuf>,
) -> Result<ConfigEditTarget, CliError> {
    let named = file.or_else(|| single_config_path(context.flags.file.as_deref(), &context.environment));
    ConfigEditTarget::read(named.unwrap_or_else(|| user_file(&context.environment)))
}

/// The file that contains an entry: the named one, else the first one in reading order; `None` if no file contains
/// it.
pub(super) fn target_with_entry(
    context: &CommandContext,
    file: Option<PathBuf>,
    name: &str,
) -> Result<Option<ConfigEditTarget>, CliError> {
    let named = file.or_else(|| single_config_path(context.flags.file.as_deref(), &context.environment));
    let all = match named {
        Some(named) => vec![named],
        None => vec![PathBuf::from(LOCAL_FILE), user_file(&context.environment)],
    };
    for path in all {
        let target = ConfigEditTarget::read(path)?;
        if target.edited.has(EntryTable::PROVIDERS, name) {
            return Ok(Some(target));
        }
    }
    Ok(None)
}

/// A file and its text being edited.
pub(in crate::commands) struct ConfigEditTarget {
    /// The file.
    pub(in crate::commands) file: ConfigFile,
    /// The edited text.
    pub(in crate::commands) edited: ConfigEditor,
}

impl ConfigEditTarget {
    fn read(path: PathBuf) -> Result<Self, CliError> {
        let file = ConfigFile::read(path).map_err(wrong)?;
        let text = file.text.as_deref().unwrap_or_default();
        // Existing faults are reported with their line before anything is changed.
        file.check(text).map_err(wrong)?;
        let edited = ConfigEditor::read(&file.shown(), text).map_err(wrong)?;
        Ok(Self { file, edited })
    }
}

/// A fault of the existing file.
fn wrong(fault: ConfigFault) -> CliError {
    CliError::new(CliExitCode::Usage, fault).or_next("entracte config show --origin")
}
