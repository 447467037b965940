use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::KnowledgeError;
use super::read_notes::note_reads;
use tokio::sync::Semaphore;

use crate::json_value::to_text;
use crate::knowledge::{
    DocumentPanic, IndexLanguage, RecordTextOverflow, TextChunk, catch_document_panic, cut_markdown,
    cut_records, cut_text, terms,
};
use crate::ports::{
    Clock, DocumentContent, DocumentConversionError, DocumentConverter, DocumentFormat, DocumentWriteOutcome,
    IdGenerator, KnowledgeDocument, KnowledgeStore, NewDocumentChunk, NewKnowledgeDocument, ReadingGaps,
};
use crate::settings::{ChunkSizeBounds, KnowledgeSettings, Language};
use crate::system::sha256;

/// How many converted documents a process analyses at once: each may be as large as `reader.output`.
static ANALYSES: Semaphore = Semaphore::const_new(2);

/// The maximum length of a document's name, in characters.
const NAME_MAX: usize = 500;
/// The maximum length of title and source, in characters.
const TITLE_MAX: usize = 1_000;

/// A file to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentUpload {
    /// The name in its workspace; a document of the same name is replaced.
    pub name: String,
    /// The source to cite.
    pub source: String,
    /// The format of the bytes.
    pub format: DocumentFormat,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The person who adds it.
    pub author: String,
    /// The language to use if the document is too short for detection.
    pub language: Language,
}

/// The result of adding a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddDocumentOutcome {
    /// A new document was added.
    New(KnowledgeDocument),
    /// The document of the same name was replaced.
    Replaced(KnowledgeDocument),
    /// The document of the same name has the same content already.
    Same(KnowledgeDocument),
}

impl AddDocumentOutcome {
    /// The stored document.
    pub fn document(&self) -> &KnowledgeDocument {
        match self {
            Self::New(document) | Self::Replaced(document) | Self::Same(document) => document,
        }
    }
}

use_case! {
    /// Adds a document: converts it, splits it into chunks, and stores all of it in one commit. An identical document
    /// stays unchanged; that it was added again is noted like a read.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::settings::{KnowledgeSettings, Language};
    /// # example(async {
    /// let mut store = MockKnowledgeStore::new();
    /// store.expect_document().returning(|_, _| Ok(None));
    /// store.expect_write_document().times(1).returning(|_, new, _| Ok(DocumentWriteOutcome::Added(new.document)));
    /// let mut converter = MockDocumentConverter::new();
    /// let markdown = |bytes| DocumentContent::Markdown(String::from_utf8(bytes).unwrap());
    /// converter.expect_convert().returning(move |_, _, bytes| Ok(markdown(bytes)));
    /// # let (store, converter) = (Arc::new(store), Arc::new(converter));
    /// # let (clock, ids) = (Arc::new(SystemClock), Arc::new(RandomIdGenerator));
    /// let add = AddDocument::new(store, converter, clock, ids, KnowledgeSettings::default());
    /// let file = DocumentUpload {
    ///     name: "spa.md".to_owned(),
    ///     source: "/home/ann/spa.md".to_owned(),
    ///     format: DocumentFormat::Markdown,
    ///     bytes: b"# The spa\n\nIt opens at noon.\n".to_vec(),
    ///     author: "ann".to_owned(),
    ///     language: Language::En,
    /// };
    /// let added = add.run(&samples::workspace(), file).await?;
    /// assert!(matches!(&added, AddDocumentOutcome::New(document) if document.title == "The spa"));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped before the write, nothing is stored, and the conversion ends.
    /// If it is dropped during the write, the document is stored completely or not at all; a retry finds it already
    /// stored.
    pub struct AddDocument over (
        store: dyn KnowledgeStore, converter: dyn DocumentConverter, clock: dyn Clock, ids: dyn IdGenerator
    ) with (settings: KnowledgeSettings)
}

impl AddDocument {
    /// Adds one document.
    ///
    /// # Errors
    /// [`KnowledgeError::Name`], [`KnowledgeError::TooLarge`], [`KnowledgeError::Empty`] and
    /// [`KnowledgeError::Convert`] when the file is invalid; [`KnowledgeError::Full`] when the workspace has reached
    /// its maximum; [`KnowledgeError::Stopped`] and [`KnowledgeError::Store`] when the work was interrupted and may be
    /// retried. The workspace is unchanged then, except in the case of a lost server
    /// ([`StoreError`](crate::ports::StoreError)).
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        file: DocumentUpload,
    ) -> Result<AddDocumentOutcome, KnowledgeError> {
        let name = file.name.trim().to_owned();
        let is_good =
            !name.is_empty() && name.chars().count() <= NAME_MAX && !name.chars().any(char::is_control);
        if !is_good {
            return Err(KnowledgeError::Name { most: NAME_MAX });
        }
        self.check_size(file.bytes.len())?;
        let digest = sha256(&file.bytes);
        let known = self.named(workspace, &name).await?;
        if let Some(known) = known.filter(|known| known.digest == digest && known.format == file.format) {
            // Somebody still uses what is added again, so it does not go as unread.
            note_reads(&*self.store, &*self.clock, workspace, [&known]).await;
            return Ok(AddDocumentOutcome::Same(known));
        }
        let content = cleaned(self.converter.convert(workspace, file.format, file.bytes).await?);
        let sizes = self.settings.sizes();
        let language = file.language;
        let most = self.settings.reader.output;
        let bytes = usize::try_from(most).unwrap_or(usize::MAX);
        // A request that is dropped does not stop its analysis: the next one waits for it.
        let turn = ANALYSES.acquire().await.map_err(|error| KnowledgeError::Stopped(error.to_string()))?;
        let analyse = move || {
            let _turn = turn;
            catch_document_panic(|| AnalyzedDocument::of(content, language, sizes, bytes))
                .map_err(|DocumentPanic| DocumentConversionError::Crashed(DocumentPanic.to_string()))?
                .map_err(|RecordTextOverflow| DocumentConversionError::Output(most))
        };
        let analysed = tokio::task::spawn_blocking(analyse).await;
        let analysed = analysed.map_err(|error| KnowledgeError::Stopped(error.to_string()))??;
        self.check_size(analysed.bytes)?;
        if analysed.chunks.is_empty() {
            return Err(KnowledgeError::Empty);
        }
        let now = self.clock.now();
        let document = KnowledgeDocument {
            id: format!("doc_{}", self.ids.key()),
            title: shortened(&analysed.title.unwrap_or_else(|| name.clone())),
            name,
            source: shortened(&file.source),
            format: file.format,
            language: analysed.tongue.word().to_owned(),
            digest,
            bytes: u64::try_from(analysed.bytes).unwrap_or(u64::MAX),
            chunks: u32::try_from(analysed.chunks.len()).unwrap_or(u32::MAX),
            author: file.author,
            added_at: now,
            changed_at: now,
            gaps: analysed.gaps,
            last_read_at: None,
        };
        let new = NewKnowledgeDocument { document, body: analysed.body, chunks: analysed.chunks };
        match self.store.write_document(workspace, new, self.settings.documents).await? {
            DocumentWriteOutcome::Added(document) => Ok(AddDocumentOutcome::New(document)),
            DocumentWriteOutcome::Replaced(document) => Ok(AddDocumentOutcome::Replaced(document)),
            DocumentWriteOutcome::Full => Err(KnowledgeError::Full { most: self.settings.documents }),
        }
    }

    /// Finds a document by its name only, not by an equal id.
    async fn named(
        &self,
        workspace: &WorkspaceKey,
        name: &str,
    ) -> Result<Option<KnowledgeDocument>, KnowledgeError> {
        Ok(self.store.document(workspace, name).await?.filter(|document| document.name == name))
    }

    fn check_size(&self, bytes: usize) -> Result<(), KnowledgeError> {
        let (bytes, most) = (u64::try_from(bytes).unwrap_or(u64::MAX), self.settings.document_bytes);
        if bytes > most { Err(KnowledgeError::TooLarge { bytes, most }) } else { Ok(()) }
    }
}

/// An analysed document, ready to be written.
struct AnalyzedDocument {
    title: Option<String>,
    tongue: IndexLanguage,
    bytes: usize,
    body: Option<String>,
    chunks: Vec<NewDocumentChunk>,
    gaps: ReadingGaps,
}

impl AnalyzedDocument {
    /// Analyses a document into chunks of at most this many bytes.
    fn of(
        content: DocumentContent,
        language: Language,
        sizes: ChunkSizeBounds,
        most: usize,
    ) -> Result<Self, RecordTextOverflow> {
        let mut gaps = ReadingGaps::default();
        let (text, pieces, body) = match content {
            DocumentContent::Plain(text) => {
                let pieces = cut_text(&text, sizes);
                (text, pieces, None)
            }
            DocumentContent::Markdown(text) => {
                let pieces = cut_markdown(&text, sizes);
                (text, pieces, None)
            }
            DocumentContent::Extracted { text, gaps: lacking } => {
                gaps = lacking;
                let pieces = cut_markdown(&text, sizes);
                (text, pieces, None)
            }
            DocumentContent::Structured(value) => {
                let pieces = cut_records(&value, sizes, most)?;
                let said: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
                (said.join("\n"), pieces, Some(to_text(&value)))
            }
        };
        let tongue = IndexLanguage::detect(&text, language);
        let is_structured = body.is_some();
        let has_words = !text.trim().is_empty();
        let title = pieces.iter().find_map(|piece| piece.heading.first()).filter(|_| !is_structured).cloned();
        let pieces = if has_words || is_structured { pieces } else { Vec::new() };
        let chunks = pieces.into_iter().map(|piece| chunk(piece, tongue, is_structured)).collect();
        Ok(Self { title, tongue, bytes: body.as_ref().map_or(text.len(), String::len), body, chunks, gaps })
    }
}

fn chunk(piece: TextChunk, tongue: IndexLanguage, is_structured: bool) -> NewDocumentChunk {
    // A JSON pointer is not a heading: its keys are in the text already.
    let headings = if is_structured { String::new() } else { piece.heading.join("\n") };
    NewDocumentChunk {
        heading_terms: terms(&headings, tongue),
        terms: terms(&piece.text, tongue),
        heading: piece.heading,
        start: u64::try_from(piece.at.start).unwrap_or(u64::MAX),
        end: u64::try_from(piece.at.end).unwrap_or(u64::MAX),
        text: piece.text,
    }
}

/// Removes NUL characters, which not every database can store, and normalises line ends.
fn cleaned(content: DocumentContent) -> DocumentContent {
    let clean = |text: String| {
        if text.contains(['\0', '\r']) {
            text.replace('\0', "").replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text
        }
    };
    match content {
        DocumentContent::Plain(text) => DocumentContent::Plain(clean(text)),
        DocumentContent::Markdown(text) => DocumentContent::Markdown(clean(text)),
        DocumentContent::Extracted { text, gaps } => DocumentContent::Extracted { text: clean(text), gaps },
        // JSON escapes NUL.
        DocumentContent::Structured(value) => DocumentContent::Structured(value),
    }
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\0', "");
    line.chars().take(TITLE_MAX).collect()
}
