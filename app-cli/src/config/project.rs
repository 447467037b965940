//! The file of the folder where the command is run: read once, and in force as far as a person trusts it.
//!
//! Trust is given to one content at one place. The place is the file's name in its folder's real path: a link to a
//! trusted file is another place, because paths in a file count from where it stands.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use entracte_application::system::sha256;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::Digest;

use super::file;
use super::layers::ConfigLayer;
use super::path_resolution::real;
use super::restrict::{RestrictedKey, restrict};
use super::trust_list::{TrustFault, TrustList};
use super::write::ConfigFile;
use super::{LOCAL_FILE, user_layer};
use crate::environment::ProcessEnvironment;
use crate::user_text::{ConfigFault, message};

/// The longest configuration file: bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The file of a folder, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct ProjectConfig {
    /// Its real path.
    pub(crate) place: PathBuf,
    /// Digest of its content.
    pub(crate) digest: Digest,
    /// This content is trusted at this place.
    pub(crate) trusted: bool,
    /// What needs trust: left out unless it is trusted.
    pub(crate) needs: Vec<RestrictedKey>,
    /// Why nothing is trusted: the list of trusted files cannot be used.
    pub(crate) fault: Option<String>,
}

impl ProjectConfig {
    /// What is not in force.
    pub(crate) fn left_out(&self) -> &[RestrictedKey] {
        if self.trusted { &[] } else { &self.needs }
    }
}

/// A file that was looked at.
pub(crate) struct ProjectConfigReview {
    /// Where it stands.
    pub(crate) project: ProjectConfig,
    /// What of it is in force.
    pub(super) in_force: ConfigLayer,
}

/// Looks at the file; none when there is none. The bytes that are compared with what was trusted are those that are
/// read as settings.
pub(crate) fn examine(
    path: &Path,
    environment: &ProcessEnvironment,
) -> Result<Option<ProjectConfigReview>, ConfigFault> {
    let shown = path.display().to_string();
    let unreadable = |why: String| ConfigFault::new(message!("cannot-be-read", file = &shown, why = why));
    let Some(bytes) = bytes(path).map_err(|error| unreadable(error.to_string()))? else { return Ok(None) };
    let digest = sha256(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| unreadable(error.to_string()))?;
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let hidden = |fault: ConfigFault| if is_link { fault.without_text() } else { fault };
    let layer = file::read(&shown, &text, path.parent().unwrap_or(Path::new(""))).map_err(hidden)?;
    let place = project_config_path(path).map_err(|error| unreadable(error.to_string()))?;
    let (trusted, fault) = match TrustList::for_environment(environment).read() {
        Ok(list) => (list.has(&place, &digest), None),
        Err(fault) => (false, Some(fault.words(LocalizedTexts::for_language(environment.language())))),
    };
    let (kept, needs) = restrict(layer.clone(), &user_layer(environment)?);
    let in_force = if trusted { layer } else { kept };
    Ok(Some(ProjectConfigReview {
        project: ProjectConfig { place, digest, trusted, needs, fault },
        in_force,
    }))
}

/// The place of a file: its name in the real path of its folder, also when it is not there any more.
pub(crate) fn project_config_path(path: &Path) -> std::io::Result<PathBuf> {
    let folder = real(path.parent().unwrap_or(Path::new("")))?;
    Ok(folder.join(path.file_name().unwrap_or_default()))
}

/// Whether a change that the person makes to a file by a command keeps its trust: the file is a project's, and is
/// trusted as it is, or new.
pub(crate) fn trust_follows(file: &ConfigFile, environment: &ProcessEnvironment) -> bool {
    let Ok(place) = project_config_path(&file.path) else { return false };
    let trusted = |text: &String| {
        let list = TrustList::for_environment(environment).read();
        list.is_ok_and(|list| list.has(&place, &sha256(text.as_bytes())))
    };
    place.file_name().is_some_and(|name| name == LOCAL_FILE) && file.text.as_ref().is_none_or(trusted)
}

/// Trusts this text at the place of this file.
pub(crate) fn trust_text(
    path: &Path,
    text: &str,
    environment: &ProcessEnvironment,
) -> Result<(), TrustFault> {
    let list = TrustList::for_environment(environment);
    let place = project_config_path(path).map_err(|error| list.io(&error))?;
    list.add(&place, &sha256(text.as_bytes()))
}

/// Its bytes, read once. What is no file, like a pipe, is not waited for.
fn bytes(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if !found.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    within_limit(path).map(Some)
}

/// The bytes of a configuration file, unless there are more of them than of any.
pub(super) fn within_limit(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(std::io::Error::other(format!("it has more than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}
