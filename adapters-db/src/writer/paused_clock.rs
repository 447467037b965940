//! Keeps Tokio's paused test clock still while the writer thread works. The clock jumps to the next timer whenever no
//! task can run, and does not know about other threads: on a loaded machine hours would pass while a row is written. A
//! blocking task holds it.

use std::sync::mpsc::{Sender, channel};

/// Stops a paused clock from advancing until it is dropped. Without a runtime it does nothing.
pub(super) struct PausedClockGuard {
    _until_dropped: Sender<()>,
}

impl PausedClockGuard {
    pub(super) fn begin() -> Self {
        let (until_dropped, end) = channel::<()>();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            // Nothing is ever sent: the receiver ends when the sender is dropped.
            runtime.spawn_blocking(move || end.recv().is_err());
        }
        Self { _until_dropped: until_dropped }
    }
}
