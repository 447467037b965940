//! Conditions of the transition table: what a row may ask of the session, the input, the time and the rules.

use crate::id::RoundAttempt;
use crate::session::child_agents;
use crate::session::wake::{needs_wake, watchdog_at};
use crate::session::{
    IgnoreReason, Input, ParkReason, Phase, SessionFacts, SessionKind, SessionRules, unseen_end,
};
use crate::time::Timestamp;
use crate::validation::ApproverObjection;

use super::applicability::{decision_rejection, is_awaited_call, is_creation_allowed};
use super::on_attachment;

/// Declares the conditions. Their doc sentences are printed in `docs/TRANSITIONS.md`.
macro_rules! conditions {
    (
        $(#[$about:meta])*
        $seen:vis enum $name:ident { $($(#[doc = $sentence:literal])+ $value:ident,)+ }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $seen enum $name {
            $($(#[doc = $sentence])+ $value,)+
        }

        #[cfg(test)]
        impl $name {
            /// All conditions in declaration order.
            pub(super) const ALL: &[Self] = &[$(Self::$value),+];

            /// The doc sentence of the condition.
            pub(super) const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$value => concat!($($sentence),+),)+
                }
            }
        }
    };
}

conditions! {
    /// The condition of a row. One that reads an input of a certain kind does not hold for any other kind.
    pub(super) enum TransitionCondition {
        /// Always.
        Always,
        /// The session is a seed, which is never run.
        SessionIsSeed,
        /// The session is an agent.
        SessionIsAgent,
        /// The session has an input already.
        SessionHasInputs,
        /// The session is a chat that has had a round.
        ChatHasRounds,
        /// A person has written, or there was a round.
        WorkHasBegun,
        /// The agent waits for its caller's answer.
        AgentAwaitsAnswer,
        /// The named child rests.
        ChildRests,
        /// The rights of the new agent are not derived from its caller's, in the same workspace.
        CreationExceedsRights,
        /// The session has this slot state already.
        SlotIsUnchanged,
        /// The maximum number of messages is queued.
        QueueIsFull,
        /// The message is still queued.
        MessageIsQueued,
        /// The input names the open attempt of the round.
        AttemptIsOpen,
        /// The session rests at the soft line of a cap.
        SpendingIsAsked,
        /// The usage of a model call of the session is unknown, and the input does not name the open attempt.
        UsageIsUnknown,
        /// The call waits for this outcome of this attempt.
        CallIsAwaited,
        /// The call waits for the answer of the policy about this command.
        PolicyIsAwaited,
        /// The outcome of the call is unknown and not settled.
        CallIsUnsettled,
        /// There is no decision, a decision is late, or one names a call that is not in the batch.
        DecisionsDoNotFit,
        /// A decision differs from the first one, or is for another card.
        DecisionsContradict,
        /// Every decision was made before.
        DecisionsAreRepeated,
        /// Four eyes: words of the approver are in the exchange.
        ApproverAsked,
        /// The approver edits the arguments, which others must see.
        ApproverWrote,
        /// Four eyes: the authors of the exchange are unknown.
        RequestersAreUnknown,
        /// The approver is none of those who may approve.
        ApproverIsUnlisted,
        /// The stop ends the session: it was requested so, or the session is no chat.
        StopEndsSession,
        /// A deadline is due, or must be armed again because the clock was set back.
        DeadlineIsDue,
        /// The watchdog's time is over.
        WatchdogIsDue,
        /// The session waits for the task, or gave it up before its end.
        TaskIsKnown,
        /// The change is empty.
        ChangeIsEmpty,
        /// The change concerns more than the name.
        ChangesMoreThanName,
        /// The change selects another model than the one whose reply is awaited.
        ChangeSelectsModel,
        /// The reader has not read that far, and the session has that entry.
        ReadMarkIsNew,
        /// An approved call failed, and its approver has not seen it.
        FailureIsUnseen,
        /// A person has seen the end.
        EndIsSeen,
        /// A person should look at the end.
        EndIsUnseen,
        /// The call of the comment still waits for a decision.
        CommentedCallWaits,
        /// The client asks for a slot that sessions of this kind get by themselves.
        SlotIsRefused,
        /// The client asks for no slot, and its lease lasts as long already.
        LeaseLasts,
        /// The session has this attachment.
        AttachmentIsKnown,
    }
}

/// A session before a transition, and the input that it is asked to apply.
pub(super) struct DispatchContext<'a> {
    pub(super) facts: &'a SessionFacts,
    pub(super) phase: &'a Phase,
    pub(super) input: &'a Input,
    pub(super) now: Timestamp,
    pub(super) rules: &'a SessionRules,
}

impl DispatchContext<'_> {
    /// Whether a condition holds.
    pub(super) fn holds(&self, condition: TransitionCondition) -> bool {
        use TransitionCondition as If;
        let Self { facts, phase, input, now, rules } = *self;
        match condition {
            If::Always => true,
            If::SessionIsSeed => facts.kind == SessionKind::Seed,
            If::SessionIsAgent => facts.agent.is_some(),
            If::SessionHasInputs => facts.sequence > 0,
            If::ChatHasRounds => facts.kind == SessionKind::Chat && facts.counters.rounds_total > 0,
            If::WorkHasBegun => facts.counters.rounds_total > 0 || facts.exchange > 0,
            If::AgentAwaitsAnswer => facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer()),
            If::ChildRests => {
                matches!(input, Input::ChildEnded { report }
                    if child_agents::has_resting_child(facts, &report.child))
            }
            If::CreationExceedsRights => {
                matches!(input, Input::SessionCreated(creation) if !is_creation_allowed(facts, creation))
            }
            If::SlotIsUnchanged => matches!(input, Input::StandingChanged { slot } if *slot == facts.slot),
            If::QueueIsFull => {
                let most = usize::try_from(rules.message_queue).unwrap_or(usize::MAX);
                most > 0 && facts.queue.len() >= most
            }
            If::MessageIsQueued => matches!(input, Input::MessageWithdrawn { message, .. }
                if facts.queue.iter().any(|queued| queued.message == *message)),
            If::AttemptIsOpen => self.is_attempt_open(),
            If::SpendingIsAsked => matches!(phase, Phase::Parked(ParkReason::Spending(_))),
            If::UsageIsUnknown => facts.usage.unknown_attempts > 0 && !self.is_attempt_open(),
            If::CallIsAwaited => matches!(input, Input::CallFinished { call, attempt, outcome }
                if is_awaited_call(facts, phase, call, *attempt, outcome, rules.set_back, now)),
            If::PolicyIsAwaited => matches!(input, Input::PolicyAnswered { call, answer, .. }
            if phase.batch().and_then(|batch| batch.call(call)).is_some_and(|open| {
                open.awaits_policy() && *open.effective_command_id() == answer.command_id
            })),
            If::CallIsUnsettled => {
                matches!(input, Input::CallSettled { call, .. } if facts.unsettled.contains(call))
            }
            If::DecisionsDoNotFit => self.are_decisions_rejected(IgnoreReason::NotApplicable),
            If::DecisionsContradict => self.are_decisions_rejected(IgnoreReason::Conflict),
            If::DecisionsAreRepeated => self.are_decisions_rejected(IgnoreReason::Duplicate),
            If::ApproverAsked => self.is_approver_rejected(ApproverObjection::Asked),
            If::ApproverWrote => self.is_approver_rejected(ApproverObjection::Wrote),
            If::RequestersAreUnknown => self.is_approver_rejected(ApproverObjection::Unknown),
            If::ApproverIsUnlisted => self.is_approver_rejected(ApproverObjection::Unlisted),
            If::StopEndsSession => {
                matches!(input, Input::StopRequested { end, .. } if *end || facts.kind != SessionKind::Chat)
            }
            If::DeadlineIsDue => needs_wake(facts, phase, rules, now),
            If::WatchdogIsDue => watchdog_at(facts, phase, rules).is_some_and(|at| now >= at),
            If::TaskIsKnown => matches!(input, Input::TaskFinished { task, .. }
                if facts.tasks.contains(task) || facts.overdue.contains(task)),
            If::ChangeIsEmpty => matches!(input, Input::RulesChanged(change) if change.is_empty()),
            If::ChangesMoreThanName => {
                matches!(input, Input::RulesChanged(change) if !change.only_renames())
            }
            If::ChangeSelectsModel => {
                matches!(input, Input::RulesChanged(change) if change.voice.is_some())
            }
            If::ReadMarkIsNew => matches!(input, Input::MessagesRead { reader, sequence }
                if *sequence > facts.read_mark_of(reader) && *sequence <= facts.sequence),
            If::FailureIsUnseen => !facts.failed.is_empty(),
            If::EndIsSeen => facts.is_end_seen,
            If::EndIsUnseen => unseen_end(facts, phase).is_some(),
            If::CommentedCallWaits => matches!(input, Input::DecisionCommented { call, .. }
                if phase.batch().is_some_and(|batch| batch.undecided().any(|open| open.id == *call))),
            If::SlotIsRefused => matches!(input, Input::SessionOpened(opening)
                if opening.asks_slot && !on_attachment::can_request_slot(facts.kind)),
            If::LeaseLasts => self.does_lease_last(),
            If::AttachmentIsKnown => matches!(input, Input::SessionLeft { attachment, .. }
                if facts.attached.iter().any(|known| known.id == *attachment)),
        }
    }

    /// Whether the input names the round and the attempt that the phase has open.
    fn is_attempt_open(&self) -> bool {
        let Some(open) = self.phase.round() else { return false };
        if let Input::AiResponseReceived(response) = self.input {
            return open.is_open(response.number());
        }
        let (Input::NetworkErrorOccurred { round, attempt, .. }
        | Input::ProviderErrorOccurred { round, attempt, .. }
        | Input::BudgetReached { round, attempt, .. }
        | Input::SpendingRefused { round, attempt, .. }
        | Input::UsageSettled { round, attempt, .. }
        | Input::ContextCompacted { round, attempt, .. }
        | Input::CompactionFailed { round, attempt, .. }) = self.input
        else {
            return false;
        };
        open.is_open(RoundAttempt { round: *round, attempt: *attempt })
    }

    fn are_decisions_rejected(&self, why: IgnoreReason) -> bool {
        let Input::ValidationReceived { author, decisions } = self.input else { return false };
        let Some(batch) = self.phase.batch() else { return false };
        decision_rejection(batch, author, decisions, self.now) == Some(why)
    }

    fn is_approver_rejected(&self, objection: ApproverObjection) -> bool {
        self.are_decisions_rejected(IgnoreReason::FourEyes(objection))
    }

    fn does_lease_last(&self) -> bool {
        let Input::SessionOpened(opening) = self.input else { return false };
        let set_back = self.rules.set_back;
        let mut known = self.facts.attached.iter().filter(|known| known.id == opening.attachment);
        let lasts = known.any(|known| {
            // A lease that was set by a later clock is renewed, whatever its end.
            known.lease.due_at >= opening.until
                && !set_back.has_lapsed(known.lease, self.now)
                && !set_back.must_rebase_deadline(known.lease, self.now)
        });
        lasts && !opening.asks_slot
    }
}
