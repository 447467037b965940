//! Panics that the content of a document causes: they are errors of the document, not of the program.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static IS_GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Code panicked on the content of a document. The panic's message may contain parts of it, and is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("panic")]
pub struct DocumentPanic;

/// Runs code on the content of a document.
///
/// ```
/// use entracte_application::knowledge::{DocumentPanic, catch_document_panic};
///
/// assert_eq!(catch_document_panic(|| 1 + 1), Ok(2));
/// std::panic::set_hook(Box::new(|_| {}));
/// let text = "été";
/// assert_eq!(catch_document_panic(|| text[1..].len()), Err(DocumentPanic));
/// ```
///
/// # Errors
/// [`DocumentPanic`] when the code panics.
pub fn catch_document_panic<T>(work: impl FnOnce() -> T) -> Result<T, DocumentPanic> {
    let outer = IS_GUARDED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_GUARDED.set(outer);
    done.map_err(|_| DocumentPanic)
}

/// Whether this thread runs [`catch_document_panic`]: a panic hook then prints nothing, because the caller reports the
/// error with the name of the document.
pub fn is_document_panic() -> bool {
    IS_GUARDED.get()
}
