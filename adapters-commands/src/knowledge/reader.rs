use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::{Content, ConvertError, DocumentConverter, DocumentFormat};
use entracte_domain::time::Millis;
use serde_json::Value;
use tokio::sync::{Semaphore, oneshot};

use super::{charset, html, table};

/// The stack of a thread that reads a document: formats put things into one another.
const STACK: usize = 64 * 1024 * 1024;

/// Reads files of every format. Each on a thread of its own; one that takes too long is left to itself, and ends with the
/// process at the latest. It keeps its place among those that are read at once until then, so that hostile files never
/// make more threads than that.
pub struct DocumentReader {
    timeout: Millis,
    places: Arc<Semaphore>,
}

impl DocumentReader {
    /// One file may take so long, and so many are read at once; the others wait within their time.
    pub fn new(timeout: Millis, at_once: usize) -> Self {
        Self { timeout, places: Arc::new(Semaphore::new(at_once.max(1))) }
    }
}

#[async_trait]
impl DocumentConverter for DocumentReader {
    async fn convert(&self, format: DocumentFormat, bytes: Vec<u8>) -> Result<Content, ConvertError> {
        let unreadable = move |why: String| ConvertError::Unreadable { format, why };
        let patience = Duration::from_millis(self.timeout.0.max(1).unsigned_abs());
        let place = tokio::time::timeout(patience, self.places.clone().acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Err(ConvertError::TooSlow(self.timeout)) };
        let (reply, answer) = oneshot::channel();
        let work = move || {
            let _place = place;
            let read = catch_unwind(AssertUnwindSafe(|| read(format, bytes)));
            let read = read.unwrap_or_else(|_| Err(unreadable("it is damaged".to_owned())));
            // Whoever asked may have gone.
            drop(reply.send(read));
        };
        let thread = std::thread::Builder::new().name("entracte-reader".to_owned()).stack_size(STACK);
        thread.spawn(work).map_err(|error| unreadable(error.to_string()))?;
        match tokio::time::timeout(patience, answer).await {
            Ok(Ok(read)) => read,
            Ok(Err(_)) => Err(unreadable("it is damaged".to_owned())),
            Err(_) => Err(ConvertError::TooSlow(self.timeout)),
        }
    }
}

fn read(format: DocumentFormat, bytes: Vec<u8>) -> Result<Content, ConvertError> {
    let unreadable = move |why: String| ConvertError::Unreadable { format, why };
    let text = |bytes: Vec<u8>| charset::text(bytes).ok_or(ConvertError::NotText);
    match format {
        DocumentFormat::Markdown => Ok(Content::Markdown(text(bytes)?)),
        DocumentFormat::Text => Ok(Content::Plain(text(bytes)?)),
        DocumentFormat::Html => html::markdown(&text(bytes)?).map(Content::Markdown).map_err(unreadable),
        DocumentFormat::Csv => table::rows(&text(bytes)?).map(Content::Structured).map_err(unreadable),
        DocumentFormat::Json => json(&text(bytes)?).map(Content::Structured).map_err(unreadable),
        DocumentFormat::Pdf => pdf(&bytes),
    }
}

/// One value, or one on each line.
fn json(text: &str) -> Result<Value, String> {
    let whole = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => error.to_string(),
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    if lines.len() < 2 {
        return Err(whole);
    }
    let values: Result<Vec<Value>, _> = lines.into_iter().map(serde_json::from_str).collect();
    values.map(Value::Array).map_err(|_| whole)
}

#[cfg(feature = "pdf")]
fn pdf(bytes: &[u8]) -> Result<Content, ConvertError> {
    super::pdf::markdown(bytes).map(Content::Markdown).map_err(|fault| match fault {
        super::pdf::NoText::Scanned => ConvertError::Scanned,
        super::pdf::NoText::Unreadable(why) => ConvertError::Unreadable { format: DocumentFormat::Pdf, why },
    })
}

#[cfg(not(feature = "pdf"))]
fn pdf(_: &[u8]) -> Result<Content, ConvertError> {
    Err(ConvertError::NotBuiltIn(DocumentFormat::Pdf))
}
