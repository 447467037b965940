//! Why a schema is refused, and why a value cannot be checked.

use serde_json::Value;

use super::argument_paths::{argument_with_pattern, find_argument};
use super::document::SchemaDocument;
use super::shortened;
use crate::json_value::to_serde;
use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// Why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum SchemaRefusal {
    /// It has more bytes than `bounds.schema_bytes`.
    Bytes {
        /// The maximum number of bytes.
        most: usize,
    },
    /// It is deeper than `bounds.schema_depth`.
    Depth {
        /// The maximum depth.
        most: usize,
    },
    /// It has more values than `bounds.schema_nodes`, with its references expanded.
    Nodes {
        /// The maximum number of values.
        most: usize,
    },
    /// It has more regular expressions than `bounds.schema_patterns`.
    Patterns {
        /// The maximum number.
        most: usize,
    },
    /// One of its regular expressions is longer than `bounds.pattern_chars`.
    LongPattern {
        /// The beginning of the expression.
        pattern: String,
        /// The maximum number of characters.
        most: usize,
    },
    /// A regular expression is invalid, cannot be matched in linear time, or compiles to too much.
    Pattern {
        /// The beginning of the expression.
        pattern: String,
    },
    /// A reference leads outside of the schema.
    Remote {
        /// The refused reference.
        reference: String,
    },
    /// A reference leads to nothing.
    Lost {
        /// The refused reference.
        reference: String,
    },
    /// References form a cycle that no value ends.
    Endless,
    /// A keyword changes the meaning of references.
    Keyword {
        /// The refused keyword.
        keyword: String,
    },
    /// It is not a JSON Schema.
    NoSchema {
        /// The fault.
        says: String,
        /// JSON pointer to the faulty value in the schema; empty for the whole.
        pointer: String,
    },
}

impl SchemaRefusal {
    /// Describes the refusal, with the responsible setting.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The path of the argument whose part of the refused schema is the cause, such as `filter.dates[].from`; `None` if
    /// the cause is in no single argument.
    pub fn argument(&self, schema: impl Into<SchemaDocument>) -> Option<String> {
        // Only its names and texts are looked at.
        let schema: SchemaDocument = schema.into();
        let schema = &to_serde(&schema);
        match self {
            Self::LongPattern { pattern, .. } | Self::Pattern { pattern } => {
                argument_with_pattern(schema, pattern)
            }
            Self::Remote { reference } | Self::Lost { reference } => find_argument(schema, |part| {
                let is_it = |name| part.get(name).is_some_and(|value| value == reference);
                REFERENCE_KEYWORDS.into_iter().any(is_it)
            }),
            Self::Keyword { keyword } => find_argument(schema, |part| part.get(keyword).is_some()),
            Self::NoSchema { pointer, .. } => {
                let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]);
                let mut within: Vec<&Value> =
                    ends.filter_map(|end| schema.pointer(pointer.get(..end)?)).collect();
                within.reverse();
                let of_part = |wanted: &Value| find_argument(schema, |part| std::ptr::eq(part, wanted));
                within.into_iter().find_map(of_part)
            }
            Self::Bytes { .. }
            | Self::Depth { .. }
            | Self::Nodes { .. }
            | Self::Patterns { .. }
            | Self::Endless => None,
        }
    }

    /// The refusal as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Bytes { most } => saying!("bounds-schema-bytes", most = *most),
            Self::Depth { most } => saying!("bounds-schema-depth", most = *most),
            Self::Nodes { most } => saying!("bounds-schema-nodes", most = *most),
            Self::Patterns { most } => saying!("bounds-schema-patterns", most = *most),
            Self::LongPattern { pattern, most } => {
                saying!("bounds-pattern-chars", pattern = shortened(pattern), most = *most)
            }
            Self::Pattern { pattern } => saying!("bounds-pattern", pattern = shortened(pattern)),
            Self::Remote { reference } => {
                saying!("bounds-reference-remote", reference = shortened(reference))
            }
            Self::Lost { reference } => {
                saying!("bounds-reference-lost", reference = shortened(reference))
            }
            Self::Endless => saying!("bounds-reference-endless"),
            Self::Keyword { keyword } => saying!("bounds-keyword", keyword = keyword),
            Self::NoSchema { says, .. } => saying!("bounds-no-schema", says = says),
        }
    }
}

/// Why a value cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum ArgumentRefusal {
    /// It has more bytes than `bounds.argument_bytes`.
    Bytes {
        /// The maximum number of bytes.
        most: usize,
    },
    /// It is deeper than `bounds.argument_depth`, or than this schema can follow.
    Depth {
        /// The maximum depth.
        most: usize,
    },
    /// It has more values than `bounds.argument_elements`.
    Elements {
        /// The maximum number of values.
        most: usize,
    },
    /// A number has more characters than `bounds.argument_digits`.
    Digits {
        /// The maximum number of characters.
        most: usize,
    },
    /// Checking it takes more steps than `bounds.check_steps`.
    Steps {
        /// The maximum number of steps.
        most: usize,
    },
    /// The schema itself is refused.
    Schema(SchemaRefusal),
}

impl ArgumentRefusal {
    /// Describes the refusal, with the responsible setting.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The refusal as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Bytes { most } => saying!("bounds-argument-bytes", most = *most),
            Self::Depth { most } => saying!("bounds-argument-depth", most = *most),
            Self::Elements { most } => saying!("bounds-argument-elements", most = *most),
            Self::Digits { most } => saying!("bounds-argument-digits", most = *most),
            Self::Steps { most } => saying!("bounds-argument-steps", most = *most),
            Self::Schema(why) => why.saying(),
        }
    }
}

/// The keywords that refer to another part of a schema.
const REFERENCE_KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
