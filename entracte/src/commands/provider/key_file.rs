//! Files that only their owner can read: keys that a person pasted, and scripts.

use std::io::Write;
use std::path::{Path, PathBuf};

use entracte_application::ports::SecretReference;
use entracte_application::system::sha256;
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempPath;

use crate::app_services::secret_references;
use crate::command_context::CommandContext;
use crate::config::{AppSettings, project_config_path, single_config_path, user_file};
use crate::error::{CliError, CliExitCode};
use crate::render::text::one_line;
use crate::user_text::message;

/// The folder of stored keys, in that of the user's configuration.
const FOLDER: &str = "keys";

/// How many characters of a digest are in the name of the folder of another configuration.
const DIGEST_CHARS: usize = 16;

/// The folder of the stored keys of this configuration. Each other one than the user's has a folder of its own below, so that a
/// change of one removes no key that another one names.
fn key_folder(context: &CommandContext) -> PathBuf {
    let keys = context.environment.config_dir.join(FOLDER);
    let real = |path: &Path| project_config_path(path).unwrap_or_else(|_| path.to_owned());
    let Some(named) = single_config_path(context.flags.file.as_deref(), &context.environment) else {
        return keys;
    };
    let file = real(&named);
    if file == real(&user_file(&context.environment)) {
        return keys;
    }
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let digest = sha256(file.as_os_str().as_encoded_bytes());
    let digest: String = digest.as_str().chars().take(DIGEST_CHARS).collect();
    keys.join(format!("{name}-{digest}"))
}

/// Stores the key of a provider, or a secret of another entry, in a file of its own, which is removed again unless it is kept.
/// The name is a checked one.
pub(in crate::commands) fn write_key(
    context: &CommandContext,
    entry: &str,
    key: &SecretString,
) -> Result<TempPath, CliError> {
    let folder = key_folder(context);
    let numbered = (2_u32..).map(|number| format!("{entry}-{number}.key"));
    let mut names = std::iter::once(format!("{entry}.key")).chain(numbered);
    let file = names.find_map(|name| Some(folder.join(name)).filter(|file| !file.exists()));
    write_private(&file.unwrap_or_else(|| folder.join(entry)), key.expose_secret())
}

/// The file of a key that was pasted into this program. Files that a person made are never one.
pub(in crate::commands) struct StoredKeyFile(PathBuf);

impl StoredKeyFile {
    /// The stored keys and secrets that entries of `before` name, and none of `after` does.
    pub(in crate::commands) fn unused(
        context: &CommandContext,
        before: &AppSettings,
        after: &AppSettings,
    ) -> Vec<Self> {
        let folder = key_folder(context);
        let paths = secret_references(before).into_iter().filter_map(path_of_reference);
        let stored = paths.filter(|path| path.parent() == Some(&folder)).map(Self);
        stored.filter(|key| !key.is_named_by(after)).collect()
    }

    /// Whether an entry of the settings names the file.
    pub(in crate::commands) fn is_named_by(&self, settings: &AppSettings) -> bool {
        secret_references(settings).into_iter().filter_map(path_of_reference).any(|path| path == self.0)
    }

    /// Removes the file; one that cannot be removed stays, and its owner alone can read it.
    pub(in crate::commands) fn remove(self) {
        let _ = std::fs::remove_file(self.0);
    }
}

fn path_of_reference(place: SecretReference) -> Option<PathBuf> {
    match place {
        SecretReference::File(path) => Some(PathBuf::from(path)),
        SecretReference::Environment(_) | SecretReference::Command(_) => None,
    }
}

/// Writes a file that only its owner can read, as a whole or not at all; it is removed again unless it is kept. One that
/// exists is replaced.
pub(in crate::commands) fn write_private(file: &Path, text: &str) -> Result<TempPath, CliError> {
    try_write_private(file, text).map_err(|error| unwritten(file, &error))
}

/// Keeps a file that is needed from now on.
pub(in crate::commands) fn keep(file: TempPath) -> Result<(), CliError> {
    file.keep().map(drop).map_err(|failed| unwritten(&failed.path, &failed.error))
}

fn unwritten(file: &Path, error: &std::io::Error) -> CliError {
    let name = one_line(&file.display().to_string());
    CliError::new(CliExitCode::Failure, message!("init-unwritten", file = name, why = error.to_string()))
}

fn try_write_private(file: &Path, text: &str) -> std::io::Result<TempPath> {
    let folder = file.parent().unwrap_or(Path::new("."));
    create_private_folder(folder)?;
    // Such a new file is readable and writable by its owner only.
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(text.as_bytes())?;
    written.as_file().sync_all()?;
    written.persist(file).map_err(|error| error.error)?;
    TempPath::try_from_path(file)
}

fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}
