//! The frozen prefix of a prompt generation: everything in a request that must not change while the generation
//! lasts.

use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::session::failure::FallbackModel;
use entracte_domain::session::{Input, JournalNote, LogAppend, ModelSelection};
use serde::{Deserialize, Serialize};

use super::PromptChunk;
use crate::command_naming::CommandNaming;
use crate::journal::JournalEntry;
use crate::ports::ToolDeclaration;
use crate::schema::SchemaDocument;
use crate::settings::{ChunkImportance, Language, RuntimeSettings, WorkspaceSettings};
use crate::system::sha256;

/// Version of the stored format. A prefix without instructions is written in the previous version, so that its
/// hash stays the same.
const VERSION: u32 = 3;
const WITHOUT_INSTRUCTIONS: u32 = 2;

/// The part of a request before the conversation, and the style of the conversation. Built when a generation
/// begins and never changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptPrefix {
    /// One block each: level 1, then the instructions and the always-sent data, if any.
    pub blocks: Vec<Arc<str>>,
    /// The parts of the first block, for display; empty in prefixes that did not store them.
    pub parts: Vec<PrefixPart>,
    /// The parts of the second block, which holds the instructions; empty if there are none.
    pub instructions: Vec<PrefixPart>,
    /// The style of the conversation; `None` in prefixes of the first version, which did not store it.
    pub style: Option<PromptStyle>,
    /// The request encoding of the provider ([`Provider::encoding`](crate::ports::Provider::encoding)).
    pub encoding: Arc<str>,
    /// The commands as native tools (`tools` dialect).
    pub tools: Arc<[ToolDeclaration]>,
    /// The JSON Schema of a reply (`envelope` dialect).
    pub reply_schema: Option<Arc<SchemaDocument>>,
    /// Maximum output tokens of an agent; `None` if the provider's entry decides.
    pub output_tokens: Option<u32>,
}

/// A part of a block. Parts are separated by [`PromptPrefix::GAP`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefixPart {
    /// Name of the chunk.
    pub name: String,
    /// Length in bytes.
    pub bytes: usize,
}

/// How the conversation is rendered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptStyle {
    /// Language of Entracte's own texts.
    pub language: Language,
    /// IANA time zone of the dates.
    pub zone: String,
    /// Maximum characters of one result; 0 = no limit.
    pub result_max_chars: usize,
    /// Minimum importance of the situational layers that are sent in the `tools` dialect
    /// ([`PromptLayer`](super::PromptLayer)); `None` = no layers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<ChunkImportance>,
    /// The model's name for the command that reads on in a truncated result; `None` if it has no such command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_on: Option<String>,
    /// How Entracte's texts name the commands; `None` in prefixes that did not store it, which use the plain names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naming: Option<CommandNaming>,
}

impl PromptStyle {
    /// The style of conversations in a workspace with these settings, without a command to read on.
    pub fn from_settings(settings: &WorkspaceSettings, runtime: &RuntimeSettings) -> Self {
        Self {
            language: settings.language,
            zone: settings.zone.clone(),
            result_max_chars: runtime.result_max_chars,
            layers: runtime.situational_layers.then_some(settings.prompt_importance),
            read_on: None,
            naming: None,
        }
    }
}

/// Why stored bytes are not a valid prefix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrefixFault {
    /// Written by a newer Entracte.
    #[error(
        "the stored prefix has version {found}, but this Entracte reads version {VERSION} and older; use a newer Entracte"
    )]
    UnknownVersion {
        /// The version found.
        found: u32,
    },
    /// The bytes are damaged.
    #[error("the stored prefix cannot be read: {0}")]
    Malformed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPrefix {
    v: u32,
    blocks: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PrefixPart>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    instructions: Vec<PrefixPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<PromptStyle>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    encoding: Arc<str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<StoredToolDeclaration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_schema: Option<Arc<SchemaDocument>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredToolDeclaration {
    name: String,
    description: String,
    schema: SchemaDocument,
}

impl PromptPrefix {
    /// Separator of two parts of a block.
    pub const GAP: &str = "\n\n";

    /// The first block of these chunks, and its parts.
    pub fn join_chunks<'c>(chunks: impl IntoIterator<Item = &'c PromptChunk>) -> (Arc<str>, Vec<PrefixPart>) {
        let part = |chunk: &'c PromptChunk| {
            (chunk.text.as_str(), PrefixPart { name: chunk.name.to_owned(), bytes: chunk.text.len() })
        };
        let (texts, parts): (Vec<&str>, Vec<PrefixPart>) = chunks.into_iter().map(part).unzip();
        (texts.join(Self::GAP).into(), parts)
    }

    /// The first block in named parts; `None` if its parts are unknown.
    pub fn named_parts(&self) -> Option<Vec<(&str, &str)>> {
        split(self.blocks.first()?, &self.parts)
    }

    /// The instructions in parts named by scope; `None` if there are none.
    pub fn named_instructions(&self) -> Option<Vec<(&str, &str)>> {
        split(self.instruction_block()?, &self.instructions)
    }

    /// The block of the instructions, if any.
    pub fn instruction_block(&self) -> Option<&Arc<str>> {
        self.blocks.get(1).filter(|_| !self.instructions.is_empty())
    }

    /// The blocks of the always-sent data.
    pub fn data_blocks(&self) -> &[Arc<str>] {
        self.blocks.get(self.frozen_block_count()..).unwrap_or_default()
    }

    /// Number of blocks that change only with the generation.
    fn frozen_block_count(&self) -> usize {
        1 + usize::from(!self.instructions.is_empty())
    }

    /// The bytes for the blob store; equal prefixes give equal bytes.
    pub fn encode(&self) -> Vec<u8> {
        // Serializing texts, numbers and JSON to JSON cannot fail.
        let stored = self.stored(self.blocks.clone(), self.parts.clone(), self.instructions.clone());
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// Decodes a stored prefix.
    ///
    /// # Errors
    /// [`PrefixFault::UnknownVersion`] when a newer Entracte wrote it, [`PrefixFault::Malformed`] when the bytes are
    /// damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, PrefixFault> {
        let stored: StoredPrefix =
            serde_json::from_slice(bytes).map_err(|error| PrefixFault::Malformed(error.to_string()))?;
        if !(1..=VERSION).contains(&stored.v) {
            return Err(PrefixFault::UnknownVersion { found: stored.v });
        }
        let tool = |tool: StoredToolDeclaration| ToolDeclaration {
            name: tool.name,
            description: tool.description,
            schema: tool.schema,
        };
        Ok(Self {
            blocks: stored.blocks,
            parts: stored.parts,
            instructions: stored.instructions,
            style: stored.style,
            encoding: stored.encoding,
            tools: stored.tools.into_iter().map(tool).collect(),
            reply_schema: stored.reply_schema,
            output_tokens: stored.output_tokens,
        })
    }

    /// SHA-256 (hex) of the encoded bytes: the key of the blob.
    pub fn digest(&self) -> Digest {
        sha256(&self.encode())
    }

    /// Whether everything but the always-sent data is the same in both, instructions included. While it is, changed data
    /// is sent as a notice in the conversation and the generation lasts.
    pub fn has_same_base(&self, other: &Self) -> bool {
        // Equal prefixes have equal bytes, so bytes are compared only where something differs.
        self.equals_base_of(other) || self.base_digest() == other.base_digest()
    }

    /// Whether the parts that [`base_digest`](Self::base_digest) covers are equal values.
    fn equals_base_of(&self, other: &Self) -> bool {
        let kept = |prefix: &Self| prefix.frozen_block_count().min(prefix.blocks.len());
        self.instructions.is_empty() == other.instructions.is_empty()
            && self.blocks[..kept(self)] == other.blocks[..kept(other)]
            && self.style == other.style
            && self.encoding == other.encoding
            && (Arc::ptr_eq(&self.tools, &other.tools) || self.tools == other.tools)
            && self.reply_schema == other.reply_schema
            && self.output_tokens == other.output_tokens
    }

    /// Hash of everything in the prefix except the always-sent data and the parts that only people read.
    fn base_digest(&self) -> Digest {
        let kept = self.blocks.iter().take(self.frozen_block_count()).cloned().collect();
        sha256(&serde_json::to_vec(&self.stored(kept, Vec::new(), Vec::new())).unwrap_or_default())
    }

    fn stored(
        &self,
        blocks: Vec<Arc<str>>,
        parts: Vec<PrefixPart>,
        instructions: Vec<PrefixPart>,
    ) -> StoredPrefix {
        #[cfg(test)]
        tests::WRITTEN.set(tests::WRITTEN.get() + 1);
        let tool = |tool: &ToolDeclaration| StoredToolDeclaration {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        };
        StoredPrefix {
            v: if self.instructions.is_empty() { WITHOUT_INSTRUCTIONS } else { VERSION },
            blocks,
            parts,
            instructions,
            style: self.style.clone(),
            encoding: self.encoding.clone(),
            tools: self.tools.iter().map(tool).collect(),
            reply_schema: self.reply_schema.clone(),
            output_tokens: self.output_tokens,
        }
    }
}

/// A block in its named parts; `None` if they do not add up to it.
fn split<'p>(block: &'p str, parts: &'p [PrefixPart]) -> Option<Vec<(&'p str, &'p str)>> {
    let mut at = 0;
    let mut named = Vec::new();
    for part in parts {
        let end = at + part.bytes;
        named.push((part.name.as_str(), block.get(at..end)?));
        at = end + PromptPrefix::GAP.len();
    }
    (!named.is_empty() && at == block.len() + PromptPrefix::GAP.len()).then_some(named)
}

/// The prefix of the generation that an entry begins.
pub fn generation_prefix(entry: &JournalEntry) -> Option<&Digest> {
    match &entry.input {
        Input::SessionCreated(creation) => Some(&creation.prefix),
        Input::RulesChanged(change) => change.prefix.as_ref(),
        Input::ContextCompacted { prefix, .. } => prefix.as_ref().map(|(digest, _)| digest),
        _ => fallback(entry).map(|instead| &instead.prefix),
    }
}

/// The model from an entry on, if the entry changes it.
pub fn changed_voice(entry: &JournalEntry) -> Option<ModelSelection> {
    match &entry.input {
        Input::SessionCreated(creation) => Some(ModelSelection {
            provider: creation.provider.clone(),
            model: creation.model.clone(),
            dialect: creation.dialect,
        }),
        Input::RulesChanged(change) => change.voice.clone(),
        _ => fallback(entry).map(|instead| instead.voice.clone()),
    }
}

/// The fallback model after a provider failed. The state machine may have rejected the one that a failure names;
/// the note of the failure decides.
fn fallback(entry: &JournalEntry) -> Option<&FallbackModel> {
    let (Input::NetworkErrorOccurred { failure, .. } | Input::ProviderErrorOccurred { failure, .. }) =
        &entry.input
    else {
        return None;
    };
    let fell_back = |appended: &LogAppend| matches!(appended, LogAppend::Note(JournalNote::FellBack { .. }));
    failure.instead.as_deref().filter(|_| entry.appended.iter().any(fell_back))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::settings::ChunkImportance;

    thread_local! {
        /// How many prefixes this thread has put into their stored form.
        pub(super) static WRITTEN: Cell<usize> = const { Cell::new(0) };
    }

    /// Input: the prefix of a session that was read again, with other data and without the names of its parts; expected:
    /// it has the same base, found without writing either.
    #[test]
    fn unchanged_base_is_compared_without_bytes() {
        let tool = ToolDeclaration {
            name: "a".into(),
            description: "A.".into(),
            schema: serde_json::json!({"type": "object", "maximum": 1e2}).into(),
        };
        let prefix = PromptPrefix {
            blocks: vec![Arc::from("level 1"), Arc::from("You are Nora.")],
            instructions: vec![PrefixPart { name: "workspace".into(), bytes: 13 }],
            tools: Arc::new([tool]),
            reply_schema: Some(Arc::new(serde_json::json!({"type": "object"}).into())),
            ..PromptPrefix::default()
        };
        let mut read = PromptPrefix::decode(&prefix.encode()).unwrap();
        read.blocks.push(Arc::from("data"));
        read.parts.clear();
        let before = WRITTEN.get();
        assert!(prefix.has_same_base(&read) && read.has_same_base(&prefix));
        assert_eq!(WRITTEN.get(), before);
        let other = PromptPrefix { output_tokens: Some(9), ..prefix.clone() };
        assert!(!prefix.has_same_base(&other));
        let plain = PromptPrefix { instructions: Vec::new(), ..prefix.clone() };
        assert!(!prefix.has_same_base(&plain), "a block of data is no instruction");
    }

    #[test]
    fn embedders_get_no_layers_by_default() {
        let workspace = WorkspaceSettings::default();
        let layers = |runtime: &RuntimeSettings| PromptStyle::from_settings(&workspace, runtime).layers;
        let usual = RuntimeSettings::default();
        assert_eq!(layers(&usual), None);
        let asked = RuntimeSettings { situational_layers: true, ..usual };
        assert_eq!(layers(&asked), Some(ChunkImportance::Helpful));
    }

    #[test]
    fn prefix_round_trips_through_bytes() {
        let style = PromptStyle {
            language: Language::Fr,
            zone: "Europe/Paris".into(),
            result_max_chars: 9,
            layers: None,
            read_on: Some("READ_RESULT".into()),
            naming: Some(CommandNaming::Types),
        };
        let prefix = PromptPrefix {
            blocks: vec![Arc::from("level 1 \u{1F9EA}\n"), Arc::from("data")],
            parts: vec![PrefixPart { name: "role".into(), bytes: 13 }],
            instructions: Vec::new(),
            style: Some(style),
            encoding: Arc::from("{}"),
            tools: Arc::new([ToolDeclaration {
                name: "a".into(),
                description: "A.".into(),
                schema: serde_json::json!({"type": "object"}).into(),
            }]),
            reply_schema: Some(Arc::new(serde_json::json!({"type": "object"}).into())),
            output_tokens: Some(1024),
        };
        assert_eq!(PromptPrefix::decode(&prefix.encode()), Ok(prefix.clone()));
        assert_eq!(prefix.digest(), sha256(&prefix.encode()));
        let less = PromptPrefix { blocks: prefix.blocks[..1].to_vec(), ..prefix.clone() };
        assert_ne!(prefix.digest(), less.digest());
        assert_eq!(
            prefix.base_digest(),
            less.base_digest(),
            "data that is always sent is no part of the base"
        );
        let unnamed = PromptPrefix { parts: Vec::new(), ..prefix.clone() };
        assert_eq!(prefix.base_digest(), unnamed.base_digest(), "nor is what only people read");
        let other = PromptPrefix { encoding: Arc::from(""), ..prefix.clone() };
        assert_ne!(prefix.base_digest(), other.base_digest());
    }

    /// Input: numbers of schemas that no machine number holds as they are written, and members in any order; expected:
    /// bytes, and so digests, as of a prefix that is stored already.
    #[test]
    fn prefix_bytes_keep_spelling_of_numbers() {
        let json = |text: &str| SchemaDocument::parse(text).unwrap();
        let prefix = PromptPrefix {
            blocks: vec![Arc::from("level 1")],
            tools: Arc::new([ToolDeclaration {
                name: "pay".into(),
                description: "Pays.".into(),
                schema: json(r#"{"type":"object","maximum":1e2,"default":72.50,"examples":["\u0008\f"]}"#),
            }]),
            reply_schema: Some(Arc::new(json(r#"{"minimum":-12345678901234567890.12,"const":1E5}"#))),
            ..PromptPrefix::default()
        };
        let stored = concat!(
            r#"{"v":2,"blocks":["level 1"],"tools":[{"name":"pay","description":"Pays.","#,
            r#""schema":{"default":72.50,"examples":["\b\f"],"maximum":1e+2,"type":"object"}}],"#,
            r#""reply_schema":{"const":1e+5,"minimum":-12345678901234567890.12}}"#,
        );
        assert_eq!(String::from_utf8(prefix.encode()).unwrap(), stored);
        assert_eq!(PromptPrefix::decode(stored.as_bytes()), Ok(prefix));
    }

    #[test]
    fn base_digest_covers_instructions_but_not_data() {
        let told = |text: &str| PromptPrefix {
            blocks: vec![Arc::from("level 1"), Arc::from(text)],
            instructions: vec![PrefixPart { name: "workspace".into(), bytes: text.len() }],
            ..PromptPrefix::default()
        };
        let prefix = told("You are Fernando.");
        assert_eq!(PromptPrefix::decode(&prefix.encode()), Ok(prefix.clone()));
        assert_eq!(prefix.named_instructions(), Some(vec![("workspace", "You are Fernando.")]));
        let mut with_data = prefix.clone();
        with_data.blocks.push(Arc::from("data"));
        assert_eq!(
            (with_data.base_digest(), with_data.data_blocks()),
            (prefix.base_digest(), &[Arc::from("data")][..])
        );
        assert_ne!(told("You are Nora.").base_digest(), prefix.base_digest());
        let without = PromptPrefix { blocks: vec![Arc::from("level 1")], ..PromptPrefix::default() };
        assert_ne!(without.base_digest(), prefix.base_digest());
        assert!(String::from_utf8_lossy(&without.encode()).starts_with(r#"{"v":2,"#), "as it was before");
    }

    #[test]
    fn parts_are_named_when_they_fill_block() {
        let chunk = |name, text: &str| PromptChunk {
            name,
            importance: ChunkImportance::Vital,
            text: text.to_owned(),
        };
        let (block, parts) = PromptPrefix::join_chunks(&[chunk("role", "Ünter"), chunk("format", "b\n\nc")]);
        let prefix =
            PromptPrefix { blocks: vec![block, Arc::from("data")], parts, ..PromptPrefix::default() };
        assert_eq!(prefix.named_parts(), Some(vec![("role", "Ünter"), ("format", "b\n\nc")]));
        let older = PromptPrefix { parts: Vec::new(), ..prefix.clone() };
        let shorter = PromptPrefix { parts: prefix.parts[..1].to_vec(), ..prefix.clone() };
        let odd = PromptPrefix { parts: vec![PrefixPart { name: "role".into(), bytes: 1 }], ..prefix };
        assert_eq!([older.named_parts(), shorter.named_parts(), odd.named_parts()], [None, None, None]);
    }

    #[test]
    fn a_prefix_of_the_first_version_is_read() {
        let first = PromptPrefix::decode(br#"{"v":1,"blocks":["level 1"]}"#).unwrap();
        assert_eq!(first, PromptPrefix { blocks: vec![Arc::from("level 1")], ..PromptPrefix::default() });
    }

    #[test]
    fn invalid_prefix_bytes_are_named() {
        assert_eq!(
            PromptPrefix::decode(br#"{"v":4,"blocks":[]}"#),
            Err(PrefixFault::UnknownVersion { found: 4 })
        );
        assert!(matches!(PromptPrefix::decode(b"\xff"), Err(PrefixFault::Malformed(_))));
    }
}
