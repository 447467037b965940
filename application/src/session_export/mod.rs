//! Export of a session to one file, and import. The file contains the entries in JSON, their rules and prompt
//! prefixes, and a hash over everything.

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

/// The schema name in the file.
pub const SESSION_DOCUMENT: &str = "entracte.session_export/1";
const WHAT: &str = "session file";
/// The part of [`SESSION_DOCUMENT`] before the version.
const FAMILY: &str = "entracte.session_export/";
const VERSION: u64 = 1;

/// The maximum size of an imported file in bytes: it is held in memory and written in one commit.
pub const SESSION_FILE_MAX_BYTES: usize = 64 * 1024 * 1024;

/// A session with all data its entries refer to.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionExport {
    /// The exported session.
    pub session: SessionId,
    /// Its entries in JSON, in order.
    pub rows: Vec<LogRow>,
    /// Rules and prompt prefixes.
    pub blobs: Vec<ContentBlob>,
    /// The state replayed from the entries, in JSON.
    pub state: Vec<u8>,
    /// Its own instructions, if any.
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
    /// Encodes the file.
    ///
    /// # Errors
    /// When the body of an entry is not JSON.
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
                &self.state,
                self.instructions.as_deref(),
            )
            .to_string(),
            entries,
            blobs,
            state: raw(&self.state)?,
            instructions: self.instructions.clone(),
        };
        serde_json::to_string(&stored).map_err(|error| malformed(error.to_string()))
    }

    /// Decodes a file and checks that it is complete.
    ///
    /// # Errors
    /// When it is not an exported session, of a newer version, truncated or modified.
    pub fn decode(text: &str) -> Result<Self, CodecError> {
        if text.len() > SESSION_FILE_MAX_BYTES {
            let detail =
                format!("it has {} bytes, but at most {SESSION_FILE_MAX_BYTES} are allowed", text.len());
            return Err(malformed(detail));
        }
        check_schema(text)?;
        let stored: SessionExportFile = serde_json::from_str(text).map_err(unreadable)?;
        let found = digest_of(
            &stored.session,
            &stored.entries,
            &stored.blobs,
            stored.state.get().as_bytes(),
            stored.instructions.as_deref(),
        );
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

    /// Decodes the entries.
    ///
    /// # Errors
    /// When one cannot be read, or they do not start at the beginning of a session without gaps.
    pub fn entries(&self) -> Result<Vec<JournalEntry>, CodecError> {
        let entries = self.rows.iter().map(decode_entry).collect::<Result<Vec<JournalEntry>, _>>()?;
        let whole = entries.iter().zip(1..).all(|(entry, sequence)| entry.sequence == sequence);
        match entries.first() {
            Some(JournalEntry { input: Input::SessionCreated(_), .. }) if whole => Ok(entries),
            Some(_) | None => Err(malformed("entries are missing")),
        }
    }

    /// Decodes the rules of that hash.
    ///
    /// # Errors
    /// When they are missing or cannot be read.
    pub fn rules(&self, digest: &Digest) -> Result<SessionRules, CodecError> {
        let blob = self.blobs.iter().find(|blob| blob.digest == *digest);
        let blob = blob.ok_or_else(|| malformed(format!("the rules {digest} are missing")))?;
        decode_rules(&blob.bytes)
    }

    /// The hashes of the rules and prefixes that entries refer to, without duplicates.
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

/// Checks that the text is an exported session of a known version.
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

/// Ids become part of commands that people paste: letters, digits and underscores only, and in an agent's session id
/// the separators of its parts.
fn check_id(id: &str) -> Result<(), CodecError> {
    let clean = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    let stem = id.strip_prefix("ses_").unwrap_or_default();
    if stem.is_empty() || stem.starts_with('-') || id.len() > ID_MAX_BYTES || !stem.chars().all(clean) {
        return Err(malformed("the id of its session is not valid"));
    }
    Ok(())
}

/// Larger than any id that Entracte generates.
const ID_MAX_BYTES: usize = 80;

/// The maximum number of characters of an unknown schema that an error shows.
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
    state: &[u8],
    instructions: Option<&str>,
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
