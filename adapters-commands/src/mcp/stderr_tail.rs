//! Logs a server's standard error line by line, and keeps its last lines.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::ChildStderr;
use tokio::sync::watch;

use super::text::line;
use entracte_application::system::SecretScrubber;

/// The last lines of a server's standard error, for the error of a failed start.
#[derive(Clone, Debug)]
pub(super) struct StderrTail {
    lines: Arc<Mutex<Vec<String>>>,
    ended: Arc<watch::Sender<bool>>,
}

impl Default for StderrTail {
    fn default() -> Self {
        Self { lines: Arc::default(), ended: Arc::new(watch::channel(false).0) }
    }
}

impl StderrTail {
    fn push(&self, line: &str) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES_KEPT {
            lines.remove(0);
        }
        lines.push(line.to_owned());
    }

    /// The last lines so far, joined into one; `None` if there are none.
    pub(super) fn so_far(&self) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        (!lines.is_empty()).then(|| lines.join(" / "))
    }

    /// The last lines, once the stream has ended or [`OUTPUT_WAIT`] has passed.
    pub(super) async fn wait_for_output(&self) -> Option<String> {
        let mut ended = self.ended.subscribe();
        // Late output is not worth waiting for.
        let _ = tokio::time::timeout(OUTPUT_WAIT, ended.wait_for(|ended| *ended)).await;
        self.so_far()
    }
}

/// Reads and logs the stream to its end.
pub(super) async fn log(server: String, scrubber: SecretScrubber, stderr: ChildStderr, output: StderrTail) {
    let mut reader = BufReader::new(stderr);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        // A longer line is logged in pieces, so that a line without an end cannot exhaust the memory.
        let read = (&mut reader).take(PIECE_MAX_BYTES).read_until(b'\n', &mut bytes).await;
        if !read.is_ok_and(|count| count > 0) {
            break;
        }
        let text = scrubber.scrub_owned(String::from_utf8_lossy(&bytes).into_owned());
        let text = line(&text, LINE_MAX_CHARS);
        if !text.is_empty() {
            tracing::info!(target: "entracte::mcp", server, "{text}");
            output.push(&text);
        }
    }
    output.ended.send_replace(true);
}

/// The most bytes of one piece of a line.
const PIECE_MAX_BYTES: u64 = 4096;
/// The most characters of a logged line.
const LINE_MAX_CHARS: usize = 1000;
/// The number of lines that an error repeats.
const LINES_KEPT: usize = 3;
/// The longest wait for the rest of the output.
const OUTPUT_WAIT: Duration = Duration::from_millis(500);
