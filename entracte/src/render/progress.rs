//! Renders the line that shows what a session is doing.

use entracte_adapters_http::shapes::frame::{CallProgressShape, LevelCallShape};
use entracte_adapters_http::shapes::instant;
use entracte_adapters_http::shapes::turn::TurnShape;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::SessionView;
use entracte_domain::call::Call;
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Phase, PhaseLabel, Standing};
use entracte_domain::time::{Millis, Timestamp};

use super::text::one_line;
use super::wrap::cut_at;

/// The input of the line.
pub(crate) struct ProgressSnapshot<'a> {
    /// What the session does, as far as it is known.
    pub(crate) activity: &'a SessionActivity,
    /// When the person's wait began.
    pub(crate) since: Timestamp,
    /// The current time.
    pub(crate) now: Timestamp,
    /// Its position in the slot queue, if known.
    pub(crate) place: Option<usize>,
    /// How often a round waits for its provider before it gives up.
    pub(crate) waits_most: u32,
    /// The calls of the current reply, with what they say of their progress.
    pub(crate) calls: &'a [LevelCallShape],
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
pub(crate) fn words(progress: &CallProgressShape, texts: &LocalizedTexts) -> String {
    let CallProgressShape { text, percent } = progress;
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
    match now.activity {
        SessionActivity::Queued => Some(match now.place {
            Some(place) => say!(texts, "progress-queued-at", place = place),
            None => say!(texts, "progress-queued"),
        }),
        SessionActivity::Calling { model } => Some(model.clone()),
        SessionActivity::Retrying { due_at, tried } => {
            let left = due_at.since(now.now).0.max(0).saturating_add(999) / 1000;
            let seconds = u64::try_from(left).unwrap_or_default();
            Some(match (tried, now.waits_most) {
                (None, _) | (_, 0) => say!(texts, "progress-retry", seconds = seconds),
                (Some(tried), most) => say!(
                    texts,
                    "progress-retry-of",
                    seconds = seconds,
                    tried = u64::from(*tried),
                    most = u64::from(most)
                ),
            })
        }
        SessionActivity::Running { call, command } => {
            let progress = now.calls.iter().find(|level| level.id == *call);
            let parts = [
                Some(say!(texts, "progress-call", command = command)),
                progress.and_then(|level| level.progress.as_ref()).map(|now| words(now, texts)),
            ];
            Some(parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
        }
        SessionActivity::Compacting => Some(say!(texts, "progress-compacting")),
        SessionActivity::Ending => Some(say!(texts, "progress-ending")),
        SessionActivity::Resting => None,
    }
}

/// What a session does now, as far as a line shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionActivity {
    /// It waits for a slot.
    Queued,
    /// Its model is called.
    Calling {
        /// The model.
        model: String,
    },
    /// It waits until it calls its model again.
    Retrying {
        /// When it does.
        due_at: Timestamp,
        /// How often it waited in this round; `None` if that is not known.
        tried: Option<u32>,
    },
    /// A call of its runs.
    Running {
        /// The call.
        call: String,
        /// Its command.
        command: String,
    },
    /// Its conversation is summed up.
    Compacting,
    /// It comes to its end.
    Ending,
    /// It does nothing by itself.
    Resting,
}

impl From<&SessionView> for SessionActivity {
    fn from(view: &SessionView) -> Self {
        match view.standing {
            Standing::Queued | Standing::Suspended => return Self::Queued,
            Standing::Template | Standing::Open | Standing::Active | Standing::Parked | Standing::Ended => {}
        }
        let calling = || Self::Calling { model: view.facts.model.clone() };
        match &view.phase {
            Phase::CallingAi(_) => calling(),
            Phase::WaitingNetworkRetry { round, retry } => {
                Self::Retrying { due_at: retry.due_at, tried: Some(round.waits) }
            }
            Phase::ExecutingEnrichments(batch)
            | Phase::ExecutingDataQueries(batch)
            | Phase::ExecutingActions(batch) => {
                match batch.calls.iter().find(|call| Call::is_under_way(call)) {
                    Some(call) => Self::Running {
                        call: call.id.to_string(),
                        command: call.effective_command().name.clone(),
                    },
                    None => calling(),
                }
            }
            Phase::CompactingContext { .. } => Self::Compacting,
            Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. } => {
                Self::Ending
            }
            Phase::Idle
            | Phase::Parked(_)
            | Phase::WaitingValidation { .. }
            | Phase::WaitingCommunicationResponse { .. }
            | Phase::Completed { .. }
            | Phase::WaitingTask => Self::Resting,
        }
    }
}

impl SessionActivity {
    /// What a session of a server does, from its turn and the calls of its latest reply.
    pub(crate) fn of_turn(turn: &TurnShape, calls: &[LevelCallShape]) -> Self {
        if matches!(&*turn.standing, "queued" | "suspended") {
            return Self::Queued;
        }
        let calling = || Self::Calling { model: turn.model.clone() };
        let is_phase = |label: PhaseLabel| turn.phase == label.word();
        let runs = [
            PhaseLabel::ExecutingEnrichments,
            PhaseLabel::ExecutingDataQueries,
            PhaseLabel::ExecutingActions,
        ];
        if runs.into_iter().any(is_phase) {
            let running = calls.iter().find(|call| call.state == LedgerState::Started.word());
            return running.map_or_else(calling, |call| Self::Running {
                call: call.id.clone(),
                command: call.command.clone(),
            });
        }
        if is_phase(PhaseLabel::WaitingNetworkRetry) {
            let due_at = turn.wake_at.as_deref().and_then(instant);
            return due_at.map_or_else(calling, |due_at| Self::Retrying { due_at, tried: None });
        }
        let ends = [PhaseLabel::WaitingCompletionConfirmation, PhaseLabel::AwaitingSessionClosure];
        match () {
            () if is_phase(PhaseLabel::CallingAi) => calling(),
            () if is_phase(PhaseLabel::CompactingContext) => Self::Compacting,
            () if ends.into_iter().any(is_phase) => Self::Ending,
            () => Self::Resting,
        }
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
        let activity = SessionActivity::from(&view);
        let now = ProgressSnapshot {
            activity: &activity,
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
        let told = |text: &str, percent| words(&CallProgressShape { text: text.into(), percent }, texts);
        assert_eq!(told("Page 3\nof 7", Some(42)), "42 %, Page 3 ↵ of 7");
        assert_eq!(told("", Some(42)), "42 %");
        assert_eq!(told("Page 3", None), "Page 3");
    }
}
