use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::KnowledgeError;
use super::read_notes::note_reads;
use crate::json_value::parse_foreign;
use crate::knowledge::{StructuredQuery, StructuredResult, read_path};
use crate::ports::{Clock, DocumentFormat, KnowledgeDocument, KnowledgeStatistics, KnowledgeStore};

/// The number of chunks read per page.
const PAGE: u32 = 64;

/// A part of a document's text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentExcerpt {
    /// The document it is from.
    pub document: KnowledgeDocument,
    /// The text of the part.
    pub text: String,
    /// The byte offset where it begins.
    pub from: u64,
    /// The exclusive byte offset where it ends.
    pub to: u64,
    /// Whether the document has more text after it.
    pub more: bool,
}

use_case! {
    /// Lists and reads documents.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockKnowledgeStore::new();
    /// store.expect_document().returning(|_, which| Ok((which == "spa.md").then(samples::document)));
    /// store.expect_chunks().returning(|_, _, _, _| Ok(vec![samples::chunk()]));
    /// store.expect_note_reads().returning(|_, _, _| Ok(()));
    /// let read = ReadDocuments::new(Arc::new(store), Arc::new(SystemClock));
    /// let part = read.text(&samples::workspace(), "spa.md", 4, 3).await?;
    /// assert_eq!((part.text.as_str(), part.more), ("spa", true));
    /// let lost = read.one(&samples::workspace(), "lost.md").await;
    /// assert!(matches!(lost, Err(KnowledgeError::Unknown(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Reads, and notes at most once a day that the text of a document was read: dropping it leaves nothing else behind.
    pub struct ReadDocuments over (store: dyn KnowledgeStore, clock: dyn Clock)
}

impl ReadDocuments {
    /// The documents whose names follow `after`, by name, at most `limit`.
    ///
    /// # Errors
    /// [`KnowledgeError::Store`] when the database cannot be read.
    pub async fn list(
        &self,
        workspace: &WorkspaceKey,
        after: Option<String>,
        limit: u32,
    ) -> Result<Vec<KnowledgeDocument>, KnowledgeError> {
        Ok(self.store.documents(workspace, after, limit).await?)
    }

    /// The document counts of the workspace.
    ///
    /// # Errors
    /// [`KnowledgeError::Store`] when the database cannot be read.
    pub async fn library(&self, workspace: &WorkspaceKey) -> Result<KnowledgeStatistics, KnowledgeError> {
        Ok(self.store.library(workspace).await?)
    }

    /// Finds a document by id or name.
    ///
    /// # Errors
    /// [`KnowledgeError::Unknown`] when there is none, [`KnowledgeError::Store`] when the database cannot be read.
    pub async fn one(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
    ) -> Result<KnowledgeDocument, KnowledgeError> {
        find_document(&*self.store, workspace, which).await
    }

    /// The text from a byte offset on, at most this many characters; the JSON of a structured document.
    ///
    /// # Errors
    /// Same as [`ReadDocuments::one`]. An offset after the end is not an error: the text is empty.
    pub async fn text(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
        from: u64,
        characters: usize,
    ) -> Result<DocumentExcerpt, KnowledgeError> {
        let document = self.one(workspace, which).await?;
        note_reads(&*self.store, &*self.clock, workspace, [&document]).await;
        let (text, from) = if document.format.is_structured() {
            let body = self.store.body(workspace, &document.id).await?.unwrap_or_default();
            let start = floor_char_boundary(&body, usize::try_from(from).unwrap_or(usize::MAX));
            (body[start..].chars().take(characters).collect(), u64::try_from(start).unwrap_or(u64::MAX))
        } else {
            self.joined(workspace, &document, from, characters).await?
        };
        let to = from + u64::try_from(text.len()).unwrap_or(u64::MAX);
        Ok(DocumentExcerpt { more: to < document.bytes, document, text, from, to })
    }

    /// Joins the chunks from an offset on, without the overlap of adjacent ones.
    async fn joined(
        &self,
        workspace: &WorkspaceKey,
        document: &KnowledgeDocument,
        from: u64,
        characters: usize,
    ) -> Result<(String, u64), KnowledgeError> {
        let (mut text, mut left) = (String::new(), characters);
        let (mut begin, mut at) = (None, from.min(document.bytes));
        while left > 0 {
            let chunks = self.store.chunks(workspace, &document.id, at, PAGE).await?;
            if chunks.is_empty() {
                break;
            }
            for chunk in chunks {
                let skip = usize::try_from(at.saturating_sub(chunk.start)).unwrap_or(usize::MAX);
                let skip = floor_char_boundary(&chunk.text, skip);
                begin.get_or_insert(chunk.start + u64::try_from(skip).unwrap_or(u64::MAX));
                let rest = &chunk.text[skip..];
                match rest.char_indices().nth(left) {
                    Some((end, _)) => {
                        text.push_str(&rest[..end]);
                        left = 0;
                        break;
                    }
                    None => {
                        text.push_str(rest);
                        left -= rest.chars().count();
                    }
                }
                at = chunk.end;
            }
        }
        Ok((text, begin.unwrap_or(at)))
    }
}

/// The start of the character at or before the byte offset `at`.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

use_case! {
    /// Queries a structured document by path and filter.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::knowledge::{StructuredQuery, StructuredResult};
    /// # use entracte_domain::value::JsonValue;
    /// # example(async {
    /// let mut store = MockKnowledgeStore::new();
    /// store.expect_document().returning(|_, which| Ok((which == "hotel.json").then(samples::document)));
    /// store.expect_body().returning(|_, _| {
    ///     Ok(Some(r#"{"rooms": [{"name": "Blue", "beds": 2}, {"name": "Red", "beds": 1}]}"#.to_owned()))
    /// });
    /// # store.expect_note_reads().returning(|_, _, _| Ok(()));
    /// let read = QueryStructuredDocument::new(Arc::new(store), Arc::new(SystemClock));
    /// let wanted = StructuredQuery { fields: vec!["name".to_owned()], limit: 1, ..StructuredQuery::default() };
    /// let (_, answer) = read.run(&samples::workspace(), "hotel.json#/rooms", wanted).await?;
    /// assert_eq!(answer, StructuredResult::Many { total: 2, matched: 2, items: vec![JsonValue::from([("name", JsonValue::from("Blue"))])], remarks: vec![], columns: vec![] });
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Reads, and notes at most once a day that the document was read: dropping it leaves nothing else behind.
    pub struct QueryStructuredDocument over (store: dyn KnowledgeStore, clock: dyn Clock)
}

impl QueryStructuredDocument {
    /// Queries `name` or `name#/pointer`, which sets the pointer of `wanted`. Of a table, its columns are returned too.
    ///
    /// # Errors
    /// [`KnowledgeError::Unknown`] when there is no such document, [`KnowledgeError::NotStructured`] when it is a
    /// text, [`KnowledgeError::Path`] when nothing, or no record, is at that path, [`KnowledgeError::Stopped`] and
    /// [`KnowledgeError::Store`] when it cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        path: &str,
        mut wanted: StructuredQuery,
    ) -> Result<(KnowledgeDocument, StructuredResult), KnowledgeError> {
        let find = async |which| find_document(&*self.store, workspace, which).await;
        // A name may contain a #.
        let (document, pointer) = match (find(path).await, path.rsplit_once("#/")) {
            (Err(KnowledgeError::Unknown(_)), Some((name, pointer))) => {
                (find(name).await?, format!("/{pointer}"))
            }
            (Err(KnowledgeError::Unknown(_)), None) if path.ends_with('#') => {
                (find(path.trim_end_matches('#')).await?, String::new())
            }
            (found, _) => (found?, String::new()),
        };
        let Some(body) = self.store.body(workspace, &document.id).await? else {
            return Err(KnowledgeError::NotStructured(document.name));
        };
        note_reads(&*self.store, &*self.clock, workspace, [&document]).await;
        wanted.pointer = pointer;
        wanted.columns = document.format == DocumentFormat::Csv && wanted.pointer.is_empty();
        let answer = tokio::task::spawn_blocking(move || {
            let value = parse_foreign(&body).map_err(|fault| KnowledgeError::Stopped(fault.to_string()))?;
            read_path(&value, &wanted).map_err(KnowledgeError::Path)
        });
        let answer = answer.await.map_err(|error| KnowledgeError::Stopped(error.to_string()))??;
        Ok((document, answer))
    }
}

use_case! {
    /// Removes documents.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockKnowledgeStore::new();
    /// store.expect_document().returning(|_, which| Ok((which == "spa.md").then(samples::document)));
    /// store.expect_remove().times(1).returning(|_, id| Ok(id == "doc_spa"));
    /// let removed = RemoveDocument::new(Arc::new(store)).run(&samples::workspace(), "spa.md").await?;
    /// assert_eq!(removed.id, "doc_spa");
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// If it is dropped during the write, the document is removed completely or not at all. A retry is refused if it
    /// was removed.
    pub struct RemoveDocument over (store: dyn KnowledgeStore)
}

impl RemoveDocument {
    /// Removes the document of an id or a name with its chunks, and returns its metadata.
    ///
    /// # Errors
    /// [`KnowledgeError::Unknown`] when there is none, also when a concurrent call removed it first;
    /// [`KnowledgeError::Store`] when the database cannot be used.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        which: &str,
    ) -> Result<KnowledgeDocument, KnowledgeError> {
        let document = find_document(&*self.store, workspace, which).await?;
        if !self.store.remove(workspace, &document.id).await? {
            return Err(KnowledgeError::Unknown(which.to_owned()));
        }
        Ok(document)
    }
}

/// The document of an id or a name.
async fn find_document(
    store: &dyn KnowledgeStore,
    workspace: &WorkspaceKey,
    which: &str,
) -> Result<KnowledgeDocument, KnowledgeError> {
    let found = store.document(workspace, which).await?;
    found.ok_or_else(|| KnowledgeError::Unknown(which.to_owned()))
}
