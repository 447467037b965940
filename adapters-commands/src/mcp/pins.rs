//! The declarations of tools that a person has accepted, in a file.
//!
//! The tools of a server that is connected to for the first time are accepted as they are (trust on first use). From
//! then on a tool that is new, or has changed, is recorded as *offered*, and stays out of use until a person accepts
//! it. What a server offers meanwhile is shown to a person only, never to a model.

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

/// The file and its content. Several processes may use the same file.
#[derive(Debug)]
pub struct PinFile {
    path: PathBuf,
    known: Mutex<PinFileContent>,
}

/// Why the file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// It cannot be read.
    Unreadable {
        /// Its path.
        path: String,
        /// The error of the system. The message includes it, so it is not a source as well.
        cause: std::io::Error,
    },
    /// It cannot be written.
    Unwritable {
        /// Its path.
        path: String,
        /// The error of the system.
        cause: std::io::Error,
    },
    /// Its content was changed by something else than Entracte.
    Damaged {
        /// Its path.
        path: String,
        /// What is wrong in it.
        problem: PinFileDamage,
    },
    /// A newer Entracte wrote it.
    Version {
        /// Its path.
        path: String,
        /// The version in it.
        found: u64,
    },
}

/// What is wrong in a file that is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PinFileDamage {
    /// It does not say which version it is.
    NoVersion,
    /// A declaration and its hash do not match.
    Hash {
        /// `server.tool`.
        tool: String,
    },
    /// It is not the expected JSON; with what the parser said.
    Unreadable(String),
}

/// Why a tool could not be accepted.
#[derive(Debug, thiserror::Error)]
pub enum PinAcceptError {
    /// There is no such tool.
    Unknown(String),
    /// It is already accepted as it is offered.
    Nothing(String),
    /// What is offered is too large to be looked at.
    Refused {
        /// The tool.
        tool: String,
        /// Why.
        why: ToolSizeExcess,
    },
    /// The declaration that was reviewed is not the one that is offered now.
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

/// A server that was connected to at least once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinnedServer {
    pub(super) tools: BTreeMap<String, PinnedTool>,
}

/// A tool of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinnedTool {
    /// What was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) accepted: Option<DeclarationPin>,
    /// What the server offered last, when that is something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) offered: Option<DeclarationPin>,
    /// Why what the server offered last was not kept; nothing else of it is here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refused: Option<ToolSizeExcess>,
    /// The server did not offer it when it was last asked.
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
    /// Reads the file at `path`; one that is not there holds nothing yet. Its folder is made when there is
    /// something to write down.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or was written by a later program.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, PinError> {
        let path = path.into();
        let known = Mutex::new(file::read(&path)?);
        Ok(Self { path, known })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A server's tools; none when it was never met.
    pub(super) fn server(&self, server: &str) -> Option<PinnedServer> {
        self.known().servers.get(server).cloned()
    }

    /// A tool.
    pub(super) fn tool(&self, server: &str, tool: &str) -> Option<PinnedTool> {
        self.known().servers.get(server)?.tools.get(tool).cloned()
    }

    /// Reads the file again: another process may have accepted something.
    pub(super) fn reload(&self) -> Result<(), PinError> {
        let read = file::read(&self.path)?;
        *self.known() = read;
        Ok(())
    }

    /// Writes down what a server offers now.
    pub(super) fn record(&self, server: &str, live: &ToolOfferList) -> Result<(), PinError> {
        self.change(|pins| {
            let merged = merge::merged(pins.servers.get(server), live);
            pins.servers.insert(server.to_owned(), merged);
        })
    }

    /// Accepts what a server offers of a tool; with `seen`, only when that is what was looked at.
    pub(super) fn accept(
        &self,
        server: &str,
        tool: &str,
        seen: Option<&Digest>,
    ) -> Result<(), PinAcceptError> {
        let mut outcome = Err(PinAcceptError::Unknown(format!("{server}.{tool}")));
        self.change(|pins| {
            let known = pins.servers.get_mut(server).and_then(|pinned| pinned.tools.get_mut(tool));
            if let Some(known) = known {
                outcome = merge::accept(known, &format!("{server}.{tool}"), seen);
            }
        })?;
        outcome
    }

    /// One change at a time, of all processes: reads what the others wrote, changes it, writes it.
    fn change(&self, change: impl FnOnce(&mut PinFileContent)) -> Result<(), PinError> {
        let mut known = self.known();
        let _lock = file::lock(&self.path)?;
        let before = file::read(&self.path)?;
        let mut after = before.clone();
        change(&mut after);
        after.version = after.version();
        if after != before {
            file::write(&self.path, &after)?;
        }
        *known = after;
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, PinFileContent> {
        // What is behind it is replaced as a whole, so a thread that panicked left nothing half done.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PinFileContent {
    /// The version that reads it: a file without refused tools stays one that earlier programs read.
    fn version(&self) -> u32 {
        let mut tools = self.servers.values().flat_map(|server| server.tools.values());
        if tools.any(|tool| tool.refused.is_some()) { VERSION } else { VERSION_WITHOUT_REFUSED }
    }
}

/// The version that this program reads and writes.
pub(super) const VERSION: u32 = 2;
/// The version of a file that holds no refused tool.
const VERSION_WITHOUT_REFUSED: u32 = 1;
