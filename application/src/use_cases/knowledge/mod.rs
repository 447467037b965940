//! Documents of a workspace: they are added, read, found and removed. Nothing of a session depends on them, so they need no
//! owner.

mod add;
mod read;
mod search;

pub use add::{AddDocument, AddDocumentOutcome, DocumentUpload};
pub use read::{DocumentExcerpt, QueryStructuredDocument, ReadDocuments, RemoveDocument};
pub use search::{ChunkCitation, KnowledgeSearchResult, SearchKnowledge};

use crate::knowledge::DocumentPathFault;
use crate::ports::{DocumentConversionError, StoreError};

/// Why nothing was done with documents.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    /// The workspace has no such document.
    #[error("no document is called {0}")]
    Unknown(String),
    /// A name that no document may have.
    #[error("a document needs a name of 1 to {most} characters on one line")]
    Name {
        /// The most characters.
        most: usize,
    },
    /// It is larger than one may be.
    #[error("it has {bytes} bytes, and a document may have {most}")]
    TooLarge {
        /// What it has.
        bytes: u64,
        /// What it may have.
        most: u64,
    },
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// The workspace has as many as it may have.
    #[error("the workspace has {most} documents already, which is as many as it may have")]
    Full {
        /// How many.
        most: u64,
    },
    /// It cannot be read.
    #[error(transparent)]
    Convert(#[from] DocumentConversionError),
    /// It is a text, and has no paths.
    #[error("{0} is a text: it is searched and read, and has no paths")]
    NotStructured(String),
    /// The path leads nowhere, or to no records.
    #[error("nothing is at that path")]
    Path(DocumentPathFault),
    /// The work was broken off.
    #[error("the work on the document stopped: {0}")]
    Stopped(String),
    /// The database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}
