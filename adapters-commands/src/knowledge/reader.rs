use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::knowledge::{DocumentPanic, catch_document_panic};
use entracte_application::ports::{
    ConvertedImage, DocumentContent, DocumentConversionError, DocumentConverter, DocumentFormat,
    ImageConversion, ImageConversionError, ImageConverter,
};
use entracte_application::settings::{KnowledgeSettings, OcrSettings, ReaderSettings};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;
use tokio::sync::oneshot;

use super::ocr::OcrAnswer;
use super::reader_process::{STACK, convert_in_subprocess, read_in_subprocess};
use super::reading_places::{QueueFull, ReadingPlace, ReadingPlaces};
use super::reading_queue::ReadingQueueLimits;
use super::{formats, image_conversion, ocr, ocr_process};

/// Reads files of every format, a limited number in parallel. Further ones wait, and workspaces take turns; when too
/// many wait, a file is refused. Small files that are no PDFs have places and a queue of their own, so that they never
/// wait for large ones.
///
/// It converts the images of conversations, too, each like a large file.
///
/// With [`isolated_by`](Self::isolated_by) PDFs, web pages, images and all large files are read in a separate process, which
/// the system bounds and which ends when its request is cancelled. Without it, and for small text formats, a document is
/// read on a separate thread; one that exceeds its time is abandoned, and ends with the process at the latest. It keeps
/// its place until then, so that hostile files never create more threads than the limit.
pub struct DocumentReader {
    timeout: Millis,
    wait_timeout: Millis,
    bounds: ReaderSettings,
    small_bytes: u64,
    most_waiting: usize,
    places: ReadingPlaces,
    small_places: ReadingPlaces,
    program: Option<PathBuf>,
    ocr: OcrSettings,
}

impl DocumentReader {
    /// A reader with these limits.
    pub fn new(settings: &KnowledgeSettings) -> Self {
        let waiting = settings.waiting;
        let places = |places: usize| ReadingPlaces::new(ReadingQueueLimits { places, waiting });
        Self {
            timeout: settings.read_timeout,
            wait_timeout: settings.wait_timeout,
            bounds: settings.reader,
            small_bytes: settings.small_bytes,
            most_waiting: settings.waiting,
            places: places(settings.readers),
            small_places: places(settings.small_readers),
            program: None,
            ocr: settings.ocr.clone(),
        }
    }

    /// Reads untrusted formats and large files in a process of `program`, whose `main` begins with
    /// [`serve_reading()`](super::serve_reading()). Only then the program of OCR is run, because this one bounds it.
    #[must_use]
    pub fn isolated_by(self, program: PathBuf) -> Self {
        Self { program: Some(program), ..self }
    }

    /// Waits for a place, as long as a file may wait.
    async fn wait_for_place(
        &self,
        places: &ReadingPlaces,
        workspace: &WorkspaceKey,
    ) -> Result<ReadingPlace, DocumentConversionError> {
        // Dropping the future on a time-out also leaves the queue.
        let place = tokio::time::timeout(duration(self.wait_timeout), places.acquire(workspace)).await;
        let place = place.map_err(|_| DocumentConversionError::WaitedTooLong(self.wait_timeout))?;
        place.map_err(|QueueFull| DocumentConversionError::Busy(self.most_waiting))
    }

    /// Runs the OCR program for a PDF whose words are in pictures. Without an answer of it, a document that has other
    /// words is read without those.
    async fn recognise_words(
        &self,
        own_program: &Path,
        name: String,
        read: Result<DocumentContent, DocumentConversionError>,
        pdf: &[u8],
    ) -> Result<DocumentContent, DocumentConversionError> {
        let answer = ocr_process::answer(own_program, &self.ocr, pdf, self.bounds.output).await;
        let recognised = match answer.and_then(OcrAnswer::parse) {
            Ok(OcrAnswer::Pdf(pdf)) => {
                let recognised =
                    read_in_subprocess(own_program, DocumentFormat::Pdf, &pdf, self.bounds).await;
                ocr::with_document(recognised, name.clone())
            }
            Ok(OcrAnswer::Pages(pages)) => ocr::with_pages(&read, &pages, name.clone()),
            Err(why) => Err(why),
        };
        match (recognised, read) {
            (Ok(content), _) => Ok(content),
            (Err(why), Ok(content)) => {
                tracing::warn!(program = %name, %why, "words in pictures of a PDF were not recognised");
                Ok(content)
            }
            (Err(why), Err(_)) => Err(DocumentConversionError::Ocr { program: name, why }),
        }
    }
}

#[async_trait]
impl DocumentConverter for DocumentReader {
    async fn convert(
        &self,
        workspace: &WorkspaceKey,
        format: DocumentFormat,
        bytes: Vec<u8>,
    ) -> Result<DocumentContent, DocumentConversionError> {
        let size = FileSize::of(format, bytes.len(), self.small_bytes);
        let places = match size {
            FileSize::Small => &self.small_places,
            FileSize::Large => &self.places,
        };
        let place = self.wait_for_place(places, workspace).await?;
        let read = async {
            match &self.program {
                Some(program) if needs_process(format, size) => {
                    let _place = place;
                    let read = read_in_subprocess(program, format, &bytes, self.bounds).await;
                    let needs_ocr = format == DocumentFormat::Pdf && ocr::has_pictures(&read);
                    match &self.ocr.program {
                        Some(recogniser) if needs_ocr => {
                            self.recognise_words(program, ocr::program_name(recogniser), read, &bytes).await
                        }
                        Some(_) | None => read,
                    }
                }
                Some(_) | None => {
                    let memory = match size {
                        FileSize::Small => self.bounds.memory.min(SMALL_FILE_MEMORY),
                        FileSize::Large => self.bounds.memory,
                    };
                    let bounds = ReaderSettings { memory, ..self.bounds };
                    run_here(place, move || formats::read(format, bytes, bounds)).await.unwrap_or_else(Err)
                }
            }
        };
        // Dropping the future on a time-out also ends its process.
        tokio::time::timeout(duration(self.timeout), read)
            .await
            .unwrap_or(Err(DocumentConversionError::TooSlow(self.timeout)))
    }
}

#[async_trait]
impl ImageConverter for DocumentReader {
    async fn convert_image(
        &self,
        workspace: &WorkspaceKey,
        conversion: ImageConversion,
        bytes: Vec<u8>,
    ) -> Result<ConvertedImage, ImageConversionError> {
        let place = self.wait_for_place(&self.places, workspace).await?;
        let bounds = self.bounds;
        let convert = async {
            match &self.program {
                Some(program) => {
                    let _place = place;
                    convert_in_subprocess(program, conversion, &bytes, bounds).await
                }
                None => {
                    let convert = move || image_conversion::convert(conversion, bytes, bounds);
                    run_here(place, convert).await.unwrap_or_else(|error| Err(error.into()))
                }
            }
        };
        // Dropping the future on a time-out also ends its process.
        tokio::time::timeout(duration(self.timeout), convert)
            .await
            .unwrap_or(Err(DocumentConversionError::TooSlow(self.timeout).into()))
    }
}

/// A time limit, at least a millisecond.
fn duration(limit: Millis) -> Duration {
    Duration::from_millis(limit.0.max(1).unsigned_abs())
}

/// The memory in bytes that a file read in this process may take, if that is less than `reader.memory`: a small file may
/// repeat a long column name in each of its rows.
const SMALL_FILE_MEMORY: u64 = 64 << 20;

/// Whether a file is read beside the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileSize {
    Small,
    Large,
}

impl FileSize {
    /// A PDF is never small: it is compressed.
    fn of(format: DocumentFormat, bytes: usize, small_bytes: u64) -> Self {
        let fits = u64::try_from(bytes).unwrap_or(u64::MAX) <= small_bytes;
        match (format, fits) {
            (DocumentFormat::Pdf, _) | (_, false) => Self::Large,
            (
                DocumentFormat::Html
                | DocumentFormat::Markdown
                | DocumentFormat::Text
                | DocumentFormat::Csv
                | DocumentFormat::Json,
                true,
            ) => Self::Small,
        }
    }
}

/// Whether reading a file cannot be bounded inside this process: by its format's library, or by its size.
const fn needs_process(format: DocumentFormat, size: FileSize) -> bool {
    match (format, size) {
        (DocumentFormat::Pdf | DocumentFormat::Html, _) | (_, FileSize::Large) => true,
        (
            DocumentFormat::Markdown | DocumentFormat::Text | DocumentFormat::Csv | DocumentFormat::Json,
            FileSize::Small,
        ) => false,
    }
}

/// Runs work on the content of a file on a thread, which holds the place until it ends.
async fn run_here<T: Send + 'static>(
    place: ReadingPlace,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, DocumentConversionError> {
    let (reply, answer) = oneshot::channel();
    let work = move || {
        let _place = place;
        // The receiver may be gone.
        drop(reply.send(catch_document_panic(work)));
    };
    let thread = std::thread::Builder::new().name("entracte-reader".to_owned()).stack_size(STACK);
    thread.spawn(work).map_err(|error| DocumentConversionError::NotStarted(error.to_string()))?;
    match answer.await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(DocumentPanic)) | Err(_) => Err(DocumentConversionError::Crashed(DocumentPanic.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inputs: files of each format, up to the size of small ones and above; expected: only PDFs and larger files
    /// share the queue, and only small text formats are read without a process.
    #[test]
    fn small_text_is_read_beside_the_queue() {
        let plan = |format, bytes| {
            let size = FileSize::of(format, bytes, 100);
            (size, needs_process(format, size))
        };
        assert_eq!(plan(DocumentFormat::Pdf, 1), (FileSize::Large, true));
        assert_eq!(plan(DocumentFormat::Html, 100), (FileSize::Small, true));
        assert_eq!(plan(DocumentFormat::Html, 101), (FileSize::Large, true));
        for format in
            [DocumentFormat::Markdown, DocumentFormat::Text, DocumentFormat::Csv, DocumentFormat::Json]
        {
            assert_eq!(plan(format, 100), (FileSize::Small, false));
            assert_eq!(plan(format, 101), (FileSize::Large, true));
        }
    }
}
