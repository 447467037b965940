//! The configuration file of the working folder: read once, and restricted until a person trusts it.
//!
//! Trust applies to one content at one path. The path is the file's name in the real path of its folder: a link to a
//! trusted file is another path, because relative paths in a file are resolved in its own folder.

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
use super::write::{ConfigFile, MAX_BYTES};
use super::{LOCAL_FILE, user_layer};
use crate::environment::ProcessEnvironment;
use crate::user_text::{ConfigFault, message};

/// The configuration file of a folder, and its path.
#[derive(Clone, Debug)]
pub(crate) struct ProjectConfig {
    /// Its real path.
    pub(crate) place: PathBuf,
    /// The digest of its content.
    pub(crate) digest: Digest,
    /// Whether this content is trusted at this path.
    pub(crate) trusted: bool,
    /// The keys that need trust: they are left out unless it is trusted.
    pub(crate) needs: Vec<RestrictedKey>,
    /// Why the list of trusted files cannot be used; then nothing is trusted.
    pub(crate) fault: Option<String>,
}

impl ProjectConfig {
    /// The keys that are not in force.
    pub(crate) fn left_out(&self) -> &[RestrictedKey] {
        if self.trusted { &[] } else { &self.needs }
    }
}

/// A file that was read, and the part of it in force.
pub(crate) struct ProjectConfigReview {
    /// The file.
    pub(crate) project: ProjectConfig,
    /// Its settings in force.
    pub(super) in_force: ConfigLayer,
}

/// Reads the file, if there is one. The bytes compared with the trusted digest are those parsed as settings.
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

/// The path of a file for trust: its name in the real path of its folder, even if it no longer exists.
pub(crate) fn project_config_path(path: &Path) -> std::io::Result<PathBuf> {
    let folder = real(path.parent().unwrap_or(Path::new("")))?;
    Ok(folder.join(path.file_name().unwrap_or_default()))
}

/// Whether a change made by a command keeps the trust: the file is a project's, and its content is trusted, or it is
/// new.
pub(crate) fn trust_follows(file: &ConfigFile, environment: &ProcessEnvironment) -> bool {
    let Ok(place) = project_config_path(&file.path) else { return false };
    let trusted = |text: &String| {
        let list = TrustList::for_environment(environment).read();
        list.is_ok_and(|list| list.has(&place, &sha256(text.as_bytes())))
    };
    place.file_name().is_some_and(|name| name == LOCAL_FILE) && file.text.as_ref().is_none_or(trusted)
}

/// Trusts this text at the path of this file.
pub(crate) fn trust_text(
    path: &Path,
    text: &str,
    environment: &ProcessEnvironment,
) -> Result<(), TrustFault> {
    let list = TrustList::for_environment(environment);
    let place = project_config_path(path).map_err(|error| list.io(&error))?;
    list.add(&place, &sha256(text.as_bytes()))
}

/// The bytes of the file, read once. Does not wait for special files such as pipes.
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

/// The bytes of a configuration file within the size limit.
pub(super) fn within_limit(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(std::io::Error::other(format!("it has more than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}
