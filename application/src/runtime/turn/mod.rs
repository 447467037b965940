//! A turn: a pure function from what is known to one commit.
//!
//! ```text
//! memory + requests + answers -> step -> Need(what it has to know) | Done(commit, answers, what memory takes over)
//! ```
//!
//! A turn reads nothing by itself. It goes through its stages; a stage that lacks an answer names it as a [`Need`] and
//! is made again once the answer is [known](Turn::learn). What a stage did before it stopped is either void or what it
//! would do again, so the same facts give the same commit.

mod asking;
mod authors;
mod children;
mod facts;
mod fallback;
mod instructions;
mod network;
mod news;
mod outcome;
mod placing;
mod plan;
mod prefixes;
mod progress;
mod recovery;
mod requests;
mod run;
mod share;
mod tasks;
mod tick;
mod untaken;
mod waking;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::{PlacementCandidate, activation};

pub(super) use self::facts::{Card, Known, LookUp, Need, Rows, UpTo, Waiting};
use self::progress::Progress;
use self::untaken::Untaken;
use super::changes::note_changes;
use super::data::KnownSections;
use super::draft::{Draft, texts};
use super::error::TurnError;
use super::incoming::Incoming;
use super::instructions::KnownInstructions;
use super::live::Live;
use super::prefixes::Prefixes;
use super::schedule::Schedule;
use super::stages::Stage;
use crate::codec::{CodecError, WorkspaceBody};
use crate::commands::Catalog;
use crate::mail::MailAnswer;
use crate::ports::{StoreError, WorkspaceCommit, WorkspaceRow};
use crate::rules::RuleBook;
use crate::settings::{RuntimeSettings, WorkspaceSettings};

/// What is in memory of a workspace, as committed.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    pub(super) key: &'a WorkspaceKey,
    /// As stored; none before its first commit.
    pub(super) row: Option<&'a WorkspaceRow>,
    /// Of the owner.
    pub(super) epoch: u64,
    pub(super) body: &'a WorkspaceBody,
    /// As they are in force.
    pub(super) settings: &'a WorkspaceSettings,
    pub(super) rules: &'a RuleBook,
    pub(super) sessions: &'a HashMap<SessionId, Live>,
    pub(super) seats: &'a BTreeMap<SessionId, PlacementCandidate>,
    pub(super) schedule: &'a Schedule,
    /// Sessions that waited for the network, which is back: when each goes on.
    pub(super) going_on: &'a BTreeMap<SessionId, Timestamp>,
    /// Sessions whose next local action waits for a turn.
    pub(super) planning: &'a BTreeSet<SessionId>,
    pub(super) sections: Option<&'a KnownSections>,
    pub(super) instructions: &'a KnownInstructions,
    /// Sessions whose work was begun by this task.
    pub(super) own: &'a HashSet<SessionId>,
    pub(super) prefixes: &'a Prefixes,
    /// Blobs that are known to be stored.
    pub(super) kept: &'a HashSet<Digest>,
    pub(super) catalog: &'a Catalog,
    pub(super) runtime: &'a RuntimeSettings,
    /// When this process began to own the database.
    pub(super) started_at: Timestamp,
    /// The process stops: what is under way is taken in, and nothing new starts.
    pub(super) is_leaving: bool,
}

/// Why a turn stops before its end.
pub(super) enum Stop {
    /// It has to know something first.
    Need(Need),
    /// It cannot be made.
    Fault(TurnError),
}

/// Where a turn stands.
pub(super) enum Step {
    /// It has to know this before it can go on.
    Need(Need),
    /// It is made.
    Done(Box<Done>),
}

/// A turn that was made and not committed yet.
pub(super) struct Done {
    /// What memory takes over once the commit is acknowledged.
    pub(super) draft: Draft,
    /// What is to be written; none when that is nothing.
    pub(super) commit: Option<WorkspaceCommit>,
    /// The answers to the requests, in the order of what came in.
    pub(super) replies: Vec<Option<MailAnswer>>,
}

/// What a stage may ask for before it is taken for endless: more than any stage has to know.
const NEEDS_OF_A_STAGE: u32 = 10_000;

/// One turn of a workspace.
pub(super) struct Turn<'a> {
    memory: Memory<'a>,
    incoming: &'a [Incoming],
    now: Timestamp,
    known: Known,
    /// Where the next step goes on; none before the first stop.
    saved: Option<Progress>,
    /// The stage that stopped last, and what it has asked for.
    stopped: Option<(usize, u32)>,
    /// How often it has stopped.
    stops: u32,
}

impl<'a> Turn<'a> {
    /// The turn that takes this in.
    pub(super) fn new(memory: Memory<'a>, incoming: &'a [Incoming], now: Timestamp) -> Self {
        let known = Known::default();
        Self { memory, incoming, now, known, saved: None, stopped: None, stops: 0 }
    }

    /// Where the answers to its needs go.
    pub(super) fn learn(&mut self) -> &mut Known {
        &mut self.known
    }

    /// What is certain to be needed, before the first step.
    pub(super) fn foreseen(&self) -> Vec<Need> {
        self.foreseen_sessions().into_iter().chain(self.foreseen_receipts()).collect()
    }

    fn foreseen_sessions(&self) -> Option<Need> {
        let named = self.incoming.iter().filter_map(|item| match item {
            Incoming::Request { mail, .. } => mail.session.as_ref(),
            Incoming::Outcome { session, .. } => Some(session),
            Incoming::NetworkBack { .. } | Incoming::Wake | Incoming::Started => None,
        });
        let mut unread: Vec<SessionId> = Vec::new();
        for id in named.filter(|id| !self.memory.sessions.contains_key(*id)) {
            if !unread.contains(id) {
                unread.push(id.clone());
            }
        }
        (!unread.is_empty()).then_some(Need::Sessions(unread))
    }

    /// Goes on with what is known, as far as that leads.
    ///
    /// # Errors
    /// When the turn cannot be made with what it was told.
    pub(super) fn step(&mut self) -> Result<Step, TurnError> {
        let mut progress = self.saved.take().unwrap_or_else(|| self.begin());
        loop {
            let Some(stage) = progress.todo.pop_front() else { return self.done(progress) };
            // Mostly all is known, or known at the second try; then nothing is copied, and the turn begins again.
            if self.stops > 1 && !stage.goes_on() {
                self.saved = Some(progress.before(stage.clone()));
            }
            match self.make(&mut progress, &stage) {
                Ok(()) => progress.end_stage(),
                Err(Stop::Need(need)) => {
                    self.stop(progress, stage)?;
                    return Ok(Step::Need(need));
                }
                Err(Stop::Fault(fault)) => return Err(fault),
            }
        }
    }

    fn stop(&mut self, mut progress: Progress, stage: Stage) -> Result<(), TurnError> {
        let asked = match self.stopped {
            Some((made, asked)) if made == progress.made => asked + 1,
            Some(_) | None => 1,
        };
        if asked > NEEDS_OF_A_STAGE {
            return Err(TurnError::Endless(NEEDS_OF_A_STAGE));
        }
        self.stopped = Some((progress.made, asked));
        self.stops = self.stops.saturating_add(1);
        if stage.goes_on() {
            progress.todo.push_front(stage);
            self.saved = Some(progress);
        }
        Ok(())
    }

    fn done(&self, progress: Progress) -> Result<Step, TurnError> {
        let Progress { mut draft, mut replies, .. } = progress;
        self.say_activations(&mut draft, &mut replies);
        let commit = match draft.is_empty() {
            true => None,
            false => {
                note_changes(&mut draft, self.memory.body);
                draft.workspace.body = draft.body.encode()?;
                Some(draft.commit(self.memory.rules, self.memory.kept, self.memory.runtime)?)
            }
        };
        Ok(Step::Done(Box::new(Done { draft, commit, replies })))
    }

    /// The beginning: nothing is drafted, and all is to be done.
    fn begin(&self) -> Progress {
        let planning = self.memory.planning.iter().cloned().map(Stage::Draft);
        let taking = (0..self.incoming.len()).map(Stage::Take);
        if self.memory.is_leaving {
            // Slots are given back before anything is taken in: without one nothing starts.
            let stages = [Stage::Place].into_iter().chain(taking).chain([Stage::FollowTasks, Stage::Place]);
            return Progress::new(self.draft(), stages.collect());
        }
        let after =
            [Stage::FollowTasks, Stage::Place, Stage::Plan, Stage::Place, Stage::Tick, Stage::FollowTasks];
        Progress::new(self.draft(), planning.chain(taking).chain(after).collect())
    }

    fn draft(&self) -> Draft {
        let row = self.memory.row.cloned().unwrap_or_else(|| WorkspaceRow {
            key: self.memory.key.clone(),
            seq: 0,
            body: Vec::new(),
            created_at: self.now,
            epoch: 0,
        });
        let row = WorkspaceRow { epoch: self.memory.epoch, ..row };
        Draft::new(self.now, row, self.memory.row.map(|row| row.seq), self.memory.body.clone())
    }

    /// Makes one stage.
    fn make(&self, progress: &mut Progress, stage: &Stage) -> Result<(), Stop> {
        let draft = &mut progress.draft;
        match stage {
            Stage::Draft(session) => self.draft_session(draft, session).map(drop),
            Stage::Take(index) => {
                let Some(item) = self.incoming.get(*index) else { return Ok(()) };
                let reply = self.take_in(draft, item)?;
                progress.replies.push(reply);
                Ok(())
            }
            Stage::Birth(birth) => self.be_born(draft, birth),
            Stage::Onward(onward) => self.go_on_with(draft, onward),
            Stage::Family(session) => self.tell_family(draft, session),
            // Each pass settles the sessions it moves; more passes than sessions cannot be needed.
            Stage::Place => self.place(draft, self.memory.seats.len() + draft.sessions.len() + 1),
            Stage::PlaceAgain(passes) => self.place(draft, *passes),
            Stage::Move(change) => self.move_session(draft, change),
            Stage::Plan => self.plan_next(draft),
            Stage::Tick => self.tick(draft),
            Stage::Judge(automation) => self.judge_due(draft, automation),
            Stage::JudgeNext(judging) => self.judge_next(draft, judging),
            Stage::SkipNext(skipping) => self.skip_next(draft, skipping),
            Stage::BeginRuns => self.begin_runs(draft),
            Stage::BeginDue(automation) => self.begin_due(draft, automation),
            Stage::TimeReached(session) => self.time_reached(draft, session),
            Stage::TellTime(session) => self.tell_time(draft, session),
            Stage::NetworkBack(session, provider) => self.waits_no_longer(draft, session, provider),
            Stage::GoOnByNetwork => self.go_on_by_network(draft),
            Stage::GoOn(session) => self.go_on(draft, session),
            Stage::WatchRuns => self.watch_runs(draft),
            Stage::Heartbeat(session) => self.heartbeat(draft, session),
            Stage::TaskDue(task) => self.task_due(draft, task),
            Stage::FollowTasks => self.follow_tasks(draft),
            Stage::Recheck(session) => match self.draft_session(draft, session)? {
                true => self.recheck(draft, session).map(drop),
                false => Ok(()),
            },
        }
    }

    /// One piece of mail into the draft; gives the answer to a request.
    fn take_in(&self, draft: &mut Draft, item: &Incoming) -> Result<Option<MailAnswer>, Stop> {
        match item {
            Incoming::Request { mail, .. } => {
                return match self.take_once(draft, mail) {
                    Ok(answer) => Ok(Some(answer)),
                    Err(Untaken::Refused(refusal)) => Ok(Some(refusal.answer(texts(draft)))),
                    Err(Untaken::Stop(stop)) => Err(stop),
                };
            }
            Incoming::Outcome { session, outcome } => self.take_outcome(draft, session, outcome)?,
            // The process stops: the next one looks at deadlines.
            Incoming::NetworkBack { .. } | Incoming::Wake | Incoming::Started if self.memory.is_leaving => {}
            Incoming::NetworkBack { provider } => self.network_back(draft, provider)?,
            // What a dead process left under way is taken up where a session is read.
            Incoming::Wake | Incoming::Started => self.wake_up(draft)?,
        }
        Ok(None)
    }

    /// Who asked for a session is told whether it has its slot now, or its place in the queue; the answers to mail are
    /// written with it.
    fn say_activations(&self, draft: &mut Draft, replies: &mut [Option<MailAnswer>]) {
        if replies.iter().all(Option::is_none) {
            return;
        }
        let (seats, rules) = (self.seats_with(draft), draft.body.settings.slot_rules());
        for (item, reply) in self.incoming.iter().zip(replies) {
            let Some(answer) = reply else { continue };
            if let MailAnswer::Accepted { session, activation: asked, .. } = answer {
                *asked = activation(self.slot_before(session), session, &seats, &rules, draft.now);
            }
            let Incoming::Request { mail, row, .. } = item else { continue };
            if let Some(receipt) = &mail.receipt {
                draft.settle_receipt(receipt, answer);
            }
            if let Some(row) = row {
                draft.answers.push((*row, answer.clone()));
            }
        }
    }

    /// Feeds one input to a session of the draft.
    fn feed(&self, draft: &mut Draft, session: &SessionId, input: Input) -> Result<(), Stop> {
        draft.feed(session, input, self.memory.rules)?;
        Ok(())
    }
}

impl Stop {
    fn gone(session: &SessionId) -> Self {
        Self::Fault(TurnError::gone(session))
    }
}

impl From<TurnError> for Stop {
    fn from(fault: TurnError) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for Stop {
    fn from(fault: StoreError) -> Self {
        Self::Fault(fault.into())
    }
}

impl From<CodecError> for Stop {
    fn from(fault: CodecError) -> Self {
        Self::Fault(fault.into())
    }
}

#[cfg(test)]
mod tests;
