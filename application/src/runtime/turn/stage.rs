//! The stages of a turn, and its findings besides the rows.

use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::agent::{AgentSpawn, ChildAnswer};
use entracte_domain::automation::{Automation, SkipReason};
use entracte_domain::id::{AutomationId, RoundAttempt, SessionId, TaskId};
use entracte_domain::task::Task;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::SlotChange;

use super::spending_draft::{AttemptKey, KnownInitiators, KnownSpending};
use crate::ports::CallSize;
use crate::prompt::Projection;
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::data_sections::DataSectionCache;
use crate::runtime::instructions::InstructionsCache;
use crate::runtime::prefix_cache::PrefixCache;

/// A part of a turn that completes as a whole. It may insert stages before the remaining ones.
#[derive(Clone, Debug)]
pub(crate) enum TurnStage {
    /// Puts a session whose next local action waits for this turn into the draft.
    Draft(SessionId),
    /// Takes in the mail with this index.
    Take(usize),
    /// Creates the session of an agent whose call was started.
    Birth(Box<AgentSpawn>),
    /// Gives an agent the answer to its question.
    Onward(ChildAnswer),
    /// Sends a session's news to its parent and its children.
    Family(SessionId),
    /// Reserves the worst case of an attempt that starts.
    Reserve(SessionId, RoundAttempt),
    /// Assigns slots until placement is stable.
    Place,
    /// Continues placement with so many passes left.
    PlaceAgain(usize),
    /// Gives a session its slot, or takes it.
    Move(SlotChange),
    /// Plans the next local action.
    Plan,
    /// Decides the due occurrences of automations.
    Tick,
    /// Judges the due occurrences of an automation.
    Judge(AutomationId),
    /// Judges the next of these occurrences.
    JudgeNext(Box<OccurrenceReview>),
    /// Skips a due occurrence whose automation was switched off, deleted or rescheduled; then the next one.
    SkipNext(Box<OccurrenceSkip>),
    /// Begins the oldest occurrence that may run, if there is room.
    BeginRuns,
    /// Creates the run of a due occurrence.
    BeginDue(AutomationId),
    /// Handles the deadline of a session.
    TimeReached(SessionId),
    /// Gives the session its deadline input.
    TellTime(SessionId),
    /// Schedules the resumption of a session that may have waited for this provider, which is reachable again.
    NetworkBack(SessionId, String),
    /// Resumes the sessions that waited for the network and whose time has come.
    GoOnByNetwork,
    /// Resumes this session.
    GoOn(SessionId),
    /// Lets the watchdog examine the runs that hold a slot.
    WatchRuns,
    /// Lets the watchdog examine this run.
    Heartbeat(SessionId),
    /// Handles a deadline or desired work of a task.
    TaskDue(TaskId),
    /// Updates the task rows to what became of their calls.
    FollowTasks,
    /// Checks again which approval a session's calls need.
    Recheck(SessionId),
}

impl TurnStage {
    /// Whether an interrupted stage may simply be repeated: its earlier part did nothing, or is found done. Any other
    /// stage restarts from the draft before it.
    pub(crate) const fn is_repeatable(&self) -> bool {
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
            | TurnStage::Reserve(..)
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
pub(crate) struct OccurrenceReview {
    /// The automation after the occurrences that were passed.
    pub(crate) kept: ScheduledAutomation,
    pub(crate) passed: usize,
}

/// An automation as it was when the skipped occurrences were due.
#[derive(Clone, Debug)]
pub(crate) struct OccurrenceSkip {
    pub(crate) automation: Automation,
    pub(crate) at: Timestamp,
    pub(crate) why: SkipReason,
}

/// The findings of a turn that memory takes over besides the rows, and how many of its facts the turn has used.
#[derive(Clone, Default)]
pub(crate) struct TurnScratch {
    /// Prefixes that this turn built or read.
    pub(crate) prefixes: PrefixCache,
    /// The always-sent data, as committed, if this turn read it.
    pub(crate) sections: Option<DataSectionCache>,
    /// The committed instructions that this turn read.
    pub(crate) instructions: InstructionsCache,
    /// What this turn read of what is used of caps, as it was before the turn.
    pub(crate) spending: KnownSpending,
    /// Whom this turn found the attempts of sessions to count for.
    pub(crate) initiators: KnownInitiators,
    /// The size of the calls that this turn starts: measured once, although a question about each repeats its stage.
    pub(crate) call_sizes: BTreeMap<AttemptKey, CallSize>,
    /// The committed conversations that this turn read, so that the next request does not read them again.
    pub(crate) conversations: BTreeMap<SessionId, Projection>,
    /// Whether the watchdog spared a run; `None` if it did not run.
    pub(crate) is_sparing: Option<bool>,
    /// When the sessions that waited for the network resume; `None` if that did not change.
    pub(crate) going_on: Option<BTreeMap<SessionId, Timestamp>>,
    /// Automations whose next occurrence waits: since when, and when it is judged again.
    pub(crate) waits: BTreeMap<AutomationId, (Timestamp, Option<Timestamp>)>,
    /// Automations that are no longer due.
    pub(crate) not_due: Vec<ScheduledAutomation>,
    /// The tasks that were examined because they are due.
    pub(crate) looked_at: BTreeMap<TaskId, Task>,
    /// Number of drawn ids, keys and times used so far.
    pub(crate) used: DrawCounts,
    /// The stages that the present one inserts before the remaining ones.
    pub(crate) next: Vec<TurnStage>,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct DrawCounts {
    pub(crate) sessions: usize,
    pub(crate) keys: usize,
    pub(crate) jitters: usize,
}

impl TurnScratch {
    /// The occurrences that wait since this turn, oldest first.
    pub(crate) fn waiting(&self) -> BTreeSet<(Timestamp, &AutomationId)> {
        self.waits.iter().map(|(id, (at, _))| (*at, id)).collect()
    }

    /// Whether a stage for the parent and children of the session is already queued.
    pub(crate) fn has_family_stage(&self, session: &SessionId) -> bool {
        self.next.iter().any(|stage| matches!(stage, TurnStage::Family(id) if id == session))
    }

    /// Whether this turn has a finding about the automation.
    pub(crate) fn is_listed(&self, id: &AutomationId) -> bool {
        self.waits.contains_key(id) || self.not_due.iter().any(|kept| kept.automation.id == *id)
    }
}
