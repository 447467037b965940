//! `knowledge …`: the documents of a workspace.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// `knowledge …`
#[derive(Debug, Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// Add documents: a file, all files of a folder, or standard input
    ///
    /// Documents that have not changed are skipped, and changed ones replaced. Links and hidden files of a folder are left
    /// out. CSV and JSON are kept as data that is read by path and filter.
    Add {
        /// File or folder; - reads standard input
        path: PathBuf,
        /// Name of the document, for a single one [default: its path in the folder, or its file name]
        #[arg(long)]
        name: Option<String>,
        /// What to cite [default: the path of the file]
        #[arg(long)]
        source: Option<String>,
        /// What it is [default: by the end of its name]
        #[arg(long, value_enum)]
        format: Option<FormatName>,
    },
    /// Make the vectors that are missing, so that documents are found by meaning; continues where it was interrupted
    Embed,
    /// List the documents
    List {
        /// At most this many
        #[arg(long, default_value_t = 1_000)]
        limit: u32,
        /// Only those whose names come after this one
        #[arg(long, value_name = "NAME")]
        after: Option<String>,
    },
    /// Print the text of a document, all of it
    Show {
        /// Name or id of the document
        document: String,
    },
    /// Search the documents as models do
    Search {
        /// What to look for
        #[arg(required = true)]
        words: Vec<String>,
        /// At most this many results
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Remove documents, with all that is kept of them
    Remove {
        /// Names or ids
        #[arg(required = true)]
        documents: Vec<String>,
    },
}

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatName {
    /// Markdown
    Markdown,
    /// Plain text
    Text,
    /// A web page
    Html,
    /// A PDF with text
    Pdf,
    /// A table whose first row names the columns
    Csv,
    /// JSON, or one JSON value on each line
    Json,
}
