//! Shapes of a workspace's documents, and of search results in them.

use std::borrow::Cow;

use entracte_application::ports::{KnowledgeDocument, ReadingGaps};
use entracte_application::use_cases::{ChunkCitation, DocumentExcerpt};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// A document.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentShape {
    /// `doc_…`; stays when the document is replaced.
    pub id: String,
    /// What it is called in its workspace.
    pub name: String,
    /// Its first heading, or its name.
    pub title: String,
    /// What to cite.
    pub source: String,
    /// `markdown`, `text`, `html`, `pdf`, `csv` or `json`.
    pub format: Cow<'static, str>,
    /// The language that it is indexed in, of two letters; `und` where none is known.
    pub language: String,
    /// SHA-256 of what was stored.
    pub digest: String,
    /// Bytes of its text, as it is kept.
    pub bytes: u64,
    /// How many parts of it can be found.
    pub chunks: u32,
    /// Who added it.
    pub author: String,
    /// When it was added.
    pub added_at: String,
    /// When its text was last another one.
    pub changed_at: String,
    /// Pages of the original that could not be read, or only in part.
    pub lost_pages: Vec<u32>,
    /// Pages of the original that hold pictures and no text; words in pictures are not recognised.
    pub picture_pages: Vec<u32>,
    /// How many texts were left out because the web page hides them.
    pub hidden_texts: u32,
    /// How many style sheets outside of the web page were not loaded; what they hide is part of the text.
    pub outside_style_sheets: u32,
    /// In how many places the original could not be decoded; each is `U+FFFD` in the text.
    pub broken_characters: u32,
    /// Whether only the article of the web page was read, without what stands around it.
    pub is_article_only: bool,
    /// The program that recognised words in pictures (OCR), if one did. Its words may be wrong.
    pub ocr_program: Option<String>,
}

impl DocumentShape {
    /// What the text of the document lacks of the original.
    pub fn gaps(&self) -> ReadingGaps {
        ReadingGaps {
            lost: self.lost_pages.iter().copied().collect(),
            pictures: self.picture_pages.iter().copied().collect(),
            hidden_texts: self.hidden_texts,
            outside_style_sheets: self.outside_style_sheets,
            broken_characters: self.broken_characters,
            is_article_only: self.is_article_only,
            ocr_program: self.ocr_program.clone(),
        }
    }
}

impl From<&KnowledgeDocument> for DocumentShape {
    fn from(document: &KnowledgeDocument) -> Self {
        Self {
            id: document.id.clone(),
            name: document.name.clone(),
            title: document.title.clone(),
            source: document.source.clone(),
            format: document.format.word().into(),
            language: document.language.clone(),
            digest: document.digest.as_str().to_owned(),
            bytes: document.bytes,
            chunks: document.chunks,
            author: document.author.clone(),
            added_at: iso(document.added_at),
            changed_at: iso(document.changed_at),
            lost_pages: document.gaps.lost.as_slice().to_vec(),
            picture_pages: document.gaps.pictures.as_slice().to_vec(),
            hidden_texts: document.gaps.hidden_texts,
            outside_style_sheets: document.gaps.outside_style_sheets,
            broken_characters: document.gaps.broken_characters,
            is_article_only: document.gaps.is_article_only,
            ocr_program: document.gaps.ocr_program.clone(),
        }
    }
}

/// A document with some of its text.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentTextShape {
    /// The document.
    pub document: DocumentShape,
    /// The part of its text; of CSV and JSON, of its JSON.
    pub text: String,
    /// Where the part begins, in bytes.
    pub from: u64,
    /// Where it ends, which is not in it: where to read on.
    pub to: u64,
    /// Whether there is more.
    pub more: bool,
}

impl From<DocumentExcerpt> for DocumentTextShape {
    fn from(part: DocumentExcerpt) -> Self {
        let document = DocumentShape::from(&part.document);
        Self { document, text: part.text, from: part.from, to: part.to, more: part.more }
    }
}

/// A document to be kept.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDocumentShape {
    /// All of its text.
    #[schema(min_length = 1)]
    pub text: String,
    /// What it is; `markdown` when it is left out.
    #[serde(default)]
    pub format: TextFormat,
    /// What to cite; its name when it is left out.
    pub source: Option<String>,
}

/// A PDF to be kept.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPdfShape {
    /// The file, in base64.
    #[schema(min_length = 1)]
    pub pdf: String,
    /// What to cite; its name when it is left out.
    pub source: Option<String>,
}

/// What a text may be.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Markdown.
    #[default]
    Markdown,
    /// Plain text.
    Text,
    /// A web page.
    Html,
    /// A table whose first row names the columns.
    Csv,
    /// JSON, or one JSON value on each line.
    Json,
}

/// A document that was kept.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KeptDocumentShape {
    /// `added`, `replaced` or `unchanged`.
    pub outcome: &'static str,
    /// The document.
    pub document: DocumentShape,
}

/// What a search found.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct KnowledgeShape {
    /// The best first.
    pub results: Vec<FoundShape>,
    /// Nothing was looked for by meaning, though that is on.
    pub text_only: bool,
    /// Why nothing was looked for by meaning.
    #[serde(default)]
    pub text_only_because: Option<String>,
    /// The documents of the workspace.
    #[serde(default)]
    pub documents: u64,
    /// Parts that cannot be found by meaning yet.
    pub left: u64,
}

/// A part of a document that was found.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FoundShape {
    /// The document.
    pub document: DocumentShape,
    /// The headings above it, from the outermost; of CSV and JSON, the pointer to its first record.
    pub heading: Vec<String>,
    /// Where it begins in the text of the document, in bytes; of CSV and JSON, its first record.
    pub from: u64,
    /// Where it ends, which is not in it.
    pub to: u64,
    /// How well it fits; comparable only with the others of the same search.
    pub score: f64,
    /// Where in it the words stand.
    pub snippet: String,
    /// All of it.
    pub text: String,
}

impl From<&ChunkCitation> for FoundShape {
    fn from(found: &ChunkCitation) -> Self {
        Self {
            document: DocumentShape::from(&found.document),
            heading: found.chunk.heading.clone(),
            from: found.chunk.start,
            to: found.chunk.end,
            score: found.score,
            snippet: found.snippet.clone(),
            text: found.chunk.text.clone(),
        }
    }
}

/// Vectors are being made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct VectorsShape {
    /// True.
    pub begun: bool,
}
