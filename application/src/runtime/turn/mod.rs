//! A workspace turn: a pure function from committed state and answers to one commit.
//!
//! ```text
//! memory + inputs + answers -> step -> Need(question) | Done(commit, replies, draft for memory)
//! ```
//!
//! A turn performs no reads itself. It goes through its stages; a stage that lacks an answer names its question and is
//! repeated once the answer is known. The work of an interrupted stage is either discarded or idempotent, so the same
//! answers give the same commit.
//!
//! The caller uses four kinds of methods, in this order:
//! 1. [`WorkspaceTurn::new`] with the committed state, the inputs and the time;
//! 2. [`WorkspaceTurn::initial_questions`], whose answers are certainly needed;
//! 3. [`WorkspaceTurn::step`] until it is done; after each question [`WorkspaceTurn::answers_mut`] takes the answer;
//! 4. nothing: the output is the caller's, to commit before memory takes it over.
//!
//! Modules, each of which uses only those before it: [`questions`], [`spending_draft`], [`cost_draft`], [`files`], [`rule_accounts`], [`draft`] and [`stage`]; [`context`]; [`lookups`];
//! [`prefix`] (what models read first); [`rights`], [`recovery`] and [`placement`] (how a session gets into the draft);
//! [`reservations`]; [`rechecks`], [`slots`], [`family`], [`tasks`], [`outcomes`]; `commands` (requests) and [`schedule`] (deadlines and
//! automations).

mod cap_filters;
mod changes;
mod commands;
mod context;
mod cost_draft;
mod deletion;
mod draft;
mod enrichments;
mod family;
mod files;
mod lookups;
mod messages;
mod outcomes;
mod placement;
mod prefix;
mod progress;
mod questions;
mod rechecks;
mod recovery;
mod refresh;
mod request_not_applied;
mod reservations;
mod retention;
mod rights;
mod rule_accounts;
mod schedule;
mod session_copy;
mod session_creation;
mod session_id_renamer;
mod session_kinds;
mod settlement;
mod slots;
mod soft_lines;
mod spending_draft;
mod stage;
mod standing_rules;
mod tasks;

use entracte_domain::id::SessionId;
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::activation_result;

use self::changes::record_changes;
use self::context::{TurnContext, TurnStop};
use self::cost_draft::TurnCostDraft;
use self::progress::TurnProgress;
use self::questions::SessionRowsQuestion;
use self::request_not_applied::RequestNotApplied;
use self::stage::TurnStage;
use super::error::TurnError;
use super::workspace_input::WorkspaceInput;
use crate::mail::MailAnswer;
use crate::ports::{WorkspaceCommit, WorkspaceRow};

pub(super) use self::context::WorkspaceSnapshot;
pub(super) use self::draft::TurnDraft;
pub(super) use self::questions::{PendingQuestion, QuestionReader, TurnAnswers};
pub(super) use self::spending_draft::{KnownInitiators, KnownSpending, OpenReservations};
pub(super) use self::stage::TurnScratch;

/// The result of a step.
pub(super) enum TurnStep {
    /// The turn needs the answer to this question before it can continue.
    Need(Box<dyn PendingQuestion>),
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

/// Maximum questions of one stage, more than any stage needs; beyond it the turn fails as endless.
const MAX_QUESTIONS_PER_STAGE: u32 = 10_000;

/// One turn of a workspace.
pub(super) struct WorkspaceTurn<'a> {
    memory: WorkspaceSnapshot<'a>,
    incoming: &'a [WorkspaceInput],
    now: Timestamp,
    answers: TurnAnswers,
    /// The progress from which the next step resumes; `None` before the first stop.
    saved: Option<TurnProgress>,
    /// The stage that stopped last, and its number of questions.
    stopped: Option<(usize, u32)>,
    /// Number of stops so far.
    stops: u32,
}

impl<'a> WorkspaceTurn<'a> {
    /// A turn that handles these inputs.
    pub(super) fn new(memory: WorkspaceSnapshot<'a>, incoming: &'a [WorkspaceInput], now: Timestamp) -> Self {
        let answers = TurnAnswers::default();
        Self { memory, incoming, now, answers, saved: None, stopped: None, stops: 0 }
    }

    /// The answers, to which the caller adds those of the questions.
    pub(super) fn answers_mut(&mut self) -> &mut TurnAnswers {
        &mut self.answers
    }

    /// The questions whose answers are certainly needed, before the first step.
    pub(super) fn initial_questions(&self) -> Vec<Box<dyn PendingQuestion>> {
        let sessions = self.initial_session_question().map(|rows| Box::new(rows) as Box<dyn PendingQuestion>);
        let receipts = commands::initial_receipt_question(self.incoming);
        let receipts = receipts.map(|receipts| Box::new(receipts) as Box<dyn PendingQuestion>);
        sessions.into_iter().chain(receipts).collect()
    }

    fn initial_session_question(&self) -> Option<SessionRowsQuestion> {
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
        (!unread.is_empty()).then_some(SessionRowsQuestion(unread))
    }

    /// Continues with the known answers until the turn is complete or has another question.
    ///
    /// # Errors
    /// When the turn fails with these answers.
    pub(super) fn step(&mut self) -> Result<TurnStep, TurnError> {
        let mut progress = self.saved.take().unwrap_or_else(|| self.begin());
        loop {
            let Some(stage) = progress.todo.pop_front() else { return self.done(progress) };
            // Mostly all answers are known by the second attempt; until then nothing is cloned, and the turn restarts
            // from its beginning.
            if self.stops > 1 && !stage.is_repeatable() {
                self.saved = Some(progress.snapshot_before(stage.clone()));
            }
            let turn = TurnContext::new(self.memory, &self.answers);
            match run_stage(&turn, self.incoming, &mut progress, &stage) {
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
        if asked > MAX_QUESTIONS_PER_STAGE {
            return Err(TurnError::Endless(MAX_QUESTIONS_PER_STAGE));
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
        report_activations(&self.memory, self.incoming, &mut draft, &mut replies);
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
        let expected = self.memory.row.map(|row| row.seq);
        let costs = TurnCostDraft::new(self.memory.reservations.clone());
        TurnDraft { costs, ..TurnDraft::new(self.now, row, expected, self.memory.body.clone()) }
    }
}

/// Runs one stage.
fn run_stage(
    turn: &TurnContext<'_>,
    incoming: &[WorkspaceInput],
    progress: &mut TurnProgress,
    stage: &TurnStage,
) -> Result<(), TurnStop> {
    let draft = &mut progress.draft;
    match stage {
        TurnStage::Draft(session) => placement::draft_session(turn, draft, session).map(drop),
        TurnStage::Take(index) => {
            let Some(item) = incoming.get(*index) else { return Ok(()) };
            let reply = apply_incoming(turn, draft, item)?;
            progress.replies.push(reply);
            Ok(())
        }
        TurnStage::Birth(birth) => family::create_agent_session(turn, draft, birth),
        TurnStage::Onward(onward) => family::resume_with_answer(turn, draft, onward),
        TurnStage::Reserve(session, number) => reservations::reserve_attempt(turn, draft, session, *number),
        TurnStage::Family(session) => family::exchange_with_relatives(turn, draft, session),
        // Each pass settles the sessions it moves, so no more passes than sessions are needed.
        TurnStage::Place => {
            let passes = turn.memory.seats.len() + draft.sessions.len() + 1;
            slots::place_sessions(turn, draft, passes)
        }
        TurnStage::PlaceAgain(passes) => slots::place_sessions(turn, draft, *passes),
        TurnStage::Move(change) => slots::move_session(turn, draft, change),
        TurnStage::Plan => outcomes::plan_next_action(turn, draft),
        TurnStage::Tick => schedule::list_due_automations(turn, draft),
        TurnStage::Judge(automation) => schedule::judge_due(turn, draft, automation),
        TurnStage::JudgeNext(judging) => schedule::judge_next(turn, draft, judging),
        TurnStage::SkipNext(skipping) => schedule::skip_next(turn, draft, skipping),
        TurnStage::BeginRuns => schedule::begin_runs(turn, draft),
        TurnStage::BeginDue(automation) => schedule::begin_due(turn, draft, automation),
        TurnStage::TimeReached(session) => schedule::reach_deadline(turn, draft, session),
        TurnStage::TellTime(session) => schedule::send_deadline(turn, draft, session),
        TurnStage::NetworkBack(session, provider) => {
            schedule::schedule_network_resume(turn, draft, session, provider)
        }
        TurnStage::GoOnByNetwork => schedule::resume_due_after_network(turn, draft),
        TurnStage::GoOn(session) => schedule::resume_after_network(turn, draft, session),
        TurnStage::WatchRuns => schedule::queue_heartbeats(turn, draft),
        TurnStage::Heartbeat(session) => schedule::send_heartbeat(turn, draft, session),
        TurnStage::TaskDue(task) => tasks::apply_task_deadline(turn, draft, task),
        TurnStage::FollowTasks => tasks::follow_tasks(turn, draft),
        TurnStage::Recheck(session) => match placement::draft_session(turn, draft, session)? {
            true => rechecks::recheck_session(turn, draft, session).map(drop),
            false => Ok(()),
        },
    }
}

/// Applies one input to the draft; returns the answer to a request.
fn apply_incoming(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    item: &WorkspaceInput,
) -> Result<Option<MailAnswer>, TurnStop> {
    match item {
        WorkspaceInput::Request { mail, .. } => {
            return match commands::apply_idempotently(turn, draft, mail) {
                Ok(answer) => Ok(Some(answer)),
                Err(RequestNotApplied::Refused(refusal)) => {
                    Ok(Some(refusal.answer(draft.body.settings.texts_for(mail.reader))))
                }
                Err(RequestNotApplied::Stop(stop)) => Err(stop),
            };
        }
        WorkspaceInput::Outcome { session, outcome } => {
            outcomes::apply_outcome(turn, draft, session, outcome)?
        }
        // The process stops: the next one handles deadlines.
        WorkspaceInput::NetworkBack { .. } | WorkspaceInput::Wake | WorkspaceInput::Started
            if turn.memory.is_leaving => {}
        WorkspaceInput::NetworkBack { provider } => schedule::queue_network_resumes(turn, draft, provider)?,
        // Work left by a dead process is taken up where a session is read.
        WorkspaceInput::Wake | WorkspaceInput::Started => schedule::queue_due_sessions(turn, draft)?,
    }
    Ok(None)
}

/// Adds to each session request's answer whether the session has its slot or its position in the queue; answers to
/// mail are written with it.
fn report_activations(
    memory: &WorkspaceSnapshot<'_>,
    incoming: &[WorkspaceInput],
    draft: &mut TurnDraft,
    replies: &mut [Option<MailAnswer>],
) {
    if replies.iter().all(Option::is_none) {
        return;
    }
    let (seats, rules) = (slots::list_seats(memory, draft), draft.body.settings.slot_rules());
    for (item, reply) in incoming.iter().zip(replies) {
        let Some(answer) = reply else { continue };
        if let MailAnswer::Accepted { session, activation: asked, .. } = answer {
            let before = slots::slot_before(memory, session);
            *asked = activation_result(before, session, &seats, &rules, draft.now);
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

#[cfg(test)]
mod tests;
