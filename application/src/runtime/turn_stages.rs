//! The stages of a turn, and what it finds out beside its rows.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::agent::{AgentSpawn, ChildAnswer};
use entracte_domain::automation::{Automation, SkipReason};
use entracte_domain::id::{AutomationId, SessionId, TaskId};
use entracte_domain::task::Task;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::SlotChange;

use super::automation_schedule::ScheduledAutomation;
use super::data_sections::DataSectionCache;
use super::instructions::InstructionsCache;
use super::prefix_cache::PrefixCache;

/// A part of a turn that is made whole. It may put further stages before those that are left.
#[derive(Clone, Debug)]
pub(super) enum TurnStage {
    /// A session's next local action waits for this turn.
    Draft(SessionId),
    /// The piece of mail with this index is taken in.
    Take(usize),
    /// The session of an agent is made, whose call was started.
    Birth(Box<AgentSpawn>),
    /// An agent that asked gets its answer.
    Onward(ChildAnswer),
    /// A session moved, and its parent and its children are told what they have to know.
    Family(SessionId),
    /// Slots are given and taken until placement is at rest.
    Place,
    /// The same, with so many passes left.
    PlaceAgain(usize),
    /// A session gets or loses its slot.
    Move(SlotChange),
    /// The next local action is planned.
    Plan,
    /// What is due of the automations is decided.
    Tick,
    /// The occurrences of an automation that are due are judged.
    Judge(AutomationId),
    /// The next of them is looked at.
    JudgeNext(Box<OccurrenceReview>),
    /// An occurrence that was due is skipped, because its automation was switched off, deleted or rescheduled; then the
    /// next one is.
    SkipNext(Box<OccurrenceSkip>),
    /// Where there is room the oldest occurrence that may run begins.
    BeginRuns,
    /// The run of an occurrence that is due is made.
    BeginDue(AutomationId),
    /// A session's deadline has come.
    TimeReached(SessionId),
    /// It is told so.
    TellTime(SessionId),
    /// A session may have waited for this provider, which is back.
    NetworkBack(SessionId, String),
    /// Those that waited for the network, and whose moment has come, go on.
    GoOnByNetwork,
    /// This one goes on.
    GoOn(SessionId),
    /// The watchdog looks at the runs that hold a slot.
    WatchRuns,
    /// It looks at this one.
    Heartbeat(SessionId),
    /// A deadline of a task has come, or something is to be done for it.
    TaskDue(TaskId),
    /// The rows of tasks follow what became of their calls.
    FollowTasks,
    /// The approval that a session's calls need is looked at again.
    Recheck(SessionId),
}

impl TurnStage {
    /// Whether a stage that stopped may simply be made again: what it did before is nothing, or what it finds done. Any
    /// other one begins with the draft as it was before it.
    pub(super) const fn is_repeatable(&self) -> bool {
        match self {
            TurnStage::Take(_)
            | TurnStage::Plan
            | TurnStage::BeginDue(_)
            | TurnStage::Birth(_)
            | TurnStage::Onward(_)
            | TurnStage::TaskDue(_)
            | TurnStage::FollowTasks => false,
            TurnStage::Draft(_)
            | TurnStage::Family(_)
            | TurnStage::Place
            | TurnStage::PlaceAgain(_)
            | TurnStage::Move(_)
            | TurnStage::Tick
            | TurnStage::Judge(_)
            | TurnStage::JudgeNext(_)
            | TurnStage::SkipNext(_)
            | TurnStage::BeginRuns
            | TurnStage::TimeReached(_)
            | TurnStage::TellTime(_)
            | TurnStage::NetworkBack(..)
            | TurnStage::GoOnByNetwork
            | TurnStage::GoOn(_)
            | TurnStage::WatchRuns
            | TurnStage::Heartbeat(_)
            | TurnStage::Recheck(_) => true,
        }
    }
}

/// An automation whose occurrences are judged one after the other.
#[derive(Clone, Debug)]
pub(super) struct OccurrenceReview {
    /// As it is after those that were passed.
    pub(super) kept: ScheduledAutomation,
    pub(super) passed: usize,
}

/// An automation as it was when its occurrences were due that are skipped.
#[derive(Clone, Debug)]
pub(super) struct OccurrenceSkip {
    pub(super) automation: Automation,
    pub(super) at: Timestamp,
    pub(super) why: SkipReason,
}

/// What memory takes over with a turn, beside the rows; and what the turn has used of its facts.
#[derive(Clone, Default)]
pub(super) struct TurnScratch {
    /// Prefixes that this turn built or read.
    pub(super) prefixes: PrefixCache,
    /// The data that is always sent, as committed, where this turn read it.
    pub(super) sections: Option<DataSectionCache>,
    /// The instructions, as committed, that this turn read.
    pub(super) instructions: InstructionsCache,
    /// Whether the watchdog spared a run; none where it did not look.
    pub(super) is_sparing: Option<bool>,
    /// When the sessions that waited for the network go on; none where that did not change.
    pub(super) going_on: Option<BTreeMap<SessionId, Timestamp>>,
    /// Automations whose next occurrence waits: since when, and when it is judged again.
    pub(super) waits: BTreeMap<AutomationId, (Timestamp, Option<Timestamp>)>,
    /// Automations that are not due any more.
    pub(super) not_due: Vec<ScheduledAutomation>,
    /// The tasks that were looked at because they are due.
    pub(super) looked_at: BTreeMap<TaskId, Task>,
    /// How many of the drawn ids, keys and times it has used.
    pub(super) used: DrawCounts,
    /// The stages that the present one puts before those that are left.
    pub(super) next: Vec<TurnStage>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct DrawCounts {
    pub(super) sessions: usize,
    pub(super) keys: usize,
    pub(super) jitters: usize,
}

impl TurnScratch {
    /// The occurrences that wait since this turn, the oldest first.
    pub(super) fn waiting(&self) -> BTreeSet<(Timestamp, &AutomationId)> {
        self.waits.iter().map(|(id, (at, _))| (*at, id)).collect()
    }

    /// Whether the family of a session is told after the present stage.
    pub(super) fn has_family_stage(&self, session: &SessionId) -> bool {
        self.next.iter().any(|stage| matches!(stage, TurnStage::Family(id) if id == session))
    }

    /// Whether this turn found something out about an automation.
    pub(super) fn is_listed(&self, id: &AutomationId) -> bool {
        self.waits.contains_key(id) || self.not_due.iter().any(|kept| kept.automation.id == *id)
    }
}
