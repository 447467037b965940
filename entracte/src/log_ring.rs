//! The latest lines of the log of this process, in memory: what its operator reads in the console. They are lost with the
//! process; the log itself is not.

use std::collections::VecDeque;
use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, PoisonError};

use entracte_application::ports::{Clock as _, ProcessLogLine};
use entracte_application::system::SystemClock;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How much of the log is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogRingBounds {
    /// The most lines; 0 keeps none.
    pub(crate) lines: usize,
    /// The most characters of a line; the rest of it is cut off.
    pub(crate) chars: usize,
}

impl Default for LogRingBounds {
    fn default() -> Self {
        Self { lines: 1_000, chars: 2_000 }
    }
}

/// The lines of this process.
static RING: Mutex<LogRing> = Mutex::new(LogRing { lines: VecDeque::new(), written: 0, bounds: None });

/// The latest lines, and how many were written.
struct LogRing {
    lines: VecDeque<ProcessLogLine>,
    written: u64,
    /// `None` before the configuration is read: then the defaults hold.
    bounds: Option<LogRingBounds>,
}

impl LogRing {
    fn push(&mut self, mut line: ProcessLogLine) {
        let bounds = self.bounds.unwrap_or_default();
        self.written += 1;
        line.number = self.written;
        if let Some((end, _)) = line.text.char_indices().nth(bounds.chars) {
            line.text.truncate(end);
            line.text.shrink_to_fit();
            line.is_cut = true;
        }
        self.lines.push_back(line);
        self.shrink();
    }

    fn shrink(&mut self) {
        let most = self.bounds.unwrap_or_default().lines;
        while self.lines.len() > most {
            self.lines.pop_front();
        }
    }
}

/// Sets how much is kept.
pub(crate) fn set_bounds(bounds: LogRingBounds) {
    let mut ring = RING.lock().unwrap_or_else(PoisonError::into_inner);
    ring.bounds = Some(bounds);
    ring.shrink();
}

/// The lines that are kept, the oldest first. Secrets are not scrubbed from them yet.
pub(crate) fn recent_lines() -> Vec<ProcessLogLine> {
    RING.lock().unwrap_or_else(PoisonError::into_inner).lines.iter().cloned().collect()
}

/// Keeps each line of the log.
pub(crate) struct LogRingLayer;

impl<S: Subscriber> Layer<S> for LogRingLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut words = LineWords::default();
        event.record(&mut words);
        let line = ProcessLogLine {
            number: 0,
            at: SystemClock.now(),
            level: event.metadata().level().as_str().to_ascii_lowercase(),
            target: event.metadata().target().to_owned(),
            text: format!("{}{}", words.message, words.fields).trim().to_owned(),
            is_cut: false,
        };
        RING.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }
}

/// The message of an event, and its other fields, as the log writes them.
#[derive(Default)]
struct LineWords {
    message: String,
    fields: String,
}

impl Visit for LineWords {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a text does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    fn line(text: &str) -> ProcessLogLine {
        let [level, target] = ["warn", "entracte"].map(str::to_owned);
        ProcessLogLine { number: 0, at: Timestamp(0), level, target, text: text.to_owned(), is_cut: false }
    }

    /// Input: more lines than are kept, one of them long; expected: the latest, with their numbers, and the beginning of the
    /// long one.
    #[test]
    fn latest_lines_are_kept_within_bounds() {
        let bounds = LogRingBounds { lines: 2, chars: 3 };
        let mut ring = LogRing { lines: VecDeque::new(), written: 0, bounds: Some(bounds) };
        for text in ["one", "two", "three"] {
            ring.push(line(text));
        }
        let kept: Vec<(u64, &str, bool)> =
            ring.lines.iter().map(|line| (line.number, line.text.as_str(), line.is_cut)).collect();
        assert_eq!(kept, [(2, "two", false), (3, "thr", true)]);
        ring.bounds = Some(LogRingBounds { lines: 0, chars: 3 });
        ring.shrink();
        assert!(ring.lines.is_empty());
    }

    #[test]
    fn event_is_kept_with_level_and_fields() {
        let subscriber = tracing_subscriber::registry().with(LogRingLayer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!(target = "tgt_ring", attempts = 3, "a message of this test");
        });
        let found = recent_lines().into_iter().find(|line| line.text.starts_with("a message of this test"));
        let found = found.unwrap();
        assert_eq!((found.level.as_str(), found.text.contains("attempts=3")), ("warn", true), "{found:?}");
    }
}
