//! Documents: reads files of each format and converts images ([`DocumentReader`]), selects the files of a folder to import
//! ([`folder`]), and runs the commands by which models search and read the library ([`KnowledgeExecutor`]).
//!
//! Document content is hostile. A PDF, a web page, an image or a large file is read in a separate process, with bounds of memory,
//! processor time and output ([`serve_reading()`]); a small file of another format on a separate thread, with a time
//! limit and a count of the memory that its values take. Files wait for a place, and workspaces take turns
//! (`reading_queue`). Words in pictures of a PDF are recognised by a configured program, each of whose processes is bounded
//! (`ocr_process`). A panic becomes an error. Content is marked as data for the model, with the source to cite.

mod arguments;
mod charset;
mod error_messages;
mod executor;
pub mod folder;
mod formats;
mod html;
mod image_conversion;
mod memory_budget;
mod ocr;
mod ocr_process;
mod page_sections;
#[cfg(feature = "pdf")]
mod pdf;
mod reader;
mod reader_main;
mod reader_process;
mod reader_protocol;
mod reading_places;
mod reading_queue;
mod specs;
mod table;
mod table_dialect;
#[cfg(test)]
mod tests;

pub use executor::KnowledgeExecutor;
pub use reader::DocumentReader;
pub use reader_main::serve_reading;
