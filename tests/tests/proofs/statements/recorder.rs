//! Records what the connections of this process run, by Diesel's instrumentation. A process runs one such test.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};

/// A statement that ran, or that was compiled and kept.
#[derive(Clone, Debug)]
pub(super) struct RecordedStatement {
    /// The number of its connection.
    pub(super) connection: usize,
    /// Its text, without values.
    pub(super) text: String,
    /// Whether it was compiled and kept, rather than run.
    pub(super) is_kept: bool,
}

static RECORDED: Mutex<Vec<RecordedStatement>> = Mutex::new(Vec::new());

/// Records the statements of all connections that are opened from now on.
pub(super) fn record_statements() {
    set_default_instrumentation(recorder).unwrap();
}

/// The statements since the last call, in order.
pub(super) fn take_statements() -> Vec<RecordedStatement> {
    std::mem::take(&mut *RECORDED.lock().unwrap_or_else(PoisonError::into_inner))
}

fn recorder() -> Option<Box<dyn Instrumentation>> {
    static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);
    let connection = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
    let record = move |event: InstrumentationEvent<'_>| {
        let (text, is_kept) = match event {
            InstrumentationEvent::StartQuery { query, .. } => (query.to_string(), false),
            InstrumentationEvent::CacheQuery { sql, .. } => (sql.to_owned(), true),
            _ => return,
        };
        let text = text.split(" -- binds").next().unwrap_or_default().trim().to_owned();
        let mut recorded = RECORDED.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.push(RecordedStatement { connection, text, is_kept });
    };
    Some(Box::new(record))
}
