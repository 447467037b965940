//! Logs a server's standard error line by line, and keeps the line that says why it failed.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::ChildStderr;
use tokio::sync::watch;

use super::text::line;
use entracte_application::system::SecretScrubber;

/// The part of a server's standard error that the error of a failed start repeats.
#[derive(Clone, Debug)]
pub(super) struct StderrTail {
    lines: Arc<Mutex<NotedLines>>,
    ended: Arc<watch::Sender<bool>>,
}

#[derive(Debug, Default)]
struct NotedLines {
    /// The first line that names an error: the later ones are about its consequences.
    error: Option<String>,
    last: Option<String>,
}

impl Default for StderrTail {
    fn default() -> Self {
        Self { lines: Arc::default(), ended: Arc::new(watch::channel(false).0) }
    }
}

impl StderrTail {
    fn push(&self, line: &str) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.error.is_none() && names_error(line) {
            lines.error = Some(line.to_owned());
        }
        lines.last = Some(line.to_owned());
    }

    /// The last line so far.
    pub(super) fn last_line(&self) -> Option<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
    }

    /// The first error line so far, or else the last line; `None` if there are none.
    pub(super) fn so_far(&self) -> Option<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.error.clone().or_else(|| lines.last.clone())
    }

    /// The same, once the stream has ended or [`OUTPUT_WAIT`] has passed.
    pub(super) async fn wait_for_output(&self) -> Option<String> {
        let mut ended = self.ended.subscribe();
        // Late output is not worth waiting for.
        let _ = tokio::time::timeout(OUTPUT_WAIT, ended.wait_for(|ended| *ended)).await;
        self.so_far()
    }
}

/// Whether a line says that something failed. A line of a traceback that shows code does not.
fn names_error(line: &str) -> bool {
    const WORDS: [&str; 9] =
        ["error", "err!", "fatal", "failed", "cannot", "not found", "missing", "denied", "panicked"];
    let line = line.to_lowercase();
    let is_code = line.starts_with("raise ") || line.starts_with("throw ") || line.starts_with("at ");
    !is_code && WORDS.iter().any(|word| line.contains(word))
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
/// The longest wait for the rest of the output.
const OUTPUT_WAIT: Duration = Duration::from_millis(500);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_error_line_is_repeated() {
        let said = |lines: &[&str]| {
            let tail = StderrTail::default();
            lines.iter().for_each(|line| tail.push(line));
            tail.so_far().unwrap_or_default()
        };
        let npm = [
            "npm warn old",
            "npm error code E404",
            "npm error 404 Not Found",
            "npm error A complete log is in x",
        ];
        assert_eq!(said(&npm), "npm error code E404");
        let python =
            ["Traceback (most recent call last):", "raise KeyError(name)", "KeyError: 'TOKEN'", "bye"];
        assert_eq!(said(&python), "KeyError: 'TOKEN'");
        assert_eq!(said(&["one", "waiting"]), "waiting");
        assert_eq!(said(&[]), "");
    }
}
