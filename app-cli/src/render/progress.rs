//! Renders the line that shows what a session is doing.

use entracte_application::ports::CallProgress;
use entracte_application::stream::SessionLevelCall;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::SessionView;
use entracte_domain::call::Call;
use entracte_domain::session::{Phase, Standing};
use entracte_domain::time::{Millis, Timestamp};

use super::text::one_line;
use super::wrap::cut_at;

/// The input of the line.
pub(crate) struct ProgressSnapshot<'a> {
    /// The latest known state of the session.
    pub(crate) view: &'a SessionView,
    /// When the person's wait began.
    pub(crate) since: Timestamp,
    /// The current time.
    pub(crate) now: Timestamp,
    /// Its position in the slot queue, if known.
    pub(crate) place: Option<usize>,
    /// How often a round waits for its provider before it gives up.
    pub(crate) waits_most: u32,
    /// The calls of the current reply, with what they say of their progress.
    pub(crate) calls: &'a [SessionLevelCall],
    /// The tokens billed since the person's wait began; `None` while unknown.
    pub(crate) tokens: Option<u64>,
}

/// The frames of the spinner.
const MARKS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MARK_MILLIS: i64 = 100;

/// The line, cut at `width` columns; `None` if nothing is running.
pub(crate) fn line(now: &ProgressSnapshot<'_>, width: usize, texts: &LocalizedTexts) -> Option<String> {
    let does = does(now, texts)?;
    let waited = now.now.since(now.since).0.max(0);
    let mark = MARKS[usize::try_from(waited / MARK_MILLIS).unwrap_or_default() % MARKS.len()];
    let mut parts =
        vec![does, say!(texts, "progress-seconds", count = u64::try_from(waited / 1000).unwrap_or_default())];
    parts.extend(now.tokens.map(|count| say!(texts, "progress-tokens", count = count)));
    Some(cut_at(&format!("{mark} {}", one_line(&parts.join(" · "))), width))
}

/// What a running call says of its progress.
pub(crate) fn words(progress: &CallProgress, texts: &LocalizedTexts) -> String {
    let CallProgress { text, percent } = progress;
    match percent {
        Some(percent) if text.is_empty() => say!(texts, "progress-percent", percent = u64::from(*percent)),
        Some(percent) => {
            say!(texts, "progress-percent-text", percent = u64::from(*percent), text = one_line(text))
        }
        None => one_line(text),
    }
}

/// The current activity.
fn does(now: &ProgressSnapshot<'_>, texts: &LocalizedTexts) -> Option<String> {
    let view = now.view;
    match view.standing {
        Standing::Queued | Standing::Suspended => {
            return Some(match now.place {
                Some(place) => say!(texts, "progress-queued-at", place = place),
                None => say!(texts, "progress-queued"),
            });
        }
        Standing::Template | Standing::Open | Standing::Active | Standing::Parked | Standing::Ended => {}
    }
    match &view.phase {
        Phase::CallingAi(_) => Some(view.facts.model.clone()),
        Phase::WaitingNetworkRetry { round, retry } => {
            let left = retry.due_at.since(now.now).0.max(0).saturating_add(999) / 1000;
            let seconds = u64::try_from(left).unwrap_or_default();
            Some(match now.waits_most {
                0 => say!(texts, "progress-retry", seconds = seconds),
                most => say!(
                    texts,
                    "progress-retry-of",
                    seconds = seconds,
                    tried = u64::from(round.waits),
                    most = u64::from(most)
                ),
            })
        }
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => {
            Some(match batch.calls.iter().find(|call| Call::is_under_way(call)) {
                Some(call) => {
                    let command = &call.effective_command().name;
                    let progress = now.calls.iter().find(|level| level.id == call.id);
                    let parts = [
                        Some(say!(texts, "progress-call", command = command)),
                        progress.and_then(|level| level.progress.as_ref()).map(|now| words(now, texts)),
                    ];
                    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
                }
                None => view.facts.model.clone(),
            })
        }
        Phase::CompactingContext { .. } => Some(say!(texts, "progress-compacting")),
        Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. } => {
            Some(say!(texts, "progress-ending"))
        }
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => None,
    }
}

/// The interval between two frames.
pub(crate) const REDRAWN_AFTER: Millis = Millis(100);

#[cfg(test)]
mod tests {
    use entracte_application::samples;
    use entracte_application::settings::Language;
    use entracte_domain::session::{Round, RoundReason};
    use entracte_domain::time::Deadline;

    use super::*;

    fn drawn(phase: Phase, seconds: i64, tokens: Option<u64>, language: Language) -> Option<String> {
        let mut facts = samples::facts();
        facts.model = "claude-opus-5-5".into();
        let view = SessionView { facts, phase, standing: Standing::Active, wake_at: None };
        let since = samples::NOON;
        let now = ProgressSnapshot {
            view: &view,
            since,
            now: since.plus(Millis::seconds(seconds)),
            place: None,
            waits_most: 4,
            calls: &[],
            tokens,
        };
        line(&now, 60, LocalizedTexts::for_language(language))
    }

    fn round(waits: u32) -> Round {
        Round {
            number: 1,
            reason: RoundReason::UserMessage,
            attempt: 1,
            started_at: None,
            closing: false,
            words_only: false,
            lost: false,
            compacted: false,
            repaired: false,
            waits,
            left: Vec::new(),
        }
    }

    #[test]
    fn line_shows_activity_duration_and_retry() {
        let calling = || Phase::CallingAi(round(0));
        let due_at = samples::NOON.plus(Millis(9_500));
        let retry = || Phase::WaitingNetworkRetry {
            round: round(2),
            retry: Deadline { armed_at: samples::NOON, due_at },
        };
        let (en, fr) = (Language::En, Language::Fr);
        for (shown, expected) in [
            (drawn(calling(), 12, None, en), "⠋ claude-opus-5-5 · 12 s"),
            (drawn(calling(), 12, Some(1340), fr), "⠋ claude-opus-5-5 · 12 s · 1340 tokens"),
            (drawn(retry(), 6, None, en), "⠋ trying again in 4 s (2 of 4) · 6 s"),
            (drawn(retry(), 6, None, fr), "⠋ nouvel essai dans 4 s (2 sur 4) · 6 s"),
        ] {
            let shown = shown.unwrap_or_default();
            assert_eq!(shown[3..], expected[3..]);
        }
        assert_eq!(drawn(Phase::Idle, 1, None, en), None);
    }

    #[test]
    fn progress_of_a_call_is_shown_with_its_part() {
        let texts = LocalizedTexts::for_language(Language::En);
        let told = |text: &str, percent| words(&CallProgress { text: text.into(), percent }, texts);
        assert_eq!(told("Page 3\nof 7", Some(42)), "42 %, Page 3 ↵ of 7");
        assert_eq!(told("", Some(42)), "42 %");
        assert_eq!(told("Page 3", None), "Page 3");
    }
}
