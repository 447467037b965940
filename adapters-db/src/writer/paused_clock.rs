//! A paused clock of Tokio jumps to the next timer whenever no task can go on. It does not know that the writer, a thread of its
//! own, is at work; on a loaded machine hours would pass while a row is written. A blocking task keeps it where it is.

use std::sync::mpsc::{Sender, channel};

/// Keeps a paused clock from jumping until it is dropped. Does nothing where there is no runtime.
pub(super) struct PausedClockGuard {
    _until_dropped: Sender<()>,
}

impl PausedClockGuard {
    pub(super) fn begin() -> Self {
        let (until_dropped, end) = channel::<()>();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // Nothing is ever sent: it ends with the other side.
            runtime.spawn_blocking(move || end.recv().is_err());
        }
        Self { _until_dropped: until_dropped }
    }
}
