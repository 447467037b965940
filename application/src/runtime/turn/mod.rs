//! A workspace turn: a pure function from facts to one commit.
//!
//! ```text
//! memory + requests + facts -> step -> Need(fact request) | Done(commit, answers, draft for memory)
//! ```
//!
//! A turn performs no reads itself. It goes through its stages; a stage that lacks a fact names it as a
//! [`FactRequest`] and is repeated once the fact is [known](WorkspaceTurn::facts_mut). The work of an interrupted
//! stage is either discarded or idempotent, so the same facts give the same commit.

mod agent_sessions;
mod automation_run;
mod automation_tick;
mod budget_checks;
mod data_changes;
mod deadlines;
mod effect_outcome;
mod fact_access;
mod facts;
mod fallback;
mod instructions;
mod local_plans;
mod network_recovery;
mod placement;
mod prefixes;
mod progress;
mod prompt_authors;
mod recovery;
mod request_not_applied;
mod requests;
mod tasks;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::{PlacementCandidate, activation_result};

pub(super) use self::facts::{
    CallLookupRequest, CallRecheckRequest, CardDigestRequest, EntryRange, FactRequest, OverlaidRows,
    TurnFacts,
};
use self::progress::TurnProgress;
use self::request_not_applied::RequestNotApplied;
use super::automation_schedule::AutomationSchedule;
use super::changes::record_changes;
use super::data_sections::DataSectionCache;
use super::error::TurnError;
use super::instructions::InstructionsCache;
use super::loaded_session::LoadedSession;
use super::prefix_cache::PrefixCache;
use super::turn_draft::{TurnDraft, texts};
use super::turn_stages::TurnStage;
use super::workspace_input::WorkspaceInput;
use crate::codec::{CodecError, WorkspaceBody};
use crate::commands::Catalog;
use crate::mail::MailAnswer;
use crate::ports::{StoreError, WorkspaceCommit, WorkspaceRow};
use crate::rule_book::RuleBook;
use crate::settings::{RuntimeSettings, WorkspaceSettings};

/// The committed in-memory state of a workspace.
#[derive(Clone, Copy)]
pub(super) struct WorkspaceSnapshot<'a> {
    pub(super) key: &'a WorkspaceKey,
    /// The stored row; `None` before its first commit.
    pub(super) row: Option<&'a WorkspaceRow>,
    /// Epoch of the owner.
    pub(super) epoch: u64,
    pub(super) body: &'a WorkspaceBody,
    /// The settings in force.
    pub(super) settings: &'a WorkspaceSettings,
    pub(super) rules: &'a RuleBook,
    pub(super) sessions: &'a HashMap<SessionId, LoadedSession>,
    pub(super) seats: &'a BTreeMap<SessionId, PlacementCandidate>,
    pub(super) schedule: &'a AutomationSchedule,
    /// Sessions that waited for the network, which is back, with the time at which each resumes.
    pub(super) going_on: &'a BTreeMap<SessionId, Timestamp>,
    /// Sessions whose next local action waits for a turn.
    pub(super) planning: &'a BTreeSet<SessionId>,
    pub(super) sections: Option<&'a DataSectionCache>,
    pub(super) instructions: &'a InstructionsCache,
    /// Sessions whose work was started by this worker.
    pub(super) own: &'a HashSet<SessionId>,
    pub(super) prefixes: &'a PrefixCache,
    /// Blobs that are known to be stored.
    pub(super) kept: &'a HashSet<Digest>,
    pub(super) catalog: &'a Catalog,
    pub(super) runtime: &'a RuntimeSettings,
    /// When this process began to own the database.
    pub(super) started_at: Timestamp,
    /// Whether the process stops: outcomes are applied, and nothing new starts.
    pub(super) is_leaving: bool,
}

/// Why a turn stops before its end.
pub(super) enum TurnStop {
    /// It needs a fact first.
    Need(FactRequest),
    /// It failed.
    Fault(TurnError),
}

/// The result of a step.
pub(super) enum TurnStep {
    /// The turn needs this fact before it can continue.
    Need(FactRequest),
    /// The turn is complete.
    Done(Box<TurnOutput>),
}

/// A complete turn that is not committed yet.
pub(super) struct TurnOutput {
    /// The draft that memory takes over once the commit is acknowledged.
    pub(super) draft: TurnDraft,
    /// The commit; `None` if there is nothing to write.
    pub(super) commit: Option<WorkspaceCommit>,
    /// The answers to the requests, in the order of the inputs.
    pub(super) replies: Vec<Option<MailAnswer>>,
}

/// Maximum fact requests of one stage, more than any stage needs; beyond it the turn fails as endless.
const NEEDS_OF_A_STAGE: u32 = 10_000;

/// One turn of a workspace.
pub(super) struct WorkspaceTurn<'a> {
    memory: WorkspaceSnapshot<'a>,
    incoming: &'a [WorkspaceInput],
    now: Timestamp,
    known: TurnFacts,
    /// The progress from which the next step resumes; `None` before the first stop.
    saved: Option<TurnProgress>,
    /// The stage that stopped last, and its number of fact requests.
    stopped: Option<(usize, u32)>,
    /// Number of stops so far.
    stops: u32,
}

impl<'a> WorkspaceTurn<'a> {
    /// A turn that handles these inputs.
    pub(super) fn new(memory: WorkspaceSnapshot<'a>, incoming: &'a [WorkspaceInput], now: Timestamp) -> Self {
        let known = TurnFacts::default();
        Self { memory, incoming, now, known, saved: None, stopped: None, stops: 0 }
    }

    /// The facts, to which the caller adds the answers.
    pub(super) fn facts_mut(&mut self) -> &mut TurnFacts {
        &mut self.known
    }

    /// The facts that are certainly needed, before the first step.
    pub(super) fn initial_fact_requests(&self) -> Vec<FactRequest> {
        self.initial_session_request().into_iter().chain(self.initial_receipt_request()).collect()
    }

    fn initial_session_request(&self) -> Option<FactRequest> {
        let named = self.incoming.iter().filter_map(|item| match item {
            WorkspaceInput::Request { mail, .. } => mail.request.session_id(),
            WorkspaceInput::Outcome { session, .. } => Some(session),
            WorkspaceInput::NetworkBack { .. } | WorkspaceInput::Wake | WorkspaceInput::Started => None,
        });
        let mut unread: Vec<SessionId> = Vec::new();
        for id in named.filter(|id| !self.memory.sessions.contains_key(*id)) {
            if !unread.contains(id) {
                unread.push(id.clone());
            }
        }
        (!unread.is_empty()).then_some(FactRequest::Sessions(unread))
    }

    /// Continues with the known facts until the turn is complete or needs another fact.
    ///
    /// # Errors
    /// When the turn fails with these facts.
    pub(super) fn step(&mut self) -> Result<TurnStep, TurnError> {
        let mut progress = self.saved.take().unwrap_or_else(|| self.begin());
        loop {
            let Some(stage) = progress.todo.pop_front() else { return self.done(progress) };
            // Mostly all facts are known by the second attempt; until then nothing is cloned, and the turn restarts
            // from its beginning.
            if self.stops > 1 && !stage.is_repeatable() {
                self.saved = Some(progress.snapshot_before(stage.clone()));
            }
            match self.run_stage(&mut progress, &stage) {
                Ok(()) => progress.end_stage(),
                Err(TurnStop::Need(need)) => {
                    self.stop(progress, stage)?;
                    return Ok(TurnStep::Need(need));
                }
                Err(TurnStop::Fault(fault)) => return Err(fault),
            }
        }
    }

    fn stop(&mut self, mut progress: TurnProgress, stage: TurnStage) -> Result<(), TurnError> {
        let asked = match self.stopped {
            Some((made, asked)) if made == progress.made => asked + 1,
            Some(_) | None => 1,
        };
        if asked > NEEDS_OF_A_STAGE {
            return Err(TurnError::Endless(NEEDS_OF_A_STAGE));
        }
        self.stopped = Some((progress.made, asked));
        self.stops = self.stops.saturating_add(1);
        if stage.is_repeatable() {
            progress.todo.push_front(stage);
            self.saved = Some(progress);
        }
        Ok(())
    }

    fn done(&self, progress: TurnProgress) -> Result<TurnStep, TurnError> {
        let TurnProgress { mut draft, mut replies, .. } = progress;
        self.report_activations(&mut draft, &mut replies);
        let commit = match draft.is_empty() {
            true => None,
            false => {
                record_changes(&mut draft, self.memory.body);
                draft.workspace.body = draft.body.encode()?;
                Some(draft.build_commit(self.memory.rules, self.memory.kept, self.memory.runtime)?)
            }
        };
        Ok(TurnStep::Done(Box::new(TurnOutput { draft, commit, replies })))
    }

    /// The initial progress: an empty draft and all stages.
    fn begin(&self) -> TurnProgress {
        let planning = self.memory.planning.iter().cloned().map(TurnStage::Draft);
        let taking = (0..self.incoming.len()).map(TurnStage::Take);
        if self.memory.is_leaving {
            // Slots are given back before inputs are handled: without one nothing starts.
            let stages = [TurnStage::Place]
                .into_iter()
                .chain(taking)
                .chain([TurnStage::FollowTasks, TurnStage::Place]);
            return TurnProgress::new(self.draft(), stages.collect());
        }
        let after = [
            TurnStage::FollowTasks,
            TurnStage::Place,
            TurnStage::Plan,
            TurnStage::Place,
            TurnStage::Tick,
            TurnStage::FollowTasks,
        ];
        TurnProgress::new(self.draft(), planning.chain(taking).chain(after).collect())
    }

    fn draft(&self) -> TurnDraft {
        let row = self.memory.row.cloned().unwrap_or_else(|| WorkspaceRow {
            key: self.memory.key.clone(),
            seq: 0,
            body: Vec::new(),
            created_at: self.now,
            epoch: 0,
        });
        let row = WorkspaceRow { epoch: self.memory.epoch, ..row };
        TurnDraft::new(self.now, row, self.memory.row.map(|row| row.seq), self.memory.body.clone())
    }

    /// Runs one stage.
    fn run_stage(&self, progress: &mut TurnProgress, stage: &TurnStage) -> Result<(), TurnStop> {
        let draft = &mut progress.draft;
        match stage {
            TurnStage::Draft(session) => self.draft_session(draft, session).map(drop),
            TurnStage::Take(index) => {
                let Some(item) = self.incoming.get(*index) else { return Ok(()) };
                let reply = self.apply_incoming(draft, item)?;
                progress.replies.push(reply);
                Ok(())
            }
            TurnStage::Birth(birth) => self.create_agent_session(draft, birth),
            TurnStage::Onward(onward) => self.resume_with_answer(draft, onward),
            TurnStage::Family(session) => self.exchange_with_relatives(draft, session),
            // Each pass settles the sessions it moves, so no more passes than sessions are needed.
            TurnStage::Place => self.assign_slots(draft, self.memory.seats.len() + draft.sessions.len() + 1),
            TurnStage::PlaceAgain(passes) => self.assign_slots(draft, *passes),
            TurnStage::Move(change) => self.move_session(draft, change),
            TurnStage::Plan => self.plan_next(draft),
            TurnStage::Tick => self.tick(draft),
            TurnStage::Judge(automation) => self.judge_due(draft, automation),
            TurnStage::JudgeNext(judging) => self.judge_next(draft, judging),
            TurnStage::SkipNext(skipping) => self.skip_next(draft, skipping),
            TurnStage::BeginRuns => self.begin_runs(draft),
            TurnStage::BeginDue(automation) => self.begin_due(draft, automation),
            TurnStage::TimeReached(session) => self.time_reached(draft, session),
            TurnStage::TellTime(session) => self.tell_time(draft, session),
            TurnStage::NetworkBack(session, provider) => {
                self.schedule_network_resume(draft, session, provider)
            }
            TurnStage::GoOnByNetwork => self.resume_due_after_network(draft),
            TurnStage::GoOn(session) => self.resume_session(draft, session),
            TurnStage::WatchRuns => self.watch_runs(draft),
            TurnStage::Heartbeat(session) => self.heartbeat(draft, session),
            TurnStage::TaskDue(task) => self.task_due(draft, task),
            TurnStage::FollowTasks => self.follow_tasks(draft),
            TurnStage::Recheck(session) => match self.draft_session(draft, session)? {
                true => self.recheck(draft, session).map(drop),
                false => Ok(()),
            },
        }
    }

    /// Applies one input to the draft; returns the answer to a request.
    fn apply_incoming(
        &self,
        draft: &mut TurnDraft,
        item: &WorkspaceInput,
    ) -> Result<Option<MailAnswer>, TurnStop> {
        match item {
            WorkspaceInput::Request { mail, .. } => {
                return match self.apply_idempotently(draft, mail) {
                    Ok(answer) => Ok(Some(answer)),
                    Err(RequestNotApplied::Refused(refusal)) => Ok(Some(refusal.answer(texts(draft)))),
                    Err(RequestNotApplied::Stop(stop)) => Err(stop),
                };
            }
            WorkspaceInput::Outcome { session, outcome } => self.take_outcome(draft, session, outcome)?,
            // The process stops: the next one handles deadlines.
            WorkspaceInput::NetworkBack { .. } | WorkspaceInput::Wake | WorkspaceInput::Started
                if self.memory.is_leaving => {}
            WorkspaceInput::NetworkBack { provider } => self.network_back(draft, provider)?,
            // Work left by a dead process is taken up where a session is read.
            WorkspaceInput::Wake | WorkspaceInput::Started => self.wake_up(draft)?,
        }
        Ok(None)
    }

    /// Adds to each session request's answer whether the session has its slot or its position in the queue; answers
    /// to mail are written with it.
    fn report_activations(&self, draft: &mut TurnDraft, replies: &mut [Option<MailAnswer>]) {
        if replies.iter().all(Option::is_none) {
            return;
        }
        let (seats, rules) = (self.seats_with(draft), draft.body.settings.slot_rules());
        for (item, reply) in self.incoming.iter().zip(replies) {
            let Some(answer) = reply else { continue };
            if let MailAnswer::Accepted { session, activation: asked, .. } = answer {
                *asked = activation_result(self.slot_before(session), session, &seats, &rules, draft.now);
            }
            let WorkspaceInput::Request { mail, row, .. } = item else { continue };
            if let Some(receipt) = &mail.receipt {
                draft.settle_receipt(receipt, answer);
            }
            if let Some(row) = row {
                draft.answers.push((*row, answer.clone()));
            }
        }
    }

    /// Applies one input to a session of the draft.
    fn apply_input(&self, draft: &mut TurnDraft, session: &SessionId, input: Input) -> Result<(), TurnStop> {
        draft.apply_input(session, input, self.memory.rules)?;
        Ok(())
    }
}

impl TurnStop {
    fn missing_session(session: &SessionId) -> Self {
        Self::Fault(TurnError::missing_session(session))
    }
}

impl From<TurnError> for TurnStop {
    fn from(fault: TurnError) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for TurnStop {
    fn from(fault: StoreError) -> Self {
        Self::Fault(fault.into())
    }
}

impl From<CodecError> for TurnStop {
    fn from(fault: CodecError) -> Self {
        Self::Fault(fault.into())
    }
}

#[cfg(test)]
mod tests;
