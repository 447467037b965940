//! The list of trusted configuration files: contents and paths. It is stored with the person's own data, whatever
//! data folder a project sets.

use std::collections::BTreeMap;
use std::path::Path;

use entracte_application::ports::Clock;
use entracte_application::system::SystemClock;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::id::Digest;
use serde::{Deserialize, Serialize};

use super::private_file::{OthersAccess, PrivateFile, PrivateFileFault};
use crate::environment::ProcessEnvironment;
use crate::render::time::iso;

/// The name of the list in the person's data folder.
const FILE: &str = "trusted.json";

/// The format version that this program writes.
const VERSION: u64 = 1;

/// The most contents trusted at one path, so that returning to an older one needs no confirmation. The oldest ones
/// are dropped.
const CONTENTS_MAX: usize = 16;

/// Why the list cannot be used. Then nothing is trusted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustFault {
    /// It cannot be read or written.
    #[error("{path}: {why}")]
    Io {
        /// Its path.
        path: String,
        /// The system's error.
        why: String,
    },
    /// It is damaged.
    #[error("{path} is damaged: {why}")]
    Damaged {
        /// Its path.
        path: String,
        /// The fault in its content.
        why: String,
    },
    /// It was written by a newer Entracte.
    #[error("{path} has a later version")]
    Newer {
        /// Its path.
        path: String,
    },
    /// Other users may write it.
    #[error("{path} may be written by others")]
    Open {
        /// Its path.
        path: String,
    },
    /// There is no home folder for it.
    #[error("there is no home folder")]
    Homeless,
    /// A path that is not UTF-8, and cannot be stored.
    #[error("{path} is not text")]
    Path {
        /// The path.
        path: String,
    },
}

impl TrustFault {
    /// Renders the fault and its fix.
    pub(crate) fn words(&self, texts: &LocalizedTexts) -> String {
        match self {
            TrustFault::Io { path, why } => say!(texts, "trust-list-io", path = path, why = why),
            TrustFault::Damaged { path, why } => say!(texts, "trust-list-damaged", path = path, why = why),
            TrustFault::Newer { path } => say!(texts, "trust-list-newer", path = path),
            TrustFault::Open { path } => say!(texts, "trust-list-open", path = path),
            TrustFault::Homeless => say!(texts, "trust-list-homeless"),
            TrustFault::Path { path } => say!(texts, "trust-list-path", path = path),
        }
    }
}

/// A trusted content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustedContent {
    /// The SHA-256 of its bytes.
    pub(crate) sha256: String,
    /// When it was trusted.
    pub(crate) trusted_at: String,
}

/// The content of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrustListContent {
    version: u64,
    /// Trusted contents by the path of their file, latest last.
    pub(crate) files: BTreeMap<String, Vec<TrustedContent>>,
}

impl TrustListContent {
    /// Whether this content is trusted at this path.
    pub(crate) fn has(&self, place: &Path, digest: &Digest) -> bool {
        let contents = place.to_str().and_then(|place| self.files.get(place));
        contents.is_some_and(|contents| contents.iter().any(|known| known.sha256 == digest.as_str()))
    }
}

/// Reads and changes the list.
pub(crate) struct TrustList(PrivateFile);

impl TrustList {
    /// The person's list.
    pub(crate) fn for_environment(environment: &ProcessEnvironment) -> Self {
        Self(PrivateFile::new(environment.data_dir.join(FILE), OthersAccess::Read))
    }

    /// Reads the list; a missing one trusts nothing.
    pub(crate) fn read(&self) -> Result<TrustListContent, TrustFault> {
        self.parse(self.0.read().map_err(|fault| self.fault(fault))?.as_deref())
    }

    fn parse(&self, text: Option<&str>) -> Result<TrustListContent, TrustFault> {
        let Some(text) = text else {
            return Ok(TrustListContent { version: VERSION, files: BTreeMap::new() });
        };
        let damaged = |why: String| TrustFault::Damaged { path: self.0.shown(), why };
        let json: serde_json::Value =
            serde_json::from_str(text).map_err(|error| damaged(error.to_string()))?;
        if json.get("version").and_then(serde_json::Value::as_u64).is_some_and(|version| version > VERSION) {
            return Err(TrustFault::Newer { path: self.0.shown() });
        }
        serde_json::from_value(json).map_err(|error| damaged(error.to_string()))
    }

    /// Trusts this content at this path.
    pub(crate) fn add(&self, place: &Path, digest: &Digest) -> Result<(), TrustFault> {
        let path = || TrustFault::Path { path: place.display().to_string() };
        let place = place.to_str().ok_or_else(path)?.to_owned();
        let (sha256, trusted_at) = (digest.as_str().to_owned(), iso(SystemClock.now()));
        self.change(|trusted| {
            let contents = trusted.files.entry(place).or_default();
            contents.retain(|known| known.sha256 != sha256);
            contents.push(TrustedContent { sha256, trusted_at });
            let old = contents.len().saturating_sub(CONTENTS_MAX);
            contents.drain(..old);
        })
    }

    /// Removes all trust at this path; returns whether there was any.
    pub(crate) fn remove(&self, place: &Path) -> Result<bool, TrustFault> {
        let mut was = false;
        self.change(|trusted| was = place.to_str().and_then(|place| trusted.files.remove(place)).is_some())?;
        Ok(was)
    }

    /// Reads, changes and atomically replaces the list, exclusively among all processes.
    fn change(&self, change: impl FnOnce(&mut TrustListContent)) -> Result<(), TrustFault> {
        let changed = self.0.change(|text| {
            let before = self.parse(text.as_deref()).map_err(ListChangeFault::List)?;
            let mut after = before.clone();
            change(&mut after);
            if after == before {
                return Ok(None);
            }
            let text = serde_json::to_string_pretty(&after).map_err(std::io::Error::from);
            Ok(Some(text.map_err(PrivateFileFault::from)? + "\n"))
        });
        changed.map_err(|fault| match fault {
            ListChangeFault::List(fault) => fault,
            ListChangeFault::File(fault) => self.fault(fault),
        })
    }

    /// The fault of the file as one of the list.
    fn fault(&self, fault: PrivateFileFault) -> TrustFault {
        match fault {
            PrivateFileFault::Homeless => TrustFault::Homeless,
            PrivateFileFault::Open => TrustFault::Open { path: self.0.shown() },
            PrivateFileFault::Io(error) => self.io(&error),
        }
    }

    /// A fault for an I/O error.
    pub(crate) fn io(&self, error: &std::io::Error) -> TrustFault {
        TrustFault::Io { path: self.0.shown(), why: error.to_string() }
    }
}

/// Why the list was not changed.
enum ListChangeFault {
    List(TrustFault),
    File(PrivateFileFault),
}

impl From<PrivateFileFault> for ListChangeFault {
    fn from(fault: PrivateFileFault) -> Self {
        Self::File(fault)
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::system::sha256;

    use std::path::PathBuf;

    use super::*;

    fn list(folder: &Path) -> TrustList {
        TrustList(PrivateFile::new(folder.join("deep/er").join(FILE), OthersAccess::Read))
    }

    #[test]
    fn trust_covers_one_content_at_one_path() {
        let folder = tempfile::tempdir().unwrap();
        let list = list(folder.path());
        let (here, there) = (Path::new("/a/entracte.toml"), Path::new("/b/entracte.toml"));
        let (one, other) = (sha256(b"one"), sha256(b"other"));
        let trusted = |place, content| list.read().unwrap().has(place, content);
        assert!(!trusted(here, &one));
        list.add(here, &one).unwrap();
        assert!(trusted(here, &one) && !trusted(here, &other) && !trusted(there, &one));
        list.add(here, &other).unwrap();
        assert!(trusted(here, &one) && trusted(here, &other), "going back to an older content asks nothing");
        assert!(list.remove(here).unwrap() && !list.remove(here).unwrap());
        assert!(!trusted(here, &one) && !trusted(here, &other));
        for number in 0..40 {
            list.add(here, &sha256(&[number])).unwrap();
        }
        let (latest, oldest) = (sha256(&[39]), sha256(&[0]));
        assert!(trusted(here, &latest) && !trusted(here, &oldest), "the oldest fell out");
        assert_eq!(list.read().unwrap().files["/a/entracte.toml"].len(), CONTENTS_MAX);
    }

    #[test]
    fn concurrent_writers_keep_all_changes() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let list = list(folder.path());
                let place = format!("/{number}/entracte.toml");
                scope.spawn(move || list.add(Path::new(&place), &sha256(b"x")).unwrap());
            }
        });
        assert_eq!(list(folder.path()).read().unwrap().files.len(), 8);
    }

    #[test]
    fn unusable_list_trusts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let list = list(folder.path());
        let place = Path::new("/a/entracte.toml");
        list.add(place, &sha256(b"x")).unwrap();
        let path = list.0.path().unwrap().to_owned();
        let good = std::fs::read_to_string(&path).unwrap();
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        for bad in [&good[..good.len() / 2], "", "[]", "{\"version\":1,\"files\":{},\"more\":1}"] {
            write(bad);
            assert!(matches!(list.read(), Err(TrustFault::Damaged { .. })), "{bad}");
            assert!(list.add(place, &sha256(b"y")).is_err(), "what cannot be read is not written over");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), bad);
        }
        write(&good.replace("\"version\": 1", "\"version\": 2"));
        assert!(matches!(list.read(), Err(TrustFault::Newer { .. })));
        write(&good);
        assert!(list.read().unwrap().has(place, &sha256(b"x")));
        assert!(matches!(
            TrustList(PrivateFile::new(PathBuf::new(), OthersAccess::Read)).read(),
            Err(TrustFault::Homeless)
        ));
    }

    #[cfg(unix)]
    #[test]
    fn list_is_private_to_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let list = list(folder.path());
        list.add(Path::new("/a/entracte.toml"), &sha256(b"x")).unwrap();
        let path = list.0.path().unwrap();
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o622)).unwrap();
        assert!(matches!(list.read(), Err(TrustFault::Open { .. })));
    }
}
