use async_trait::async_trait;
use entracte_domain::time::Millis;
use serde_json::Value;

use super::DocumentFormat;

/// What a document says.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Plain text, without headings.
    Plain(String),
    /// Markdown.
    Markdown(String),
    /// What is read by path and filter.
    Structured(Value),
}

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
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
    /// This program cannot read its format.
    #[error("this build of entracte cannot read {}", .0.word())]
    NotBuiltIn(DocumentFormat),
}

/// Reads documents of every format.
///
/// Contract: whatever the bytes are, it answers within the limit of its time, and does not panic; it opens no other file and
/// no connection.
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
    /// [`ConvertError::NotBuiltIn`] when this build reads no such format; [`ConvertError::NotText`],
    /// [`ConvertError::Unreadable`] and [`ConvertError::Scanned`] when the bytes are wrong as they stand;
    /// [`ConvertError::TooSlow`] when they take too long, which on a machine with less to do they may not.
    async fn convert(&self, format: DocumentFormat, bytes: Vec<u8>) -> Result<Content, ConvertError>;
}
