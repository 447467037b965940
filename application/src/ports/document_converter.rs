use async_trait::async_trait;
use entracte_domain::time::Millis;
use serde_json::Value;

use super::DocumentFormat;

/// What a document says.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentContent {
    /// Plain text, without headings.
    Plain(String),
    /// Markdown.
    Markdown(String),
    /// What is read by path and filter.
    Structured(Value),
}

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentConversionError {
    /// It is no text in UTF-8.
    #[error("it is not text in UTF-8")]
    NotText,
    /// It is not what its format says, and why.
    #[error("it cannot be read as {format}: {why}", format = .format.word())]
    Unreadable {
        /// What it should be.
        format: DocumentFormat,
        /// What is wrong.
        why: String,
    },
    /// It has pages and no text: it was scanned.
    #[error("it has no text: its pages are pictures, as of a scanner; make a PDF with text of it first")]
    Scanned,
    /// It takes too long.
    #[error("reading it took longer than {} s", .0.0 / 1000)]
    TooSlow(Millis),
    /// It needs more memory than a reader may have, in bytes.
    #[error("it needs more than {} MiB of memory to be read (`reader.memory`)", mebibytes(*.0))]
    Memory(u64),
    /// It needs more time of a processor than a reader may have.
    #[error("it needs more than {} s of a processor to be read (`reader.cpu`)", .0.0 / 1000)]
    Cpu(Millis),
    /// More text comes of it than a reader may give, in bytes.
    #[error("more than {} MiB of text come of it (`reader.output`)", mebibytes(*.0))]
    Output(u64),
    /// The process that reads documents cannot be started, and why.
    #[error("the process that reads documents cannot be started: {0}")]
    NotStarted(String),
    /// This program cannot read its format.
    #[error("this build of entracte cannot read {}", .0.word())]
    NotBuiltIn(DocumentFormat),
}

/// Bytes in units that people read: whole MiB, rounded up.
pub const fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// Reads documents of every format.
///
/// Contract: whatever the bytes are, it answers within the limit of its time, and does not panic; it opens no other file and
/// no connection. It takes no more memory, processor time and output than it was given, where it can hold the formats to that:
/// a library that unpacks what it reads is only held to it in a process of its own.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use async_trait::async_trait;
/// use entracte_application::ports::{Content, ConvertError, DocumentConverter, DocumentFormat};
///
/// /// Reads plain text, and nothing else.
/// struct PlainText;
///
/// #[async_trait]
/// impl DocumentConverter for PlainText {
///     async fn convert(&self, format: DocumentFormat, bytes: Vec<u8>) -> Result<Content, ConvertError> {
///         match format {
///             DocumentFormat::Text => match String::from_utf8(bytes) {
///                 Ok(text) => Ok(Content::Plain(text)),
///                 Err(_) => Err(ConvertError::NotText),
///             },
///             other => Err(ConvertError::NotBuiltIn(other)),
///         }
///     }
/// }
///
/// # example(async {
/// let read = PlainText.convert(DocumentFormat::Text, b"Hello.".to_vec()).await?;
/// assert_eq!(read, Content::Plain("Hello.".to_owned()));
/// let refused = PlainText.convert(DocumentFormat::Text, vec![0xff]).await;
/// assert_eq!(refused, Err(ConvertError::NotText));
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait DocumentConverter: Send + Sync {
    /// What these bytes say.
    ///
    /// # Errors
    /// [`DocumentConversionError::NotBuiltIn`] when this build reads no such format; [`DocumentConversionError::NotText`],
    /// [`DocumentConversionError::Unreadable`] and [`DocumentConversionError::Scanned`] when the bytes are wrong as they stand;
    /// [`DocumentConversionError::TooSlow`] when they take too long, which on a machine with less to do they may not;
    /// [`DocumentConversionError::Memory`], [`DocumentConversionError::Cpu`] and [`DocumentConversionError::Output`] when they need more than a reader may
    /// take; [`DocumentConversionError::NotStarted`] when this machine lacks what a reader needs.
    async fn convert(
        &self,
        format: DocumentFormat,
        bytes: Vec<u8>,
    ) -> Result<DocumentContent, DocumentConversionError>;
}
