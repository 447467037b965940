//! A round: one model call and what its answer asks for. [`begin`] is the one door to it: every path that leads
//! to a model call goes through it, and it reads every limit.

use crate::localizable_text::sentences;
use crate::message::{Author, MessageBody, SystemKind};
use crate::session::failure::FailureClass;
use crate::session::limits::{self, SessionLimit};
use crate::session::{
    CallBatch, EndReason, JournalNote, Phase, SessionKind, SummaryMethod, SummaryProgress, TransitionContext,
};
use crate::time::Timestamp;

/// One model call of a session, over all its attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    /// Number in the session, from 1.
    pub number: u32,
    /// Why it is made.
    pub reason: RoundReason,
    /// The attempt that is under way or about to start, from 1.
    pub attempt: u32,
    /// When this attempt was committed as started; none while it waits for a slot.
    pub started_at: Option<Timestamp>,
    /// The closing call at a limit: no command is carried out, and the session rests.
    pub closing: bool,
    /// The model may ask for no commands now; the session goes on as usual.
    pub words_only: bool,
    /// An attempt was lost and a new one was made for it.
    pub lost: bool,
    /// The context was compacted for it.
    pub compacted: bool,
    /// The projection was repaired for it.
    pub repaired: bool,
    /// Waits for the network or a throttled provider so far.
    pub waits: u32,
    /// The providers that it was begun with and that failed, in order: none of them is asked again in it.
    pub left: Vec<FailedProvider>,
}

/// A provider that a round went on without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailedProvider {
    /// Its name.
    pub provider: String,
    /// How it failed.
    pub class: FailureClass,
}

crate::words! {
    /// Why a round is made.
    #[expect(missing_docs, reason = "the words of docs/ARCHITECTURE.md")]
    pub enum RoundReason {
        UserMessage = "USER_MESSAGE",
        FormatErrorCorrection = "FORMAT_ERROR_CORRECTION",
        LimitNotification = "LIMIT_NOTIFICATION",
        DataResponse = "DATA_RESPONSE",
        ManualTrigger = "MANUAL_TRIGGER",
        ActionResult = "ACTION_RESULT",
        ActionFailure = "ACTION_FAILURE",
        Answer = "ANSWER",
        TaskResult = "TASK_RESULT",
        NetworkRetry = "NETWORK_RETRY",
        Continuation = "CONTINUATION",
        CompletionCheck = "COMPLETION_CHECK",
        Resume = "RESUME",
        Compaction = "COMPACTION",
    }
}

impl RoundReason {
    /// Whether the results of calls began it, with no word of a person in between.
    pub const fn follows_results(self) -> bool {
        match self {
            RoundReason::DataResponse
            | RoundReason::ActionResult
            | RoundReason::ActionFailure
            | RoundReason::TaskResult => true,
            RoundReason::UserMessage
            | RoundReason::FormatErrorCorrection
            | RoundReason::LimitNotification
            | RoundReason::ManualTrigger
            | RoundReason::Answer
            | RoundReason::NetworkRetry
            | RoundReason::Continuation
            | RoundReason::CompletionCheck
            | RoundReason::Resume
            | RoundReason::Compaction => false,
        }
    }

    /// Whether the session goes on by itself: such rounds count as relaunches.
    pub const fn is_autonomous(self) -> bool {
        match self {
            RoundReason::UserMessage
            | RoundReason::ManualTrigger
            | RoundReason::Answer
            | RoundReason::Resume
            | RoundReason::Compaction => false,
            RoundReason::FormatErrorCorrection
            | RoundReason::LimitNotification
            | RoundReason::DataResponse
            | RoundReason::ActionResult
            | RoundReason::ActionFailure
            | RoundReason::TaskResult
            | RoundReason::NetworkRetry
            | RoundReason::Continuation
            | RoundReason::CompletionCheck => true,
        }
    }
}

impl Round {
    fn new(number: u32, reason: RoundReason, closing: bool, words_only: bool) -> Self {
        Self {
            number,
            reason,
            attempt: 1,
            started_at: None,
            closing,
            words_only,
            lost: false,
            compacted: false,
            repaired: false,
            waits: 0,
            left: Vec::new(),
        }
    }

    /// The same round's next attempt; it starts when the session may work.
    pub(crate) fn next_attempt(mut self) -> Self {
        self.attempt = self.attempt.saturating_add(1);
        self.started_at = None;
        self
    }

    /// The same round's next attempt, with another provider: what was tried with this one counts no more.
    pub(crate) fn next_attempt_without(mut self, provider: String, class: FailureClass) -> Self {
        self.left.push(FailedProvider { provider, class });
        Self { lost: false, compacted: false, repaired: false, waits: 0, ..self }.next_attempt()
    }

    /// Whether it went on without this provider.
    pub fn has_left(&self, provider: &str) -> bool {
        self.left.iter().any(|left| left.provider == provider)
    }

    /// Whether this is the attempt that is under way.
    pub fn is_open(&self, round: u32, attempt: u32) -> bool {
        self.started_at.is_some() && self.number == round && self.attempt == attempt
    }
}

/// Begins the next round, or what a reached limit asks for instead. Waiting messages join here; the queries of
/// their enrichments run first.
pub(crate) fn begin_round(step: &mut TransitionContext<'_>, reason: RoundReason) -> Phase {
    if !step.facts.queue.is_empty() {
        limits::reset_after_human_act(step.facts);
        let enrichments = step.join_queued_messages();
        if !enrichments.is_empty() {
            let batch = CallBatch::from_enrichments(step, enrichments, reason);
            return crate::session::call_batch::advance(step, batch);
        }
    }
    match limits::reached_limit(step.facts, step.rules) {
        None => open_round(step, reason, false),
        Some(limit) => stop_at_limit(step, limit),
    }
}

/// Begins the round of a summary that a person asked for. No answer of the model is wanted, so no limit of answers is
/// read: what a summary may cost is its own limit.
pub(crate) fn begin_compaction(step: &mut TransitionContext<'_>) -> Phase {
    let round = Round { compacted: true, ..new_round(step, RoundReason::Compaction, false) };
    Phase::CompactingContext { round, summing: SummaryProgress::new(SummaryMethod::Patch, None) }
}

fn open_round(step: &mut TransitionContext<'_>, reason: RoundReason, closing: bool) -> Phase {
    Phase::CallingAi(new_round(step, reason, closing))
}

fn new_round(step: &mut TransitionContext<'_>, reason: RoundReason, closing: bool) -> Round {
    let words_only = !closing && limits::is_words_only(step.facts, step.rules, reason);
    step.facts.owes_round = false;
    let counters = &mut step.facts.counters;
    counters.rounds_total = counters.rounds_total.saturating_add(1);
    counters.rounds_since_human = counters.rounds_since_human.saturating_add(1);
    if reason.is_autonomous() {
        counters.relaunches = counters.relaunches.saturating_add(1);
        counters.without_progress = counters.without_progress.saturating_add(1);
    }
    let round = Round::new(counters.rounds_total, reason, closing, words_only);
    step.record.add_note(JournalNote::RoundStarted { round: round.number, reason, closing, words_only });
    round
}

fn stop_at_limit(step: &mut TransitionContext<'_>, limit: SessionLimit) -> Phase {
    step.facts.owes_round = false;
    step.record.add_note(JournalNote::LimitReached(limit.clone()));
    let text = limits::limit_message(limit, step.facts, step.rules);
    step.append_system_text(SystemKind::LimitReached, text);
    match step.facts.kind {
        SessionKind::Chat => {
            if std::mem::replace(&mut step.facts.counters.closing_done, true) {
                Phase::Idle
            } else {
                open_round(step, RoundReason::LimitNotification, true)
            }
        }
        SessionKind::Automation | SessionKind::Agent => step.close_session(EndReason::LimitReached),
        SessionKind::Seed => Phase::Idle,
    }
}

/// The fixed text of a closing call that failed: the circuit breaker's answer.
pub(crate) fn finish_without_closing_call(step: &mut TransitionContext<'_>) -> Phase {
    step.append_message(Author::System, MessageBody::Text(sentences::closing_failed()), true);
    Phase::Idle
}
