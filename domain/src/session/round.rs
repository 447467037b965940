//! Rounds: one model call and the work its answer requests. Every path to a model call goes through [`begin_round`],
//! which checks every limit.

use crate::agent::AgentEndClass;
use crate::id::RoundAttempt;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{Author, MessageBody, SystemKind};
use crate::session::failure::FailureClass;
use crate::session::limits::{self, SessionLimit};
use crate::session::{
    CallBatch, EndReason, JournalNote, Phase, RunReportPolicy, SessionKind, SummaryMethod, SummaryProgress,
    TransitionContext, child_agents,
};
use crate::time::Timestamp;

/// One model call of a session, over all its attempts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    /// Number of the round in the session, from 1.
    pub number: u32,
    /// Why the round is made.
    pub reason: RoundReason,
    /// Current or next attempt, from 1.
    pub attempt: u32,
    /// When this attempt was committed as started; `None` while it waits for a slot.
    pub started_at: Option<Timestamp>,
    /// The closing call at a limit: no command runs, and the session rests afterwards.
    pub closing: bool,
    /// The model may request no commands in this round; the session continues as usual.
    pub words_only: bool,
    /// An attempt was lost and repeated.
    pub lost: bool,
    /// The context was compacted in this round.
    pub compacted: bool,
    /// The projection was repaired in this round.
    pub repaired: bool,
    /// Number of waits for the network or a throttled provider so far.
    pub waits: u32,
    /// Providers that failed in this round, in order; none of them is called again in it.
    pub left: Vec<FailedProvider>,
}

/// A provider that failed in a round.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailedProvider {
    /// Name of the provider.
    pub provider: String,
    /// Class of the failure.
    pub class: FailureClass,
}

crate::words! {
    /// Why a round is made.
    #[expect(missing_docs, reason = "the words say it")]
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
        CutReply = "CUT_REPLY",
        PausedTurn = "PAUSED_TURN",
    }
}

impl RoundReason {
    /// Whether results of calls caused the round, without a human act in between.
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
            | RoundReason::Compaction
            | RoundReason::CutReply
            | RoundReason::PausedTurn => false,
        }
    }

    /// Whether the session continues by itself: such rounds count as relaunches.
    pub const fn is_autonomous(self) -> bool {
        match self {
            RoundReason::UserMessage
            | RoundReason::ManualTrigger
            | RoundReason::Answer
            | RoundReason::Resume
            | RoundReason::Compaction
            // The server works on the same answer.
            | RoundReason::PausedTurn => false,
            RoundReason::FormatErrorCorrection
            | RoundReason::LimitNotification
            | RoundReason::DataResponse
            | RoundReason::ActionResult
            | RoundReason::ActionFailure
            | RoundReason::TaskResult
            | RoundReason::NetworkRetry
            | RoundReason::Continuation
            | RoundReason::CompletionCheck
            | RoundReason::CutReply => true,
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

    /// The next attempt of the round; it starts once the session may work.
    pub(crate) fn next_attempt(mut self) -> Self {
        self.attempt = self.attempt.saturating_add(1);
        self.started_at = None;
        self
    }

    /// The next attempt with another provider; the retry state of the failed one is reset.
    pub(crate) fn next_attempt_without(mut self, provider: String, class: FailureClass) -> Self {
        self.left.push(FailedProvider { provider, class });
        Self { lost: false, compacted: false, repaired: false, waits: 0, ..self }.next_attempt()
    }

    /// Whether this provider already failed in the round.
    pub fn has_left(&self, provider: &str) -> bool {
        self.left.iter().any(|left| left.provider == provider)
    }

    /// Whether this is the current attempt.
    pub fn is_open(&self, number: RoundAttempt) -> bool {
        self.started_at.is_some() && self.current_attempt() == number
    }

    /// The number of the current or next attempt.
    pub const fn current_attempt(&self) -> RoundAttempt {
        RoundAttempt { round: self.number, attempt: self.attempt }
    }
}

/// Begins the next round, or the step that a reached limit requires instead. Queued messages join here; the queries of
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

/// Begins the round of a summary that a person requested. It gets no answer of the model, so limits on answers do not
/// apply; summaries have a cost limit of their own.
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

/// Stops at a limit, after a closing call if there was none yet.
pub(crate) fn stop_at_limit(step: &mut TransitionContext<'_>, limit: SessionLimit) -> Phase {
    step.facts.owes_round = false;
    let is_spending = matches!(limit, SessionLimit::Spending(_));
    if !makes_closing_call(step) {
        record_limit(step, limit);
        return stop_work(step);
    }
    // What a model knows of its work is gone afterwards, or may not be paid for again.
    let reports = step.facts.kind.is_run() || is_spending;
    record_limit_with(step, limit, reports.then(sentences::limit_report));
    step.facts.counters.closing_done = true;
    open_round(step, RoundReason::LimitNotification, true)
}

/// Whether a closing call follows a limit. An agent reports its last state to its caller instead.
fn makes_closing_call(step: &TransitionContext<'_>) -> bool {
    let reports = match step.facts.kind {
        SessionKind::Chat => true,
        SessionKind::Automation => step.rules.run_report == RunReportPolicy::Asks,
        SessionKind::Agent | SessionKind::Seed => false,
    };
    reports && !step.facts.counters.closing_done
}

/// Rests, or ends a run, because a limit was reached.
pub(crate) fn stop_work(step: &mut TransitionContext<'_>) -> Phase {
    if step.facts.kind.is_run() { step.close_session(EndReason::LimitReached) } else { Phase::Idle }
}

/// Records a reached limit, for people, the model, and the caller of an agent.
pub(crate) fn record_limit(step: &mut TransitionContext<'_>, limit: SessionLimit) {
    record_limit_with(step, limit, None);
}

/// Records a reached limit, with what the model shall do now.
fn record_limit_with(step: &mut TransitionContext<'_>, limit: SessionLimit, task: Option<LocalizableText>) {
    step.record.add_note(JournalNote::LimitReached(limit.clone()));
    let why = AgentEndClass::from(&limit);
    let text = limits::limit_message(limit, step.facts, step.rules);
    child_agents::record_end_cause(step, why, text.clone());
    let text = match task {
        Some(task) => text.with_appended(" ").with_appended(task),
        None => text,
    };
    step.append_system_text(SystemKind::LimitReached, text);
}

/// Ends the exchange with the fixed text for a failed closing call: the circuit breaker's answer.
pub(crate) fn finish_without_closing_call(step: &mut TransitionContext<'_>) -> Phase {
    let text =
        if step.facts.kind.is_run() { sentences::report_failed() } else { sentences::closing_failed() };
    step.append_message(Author::System, MessageBody::Text(text), true);
    stop_work(step)
}
