//! Operations that every input handler may use: append, rest, close, end.

use crate::localizable_text::LocalizableText;
use crate::message::{Author, Message, MessageBody, SystemKind, SystemMessage};
use crate::session::limits;
use crate::session::round::{self, RoundReason};
use crate::session::{
    ClockSetbackPolicy, CrashRecoveryPolicy, EndReason, JournalNote, ParkReason, Phase, RequestedCall,
    SessionFacts, SessionRules, Slot, TransitionRecord, may_work,
};
use crate::time::{Deadline, Timestamp};

/// The state of one transition while its handlers run.
pub(crate) struct TransitionContext<'a> {
    pub(crate) facts: &'a mut SessionFacts,
    pub(crate) now: Timestamp,
    pub(crate) rules: &'a SessionRules,
    pub(crate) record: &'a mut TransitionRecord,
    calls_made: usize,
}

impl<'a> TransitionContext<'a> {
    pub(crate) fn new(
        facts: &'a mut SessionFacts,
        now: Timestamp,
        rules: &'a SessionRules,
        record: &'a mut TransitionRecord,
    ) -> Self {
        Self { facts, now, rules, record, calls_made: 0 }
    }

    /// Ordinal of the next call that this input creates.
    pub(crate) fn next_call_ordinal(&mut self) -> usize {
        self.calls_made += 1;
        self.calls_made - 1
    }

    /// Appends a message of the state machine; ordinal 0 is the input's own message.
    pub(crate) fn append_message(&mut self, author: Author, body: MessageBody, exclude_from_prompt: bool) {
        let ordinal = self.record.messages_so_far() + 1;
        let id = self.facts.id.message_id(self.facts.sequence, ordinal);
        let message = Message { id, at: self.now, author, body, exclude_from_prompt };
        self.record.appended.push(crate::session::LogAppend::Message(Box::new(message)));
    }

    /// Appends a system message.
    pub(crate) fn append_system_message(&mut self, message: SystemMessage) {
        let hidden = !message.kind.goes_to_prompt();
        self.append_message(Author::System, MessageBody::System(message), hidden);
    }

    /// Appends a system message of one text.
    pub(crate) fn append_system_text(&mut self, kind: SystemKind, summary: impl Into<LocalizableText>) {
        self.append_system_message(SystemMessage {
            kind,
            results: Vec::new(),
            summary: summary.into(),
            formatted_data: None,
        });
    }

    /// Records a human act that begins a new exchange, and resets its counters.
    pub(crate) fn begin_human_exchange(&mut self) {
        self.record_person_act();
        self.facts.exchange = self.facts.sequence;
        limits::reset_after_human_act(self.facts);
    }

    /// Records a human act within the current exchange.
    pub(crate) fn record_person_act(&mut self) {
        self.facts.last_human_at = self.now;
        self.record.is_human_act = true;
    }

    /// Counts a start that found unfinished work of a dead process; true if too many died in this place.
    pub(crate) fn note_crash(&mut self, start: Timestamp) -> bool {
        let crashes = &mut self.facts.crashes;
        if crashes.last_start != Some(start) {
            crashes.last_start = Some(start);
            crashes.count = crashes.count.saturating_add(1);
        }
        self.rules.quarantine_after > 0 && crashes.count >= self.rules.quarantine_after
    }

    /// Whether this start is the first to find the previous process's unfinished work, and the work continues
    /// automatically. A start that finds unfinished work twice lost it itself.
    pub(crate) fn is_own_crash(&self, start: Timestamp) -> bool {
        match self.rules.own_crash {
            CrashRecoveryPolicy::Resumes => self.facts.crashes.last_start != Some(start),
            CrashRecoveryPolicy::IsLost => false,
        }
    }

    /// Moves the queued messages into the conversation and returns the queries of their enrichments.
    pub(crate) fn join_queued_messages(&mut self) -> Vec<RequestedCall> {
        let queue = std::mem::take(&mut self.facts.queue);
        let authors: Vec<_> = queue.iter().map(|queued| queued.author.clone()).collect();
        self.facts.asked_by.add_message_authors(&authors);
        self.facts.record_prompt_authors(authors.iter().map(Option::as_deref));
        let (ids, enrichments): (Vec<_>, Vec<_>) =
            queue.into_iter().map(|queued| (queued.message, queued.enrichments)).unzip();
        self.record.add_note(JournalNote::MessagesJoined(ids));
        enrichments.into_iter().flatten().collect()
    }

    /// Ends the round: begins the next one for waiting input, or rests.
    pub(crate) fn finish_round(&mut self) -> Phase {
        match (self.facts.owes_round, self.facts.queue.is_empty()) {
            (false, true) => Phase::Idle,
            // A task's result belongs to the work asked for before.
            (true, true) => round::begin_round(self, RoundReason::TaskResult),
            (true, false) => round::begin_round(self, RoundReason::UserMessage),
            (false, false) => {
                self.facts.begin_exchange();
                round::begin_round(self, RoundReason::UserMessage)
            }
        }
    }

    /// Keeps a phase that the table does not let reach a handler. Tests fail here; a release changes nothing.
    pub(crate) fn keep_unexpected(&self, phase: Phase) -> Phase {
        debug_assert!(false);
        phase
    }

    /// Whether input waits for the next round.
    pub(crate) fn has_pending_input(&self) -> bool {
        self.facts.owes_round || !self.facts.queue.is_empty()
    }

    /// Rests and keeps messages queued, because a person stopped the round or it failed.
    pub(crate) fn finish_round_keeping_queue(&mut self) -> Phase {
        if !self.facts.kind.is_run() {
            return Phase::Idle;
        }
        self.record.add_note(JournalNote::SessionParked);
        Phase::Parked(ParkReason::Interrupted)
    }

    /// Closes a run after its closing delay; an agent ends at once, because its caller waits.
    pub(crate) fn close_session(&mut self, reason: EndReason) -> Phase {
        if self.facts.agent.is_some() {
            return self.end_session(reason);
        }
        Phase::AwaitingSessionClosure { reason, close: Deadline::after(self.now, self.rules.closing_delay) }
    }

    /// Ends the session now.
    pub(crate) fn end_session(&mut self, reason: EndReason) -> Phase {
        self.facts.slot = Slot::None;
        self.facts.attached.clear();
        self.facts.asks_slot = None;
        self.record.add_note(JournalNote::SessionCompleted { reason });
        Phase::Completed { reason }
    }

    /// Updates the active time of the session: at work with a slot, not in a wait with a deadline of its own.
    pub(crate) fn record_active_time(&mut self, phase: &Phase) {
        let active = may_work(self.facts) && is_work(phase);
        match (self.facts.active_since, active) {
            (None, true) => self.facts.active_since = Some(self.now),
            (Some(_), false) => {
                self.facts.active_before = self.facts.active_for(self.now);
                self.facts.active_since = None;
            }
            // The clock was set back: earlier time is dropped, otherwise the limit on active time would never be
            // reached.
            (Some(since), true)
                if self.rules.set_back == ClockSetbackPolicy::EndsNothing && since > self.now =>
            {
                self.facts.active_since = Some(self.now);
            }
            (None, false) | (Some(_), true) => {}
        }
    }

    /// Begins a new prompt generation with a new frozen prefix.
    pub(crate) fn begin_prefix_generation(&mut self) {
        self.facts.generation = self.facts.generation.saturating_add(1);
        self.record.add_note(JournalNote::GenerationBegun(self.facts.generation));
    }
}

/// Whether this phase is work. Waits are not: they have deadlines of their own, or wait for a person.
fn is_work(phase: &Phase) -> bool {
    match phase {
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::CompactingContext { .. } => true,
        Phase::Idle
        | Phase::Parked(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask => false,
    }
}
