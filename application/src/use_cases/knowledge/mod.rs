//! Documents of a workspace: add, read, search and remove them. Session state does not depend on them, so these use
//! cases need no owner.

mod add;
mod error_text;
mod read;
mod read_notes;
mod search;

pub use add::{AddDocument, AddDocumentOutcome, DocumentUpload};
pub use read::{DocumentExcerpt, QueryStructuredDocument, ReadDocuments, RemoveDocument};
pub use search::{ChunkCitation, KnowledgeSearchResult, SearchKnowledge};

use crate::knowledge::DocumentPathFault;
use crate::ports::{DocumentConversionError, StoreError};

/// Why an operation on documents failed.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The workspace has no such document.
    #[error("no document is called {0}")]
    Unknown(String),
    /// The name is invalid.
    #[error("a document needs a name of 1 to {most} characters on one line")]
    Name {
        /// The maximum number of characters.
        most: usize,
    },
    /// The document is too large.
    #[error("it has {bytes} bytes, and a document may have {most}")]
    TooLarge {
        /// The size in bytes.
        bytes: u64,
        /// The maximum in bytes.
        most: u64,
    },
    /// The document is empty.
    #[error("it is empty")]
    Empty,
    /// The workspace has reached its maximum number of documents.
    #[error("the workspace has {most} documents already, which is as many as it may have")]
    Full {
        /// The maximum number.
        most: u64,
    },
    /// The document cannot be converted.
    #[error(transparent)]
    Convert(#[from] DocumentConversionError),
    /// The document is a text and has no paths.
    #[error("{0} is a text: it is searched and read, and has no paths")]
    NotStructured(String),
    /// The path does not exist, or does not lead to records.
    #[error("nothing is at that path")]
    Path(DocumentPathFault),
    /// The work was interrupted.
    #[error("the work on the document stopped: {0}")]
    Stopped(String),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
