use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{
    DocumentContent, DocumentConversionError, DocumentConverter, DocumentFormat,
};
use entracte_application::settings::ReaderSettings;
use entracte_domain::time::Millis;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::formats;
use super::reader_process::{STACK, read_in_subprocess};

/// Reads files of every format, a limited number in parallel; further ones wait within their time limit.
///
/// PDFs and web pages are read by libraries without limits of memory and time. With
/// [`isolated_by`](Self::isolated_by) each is read in a separate process that the system bounds. Without it, and for
/// all other formats, a document is read on a separate thread; one that exceeds its time is abandoned, and ends with
/// the process at the latest. It keeps its permit until then, so that hostile files never create more threads than
/// the limit.
pub struct DocumentReader {
    timeout: Millis,
    places: Arc<Semaphore>,
    bounds: ReaderSettings,
    program: Option<PathBuf>,
}

impl DocumentReader {
    /// A reader with a time limit per file, and at most `at_once` files in parallel.
    pub fn new(timeout: Millis, at_once: usize) -> Self {
        let places = Arc::new(Semaphore::new(at_once.max(1)));
        Self { timeout, places, bounds: ReaderSettings::default(), program: None }
    }

    /// Sets the bounds for one file.
    #[must_use]
    pub fn within(self, bounds: ReaderSettings) -> Self {
        Self { bounds, ..self }
    }

    /// Reads PDFs and web pages in a process of `program`, whose `main` begins with
    /// [`serve_reading()`](super::serve_reading()).
    #[must_use]
    pub fn isolated_by(self, program: PathBuf) -> Self {
        Self { program: Some(program), ..self }
    }
}

#[async_trait]
impl DocumentConverter for DocumentReader {
    async fn convert(
        &self,
        format: DocumentFormat,
        bytes: Vec<u8>,
    ) -> Result<DocumentContent, DocumentConversionError> {
        let patience = Duration::from_millis(self.timeout.0.max(1).unsigned_abs());
        let place = tokio::time::timeout(patience, self.places.clone().acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Err(DocumentConversionError::TooSlow(self.timeout)) };
        let read = async {
            match &self.program {
                Some(program) if needs_isolation(format) => {
                    let _place = place;
                    read_in_subprocess(program, format, &bytes, self.bounds).await
                }
                Some(_) | None => read_here(format, bytes, self.bounds, place).await,
            }
        };
        // Dropping the future on a time-out also ends its process.
        tokio::time::timeout(patience, read)
            .await
            .unwrap_or(Err(DocumentConversionError::TooSlow(self.timeout)))
    }
}

/// Whether the format is read by a library that cannot be bounded inside this process.
const fn needs_isolation(format: DocumentFormat) -> bool {
    match format {
        DocumentFormat::Pdf | DocumentFormat::Html => true,
        DocumentFormat::Markdown | DocumentFormat::Text | DocumentFormat::Csv | DocumentFormat::Json => false,
    }
}

/// Reads a document on a thread, which holds the permit until it ends.
async fn read_here(
    format: DocumentFormat,
    bytes: Vec<u8>,
    bounds: ReaderSettings,
    place: OwnedSemaphorePermit,
) -> Result<DocumentContent, DocumentConversionError> {
    let unreadable = move |why: String| DocumentConversionError::Unreadable { format, why };
    let (reply, answer) = oneshot::channel();
    let work = move || {
        let _place = place;
        let read = catch_unwind(AssertUnwindSafe(|| formats::read(format, bytes, bounds)));
        let read = read.unwrap_or_else(|_| Err(unreadable("it is damaged".to_owned())));
        // The receiver may be gone.
        drop(reply.send(read));
    };
    let thread = std::thread::Builder::new().name("entracte-reader".to_owned()).stack_size(STACK);
    thread.spawn(work).map_err(|error| unreadable(error.to_string()))?;
    answer.await.unwrap_or_else(|_| Err(unreadable("it is damaged".to_owned())))
}
