//! Personal secrets: one file for each person in a workspace, readable only by the owner of the process.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{Error, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use entracte_application::ports::{PersonSecretError, PersonSecretStore, SECRET_LEAST_CHARS, SecretOwner};
use entracte_application::system::sha256;
use entracte_domain::id::WorkspaceKey;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// The folder of personal secret files.
#[derive(Clone, Debug)]
pub struct PersonSecretFiles {
    folder: PathBuf,
}

/// The content of a file. Never displayed.
#[derive(Serialize, Deserialize)]
struct PersonSecretFileContent {
    version: u32,
    workspace: String,
    person: String,
    secrets: BTreeMap<String, String>,
}

impl PersonSecretFiles {
    /// Stores secrets in `folder`, which the first one creates.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file name is a hash, because names of people and workspaces may contain any characters.
    fn path(&self, holder: &SecretOwner) -> PathBuf {
        let named = serde_json::json!([holder.workspace.as_str(), holder.person]).to_string();
        self.folder.join(format!("{}.json", sha256(named.as_bytes()).as_str()))
    }

    fn read(&self, holder: &SecretOwner) -> Result<PersonSecretFileContent, PersonSecretError> {
        let path = self.path(holder);
        let Some(kept) = read(&path)? else {
            let (workspace, person) = (holder.workspace.to_string(), holder.person.clone());
            return Ok(PersonSecretFileContent {
                version: VERSION,
                workspace,
                person,
                secrets: BTreeMap::new(),
            });
        };
        // A secret is used only if the content names its owner too, not just the file name.
        let fits = kept.workspace == holder.workspace.as_str() && kept.person == holder.person;
        if fits { Ok(kept) } else { Err(damaged(&path)) }
    }

    /// Changes the secrets of a person, exclusively among all processes.
    fn change<T>(
        &self,
        holder: &SecretOwner,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> T,
    ) -> Result<T, PersonSecretError> {
        let path = self.path(holder);
        let _lock = self.lock(&path).map_err(|source| unusable(&path, source))?;
        let mut kept = self.read(holder)?;
        let changed = change(&mut kept.secrets);
        replace(&path, &kept).map_err(|source| unusable(&path, source))?;
        Ok(changed)
    }

    fn lock(&self, path: &Path) -> std::io::Result<File> {
        DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(&self.folder)?;
        std::fs::set_permissions(&self.folder, Permissions::from_mode(PRIVATE_FOLDER))?;
        let path = path.with_extension("lock");
        let file = File::options().create(true).truncate(false).write(true).mode(PRIVATE_FILE).open(path)?;
        file.lock()?;
        Ok(file)
    }
}

/// Replaces a file atomically. The caller holds the lock.
fn replace(path: &Path, kept: &PersonSecretFileContent) -> std::io::Result<()> {
    let new = path.with_extension("new");
    // A killed process may have left its temporary file.
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) | Ok(()) => {}
    }
    let mut file = File::options().create_new(true).write(true).mode(PRIVATE_FILE).open(&new)?;
    // The serde error may contain a value, so it is dropped.
    let text = serde_json::to_vec(kept).map_err(|_| Error::other("it cannot be written"))?;
    file.write_all(&text)?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

/// Reads a file. A parse error is reported without its text, which may repeat a secret.
fn read(path: &Path) -> Result<Option<PersonSecretFileContent>, PersonSecretError> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(unusable(path, source)),
    };
    let kept: Option<PersonSecretFileContent> = serde_json::from_slice(&text).ok();
    kept.filter(|kept| kept.version == VERSION).map(Some).ok_or_else(|| damaged(path))
}

/// Whether a secret is too short to be scrubbed from texts.
fn is_short(secret: &str) -> bool {
    secret.chars().count() < SECRET_LEAST_CHARS
}

fn unusable(path: &Path, source: Error) -> PersonSecretError {
    PersonSecretError::Unusable { path: path.display().to_string(), source }
}

fn damaged(path: &Path) -> PersonSecretError {
    PersonSecretError::Damaged { path: path.display().to_string() }
}

impl PersonSecretStore for PersonSecretFiles {
    fn names(&self, holder: &SecretOwner) -> Result<Vec<String>, PersonSecretError> {
        Ok(self.read(holder)?.secrets.into_keys().collect())
    }

    fn secret(&self, holder: &SecretOwner, name: &str) -> Result<Option<SecretString>, PersonSecretError> {
        match self.read(holder)?.secrets.remove(name) {
            Some(secret) if is_short(&secret) => Err(PersonSecretError::TooShort { name: name.to_owned() }),
            found => Ok(found.map(SecretString::from)),
        }
    }

    fn store_secret(
        &self,
        holder: &SecretOwner,
        name: &str,
        secret: &SecretString,
    ) -> Result<(), PersonSecretError> {
        let (name, secret) = (name.to_owned(), secret.expose_secret().to_owned());
        self.change(holder, |secrets| drop(secrets.insert(name, secret)))
    }

    fn delete_secret(&self, holder: &SecretOwner, name: &str) -> Result<bool, PersonSecretError> {
        self.change(holder, |secrets| secrets.remove(name).is_some())
    }

    fn secrets(&self, holder: &SecretOwner) -> Vec<SecretString> {
        let kept = self.read(holder).map(|kept| kept.secrets).unwrap_or_default();
        kept.into_values().map(SecretString::from).collect()
    }

    fn unusable_secrets(&self, workspace: &WorkspaceKey) -> Vec<(String, String)> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|file| file.path());
        let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
        let kept = files.filter_map(|path| read(&path).ok().flatten());
        let here = kept.filter(|kept| kept.workspace == workspace.as_str());
        let short = |kept: PersonSecretFileContent| {
            let names = kept.secrets.into_iter().filter(|(_, secret)| is_short(secret)).map(|(name, _)| name);
            names.map(|name| (kept.person.clone(), name)).collect::<Vec<_>>()
        };
        let mut found: Vec<(String, String)> = here.flat_map(short).collect();
        found.sort();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(workspace: &str, person: &str) -> SecretOwner {
        SecretOwner { workspace: WorkspaceKey::new(workspace), person: person.into() }
    }

    #[test]
    fn personal_secret_is_found_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let people = PersonSecretFiles::new(folder.path().join("secrets"));
        let ann = holder("ann:home", "ann");
        people.store_secret(&ann, "github", &"ghp_ann_1".into()).unwrap();
        people.store_secret(&ann, "bank", &"b-1".into()).unwrap();
        let found = |holder: &SecretOwner| {
            people.secret(holder, "github").unwrap().map(|secret| secret.expose_secret().to_owned())
        };
        assert_eq!(found(&ann).as_deref(), Some("ghp_ann_1"));
        assert_eq!(people.names(&ann).unwrap(), ["bank", "github"]);
        for other in [holder("ann:home", "bob"), holder("eve:other", "ann"), holder("ann", "home\",\"ann")] {
            assert_eq!((found(&other), people.names(&other).unwrap().len()), (None, 0), "{other:?}");
        }
        assert!(people.delete_secret(&ann, "github").unwrap());
        assert!(!people.delete_secret(&ann, "github").unwrap());
        assert_eq!(people.secrets(&ann).len(), 1);
        assert_eq!(people.secrets(&holder("ann:home", "bob")).len(), 0, "nobody else's");
    }

    /// Input: a secret of three characters, stored by an earlier version; expected: it is not used, and the error
    /// names it.
    #[test]
    fn short_secret_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let people = PersonSecretFiles::new(folder.path().join("secrets"));
        let ann = holder("ann:home", "ann");
        people.store_secret(&ann, "bank", &"b-1".into()).unwrap();
        people.store_secret(&ann, "github", &"ghp_ann_1".into()).unwrap();
        assert!(matches!(people.secret(&ann, "bank"), Err(PersonSecretError::TooShort { .. })));
        let short = people.unusable_secrets(&WorkspaceKey::new("ann:home"));
        assert_eq!(short, [("ann".to_owned(), "bank".to_owned())]);
        assert_eq!(people.unusable_secrets(&WorkspaceKey::new("eve:other")), []);
    }

    #[test]
    fn files_are_private_and_swapped_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let people = PersonSecretFiles::new(folder.path().join("secrets"));
        let (ann, bob) = (holder("ann:home", "ann"), holder("ann:home", "bob"));
        people.store_secret(&ann, "github", &"ghp_ann_1".into()).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&people.folder), mode(&people.path(&ann))), (PRIVATE_FOLDER, PRIVATE_FILE));
        std::fs::copy(people.path(&ann), people.path(&bob)).unwrap();
        assert!(matches!(people.secret(&bob, "github"), Err(PersonSecretError::Damaged { .. })));
        std::fs::write(people.path(&bob), "{\"secrets\": \"ghp_ann").unwrap();
        let said = people.secret(&bob, "github").unwrap_err().to_string();
        assert!(!said.contains("ghp_ann"), "{said}");
    }
}
