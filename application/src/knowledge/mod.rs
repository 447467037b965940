//! Indexing and search of documents: pure, and the same for every database. `index_language` and `analysis` convert
//! words to terms, `chunker` and `records` split texts and structured documents into chunks, `search_terms` and
//! `ranking` select and order the chunks of a query, `fusion` combines keyword and semantic results, `snippet` shows
//! the matching passage, `structured` reads by path and filter, `document_panic` guards all of that.

mod analysis;
mod blocks;
mod chunker;
mod column_notation;
mod decimal_number;
mod decimal_separator;
mod document_panic;
mod field_comparison;
mod fusion;
mod gap_remarks;
mod index_language;
mod pointer;
mod ranking;
mod records;
mod search_terms;
mod snippet;
mod stop_words;
mod structured;
#[cfg(test)]
mod tests;

pub use analysis::{MAX_TERM_CHARS, terms};
pub use chunker::{TextChunk, cut_markdown, cut_text};
pub use column_notation::{ColumnNotation, DateOrder};
pub use decimal_separator::{DecimalSeparator, DecimalSeparatorTally};
pub use document_panic::{DocumentPanic, catch_document_panic, is_document_panic};
pub use field_comparison::FieldComparison;
pub use fusion::{FUSED_FROM, fuse};
pub use gap_remarks::gap_remarks;
pub use index_language::IndexLanguage;
pub use ranking::rank;
pub use records::{RecordTextOverflow, cut_records};
pub use search_terms::{CANDIDATES, ChunkFrequencies, ENOUGH, SearchTerms};
pub use snippet::snippet;
pub use structured::{
    DocumentPathFault, FieldFilter, FilterRemark, PathEnd, StructuredQuery, StructuredResult, TableColumn,
    read_path,
};
