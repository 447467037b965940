//! Why a schema is not taken in, and why a value cannot be checked by one.

use super::shortened;
use crate::settings::Language;
use crate::texts::{LocalizedMessage, LocalizedTexts, saying};

/// Why a schema is not taken in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum SchemaRefusal {
    /// It has more bytes than `bounds.schema_bytes`.
    Bytes {
        /// The most it may have.
        most: usize,
    },
    /// It goes deeper than `bounds.schema_depth`.
    Depth {
        /// How deep it may go.
        most: usize,
    },
    /// It has more values than `bounds.schema_nodes`, its references followed.
    Nodes {
        /// The most it may have.
        most: usize,
    },
    /// It has more regular expressions than `bounds.schema_patterns`.
    Patterns {
        /// The most it may have.
        most: usize,
    },
    /// One of them is longer than `bounds.pattern_chars`.
    LongPattern {
        /// How it begins.
        pattern: String,
        /// The most characters it may have.
        most: usize,
    },
    /// A regular expression that is none, that cannot be matched in linear time, or that compiles to too much.
    Pattern {
        /// How it begins.
        pattern: String,
    },
    /// A reference that leaves the schema.
    Remote {
        /// The reference.
        reference: String,
    },
    /// A reference to nothing.
    Lost {
        /// The reference.
        reference: String,
    },
    /// References in a circle that no value ends.
    Endless,
    /// A keyword that moves what references mean.
    Keyword {
        /// The keyword.
        keyword: String,
    },
    /// No JSON Schema at all.
    NoSchema {
        /// What is wrong.
        says: String,
    },
}

impl SchemaRefusal {
    /// The refusal in words, with the setting that it hangs on.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The same for whoever knows the language later.
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
            Self::NoSchema { says } => saying!("bounds-no-schema", says = says),
        }
    }
}

/// Why a value cannot be checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum ArgumentRefusal {
    /// It has more bytes than `bounds.argument_bytes`.
    Bytes {
        /// The most it may have.
        most: usize,
    },
    /// It goes deeper than `bounds.argument_depth`, or than this schema can follow.
    Depth {
        /// How deep it may go.
        most: usize,
    },
    /// It has more values than `bounds.argument_elements`.
    Elements {
        /// The most it may have.
        most: usize,
    },
    /// A number has more characters than `bounds.argument_digits`.
    Digits {
        /// The most it may have.
        most: usize,
    },
    /// To check it takes more steps than `bounds.check_steps`.
    Steps {
        /// The most it may take.
        most: usize,
    },
}

impl ArgumentRefusal {
    /// The refusal in words, with the setting that it hangs on.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        self.saying().render(texts)
    }

    /// The same for whoever knows the language later.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Bytes { most } => saying!("bounds-argument-bytes", most = *most),
            Self::Depth { most } => saying!("bounds-argument-depth", most = *most),
            Self::Elements { most } => saying!("bounds-argument-elements", most = *most),
            Self::Digits { most } => saying!("bounds-argument-digits", most = *most),
            Self::Steps { most } => saying!("bounds-argument-steps", most = *most),
        }
    }
}
