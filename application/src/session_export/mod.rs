//! A session as one file: exported, and imported again. It holds the entries in JSON, the rules they ran under and the
//! prefixes that were sent, and a hash over all of it.

mod verify;

use std::collections::BTreeMap;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::{Input, SessionRules};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use verify::VerifiedSessionExport;

use crate::codec::{CodecError, decode_entry, decode_rules};
use crate::journal::JournalEntry;
use crate::ports::{ContentBlob, LogRow};
use crate::prompt::generation_prefix;
use crate::system::sha256;

/// What the file says it is.
pub const SESSION_DOCUMENT: &str = "entracte.session_export/1";
const WHAT: &str = "session file";
/// What stands before the version in [`SESSION_DOCUMENT`].
const FAMILY: &str = "entracte.session_export/";
const VERSION: u64 = 1;

/// The most bytes of a file that is imported: all of it is held in memory and written in one commit.
pub const SESSION_FILE_MAX_BYTES: usize = 64 * 1024 * 1024;

/// A session with everything that its entries refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionExport {
    /// The session.
    pub session: SessionId,
    /// Its entries in JSON, in order.
    pub rows: Vec<LogRow>,
    /// Rules and prefixes.
    pub blobs: Vec<ContentBlob>,
    /// The state that replaying the entries gives, in JSON.
    pub state: Vec<u8>,
    /// Its own instructions, when it has any.
    pub instructions: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionExportFile {
    schema: String,
    session: String,
    entries: Vec<SessionExportEntry>,
    blobs: BTreeMap<String, Box<RawValue>>,
    state: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instructions: Option<String>,
    digest: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionExportEntry {
    seq: u64,
    sequence: u64,
    at: i64,
    label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_key: Option<String>,
    body: Box<RawValue>,
}

fn malformed(detail: impl Into<String>) -> CodecError {
    CodecError::Malformed { what: WHAT, detail: detail.into() }
}

fn raw(bytes: &[u8]) -> Result<Box<RawValue>, CodecError> {
    serde_json::from_slice(bytes).map_err(|error| malformed(error.to_string()))
}

impl SessionExport {
    /// The file.
    ///
    /// # Errors
    /// When the body of an entry is no JSON.
    pub fn encode(&self) -> Result<String, CodecError> {
        let mut entries = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            entries.push(SessionExportEntry {
                seq: row.seq,
                sequence: row.sequence,
                at: row.at.0,
                label: row.label.clone(),
                client_key: row.client_key.clone(),
                body: raw(&row.body)?,
            });
        }
        let mut blobs = BTreeMap::new();
        for blob in &self.blobs {
            blobs.insert(blob.digest.as_str().to_owned(), raw(&blob.bytes)?);
        }
        let stored = SessionExportFile {
            schema: SESSION_DOCUMENT.to_owned(),
            session: self.session.as_str().to_owned(),
            digest: digest_of(
                self.session.as_str(),
                &entries,
                &blobs,
                (self.state.as_slice(), self.instructions.as_deref()),
            )
            .to_string(),
            entries,
            blobs,
            state: raw(&self.state)?,
            instructions: self.instructions.clone(),
        };
        serde_json::to_string(&stored).map_err(|error| malformed(error.to_string()))
    }

    /// Reads a file and checks that it is whole.
    ///
    /// # Errors
    /// When it is no such file, of a newer version, or was cut or changed.
    pub fn decode(text: &str) -> Result<Self, CodecError> {
        if text.len() > SESSION_FILE_MAX_BYTES {
            let detail =
                format!("it has {} bytes, but at most {SESSION_FILE_MAX_BYTES} are allowed", text.len());
            return Err(malformed(detail));
        }
        check_schema(text)?;
        let stored: SessionExportFile = serde_json::from_str(text).map_err(unreadable)?;
        let last = (stored.state.get().as_bytes(), stored.instructions.as_deref());
        let found = digest_of(&stored.session, &stored.entries, &stored.blobs, last);
        if found.as_str() != stored.digest {
            return Err(malformed("its content does not match its hash: it was changed or cut"));
        }
        check_id(&stored.session)?;
        let session = SessionId::new(stored.session);
        let mut blobs = Vec::with_capacity(stored.blobs.len());
        for (digest, bytes) in stored.blobs {
            let bytes = bytes.get().as_bytes().to_vec();
            if sha256(&bytes).as_str() != digest {
                return Err(malformed(format!("the bytes of {digest} do not match its hash")));
            }
            blobs.push(ContentBlob { digest: Digest::new(digest), bytes });
        }
        let row = |entry: SessionExportEntry| LogRow {
            seq: entry.seq,
            session: session.clone(),
            sequence: entry.sequence,
            at: Timestamp(entry.at),
            label: entry.label,
            client_key: entry.client_key,
            body: entry.body.get().as_bytes().to_vec(),
        };
        let rows = stored.entries.into_iter().map(row).collect();
        let (state, instructions) = (stored.state.get().as_bytes().to_vec(), stored.instructions);
        Ok(Self { session, rows, blobs, state, instructions })
    }

    /// The entries.
    ///
    /// # Errors
    /// When one cannot be read, or they are not a whole beginning of a session.
    pub fn entries(&self) -> Result<Vec<JournalEntry>, CodecError> {
        let entries = self.rows.iter().map(decode_entry).collect::<Result<Vec<JournalEntry>, _>>()?;
        let whole = entries.iter().zip(1..).all(|(entry, sequence)| entry.sequence == sequence);
        match entries.first() {
            Some(JournalEntry { input: Input::SessionCreated(_), .. }) if whole => Ok(entries),
            Some(_) | None => Err(malformed("entries are missing")),
        }
    }

    /// The rules of that hash.
    ///
    /// # Errors
    /// When they are missing or cannot be read.
    pub fn rules(&self, digest: &Digest) -> Result<SessionRules, CodecError> {
        let blob = self.blobs.iter().find(|blob| blob.digest == *digest);
        let blob = blob.ok_or_else(|| malformed(format!("the rules {digest} are missing")))?;
        decode_rules(&blob.bytes)
    }

    /// The hashes of what entries refer to: rules and prefixes, each once.
    pub fn needed_blobs(entries: &[JournalEntry]) -> Vec<Digest> {
        let mut needed: Vec<Digest> = Vec::new();
        for entry in entries {
            for digest in std::iter::once(&entry.rules).chain(generation_prefix(entry)) {
                if !needed.contains(digest) {
                    needed.push(digest.clone());
                }
            }
        }
        needed
    }
}

/// Whether the text is such a file at all, and of a version that is known.
fn check_schema(text: &str) -> Result<(), CodecError> {
    #[derive(Deserialize)]
    struct SchemaFieldProbe {
        schema: String,
    }
    let probe: SchemaFieldProbe = serde_json::from_str(text).map_err(unreadable)?;
    let number = probe.schema.strip_prefix(FAMILY).and_then(|number| number.parse().ok());
    match number {
        Some(VERSION) => Ok(()),
        Some(found) if found > VERSION => {
            Err(CodecError::UnknownVersion { what: WHAT, found, known: VERSION })
        }
        Some(_) | None => {
            let said: String = probe.schema.chars().take(SCHEMA_SHOWN).collect();
            Err(malformed(format!("it says “{said}”, expected {SESSION_DOCUMENT}")))
        }
    }
}

/// Ids go into commands that people paste: letters, digits and underscores only; in the id of an agent's session also the
/// signs between its parts.
fn check_id(id: &str) -> Result<(), CodecError> {
    let clean = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let stem = id.strip_prefix("ses_").unwrap_or_default();
    if stem.is_empty() || stem.starts_with('-') || id.len() > ID_MAX_BYTES || !stem.chars().all(clean) {
        return Err(malformed("the id of its session is not valid"));
    }
    Ok(())
}

/// More than any id has that Entracte draws.
const ID_MAX_BYTES: usize = 80;

/// Characters of another file's schema that an error shows.
const SCHEMA_SHOWN: usize = 60;

fn unreadable(error: serde_json::Error) -> CodecError {
    if error.is_eof() {
        return malformed("it is incomplete: it was cut");
    }
    malformed(format!("it is not a session file: {error}"))
}

fn digest_of(
    session: &str,
    entries: &[SessionExportEntry],
    blobs: &BTreeMap<String, Box<RawValue>>,
    (state, instructions): (&[u8], Option<&str>),
) -> Digest {
    let mut bytes = session.as_bytes().to_vec();
    for entry in entries {
        let key = entry.client_key.as_deref().unwrap_or_default();
        let head = format!("\n{} {} {} {} {key}\n", entry.seq, entry.sequence, entry.at, entry.label);
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(entry.body.get().as_bytes());
    }
    for (digest, blob) in blobs {
        bytes.extend_from_slice(format!("\n{digest}\n").as_bytes());
        bytes.extend_from_slice(blob.get().as_bytes());
    }
    bytes.extend_from_slice(b"\n");
    bytes.extend_from_slice(state);
    if let Some(instructions) = instructions {
        bytes.extend_from_slice(b"\n");
        bytes.extend_from_slice(instructions.as_bytes());
    }
    sha256(&bytes)
}
