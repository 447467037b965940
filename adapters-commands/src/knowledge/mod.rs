//! Documents: how files of each format are read ([`DocumentReader`]), which files of a folder are taken ([`folder`]), and the
//! commands by which models search and read what was taken in ([`KnowledgeExecutor`]).
//!
//! What comes from outside is hostile: a document is read on a thread of its own, with a limit of time, and a panic in it is
//! an answer. What a model reads of it is marked as data, with the source to cite.

mod arguments;
mod charset;
mod executor;
pub mod folder;
mod html;
#[cfg(feature = "pdf")]
mod pdf;
mod reader;
mod specs;
mod table;
#[cfg(test)]
mod tests;
mod words;

pub use executor::KnowledgeExecutor;
pub use reader::DocumentReader;
