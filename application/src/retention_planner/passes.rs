//! The passes of a plan, and how old what they look at must be.

use entracte_domain::session::SessionKind;
use entracte_domain::time::Timestamp;

use crate::ports::RestingState;

/// What the planner looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetentionTask {
    /// Sessions that go with everything.
    Sessions,
    /// Results.
    Results,
    /// Ledger rows.
    Ledger,
}

/// One pass over a part of the sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RetentionPass {
    pub(super) task: RetentionTask,
    pub(super) state: RestingState,
}

const fn pass(task: RetentionTask, state: RestingState) -> RetentionPass {
    RetentionPass { task, state }
}

/// Whole sessions go first, so that nothing is taken out of one that goes anyway.
pub(super) const PASSES: [RetentionPass; 7] = [
    pass(RetentionTask::Sessions, RestingState::Ended),
    pass(RetentionTask::Sessions, RestingState::EndedUnseen),
    pass(RetentionTask::Results, RestingState::Ended),
    pass(RetentionTask::Results, RestingState::EndedUnseen),
    pass(RetentionTask::Results, RestingState::Open),
    pass(RetentionTask::Ledger, RestingState::Ended),
    pass(RetentionTask::Ledger, RestingState::EndedUnseen),
];

/// The times before which the last input of sessions of a kind must have come; `None` if they stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KindCutoffs {
    pub(super) kind: SessionKind,
    /// By their age.
    pub(super) by_age: Option<Timestamp>,
    /// By their age or their number, whichever removes more.
    pub(super) by_age_or_number: Option<Timestamp>,
}

impl KindCutoffs {
    /// The cutoff for sessions in a state. An ended run that no person has seen yet goes by its age only: later runs do not
    /// push it out.
    pub(super) const fn of(self, state: RestingState) -> Option<Timestamp> {
        match state {
            RestingState::EndedUnseen => self.by_age,
            RestingState::Ended | RestingState::Open => self.by_age_or_number,
        }
    }
}
