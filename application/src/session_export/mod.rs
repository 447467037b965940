//! Export of a session to one file, and import. The file contains the entries in JSON, their rules and prompt
//! prefixes, the same of each agent below the session, the bytes of the files that they name, and a hash over everything.

mod files;
mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId};
use entracte_domain::session::{Input, SessionRules};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use files::session_file_max_bytes;
pub use verify::VerifiedSessionExport;

use self::files::Base64Bytes;
use crate::codec::{CodecError, decode_entry, decode_rules};
use crate::journal::JournalEntry;
use crate::ports::{ContentBlob, LogRow};
use crate::prompt::generation_prefix;
use crate::system::sha256;

/// The schema name in the file of a session without agents. Releases that know no agents in files read it.
pub const SESSION_DOCUMENT: &str = "entracte.session_export/1";
/// The schema name in the file of a session with agents.
pub const SESSION_TREE_DOCUMENT: &str = "entracte.session_export/2";
const WHAT: &str = "session file";
/// The part of the schema names before the version.
const FAMILY: &str = "entracte.session_export/";
/// The schema name in the file of a session with files of its conversation, with agents or without.
pub const SESSION_FILES_DOCUMENT: &str = "entracte.session_export/3";
/// The latest version, that of [`SESSION_FILES_DOCUMENT`].
const VERSION: u64 = 3;

/// The maximum size of an imported file in bytes, without the files of its conversation: it is held in memory and written
/// in one commit.
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
    /// The agents below it, each complete and after its caller. An agent has no list of its own.
    pub agents: Vec<Self>,
    /// The bytes of the files that the entries and those of agents name, and of their forms for models. An agent has none
    /// of its own.
    pub files: BTreeMap<Digest, Arc<[u8]>>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    agents: Vec<Self>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, Base64Bytes>,
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
        serde_json::to_string(&self.to_file()?).map_err(|error| malformed(error.to_string()))
    }

    fn to_file(&self) -> Result<SessionExportFile, CodecError> {
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
        let schema = match (self.files.is_empty(), self.agents.is_empty()) {
            (true, true) => SESSION_DOCUMENT,
            (true, false) => SESSION_TREE_DOCUMENT,
            (false, _) => SESSION_FILES_DOCUMENT,
        };
        let files = self.files.iter();
        let mut file = SessionExportFile {
            schema: schema.to_owned(),
            session: self.session.as_str().to_owned(),
            entries,
            blobs,
            state: raw(&self.state)?,
            instructions: self.instructions.clone(),
            agents: self.agents.iter().map(Self::to_file).collect::<Result<Vec<_>, _>>()?,
            files: files.map(|(digest, bytes)| (digest.to_string(), Base64Bytes(bytes.clone()))).collect(),
            digest: String::new(),
        };
        file.digest = file.compute_digest().to_string();
        Ok(file)
    }

    /// Decodes a file and checks that it is complete.
    ///
    /// # Errors
    /// When it is not an exported session, of a newer version, truncated or modified.
    pub fn decode(text: &str) -> Result<Self, CodecError> {
        check_schema(text)?;
        let mut file: SessionExportFile = serde_json::from_str(text).map_err(unreadable)?;
        let of_files: usize = file.files.values().map(Base64Bytes::encoded_length).sum();
        let length = text.len().saturating_sub(of_files);
        if length > SESSION_FILE_MAX_BYTES {
            let detail = format!(
                "it has {length} bytes without files, but at most {SESSION_FILE_MAX_BYTES} are allowed"
            );
            return Err(malformed(detail));
        }
        if file.compute_digest().as_str() != file.digest {
            return Err(malformed("its content does not match its hash: it was changed or cut"));
        }
        let mut agents = Vec::with_capacity(file.agents.len());
        for agent in std::mem::take(&mut file.agents) {
            if !agent.agents.is_empty() {
                return Err(malformed("the file of an agent has agents of its own"));
            }
            if !agent.files.is_empty() {
                return Err(malformed("the file of an agent has files of its own"));
            }
            // The hash of an agent holds for it alone, and the hash of the file is over those of its agents.
            if agent.compute_digest().as_str() != agent.digest {
                return Err(malformed("an agent does not match its hash: it was changed or cut"));
            }
            agents.push(Self::from_file(agent)?);
        }
        let files = std::mem::take(&mut file.files);
        let mut export = Self { agents, ..Self::from_file(file)? };
        export.files = export.check_files(files)?;
        Ok(export)
    }

    /// The session of a file whose hash was checked, without its agents and files.
    fn from_file(file: SessionExportFile) -> Result<Self, CodecError> {
        check_id(&file.session)?;
        let session = SessionId::new(file.session);
        let mut blobs = Vec::with_capacity(file.blobs.len());
        for (digest, bytes) in file.blobs {
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
        let rows = file.entries.into_iter().map(row).collect();
        let (state, instructions) = (file.state.get().as_bytes().to_vec(), file.instructions);
        let (agents, files) = (Vec::new(), BTreeMap::new());
        Ok(Self { session, rows, blobs, state, instructions, agents, files })
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
        Some(1..=VERSION) => Ok(()),
        Some(found) if found > VERSION => {
            Err(CodecError::UnknownVersion { what: WHAT, found, known: VERSION })
        }
        Some(_) | None => {
            let said: String = probe.schema.chars().take(SCHEMA_SHOWN).collect();
            Err(malformed(format!("it says “{said}”, expected {SESSION_FILES_DOCUMENT}")))
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

impl SessionExportFile {
    /// The hash over everything else in the file; of an agent, over its own hash.
    fn compute_digest(&self) -> Digest {
        let mut bytes = self.session.as_bytes().to_vec();
        for entry in &self.entries {
            let key = entry.client_key.as_deref().unwrap_or_default();
            let head = format!("\n{} {} {} {} {key}\n", entry.seq, entry.sequence, entry.at, entry.label);
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(entry.body.get().as_bytes());
        }
        for (digest, blob) in &self.blobs {
            bytes.extend_from_slice(format!("\n{digest}\n").as_bytes());
            bytes.extend_from_slice(blob.get().as_bytes());
        }
        bytes.extend_from_slice(b"\n");
        bytes.extend_from_slice(self.state.get().as_bytes());
        if let Some(instructions) = &self.instructions {
            bytes.extend_from_slice(b"\n");
            bytes.extend_from_slice(instructions.as_bytes());
        }
        for agent in &self.agents {
            bytes.extend_from_slice(format!("\nagent {}\n", agent.digest).as_bytes());
        }
        // Their bytes have digests of their own.
        for digest in self.files.keys() {
            bytes.extend_from_slice(format!("\nfile {digest}\n").as_bytes());
        }
        sha256(&bytes)
    }
}
