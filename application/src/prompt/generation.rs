//! The frozen part of a generation: everything of a request that must not change while the generation lasts.

use std::sync::Arc;

use entracte_domain::id::Digest;
use entracte_domain::session::Input;
use serde::{Deserialize, Serialize};

use super::Chunk;
use crate::ports::ToolDeclaration;
use crate::settings::Importance;
use crate::settings::{Language, RuntimeSettings, WorkspaceSettings};
use crate::system::sha256;

/// The version of the stored shape.
const VERSION: u32 = 2;

/// What stands before the conversation, and how the conversation is written. Built when a generation begins and
/// never changed after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prefix {
    /// One block each: level 1, then the data that is always sent when there is any.
    pub blocks: Vec<Arc<str>>,
    /// The parts of the first block, for people who want to know what a prompt is made of; empty in prefixes that
    /// did not keep it.
    pub parts: Vec<PrefixPart>,
    /// How the conversation is written; none in prefixes of the first version, which did not keep it.
    pub style: Option<PromptStyle>,
    /// How the provider writes requests ([`Provider::encoding`](crate::ports::Provider::encoding)).
    pub encoding: Arc<str>,
    /// The commands as native tools (`tools` dialect).
    pub tools: Arc<[ToolDeclaration]>,
    /// The JSON Schema of a reply (`envelope` dialect).
    pub reply_schema: Option<Arc<serde_json::Value>>,
}

/// A part of the first block. Between two parts stands [`Prefix::GAP`].
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
    pub layers: Option<Importance>,
    /// What the model calls the command that reads on in a result that was cut; none where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_on: Option<String>,
}

impl PromptStyle {
    /// How conversations of a workspace with these settings are written, where there is no command to read on.
    pub fn of(settings: &WorkspaceSettings, runtime: &RuntimeSettings) -> Self {
        Self {
            language: settings.language,
            zone: settings.zone.clone(),
            result_max_chars: runtime.result_max_chars,
            layers: runtime.situational_layers.then_some(settings.prompt_importance),
            read_on: None,
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
struct Stored {
    v: u32,
    blocks: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PrefixPart>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<PromptStyle>,
    #[serde(default, skip_serializing_if = "str::is_empty")]
    encoding: Arc<str>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<StoredTool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply_schema: Option<Arc<serde_json::Value>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTool {
    name: String,
    description: String,
    schema: serde_json::Value,
}

impl Prefix {
    /// What stands between two parts of the first block.
    pub const GAP: &str = "\n\n";

    /// The first block of these chunks, and what it is made of.
    pub fn of_chunks(chunks: &[Chunk]) -> (Arc<str>, Vec<PrefixPart>) {
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let part = |chunk: &Chunk| PrefixPart { name: chunk.name.to_owned(), bytes: chunk.text.len() };
        (texts.join(Self::GAP).into(), chunks.iter().map(part).collect())
    }

    /// The first block in its parts, by name; none when it is not known what it is made of.
    pub fn named_parts(&self) -> Option<Vec<(&str, &str)>> {
        let block = self.blocks.first()?;
        let mut at = 0;
        let mut named = Vec::new();
        for part in &self.parts {
            let end = at + part.bytes;
            named.push((part.name.as_str(), block.get(at..end)?));
            at = end + Self::GAP.len();
        }
        (!named.is_empty() && at == block.len() + Self::GAP.len()).then_some(named)
    }

    /// The bytes for the blob store; the same prefix gives the same bytes.
    pub fn encode(&self) -> Vec<u8> {
        // Texts, numbers and JSON always become JSON.
        serde_json::to_vec(&self.stored(self.blocks.clone(), self.parts.clone())).unwrap_or_default()
    }

    /// The prefix that these bytes hold.
    pub fn decode(bytes: &[u8]) -> Result<Self, PrefixFault> {
        let stored: Stored =
            serde_json::from_slice(bytes).map_err(|error| PrefixFault::Malformed(error.to_string()))?;
        if !(1..=VERSION).contains(&stored.v) {
            return Err(PrefixFault::UnknownVersion { found: stored.v });
        }
        let tool = |tool: StoredTool| ToolDeclaration {
            name: tool.name,
            description: tool.description,
            schema: tool.schema,
        };
        Ok(Self {
            blocks: stored.blocks,
            parts: stored.parts,
            style: stored.style,
            encoding: stored.encoding,
            tools: stored.tools.into_iter().map(tool).collect(),
            reply_schema: stored.reply_schema,
        })
    }

    /// SHA-256 (hex) of the bytes: the key of the blob.
    pub fn digest(&self) -> Digest {
        sha256(&self.encode())
    }

    /// The hash of everything that a model reads but the data that is always sent. While it stays the same, changed data is told in
    /// the conversation and the generation lasts.
    pub fn base(&self) -> Digest {
        let level1 = self.blocks.first().cloned().into_iter().collect();
        sha256(&serde_json::to_vec(&self.stored(level1, Vec::new())).unwrap_or_default())
    }

    fn stored(&self, blocks: Vec<Arc<str>>, parts: Vec<PrefixPart>) -> Stored {
        let tool = |tool: &ToolDeclaration| StoredTool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            schema: tool.schema.clone(),
        };
        Stored {
            v: VERSION,
            blocks,
            parts,
            style: self.style.clone(),
            encoding: self.encoding.clone(),
            tools: self.tools.iter().map(tool).collect(),
            reply_schema: self.reply_schema.clone(),
        }
    }
}

/// The prefix of the generation that an input begins.
pub fn begins(input: &Input) -> Option<&Digest> {
    match input {
        Input::SessionCreated(creation) => Some(&creation.prefix),
        Input::RulesChanged(change) => change.prefix.as_ref(),
        Input::ContextCompacted { prefix, .. } => prefix.as_ref().map(|(digest, _)| digest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Importance;

    #[test]
    fn embedders_get_no_layers_unless_they_ask() {
        let workspace = WorkspaceSettings::default();
        let layers = |runtime: &RuntimeSettings| PromptStyle::of(&workspace, runtime).layers;
        let usual = RuntimeSettings::default();
        assert_eq!(layers(&usual), None);
        let asked = RuntimeSettings { situational_layers: true, ..usual };
        assert_eq!(layers(&asked), Some(Importance::Helpful));
    }

    #[test]
    fn a_prefix_comes_back_from_its_bytes() {
        let style = PromptStyle {
            language: Language::Fr,
            zone: "Europe/Paris".into(),
            result_max_chars: 9,
            layers: None,
            read_on: Some("READ_RESULT".into()),
        };
        let prefix = Prefix {
            blocks: vec![Arc::from("level 1 \u{1F9EA}\n"), Arc::from("data")],
            parts: vec![PrefixPart { name: "role".into(), bytes: 13 }],
            style: Some(style),
            encoding: Arc::from("{}"),
            tools: Arc::new([ToolDeclaration {
                name: "a".into(),
                description: "A.".into(),
                schema: serde_json::json!({"type": "object"}),
            }]),
            reply_schema: Some(Arc::new(serde_json::json!({"type": "object"}))),
        };
        assert_eq!(Prefix::decode(&prefix.encode()), Ok(prefix.clone()));
        assert_eq!(prefix.digest(), sha256(&prefix.encode()));
        let less = Prefix { blocks: prefix.blocks[..1].to_vec(), ..prefix.clone() };
        assert_ne!(prefix.digest(), less.digest());
        assert_eq!(prefix.base(), less.base(), "data that is always sent is no part of the base");
        let unnamed = Prefix { parts: Vec::new(), ..prefix.clone() };
        assert_eq!(prefix.base(), unnamed.base(), "nor is what only people read");
        let other = Prefix { encoding: Arc::from(""), ..prefix.clone() };
        assert_ne!(prefix.base(), other.base());
    }

    #[test]
    fn the_parts_of_a_block_are_named_when_they_make_it_up() {
        let chunk = |name, text: &str| Chunk { name, importance: Importance::Vital, text: text.to_owned() };
        let (block, parts) = Prefix::of_chunks(&[chunk("role", "Ünter"), chunk("format", "b\n\nc")]);
        let prefix = Prefix { blocks: vec![block, Arc::from("data")], parts, ..Prefix::default() };
        assert_eq!(prefix.named_parts(), Some(vec![("role", "Ünter"), ("format", "b\n\nc")]));
        let older = Prefix { parts: Vec::new(), ..prefix.clone() };
        let shorter = Prefix { parts: prefix.parts[..1].to_vec(), ..prefix.clone() };
        let odd = Prefix { parts: vec![PrefixPart { name: "role".into(), bytes: 1 }], ..prefix };
        assert_eq!([older.named_parts(), shorter.named_parts(), odd.named_parts()], [None, None, None]);
    }

    #[test]
    fn a_prefix_of_the_first_version_is_read() {
        let first = Prefix::decode(br#"{"v":1,"blocks":["level 1"]}"#).unwrap();
        assert_eq!(first, Prefix { blocks: vec![Arc::from("level 1")], ..Prefix::default() });
    }

    #[test]
    fn other_bytes_are_named() {
        assert_eq!(Prefix::decode(br#"{"v":3,"blocks":[]}"#), Err(PrefixFault::UnknownVersion { found: 3 }));
        assert!(matches!(Prefix::decode(b"\xff"), Err(PrefixFault::Malformed(_))));
    }
}
