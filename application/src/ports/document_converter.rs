use async_trait::async_trait;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;

use super::{DocumentFormat, ReadingGaps};
use crate::texts::{LocalizedMessage, saying};

/// The content of a document after conversion.
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentContent {
    /// Plain text, without headings.
    Plain(String),
    /// Markdown text.
    Markdown(String),
    /// Markdown text of a PDF or a web page.
    Extracted {
        /// The text.
        text: String,
        /// The parts of the original that the text lacks.
        gaps: ReadingGaps,
    },
    /// JSON that is read by path and filter, with all digits, and members in the order of their names.
    Structured(JsonValue),
}

/// Why a document cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentConversionError {
    /// The bytes are not UTF-8 text.
    #[error("it is not text in UTF-8")]
    NotText,
    /// The bytes are not valid in their format, with the reason.
    #[error("it cannot be read as {format}: {why}", format = .format.word())]
    Unreadable {
        /// The format the document was declared as.
        format: DocumentFormat,
        /// The reason, for people.
        why: String,
    },
    /// A PDF whose pages hold pictures and no text: it was scanned.
    #[error(
        "it has no text: its pages are pictures, as of a scanner, and words in pictures are not recognised (OCR); make a PDF with text of it first, or configure a program that recognises them (`reader.ocr`)"
    )]
    Scanned,
    /// A scan in which the configured program recognised nothing.
    #[error("its pages are pictures, and {program} did not recognise their words (OCR): {why}")]
    Ocr {
        /// The name of the program.
        program: String,
        /// The reason, for people.
        why: String,
    },
    /// The conversion exceeded this time limit, by the clock.
    #[error("reading it took longer than {} s (`knowledge.read_timeout`)", .0.0 / 1000)]
    TooSlow(Millis),
    /// The converter crashed on this document, with how it ended: a signal, an exit code or a panic.
    #[error("its reader crashed ({0}): the file is damaged, or has a part that the reader cannot handle")]
    Crashed(String),
    /// As many documents wait to be read as may wait.
    #[error("{0} documents wait to be read already, which is as many as may wait (`knowledge.waiting`)")]
    Busy(usize),
    /// It waited for this long, and its conversion did not begin.
    #[error("it waited for a reader for {} s (`knowledge.wait_timeout`)", .0.0 / 1000)]
    WaitedTooLong(Millis),
    /// The conversion needs more memory than a converter may use, in bytes.
    #[error("it needs more than {} MiB of memory to be read (`reader.memory`)", mebibytes(*.0))]
    Memory(u64),
    /// The conversion needs more processor time than a converter may use.
    #[error("it needs more than {} s of a processor to be read (`reader.cpu`)", .0.0 / 1000)]
    Cpu(Millis),
    /// The converted text exceeds the output limit, in bytes.
    #[error("more than {} MiB of text come of it (`reader.output`)", mebibytes(*.0))]
    Output(u64),
    /// The converter process could not be started, with the reason.
    #[error("the process that reads documents cannot be started: {0}")]
    NotStarted(String),
    /// This build has no converter for the format.
    #[error("this build of entracte cannot read {}", .0.word())]
    NotBuiltIn(DocumentFormat),
}

impl DocumentConversionError {
    /// The error, and what to do about it, for a text that names the file.
    pub fn message(&self) -> LocalizedMessage {
        match self {
            Self::NotText => saying!("knowledge-error-not-text"),
            Self::Unreadable { format, why } => {
                saying!("knowledge-error-unreadable", format = format.word(), why = why)
            }
            Self::Scanned => saying!("knowledge-error-scanned"),
            Self::Ocr { program, why } => {
                saying!("knowledge-error-ocr", program = program, why = why)
            }
            Self::TooSlow(limit) => {
                saying!("knowledge-error-slow", seconds = (limit.0 / 1000).unsigned_abs())
            }
            Self::Crashed(how) => saying!("knowledge-error-crashed", how = how),
            Self::Busy(most) => saying!("knowledge-error-busy", most = *most),
            Self::WaitedTooLong(limit) => {
                saying!("knowledge-error-waited", seconds = (limit.0 / 1000).unsigned_abs())
            }
            Self::Memory(most) => saying!("knowledge-error-memory", most = mebibytes(*most)),
            Self::Cpu(most) => {
                saying!("knowledge-error-cpu", seconds = (most.0 / 1000).unsigned_abs())
            }
            Self::Output(most) => saying!("knowledge-error-output", most = mebibytes(*most)),
            Self::NotStarted(why) => saying!("knowledge-error-not-started", why = why),
            Self::NotBuiltIn(format) => {
                saying!("knowledge-error-built", format = format.word())
            }
        }
    }
}

/// Converts bytes to whole MiB, rounded up, for display.
pub const fn mebibytes(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// Converts documents of every format to text.
///
/// Contract: for any bytes it ends within its limits and does not panic; it opens no other file and no connection. It
/// stays within its limits of memory, processor time and output where it can enforce them: a library that decompresses
/// its input is only limited in a process of its own. Workspaces take turns: the documents of one never keep those of
/// another waiting for longer than the readings that have begun. Dropping the future ends the conversion.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use async_trait::async_trait;
/// use entracte_domain::id::WorkspaceKey;
/// use entracte_application::ports::{DocumentContent, DocumentConversionError, DocumentConverter, DocumentFormat};
///
/// /// Converts plain text only.
/// struct PlainText;
///
/// #[async_trait]
/// impl DocumentConverter for PlainText {
///     async fn convert(
///         &self,
///         _: &WorkspaceKey,
///         format: DocumentFormat,
///         bytes: Vec<u8>,
///     ) -> Result<DocumentContent, DocumentConversionError> {
///         match format {
///             DocumentFormat::Text => match String::from_utf8(bytes) {
///                 Ok(text) => Ok(DocumentContent::Plain(text)),
///                 Err(_) => Err(DocumentConversionError::NotText),
///             },
///             other => Err(DocumentConversionError::NotBuiltIn(other)),
///         }
///     }
/// }
///
/// # example(async {
/// let workspace = WorkspaceKey::new("ann:home");
/// let read = PlainText.convert(&workspace, DocumentFormat::Text, b"Hello.".to_vec()).await?;
/// assert_eq!(read, DocumentContent::Plain("Hello.".to_owned()));
/// let refused = PlainText.convert(&workspace, DocumentFormat::Text, vec![0xff]).await;
/// assert_eq!(refused, Err(DocumentConversionError::NotText));
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait DocumentConverter: Send + Sync {
    /// Converts the bytes of a document of this workspace.
    ///
    /// # Errors
    /// [`DocumentConversionError::NotBuiltIn`] when this build has no converter for the format;
    /// [`DocumentConversionError::NotText`], [`DocumentConversionError::Unreadable`] and
    /// [`DocumentConversionError::Scanned`] when the bytes are invalid, and [`DocumentConversionError::Ocr`] when the
    /// words of a scan were not recognised; [`DocumentConversionError::Crashed`] when they
    /// crash the converter; [`DocumentConversionError::TooSlow`] when the conversion takes too long, which may not
    /// recur on a less busy machine; [`DocumentConversionError::Memory`], [`DocumentConversionError::Cpu`] and
    /// [`DocumentConversionError::Output`] when it exceeds a limit; [`DocumentConversionError::Busy`] when too many
    /// documents wait, and [`DocumentConversionError::WaitedTooLong`] when this one waited for its turn, which passes; [`DocumentConversionError::NotStarted`] when this machine lacks something the
    /// converter needs.
    async fn convert(
        &self,
        workspace: &WorkspaceKey,
        format: DocumentFormat,
        bytes: Vec<u8>,
    ) -> Result<DocumentContent, DocumentConversionError>;
}
