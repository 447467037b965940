//! The files of an exported session: what its entries name, and their bytes in base64.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_domain::file::FileReference;
use entracte_domain::id::Digest;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{SESSION_FILE_MAX_BYTES, SessionExport, malformed};
use crate::codec::{CodecError, decode_entry};
use crate::journal::brought_files;
use crate::settings::FileSettings;
use crate::system::sha256;

/// The maximum size of a session file with its files, in bytes: what the rest of it may have, and the base64 of as many
/// bytes as the files of a session may have.
pub fn session_file_max_bytes(limits: &FileSettings) -> usize {
    let files = usize::try_from(limits.session_bytes).unwrap_or(usize::MAX);
    SESSION_FILE_MAX_BYTES.saturating_add(base64_length(files))
}

/// The characters that base64 needs for so many bytes, with those around them in the session file.
fn base64_length(bytes: usize) -> usize {
    (bytes / 3).saturating_add(1).saturating_mul(4)
}

/// Bytes that stand in base64 in the session file. The text is never held beside the file and the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base64Bytes(pub(super) Arc<[u8]>);

impl Base64Bytes {
    /// Its size in the session file, in bytes.
    pub(super) fn encoded_length(&self) -> usize {
        base64_length(self.0.len())
    }
}

impl Serialize for Base64Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Base64Display::new(&self.0, &BASE64))
    }
}

impl<'de> Deserialize<'de> for Base64Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64Visitor)
    }
}

struct Base64Visitor;

impl Visitor<'_> for Base64Visitor {
    type Value = Base64Bytes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the bytes of a file in base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Base64Bytes, E> {
        BASE64.decode(text).map(|bytes| Base64Bytes(bytes.into())).map_err(E::custom)
    }
}

impl SessionExport {
    /// The files of each entry that brings some, also those of agents, in order.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn files_by_entry(&self) -> Result<Vec<Vec<FileReference>>, CodecError> {
        let mut found = Vec::new();
        let agents = self.agents.iter().flat_map(|agent| &agent.rows);
        for row in self.rows.iter().chain(agents) {
            let entry = decode_entry(row)?;
            let brought: Vec<FileReference> =
                brought_files(&entry.input).into_iter().map(|(_, file)| file.clone()).collect();
            if !brought.is_empty() {
                found.push(brought);
            }
        }
        Ok(found)
    }

    /// The digests of the files that entries name, of which it has no bytes: they were deleted before the export, it is of
    /// an earlier version, or it was made without files.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub fn missing_files(&self) -> Result<BTreeSet<Digest>, CodecError> {
        let named = self.files_by_entry()?.into_iter().flatten();
        Ok(named.map(|file| file.digest).filter(|digest| !self.files.contains_key(digest)).collect())
    }

    /// Takes the files of a session file over, after each was checked against its digest.
    pub(super) fn check_files(
        &self,
        files: BTreeMap<String, Base64Bytes>,
    ) -> Result<BTreeMap<Digest, Arc<[u8]>>, CodecError> {
        let mut checked = BTreeMap::new();
        for (digest, Base64Bytes(bytes)) in files {
            let digest = Digest::new(digest);
            if sha256(&bytes) != digest {
                return Err(malformed(format!("the bytes of {} do not match its hash", self.title(&digest))));
            }
            checked.insert(digest, bytes);
        }
        Ok(checked)
    }

    /// The name of a file with its digest; the digest alone if no entry that can be read names it.
    fn title(&self, digest: &Digest) -> String {
        let named = self.files_by_entry().unwrap_or_default().into_iter().flatten();
        let is_it = |file: &FileReference| file.stored().any(|(stored, _)| stored == digest);
        let name = named.into_iter().find(is_it).map(|file| file.name);
        name.map_or_else(|| format!("the file {digest}"), |name| format!("the file {name} ({digest})"))
    }
}
