//! Shows at a terminal that long work goes on, in a line that the next output replaces.

use std::pin::pin;
use std::time::Duration;

use entracte_adapters_db::OpeningStep;
use entracte_application::texts::{LocalizedTexts, say};

use crate::output::TerminalOutput;

/// How far work is whose steps are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CountedProgress {
    /// What is done.
    pub(crate) done: usize,
    /// What there is to do.
    pub(crate) total: usize,
}

/// Steps after which the count is drawn again.
const STEPS_SHOWN: usize = 100;

/// Seconds after which work without a count is shown.
const SHOWN_AFTER: u64 = 2;

/// Shows progress if a person watches and asked for the work.
#[derive(Clone, Copy)]
pub(crate) struct ProgressDisplay<'a> {
    out: &'a TerminalOutput,
    texts: &'static LocalizedTexts,
    is_shown: bool,
}

impl<'a> ProgressDisplay<'a> {
    /// A display at this terminal.
    pub(crate) fn new(out: &'a TerminalOutput, texts: &'static LocalizedTexts) -> Self {
        Self { out, texts, is_shown: out.is_watched() }
    }

    /// The same for work that nobody at this terminal asked for: it shows nothing.
    pub(crate) fn hidden(self) -> Self {
        Self { is_shown: false, ..self }
    }

    /// Removes what is shown.
    pub(crate) fn clear(self) {
        if self.is_shown {
            self.out.draw_transient_lines(&[]);
        }
    }

    /// Shows why opening a database takes a while.
    pub(crate) fn show_opening(self, step: OpeningStep<'_>) {
        if !self.is_shown {
            return;
        }
        self.out.draw_transient_lines(&[match step {
            OpeningStep::Waits => say!(self.texts, "db-waits"),
            OpeningStep::Migrates { number, count, .. } => {
                say!(self.texts, "db-upgrading", number = number, count = count)
            }
            OpeningStep::ListsInbox { done, total } => {
                say!(self.texts, "db-lists-inbox", done = done, total = total)
            }
            OpeningStep::AddsUpCosts { done, total } => {
                say!(self.texts, "db-adds-up-costs", done = done, total = total)
            }
        }]);
    }

    /// Shows how far work is, now and then; `key` names its text.
    pub(crate) fn show_count(self, key: &str, progress: CountedProgress) {
        let CountedProgress { done, total } = progress;
        if self.is_shown && done.is_multiple_of(STEPS_SHOWN) && total > STEPS_SHOWN {
            self.out.draw_transient_lines(&[say!(self.texts, key, done = done, total = total)]);
        }
    }

    /// Does work without a count; from two seconds on shows what it is and how long it has taken. `key` names its text.
    pub(crate) async fn show_time<T>(self, key: &str, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let mut seconds = 0;
        loop {
            match tokio::time::timeout(Duration::from_secs(1), work.as_mut()).await {
                Ok(done) => {
                    self.clear();
                    return done;
                }
                Err(_) => seconds += 1,
            }
            if let Some(line) = self.time_line(key, seconds) {
                self.out.draw_transient_lines(&[line]);
            }
        }
    }

    /// The line about work that has taken so many seconds, if it is to be shown.
    fn time_line(self, key: &str, seconds: u64) -> Option<String> {
        let is_long = self.is_shown && seconds >= SHOWN_AFTER;
        is_long.then(|| say!(self.texts, key, seconds = seconds))
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;

    use super::*;

    /// Input: work of one, two and ten seconds, at a terminal that a person watches, at another one, and for somebody
    /// elsewhere; expected: a line from two seconds on, for the first only.
    #[test]
    fn long_work_is_shown_to_who_watches() {
        let texts = LocalizedTexts::for_language(Language::En);
        let (mut watched, silent) = (TerminalOutput::plain(), TerminalOutput::plain());
        watched.watched = true;
        let line = |out: &TerminalOutput, seconds: u64| {
            ProgressDisplay::new(out, texts).time_line("doctor-checks-integrity", seconds)
        };
        assert_eq!(line(&watched, 1), None);
        assert!(line(&watched, 2).unwrap().contains("2 s"));
        assert!(line(&watched, 10).unwrap().contains("10 s"));
        assert_eq!(line(&silent, 10), None);
        let elsewhere = ProgressDisplay::new(&watched, texts).hidden();
        assert_eq!(elsewhere.time_line("doctor-checks-integrity", 10), None);
    }
}
