//! Documents: how files of each format are read ([`DocumentReader`]), which files of a folder are taken ([`folder`]), and the
//! commands by which models search and read what was taken in ([`KnowledgeExecutor`]).
//!
//! What comes from outside is hostile: a PDF or a web page is read in a process of its own, with bounds of memory, processor
//! time and output ([`serve_reading()`]); any other document on a thread of its own, with a limit of time and a count of the memory
//! that its values take; and a panic in it is an answer. What a model reads of it is marked as data, with the source to cite.

mod arguments;
mod charset;
mod error_messages;
mod executor;
pub mod folder;
mod formats;
mod html;
mod memory_budget;
#[cfg(feature = "pdf")]
mod pdf;
mod reader;
mod reader_main;
mod reader_process;
mod reader_protocol;
mod specs;
mod table;
#[cfg(test)]
mod tests;

pub use executor::KnowledgeExecutor;
pub use reader::DocumentReader;
pub use reader_main::serve_reading;
