//! Checks the files that contain secrets, and whether other users may read or change them.

use std::path::Path;

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretError, SecretReference};

use super::DoctorCheck;
use crate::app_services::{scrubbable_secret_references, secret_references};
use crate::config::{AppSettings, DatabaseSource};
use crate::secrets::secrets;
use crate::user_text::message;

/// The permissions of other users on a file, and on a folder.
const OTHERS_READ_OR_WRITE: u32 = 0o006;
const OTHERS_ENTER: u32 = 0o001;

/// One check of all files; `None` if no secret is in a file.
pub(super) fn check(settings: &AppSettings) -> Option<DoctorCheck> {
    let mut places = secret_references(settings);
    if let DatabaseSource::Kept(place) = &settings.database {
        places.push(place.clone());
    }
    let files: Vec<String> = places.into_iter().filter_map(file_of).collect();
    let mut open: Vec<String> = files
        .iter()
        .filter(|file| modes(Path::new(file)).is_some_and(|modes| is_open(&modes)))
        .cloned()
        .collect();
    open.sort();
    open.dedup();
    match (files.is_empty(), open.is_empty()) {
        (true, _) => None,
        (false, true) => Some(DoctorCheck::ok(NAME, message!("doctor-secret-files-closed"))),
        (false, false) => {
            let says = message!("doctor-secret-files-open", files = open.join(", "));
            Some(DoctorCheck::warn(NAME, says, message!("doctor-secret-files-fix")))
        }
    }
}

const NAME: &str = "secret files";

/// Checks for configured secrets that are too short to be scrubbed from texts: a process that runs sessions does not
/// start with one.
pub(super) fn short(settings: &AppSettings) -> Vec<DoctorCheck> {
    let store = secrets(&settings.parts);
    let places = scrubbable_secret_references(settings);
    let files = places.iter().filter(|place| !matches!(place, SecretReference::Command(_)));
    let refused = files.filter_map(|place| store.secret(place).err());
    let short = refused.filter_map(|error| match error {
        SecretError::TooShort { place } => Some(place),
        _ => None,
    });
    let check = |place: String| {
        let says = message!("tools-secret-short", place = &place, least = SECRET_LEAST_CHARS);
        DoctorCheck::fail(&format!("secret {place}"), says, message!("doctor-secret-short-fix"))
    };
    short.map(check).collect()
}

fn file_of(place: SecretReference) -> Option<String> {
    match place {
        SecretReference::File(path) => Some(path),
        SecretReference::Environment(_) | SecretReference::Command(_) => None,
    }
}

/// Whether other users can reach a file and read or change it: the file's own mode comes first, then those of its
/// ancestors.
fn is_open(modes: &[u32]) -> bool {
    let Some((file, folders)) = modes.split_first() else { return false };
    file & OTHERS_READ_OR_WRITE != 0 && folders.iter().all(|folder| folder & OTHERS_ENTER != 0)
}

/// The modes of a file and its ancestors; `None` if they cannot be read, which another check reports.
#[cfg(unix)]
fn modes(file: &Path) -> Option<Vec<u32>> {
    use std::os::unix::fs::PermissionsExt as _;
    let file = std::fs::canonicalize(file).ok()?;
    file.ancestors().map(|path| Some(path.metadata().ok()?.permissions().mode())).collect()
}

#[cfg(not(unix))]
fn modes(_file: &Path) -> Option<Vec<u32>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: modes of a file and its ancestors; expected: it is open if other users can reach it and read or change
    /// it.
    #[test]
    fn file_is_open_if_others_can_reach_it() {
        assert!(is_open(&[0o644, 0o755, 0o755]));
        assert!(is_open(&[0o602, 0o711]), "who may change it may give another secret");
        for closed in [&[0o600, 0o755][..], &[0o640, 0o755], &[0o644, 0o700, 0o755], &[]] {
            assert!(!is_open(closed), "{closed:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn ancestor_folder_modes_count() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "sk-1").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        let modes = modes(&file).unwrap();
        assert_eq!((modes[0] & 0o777, modes[1] & 0o777, is_open(&modes)), (0o644, 0o700, false));
    }
}
