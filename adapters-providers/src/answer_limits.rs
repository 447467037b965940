//! The limits that may cut an answer: its own output limit, or the context window that prompt and answer share. Pure.
//!
//! Servers report both in one word. Only the second is a matter of the prompt: a shorter conversation helps there, and
//! a request for a shorter answer does not.

use entracte_application::ports::{ContextWindow, ContextWindowSource, ReplyEnd};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;

use crate::failure::{FailureSubject, WireFailure};

/// Limits of one call's answer, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerLimits {
    /// The output limit that the request sets, if any.
    pub(crate) output: Option<u32>,
    /// The model's context window, if a source states it; a guess is none.
    pub(crate) window: Option<u64>,
}

impl AnswerLimits {
    /// The same limits with the window that the provider knows.
    pub(crate) fn with_window(self, window: ContextWindow) -> Self {
        let told = (window.told != ContextWindowSource::Guess).then_some(window.tokens);
        Self { window: told.or(self.window), ..self }
    }

    /// How an answer ended that its server reports as cut.
    ///
    /// # Errors
    /// Prompt and answer fill the window: the conversation must become shorter.
    pub(crate) fn cut_end(&self, usage: Option<&Usage>) -> Result<ReplyEnd, WireFailure> {
        match usage.filter(|usage| self.is_window_full(usage)) {
            Some(usage) => Err(window_full(Some(usage))),
            None => Ok(ReplyEnd::OutputLimit { limit: self.output }),
        }
    }

    /// Whether prompt and answer together fill the context window. If its size is unknown, a sum of tokens counts as
    /// the size if it is a multiple of 1024 or one less: local servers have only such windows, and some stop one token
    /// early.
    fn is_window_full(&self, usage: &Usage) -> bool {
        let is_at_own_limit = self.output.is_some_and(|limit| usage.output >= u64::from(limit));
        // An answer longer than its prompt is too long by itself: a summary of the prompt would gain little.
        if is_at_own_limit || usage.all_input() <= usage.output {
            return false;
        }
        let whole = usage.tokens();
        match self.window {
            Some(window) => whole.saturating_add(window / WINDOW_SLACK) >= window,
            None => whole.is_multiple_of(WINDOW_STEP) || whole.saturating_add(1).is_multiple_of(WINDOW_STEP),
        }
    }
}

/// The failure of an answer that was cut because prompt and answer fill the context window.
pub(crate) fn window_full(usage: Option<&Usage>) -> WireFailure {
    let words = match usage {
        Some(usage) => format!(
            "prompt ({} tokens) and answer ({} tokens) fill the context window",
            usage.all_input(),
            usage.output
        ),
        None => "prompt and answer fill the context window".to_owned(),
    };
    WireFailure::new((FailureClass::ContextTooLong, FailureSubject::Size), words).with_usage(usage.copied())
}

/// The part of a window that a server may leave unused: one hundredth.
const WINDOW_SLACK: u64 = 100;
/// The step of usual window sizes, in tokens.
const WINDOW_STEP: u64 = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    /// Input: answers cut at a length, with the limits that are known; expected: the window counts only where the
    /// answer's own limit was not reached and the prompt is the larger part.
    #[test]
    fn full_window_is_told_from_output_limit() {
        let limits = |output, window| AnswerLimits { output, window };
        for (limits, spent, is_full) in [
            (limits(None, None), usage(8_100, 92), true),
            (limits(None, None), usage(8_100, 91), true),
            (limits(None, None), usage(8_100, 90), false),
            (limits(None, None), usage(92, 8_100), false),
            (limits(Some(92), None), usage(8_100, 92), false),
            (limits(Some(4_096), None), usage(8_100, 92), true),
            (limits(None, Some(10_000)), usage(9_000, 950), true),
            (limits(None, Some(10_000)), usage(8_100, 92), false),
            (limits(Some(900), Some(10_000)), usage(9_100, 900), false),
        ] {
            let end = limits.cut_end(Some(&spent));
            assert_eq!(end.is_err(), is_full, "{limits:?} {spent:?}");
            if let Err(failure) = end {
                assert_eq!(
                    (failure.class, failure.usage),
                    (FailureClass::ContextTooLong, Some(Box::new(spent)))
                );
            }
        }
        let unknown = limits(Some(7), Some(100)).cut_end(None);
        assert_eq!(
            unknown,
            Ok(ReplyEnd::OutputLimit { limit: Some(7) }),
            "without counts nothing is guessed"
        );
    }
}
