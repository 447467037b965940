//! The frozen part of a generation: everything of a request that must not change while the generation lasts.

use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::session::failure::FallbackModel;
use entracte_domain::session::{Input, JournalNote, LogAppend, ModelSelection};
use serde::{Deserialize, Serialize};

use super::PromptChunk;
use crate::command_naming::CommandNaming;
use crate::journal::JournalEntry;
use crate::ports::ToolDeclaration;
use crate::settings::{ChunkImportance, Language, RuntimeSettings, WorkspaceSettings};
use crate::system::sha256;

/// The version of the stored shape. A prefix without instructions is written as the version before, so that its hash stays.
const VERSION: u32 = 3;
const WITHOUT_INSTRUCTIONS: u32 = 2;

/// What stands before the conversation, and how the conversation is written. Built when a generation begins and
/// never changed after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptPrefix {
    /// One block each: level 1, then the instructions and the data that is always sent, where there are any.
    pub blocks: Vec<Arc<str>>,
    /// The parts of the first block, for people who want to know what a prompt is made of; empty in prefixes that
    /// did not keep it.
    pub parts: Vec<PrefixPart>,
    /// The parts of the second block, which holds the instructions; empty where there are none.
    pub instructions: Vec<PrefixPart>,
    /// How the conversation is written; none in prefixes of the first version, which did not keep it.
    pub style: Option<PromptStyle>,
    /// How the provider writes requests ([`Provider::encoding`](crate::ports::Provider::encoding)).
    pub encoding: Arc<str>,
    /// The commands as native tools (`tools` dialect).
    pub tools: Arc<[ToolDeclaration]>,
    /// The JSON Schema of a reply (`envelope` dialect).
    pub reply_schema: Option<Arc<serde_json::Value>>,
    /// The most tokens of an answer, of an agent; none where the provider's entry says it.
    pub output_tokens: Option<u32>,
}

/// A part of a block. Between two parts stands [`PromptPrefix::GAP`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrefixPart {
    /// Name of the chunk.
    pub name: String,
    /// Its length in bytes.
    pub bytes: usize,
}

/// How the conversation is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptStyle {
    /// The language of what Entracte says.
    pub language: Language,
    /// IANA time zone of the dates.
    pub zone: String,
    /// The most characters of one result; 0 = no limit.
    pub result_max_chars: usize,
    /// Situational layers that matter at least that much are told, in the `tools` dialect
    /// ([`Layer`](super::Layer)); none: none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<ChunkImportance>,
    /// What the model calls the command that reads on in a result that was cut; none where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_on: Option<String>,
    /// How what Entracte says calls the commands; none in prefixes that did not keep it, where they have their names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naming: Option<CommandNaming>,
}

impl PromptStyle {
    /// How conversations of a workspace with these settings are written, where there is no command to read on.
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

/// Stored bytes that are no prefix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrefixFault {
    /// It was written by a newer Entracte.
    #[error(
        "the stored prefix has version {found}, but this Entracte reads version {VERSION} and older; use a newer Entracte"
    )]
    UnknownVersion {
        /// The version it says.
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
    reply_schema: Option<Arc<serde_json::Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_tokens: Option<u32>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredToolDeclaration {
    name: String,
    description: String,
    schema: serde_json::Value,
}

impl PromptPrefix {
    /// What stands between two parts of a block.
    pub const GAP: &str = "\n\n";

    /// The first block of these chunks, and what it is made of.
    pub fn join_chunks(chunks: &[PromptChunk]) -> (Arc<str>, Vec<PrefixPart>) {
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let part = |chunk: &PromptChunk| PrefixPart { name: chunk.name.to_owned(), bytes: chunk.text.len() };
        (texts.join(Self::GAP).into(), chunks.iter().map(part).collect())
    }

    /// The first block in its parts, by name; none when it is not known what it is made of.
    pub fn named_parts(&self) -> Option<Vec<(&str, &str)>> {
        split(self.blocks.first()?, &self.parts)
    }

    /// The instructions in their parts, by scope; none where there are none.
    pub fn named_instructions(&self) -> Option<Vec<(&str, &str)>> {
        split(self.instruction_block()?, &self.instructions)
    }

    /// The block of the instructions.
    pub fn instruction_block(&self) -> Option<&Arc<str>> {
        self.blocks.get(1).filter(|_| !self.instructions.is_empty())
    }

    /// The blocks of the data that is always sent.
    pub fn data_blocks(&self) -> &[Arc<str>] {
        self.blocks.get(self.frozen_block_count()..).unwrap_or_default()
    }

    /// How many blocks change with the generation only.
    fn frozen_block_count(&self) -> usize {
        1 + usize::from(!self.instructions.is_empty())
    }

    /// The bytes for the blob store; the same prefix gives the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        // Texts, numbers and JSON always become JSON.
        let stored = self.stored(self.blocks.clone(), (self.parts.clone(), self.instructions.clone()));
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// The prefix that these bytes hold.
    ///
    /// # Errors
    /// [`PrefixFault::UnknownVersion`] when a newer Entracte froze it, [`PrefixFault::Malformed`] when the bytes are
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

    /// SHA-256 (hex) of the bytes: the key of the blob.
    pub fn digest(&self) -> Digest {
        sha256(&self.encode())
    }

    /// The hash of everything that a model reads but the data that is always sent, instructions included. While it stays the same, changed data is told in
    /// the conversation and the generation lasts.
    pub fn base_digest(&self) -> Digest {
        let kept = self.blocks.iter().take(self.frozen_block_count()).cloned().collect();
        sha256(&serde_json::to_vec(&self.stored(kept, (Vec::new(), Vec::new()))).unwrap_or_default())
    }

    fn stored(
        &self,
        blocks: Vec<Arc<str>>,
        (parts, instructions): (Vec<PrefixPart>, Vec<PrefixPart>),
    ) -> StoredPrefix {
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

/// A block in its parts, by name; none when they do not make it up.
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

/// The model that speaks from an entry on, where it is another one than before.
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

/// Who went on where a provider failed. A failure may name somebody whom the machine did not take: its note says so.
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
    use super::*;
    use crate::settings::ChunkImportance;

    #[test]
    fn embedders_get_no_layers_unless_they_ask() {
        let workspace = WorkspaceSettings::default();
        let layers = |runtime: &RuntimeSettings| PromptStyle::from_settings(&workspace, runtime).layers;
        let usual = RuntimeSettings::default();
        assert_eq!(layers(&usual), None);
        let asked = RuntimeSettings { situational_layers: true, ..usual };
        assert_eq!(layers(&asked), Some(ChunkImportance::Helpful));
    }

    #[test]
    fn a_prefix_comes_back_from_its_bytes() {
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
                schema: serde_json::json!({"type": "object"}),
            }]),
            reply_schema: Some(Arc::new(serde_json::json!({"type": "object"}))),
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

    #[test]
    fn instructions_are_of_the_base_and_data_is_not() {
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
    fn the_parts_of_a_block_are_named_when_they_make_it_up() {
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
    fn other_bytes_are_named() {
        assert_eq!(
            PromptPrefix::decode(br#"{"v":4,"blocks":[]}"#),
            Err(PrefixFault::UnknownVersion { found: 4 })
        );
        assert!(matches!(PromptPrefix::decode(b"\xff"), Err(PrefixFault::Malformed(_))));
    }
}
