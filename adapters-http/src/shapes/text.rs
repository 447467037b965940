//! Shapes of a workspace's shared texts.

use entracte_domain::value::JsonValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The shared texts of a workspace.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TextsShape {
    /// All of them, by key; at most 500.
    pub items: Vec<TextLineShape>,
    /// How many there are.
    #[serde(default)]
    pub total: u64,
}

/// A shared text in a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TextLineShape {
    /// Its key.
    pub key: String,
    /// The published version; 0 where none was published.
    pub version: u64,
    /// When it was published last, as the workspace writes instants.
    pub last_refresh: Option<String>,
    /// Proposals that wait.
    pub proposals: u64,
}

/// A shared text, an older version of it, or what a proposal would change.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TextShape {
    /// Its key.
    pub key: String,
    /// The version; none of a proposal.
    pub version: Option<u64>,
    /// Its words; of a proposal, as they would be.
    pub text: String,
    /// When it was published last; of the published version only.
    pub last_refresh: Option<String>,
    /// What a proposal would change, line by line.
    pub diff: Option<String>,
    /// Whether a proposal was made for an older version, and so cannot be published.
    pub stale: Option<bool>,
    /// Why it was proposed.
    pub note: Option<String>,
    /// Who proposed it.
    pub by: Option<String>,
    /// The proposals that wait; of the published version only.
    pub proposals: Vec<ProposalShape>,
    /// The latest versions; of the published version only.
    pub versions: Vec<VersionShape>,
}

/// A proposal that waits.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProposalShape {
    /// Its id.
    pub id: String,
    /// The version that it changes.
    pub base: u64,
    /// Another version was published since, so it cannot be.
    pub stale: bool,
    /// Why it was proposed.
    pub note: Option<String>,
    /// Who proposed it.
    pub by: Option<String>,
    /// When, as the workspace writes instants.
    pub at: Option<String>,
}

/// A published version.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VersionShape {
    /// Its number.
    pub version: u64,
    /// When it was published, as the workspace writes instants.
    pub at: Option<String>,
    /// Why it was proposed.
    pub note: Option<String>,
    /// Who proposed it.
    pub by: Option<String>,
}

/// A change that is proposed: exactly one of `text`, `edits` and `restore`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProposalShape {
    /// Key of the text: lower-case letters, digits, `.`, `_` and `-`.
    pub key: String,
    /// The version that was read and is changed; 0 for a new text.
    pub version: u32,
    /// The whole new text.
    pub text: Option<String>,
    /// Replacements, one after the other; what is found must stand there exactly once.
    pub edits: Option<Vec<TextEditShape>>,
    /// An older version whose text is brought back.
    pub restore: Option<u32>,
    /// Why, for whoever decides.
    pub note: Option<String>,
}

/// A replacement.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextEditShape {
    /// What stands there.
    pub find: String,
    /// What is to stand there.
    pub replace: String,
}

impl NewProposalShape {
    /// The arguments of the command.
    pub fn arguments(self) -> JsonValue {
        let number = |number: u32| JsonValue::from(i64::from(number));
        let edit = |edit: TextEditShape| {
            JsonValue::from([
                ("find", JsonValue::from(edit.find)),
                ("replace", JsonValue::from(edit.replace)),
            ])
        };
        let members = [
            ("key", Some(self.key.into())),
            ("version", Some(number(self.version))),
            ("text", self.text.map(JsonValue::from)),
            ("edits", self.edits.map(|edits| JsonValue::List(edits.into_iter().map(edit).collect()))),
            ("restore", self.restore.map(number)),
            ("note", self.note.map(JsonValue::from)),
        ];
        let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        JsonValue::Object(given.collect()).sorted()
    }
}

impl TextsShape {
    /// Reads the shape from the query's answer.
    pub fn read(answer: &Value) -> Self {
        let line = |row: &Value| TextLineShape {
            key: words(row, "key").unwrap_or_default(),
            version: number(row, "version").unwrap_or_default(),
            last_refresh: words(row, "last_refresh"),
            proposals: number(row, "proposals").unwrap_or_default(),
        };
        let items: Vec<TextLineShape> = rows(answer, "texts").map(line).collect();
        let total = number(answer, "total").unwrap_or(items.len() as u64);
        Self { items, total }
    }
}

impl TextShape {
    /// Reads the shape from the query's answer.
    pub fn read(answer: &Value) -> Self {
        let proposal = |row: &Value| ProposalShape {
            id: words(row, "id").unwrap_or_default(),
            base: number(row, "base").unwrap_or_default(),
            stale: row["stale"] == true,
            note: words(row, "note"),
            by: words(row, "by"),
            at: words(row, "at"),
        };
        let version = |row: &Value| VersionShape {
            version: number(row, "version").unwrap_or_default(),
            at: words(row, "at"),
            note: words(row, "note"),
            by: words(row, "by"),
        };
        Self {
            key: words(answer, "key").unwrap_or_default(),
            version: number(answer, "version"),
            text: words(answer, "text").unwrap_or_default(),
            last_refresh: words(answer, "last_refresh"),
            diff: words(answer, "diff"),
            stale: answer["stale"].as_bool(),
            note: words(answer, "note"),
            by: words(answer, "by"),
            proposals: rows(answer, "proposals").map(proposal).collect(),
            versions: rows(answer, "versions").map(version).collect(),
        }
    }
}

fn rows<'v>(answer: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    answer[name].as_array().into_iter().flatten()
}

fn words(row: &Value, name: &str) -> Option<String> {
    row[name].as_str().map(str::to_owned)
}

fn number(row: &Value, name: &str) -> Option<u64> {
    row[name].as_u64()
}
