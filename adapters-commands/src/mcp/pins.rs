//! The tool declarations that a person has accepted, in a file.
//!
//! The tools of a server are accepted as they are at the first connection (trust on first use). Another program or address
//! under its name is another server, and an entry that was removed and comes again is a new one. From then on a new or
//! changed tool is recorded as *offered*, and stays disabled until a person accepts it. Offered declarations are
//! shown to persons only, never to a model.

mod file;
mod merge;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use entracte_domain::id::Digest;
use serde::{Deserialize, Serialize};

use super::declaration::McpToolDeclaration;
use super::tool_offer::{ToolOfferList, ToolSizeExcess};

/// The file of accepted declarations and its content. Several processes may share the file.
#[derive(Debug)]
pub struct PinFile {
    path: PathBuf,
    known: Mutex<PinFileContent>,
}

/// Why the file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// The file cannot be read.
    Unreadable {
        /// Its path.
        path: String,
        /// The system's error. The message includes it, so it is not a source as well.
        cause: std::io::Error,
    },
    /// The file cannot be written.
    Unwritable {
        /// Its path.
        path: String,
        /// The system's error.
        cause: std::io::Error,
    },
    /// The file was changed by another program.
    Damaged {
        /// Its path.
        path: String,
        /// The fault in its content.
        problem: PinFileDamage,
    },
    /// The file was written by a newer Entracte.
    Version {
        /// Its path.
        path: String,
        /// Its format version.
        found: u64,
    },
}

/// The fault of a damaged file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinFileDamage {
    /// It has no format version.
    NoVersion,
    /// A declaration and its hash do not match.
    Hash {
        /// The tool as `server.tool`.
        tool: String,
    },
    /// It is not the expected JSON; with the parser's error.
    Unreadable(String),
}

/// Why a tool could not be accepted.
#[derive(Debug, thiserror::Error)]
pub enum PinAcceptError {
    /// There is no tool of this name.
    Unknown(String),
    /// The offered declaration is already accepted.
    Nothing(String),
    /// The offered declaration is too large to review.
    Refused {
        /// The name of the tool.
        tool: String,
        /// The exceeded limit.
        why: ToolSizeExcess,
    },
    /// The offered declaration is no longer the reviewed one.
    Changed(String),
    /// The file could not be used.
    Pins(PinError),
}

impl From<PinError> for PinAcceptError {
    fn from(error: PinError) -> Self {
        Self::Pins(error)
    }
}

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinFileContent {
    version: u32,
    servers: BTreeMap<String, PinnedServer>,
}

/// Names the pins of a server: what is accepted of it is not accepted of another program or address of its name.
#[derive(Clone, Debug)]
pub(super) struct PinKey {
    /// The server's name in the configuration.
    pub(super) server: String,
    /// What its entry leads to.
    pub(super) destination: Digest,
}

/// A server that was connected to at least once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinnedServer {
    pub(super) tools: BTreeMap<String, PinnedTool>,
    /// What its entry led to; `None` in a file of an earlier program, until the server is listed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destination: Option<String>,
}

impl PinnedServer {
    fn is_at(&self, key: &PinKey) -> bool {
        self.destination.as_deref().is_none_or(|known| known == key.destination.as_str())
    }
}

/// A known tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinnedTool {
    /// The accepted declaration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) accepted: Option<DeclarationPin>,
    /// The latest offered declaration, if it differs from the accepted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) offered: Option<DeclarationPin>,
    /// Why the latest offered declaration was not stored, if it was too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<ToolSizeExcess>,
    /// A person's decision about the accepted declaration: each call needs approval, or none does. `None` before a
    /// decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) validation: Option<bool>,
    /// Whether the server's latest list lacked it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) gone: bool,
}

/// A declaration and its hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeclarationPin {
    pub(super) hash: String,
    pub(super) declaration: McpToolDeclaration,
}

impl From<McpToolDeclaration> for DeclarationPin {
    fn from(declaration: McpToolDeclaration) -> Self {
        Self { hash: declaration.hash().to_string(), declaration }
    }
}

impl PinFile {
    /// Opens the file at `path`; a missing file is empty. Its folder is created at the first write.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or was written by a newer program.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, PinError> {
        let path = path.into();
        let known = Mutex::new(file::read(&path)?);
        Ok(Self { path, known })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The pins of a server; `None` if it was never connected to.
    pub(super) fn server(&self, key: &PinKey) -> Option<PinnedServer> {
        self.known().server(key).cloned()
    }

    /// The pin of a tool, if it is known.
    pub(super) fn tool(&self, key: &PinKey, tool: &str) -> Option<PinnedTool> {
        self.known().server(key)?.tools.get(tool).cloned()
    }

    /// Reads the file again, because another process may have accepted a tool.
    pub(super) fn reload(&self) -> Result<(), PinError> {
        let read = file::read(&self.path)?;
        *self.known() = read;
        Ok(())
    }

    /// Records the tools that a server offers now. The pins of another destination of its name go.
    pub(super) fn record(&self, key: &PinKey, live: &ToolOfferList) -> Result<(), PinError> {
        self.change(|pins| {
            let merged = merge::merged(pins.server(key), live);
            let destination = Some(key.destination.to_string());
            pins.servers.insert(key.server.clone(), PinnedServer { destination, ..merged });
        })
    }

    /// Forgets what was accepted of a server and decided about it.
    pub(super) fn forget(&self, server: &str) -> Result<(), PinError> {
        self.change(|pins| {
            pins.servers.remove(server);
        })
    }

    /// Accepts the offered declaration of a tool; with `seen`, only if that is its hash.
    pub(super) fn accept(
        &self,
        key: &PinKey,
        tool: &str,
        seen: Option<&Digest>,
    ) -> Result<(), PinAcceptError> {
        let named = format!("{}.{tool}", key.server);
        let mut outcome = Err(PinAcceptError::Unknown(named.clone()));
        self.change(|pins| {
            let known = pins.server_mut(key).and_then(|pinned| pinned.tools.get_mut(tool));
            if let Some(known) = known {
                outcome = merge::accept(known, &named, seen);
            }
        })?;
        outcome
    }

    /// Records a person's decision whether accepted tools need approval, by their names.
    pub(super) fn decide(&self, key: &PinKey, asking: &BTreeMap<String, bool>) -> Result<(), PinError> {
        self.change(|pins| {
            let Some(pinned) = pins.server_mut(key) else { return };
            for (name, tool) in &mut pinned.tools {
                if let (Some(asks), Some(_)) = (asking.get(name), &tool.accepted) {
                    tool.validation = Some(*asks);
                }
            }
        })
    }

    /// Reads, changes and writes the file, exclusively among all processes.
    fn change(&self, change: impl FnOnce(&mut PinFileContent)) -> Result<(), PinError> {
        let mut known = self.known();
        let _lock = file::lock(&self.path)?;
        let before = file::read(&self.path)?;
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            after.version = VERSION;
            file::write(&self.path, &after)?;
        }
        *known = after;
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, PinFileContent> {
        // The value behind the lock is replaced as a whole, so a panicked thread left nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PinFileContent {
    fn server(&self, key: &PinKey) -> Option<&PinnedServer> {
        self.servers.get(&key.server).filter(|known| known.is_at(key))
    }

    fn server_mut(&mut self, key: &PinKey) -> Option<&mut PinnedServer> {
        self.servers.get_mut(&key.server).filter(|known| known.is_at(key))
    }
}

/// The format version that this program writes; it reads the earlier ones too.
pub(super) const VERSION: u32 = 4;
