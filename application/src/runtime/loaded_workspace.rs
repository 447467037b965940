//! One workspace in memory, and the handling of its inputs.

mod deadlines;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::session::{Effect, desired_effects};
use entracte_domain::task::{Task, TaskWork};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::workspace::PlacementCandidate;

use super::active_limits::ActiveWorkLimits;
use super::automation_schedule::AutomationSchedule;
use super::conversation::push_entry;
use super::data_sections::DataSectionCache;
use super::dual_clock::DualClockInstant;
use super::error::TurnError;
use super::instructions::InstructionsCache;
use super::loaded_session::LoadedSession;
use super::ownership_lease::OwnershipLease;
use super::prefix_cache::PrefixCache;
use super::refusals::not_owner_error;
use super::round_spans;
use super::services::RuntimeServices;
use super::session_draft::SessionDraft;
use super::task_work::TaskWorkJob;
use super::turn::OpenReservations;
use super::turn::TurnDraft;
use super::turn::TurnScratch;
use super::turn::{KnownInitiators, KnownSpending};
use super::turn::{QuestionReader, TurnOutput, TurnStep, WorkspaceSnapshot, WorkspaceTurn};
use super::workspace_acquisition::first_body;
use super::workspace_input::WorkspaceInput;
use crate::codec::WorkspaceBody;
use crate::commands::{CommandPipeline, ExchangeCommandIndex, commands_of};
use crate::journal::JournalEntry;
use crate::mail::MailAnswer;
use crate::ports::{
    CommitError, FeedEvent, OwnershipError, RuntimeObservation, WorkspaceCommit, WorkspaceRow,
};
use crate::prompt::generation_prefix;
use crate::protocol::relay;
use crate::rule_book::RuleBook;
use crate::settings::{Language, WorkspaceSettings};

/// The work that follows a committed turn.
#[derive(Debug, Default)]
pub struct TurnFollowUp {
    /// The touched sessions, each with all effects it desires now.
    pub touched: Vec<(SessionId, Vec<Effect>)>,
    /// The tasks that were touched or are due, each with its desired work.
    pub tasks: Vec<(Task, Option<TaskWork>)>,
    /// The earliest deadline of the workspace.
    pub wake_at: Option<Timestamp>,
    /// Whether another turn can be made immediately, without new mail.
    pub again: bool,
    /// When the turn began: work it marked as started counts from then, whenever it is sent.
    pub begun: DualClockInstant,
}

/// One workspace: its row, the recently touched sessions, and its slots.
pub struct LoadedWorkspace {
    pub(super) services: Arc<RuntimeServices>,
    /// The right to handle its events here.
    owner: Arc<OwnershipLease>,
    pub(super) pipeline: CommandPipeline,
    pub(super) prefixes: PrefixCache,
    /// The settings in force: the stored ones under the configuration of the process.
    pub(super) settings: WorkspaceSettings,
    /// The rules of the profile that the settings name.
    pub(super) rules: RuleBook,
    pub(super) sessions: HashMap<SessionId, LoadedSession>,
    key: WorkspaceKey,
    /// The body as stored.
    body: WorkspaceBody,
    row: Option<WorkspaceRow>,
    pub(super) seats: BTreeMap<SessionId, PlacementCandidate>,
    pub(super) schedule: AutomationSchedule,
    /// Sessions that waited for the network, which is back, with the time at which each resumes.
    pub(super) going_on: BTreeMap<SessionId, Timestamp>,
    wake_at: Option<Timestamp>,
    /// The time limits of the work under way.
    under_way: Arc<ActiveWorkLimits>,
    /// Whether the watchdog was due for a run whose work has a limit ahead.
    pub(super) is_sparing: bool,
    /// Sessions whose next local action waits for another turn.
    planning: BTreeSet<SessionId>,
    /// The always-sent data, as committed.
    pub(super) sections: Option<DataSectionCache>,
    instructions: InstructionsCache,
    /// Sessions that this workspace has read or created: their work under way was started here. Work of any other
    /// session was started by a worker that is gone.
    own: HashSet<SessionId>,
    /// Attempts under way that reserved something of the caps.
    reservations: OpenReservations,
    /// What is used of caps, as far as turns read it.
    spending: KnownSpending,
    /// Whom the attempts of sessions count for, as far as turns read it.
    initiators: KnownInitiators,
    /// Blobs that this process has stored.
    kept: HashSet<Digest>,
}

/// Maximum attempts of a turn whose rows changed concurrently.
const TRIES: u32 = 3;

/// The most sessions of which memory knows whom their attempts count for.
const INITIATORS_MAX: usize = 1_000;

impl LoadedWorkspace {
    /// Loads the stored workspace; if there is none, its first commit creates it. Every commit carries the epoch of
    /// `owner`, so the first one claims the workspace.
    ///
    /// # Errors
    /// When its rows cannot be read.
    pub async fn open(
        services: Arc<RuntimeServices>,
        owner: Arc<OwnershipLease>,
        key: WorkspaceKey,
    ) -> Result<Self, TurnError> {
        let pipeline = services.pipeline();
        let mut workspace = Self {
            rules: services.rules.clone(),
            services,
            owner,
            pipeline,
            prefixes: PrefixCache::default(),
            settings: WorkspaceSettings::default(),
            sessions: HashMap::new(),
            key,
            body: WorkspaceBody::default(),
            row: None,
            seats: BTreeMap::new(),
            schedule: AutomationSchedule::default(),
            going_on: BTreeMap::new(),
            wake_at: None,
            under_way: Arc::default(),
            is_sparing: false,
            planning: BTreeSet::new(),
            sections: None,
            instructions: InstructionsCache::default(),
            own: HashSet::new(),
            reservations: OpenReservations::default(),
            spending: KnownSpending::default(),
            initiators: KnownInitiators::default(),
            kept: HashSet::new(),
        };
        workspace.reload().await?;
        Ok(workspace)
    }

    /// Key of the workspace.
    pub fn key(&self) -> &WorkspaceKey {
        &self.key
    }

    /// The tracing span of a session's work.
    pub(super) fn span(&self, session: &SessionId) -> tracing::Span {
        self.sessions
            .get(session)
            .map_or_else(tracing::Span::none, |live| round_spans::span_of(&live.session, live.round.as_ref()))
    }

    /// The job of a task's desired work, with all the data it needs.
    pub fn task_job(&self, task: Task, work: TaskWork) -> TaskWorkJob {
        let (workspace, locale) = (self.key.clone(), self.settings.locale());
        TaskWorkJob { workspace, task, work, locale }
    }

    /// Registry of the time limits of work under way.
    pub fn under_way(&self) -> Arc<ActiveWorkLimits> {
        self.under_way.clone()
    }

    /// The language of the workspace.
    pub fn language(&self) -> Language {
        self.settings.language
    }

    /// Handles mail: transitions, placement, at most one local plan, one commit. Handled mail is answered and taken
    /// out of `incoming`; on an error it stays for another attempt.
    ///
    /// # Errors
    /// When the database cannot be read or written; nothing was changed then, in memory or stored.
    pub async fn handle(&mut self, incoming: &mut Vec<WorkspaceInput>) -> Result<TurnFollowUp, TurnError> {
        for _ in 1..TRIES {
            match self.turn(incoming).await {
                Err(TurnError::Conflict(what)) => {
                    tracing::info!(workspace = %self.key, what, "rows changed during a turn; retrying");
                    self.reload().await?;
                    self.drop_withdrawn_mail(incoming).await?;
                }
                result => return result,
            }
        }
        self.turn(incoming).await
    }

    /// Drops mail that its poster withdrew: the poster was answered that nothing was done.
    async fn drop_withdrawn_mail(&self, incoming: &mut Vec<WorkspaceInput>) -> Result<(), TurnError> {
        let open = self.services.mail_store.unanswered().await?;
        incoming.retain(|item| match item {
            WorkspaceInput::Request { row: Some(id), .. } => open.iter().any(|row| row.id == *id),
            WorkspaceInput::Request { row: None, .. }
            | WorkspaceInput::Outcome { .. }
            | WorkspaceInput::NetworkBack { .. }
            | WorkspaceInput::Wake
            | WorkspaceInput::Started => true,
        });
        Ok(())
    }

    /// Evicts sessions at rest for a while; their rows hold everything.
    pub fn evict_resting_sessions(&mut self, now: Timestamp) {
        let keep = self.services.settings.keep_in_memory;
        self.sessions.retain(|_, live| {
            let busy = !desired_effects(&live.session.facts, &live.session.phase, now).is_empty();
            // After the clock was set back, the time at rest is unknown.
            let lately = live.touched_at <= now && now.since(live.touched_at) < keep;
            busy || lately
        });
        self.instructions.keep_sessions(|session| self.sessions.contains_key(session));
        self.prefixes.retain_for_sessions(self.sessions.values().map(|live| &*live.session.facts));
    }

    /// Whether no work is possible here before new input or a deadline: then the rows hold everything, and the
    /// workspace need not be in memory.
    pub fn is_at_rest(&self) -> bool {
        let now = self.services.clock.now();
        let nothing_to_come = self.planning.is_empty() && self.going_on.is_empty() && !self.is_due(now);
        let busy =
            |live: &LoadedSession| !desired_effects(&live.session.facts, &live.session.phase, now).is_empty();
        nothing_to_come && !self.sessions.values().any(busy)
    }

    async fn turn(&mut self, incoming: &mut Vec<WorkspaceInput>) -> Result<TurnFollowUp, TurnError> {
        let begun = DualClockInstant::now(&*self.services.clock);
        self.take_current_catalog();
        let done = self.make_turn(incoming, self.services.clock.now()).await?;
        if let Some(commit) = done.commit {
            let asked = self.services.clock.monotonic();
            self.commit(commit).await?;
            let took = Millis(self.services.clock.monotonic().0.saturating_sub(asked.0));
            let TurnDraft { entries, occurrences, .. } = &done.draft;
            self.services.observer.observe(RuntimeObservation::Committed { entries, occurrences, took });
        }
        if incoming.iter().any(|item| matches!(item, WorkspaceInput::Wake)) {
            // The deadline that woke this workspace is consumed; the next one is read from the database.
            self.wake_at = None;
        }
        let handled = TurnFollowUp { begun, ..self.apply_committed_draft(done.draft) };
        for (item, reply) in incoming.drain(..).zip(done.replies) {
            answer(item, reply);
        }
        Ok(handled)
    }

    /// Uses the current catalog from this turn on.
    fn take_current_catalog(&mut self) {
        if !Arc::ptr_eq(&self.pipeline.catalog, &self.services.catalog.get()) {
            self.pipeline = self.services.pipeline();
            self.prefixes.forget_bases();
        }
    }

    /// The committed state in memory, for a turn.
    fn snapshot(&self) -> WorkspaceSnapshot<'_> {
        WorkspaceSnapshot {
            key: &self.key,
            row: self.row.as_ref(),
            epoch: self.owner.epoch(),
            body: &self.body,
            settings: &self.settings,
            rules: &self.rules,
            sessions: &self.sessions,
            seats: &self.seats,
            schedule: &self.schedule,
            going_on: &self.going_on,
            planning: &self.planning,
            sections: self.sections.as_ref(),
            instructions: &self.instructions,
            own: &self.own,
            prefixes: &self.prefixes,
            reservations: &self.reservations,
            spending: &self.spending,
            initiators: &self.initiators,
            kept: &self.kept,
            catalog: &self.pipeline.catalog,
            prompt_parts: &self.services.prompt_parts,
            runtime: &self.services.settings,
            // Each takeover is a start of its own: a process may take a workspace over again.
            started_at: self.owner.acquired_at().unwrap_or(self.services.started_at),
            is_leaving: self.owner.is_leaving(),
        }
    }

    /// Makes a turn, answering its questions until it is complete. Changes no state.
    async fn make_turn(&self, incoming: &[WorkspaceInput], now: Timestamp) -> Result<TurnOutput, TurnError> {
        let mut turn = WorkspaceTurn::new(self.snapshot(), incoming, now);
        let reader = QuestionReader {
            services: &self.services,
            key: &self.key,
            pipeline: &self.pipeline,
            sessions: &self.sessions,
            under_way: &self.under_way,
        };
        for question in turn.initial_questions() {
            question.answer(reader, turn.answers_mut()).await?;
        }
        loop {
            match turn.step()? {
                TurnStep::Need(question) => question.answer(reader, turn.answers_mut()).await?,
                TurnStep::Done(done) => return Ok(*done),
            }
        }
    }

    async fn commit(&mut self, commit: WorkspaceCommit) -> Result<(), TurnError> {
        if self.owner.is_lost() {
            return Err(not_owner_error());
        }
        self.owner.ensure_may_commit().await.map_err(|error| match error {
            OwnershipError::Store(error) => TurnError::Store(error),
            OwnershipError::Lost { .. } | OwnershipError::Owned { .. } => {
                TurnError::NotOwner(error.to_string())
            }
        })?;
        self.services.store.commit(commit).await.map_err(|error| match error {
            CommitError::Conflict(what) => TurnError::Conflict(what),
            CommitError::NotOwner(why) => {
                self.owner.mark_lost(&why);
                TurnError::NotOwner(why)
            }
            CommitError::Store(error) => TurnError::Store(error),
        })
    }

    /// Applies an acknowledged commit to memory and notifies the watchers.
    fn apply_committed_draft(&mut self, mut draft: TurnDraft) -> TurnFollowUp {
        let is_empty = draft.is_empty();
        draft.costs.log_overruns();
        self.remember_spending(&draft);
        let is_quiet = draft.entries.is_empty() || !draft.deleted.is_empty();
        let tasks = self.note_tasks(draft.aside.looked_at.clone(), draft.tasks, draft.now);
        let deleted: Vec<SessionId> = draft.deleted.iter().map(|(id, _)| id.clone()).collect();
        let mut conversations = std::mem::take(&mut draft.aside.conversations);
        self.apply_scratch(draft.aside);
        self.reservations = draft.costs.into_open_reservations();
        if !is_empty {
            self.take_body(draft.body);
            if !draft.resources.is_empty() {
                self.sections = draft.sections;
            }
            for told in draft.instructions {
                self.instructions.put(told.scope.clone(), Some(told));
            }
            self.kept.extend(draft.blobs.iter().map(|blob| blob.digest.clone()));
            self.row = Some(draft.workspace);
        }
        let mut touched = Vec::with_capacity(draft.sessions.len());
        for (id, mut session) in draft.sessions {
            if session.facts.sequence == 0 {
                continue;
            }
            session.stored = Some(session.facts.sequence);
            self.note_seat(&session);
            self.note_wake(&session);
            self.schedule.note_run(&session.facts, &session.phase);
            let desired = desired_effects(&session.facts, &session.phase, draft.now);
            self.note_planning(&id, &desired);
            self.own.insert(id.clone());
            touched.push((id.clone(), desired));
            let is_rewritten = draft.retention.rewritten.iter().any(|row| row.session == id);
            let (conversation, record, round, mut before) = match self.sessions.remove(&id) {
                // What was read of its log is read again.
                Some(live) if is_rewritten => {
                    (None, Arc::default(), live.round, ExchangeCommandIndex::default())
                }
                Some(live) => (live.conversation, live.record, live.round, live.before),
                None => (None, Arc::default(), None, ExchangeCommandIndex::default()),
            };
            // Without the entries of this turn, which are published below.
            let conversation = conversation.or_else(|| conversations.remove(&id).filter(|_| !is_rewritten));
            let exchange = session.facts.exchange;
            let is_first = |entry: &Arc<JournalEntry>| entry.session == id && entry.sequence == exchange;
            let written = draft.calls.values().filter(|row| row.session == id);
            before.record_commit(
                exchange,
                draft.entries.iter().any(is_first),
                commands_of(exchange, written),
            );
            let now = self.services.clock.monotonic();
            let round = round_spans::report_round(&session, round, now, &*self.services.observer);
            let live = LoadedSession { session, conversation, record, round, before, touched_at: draft.now };
            self.sessions.insert(id, live);
        }
        for (id, _) in &draft.deleted_automations {
            self.instructions.forget_automation(id);
        }
        for (id, _) in draft.deleted {
            self.instructions.forget_session(&id);
            self.sessions.remove(&id);
            self.seats.remove(&id);
            self.planning.remove(&id);
            self.schedule.forget_session(&id);
        }
        self.follow_schedule(draft.automations, draft.deleted_automations);
        for entry in draft.entries {
            self.publish(entry);
        }
        if !is_empty && is_quiet {
            let workspace = self.key.clone();
            self.services.feed.publish(FeedEvent::Changed { workspace, deleted });
        }
        let again = !self.owner.is_leaving() && (!self.planning.is_empty() || self.is_due(draft.now));
        TurnFollowUp {
            touched,
            tasks,
            wake_at: self.wake_with_tick(draft.now),
            again,
            ..TurnFollowUp::default()
        }
    }

    /// Brings what is known of caps up to a committed turn.
    fn remember_spending(&mut self, draft: &TurnDraft) {
        self.spending.extend(draft.aside.spending.clone());
        draft.costs.update_known_spending(&mut self.spending);
        self.initiators.extend(draft.aside.initiators.clone());
        if self.initiators.len() > INITIATORS_MAX {
            self.initiators.clear();
        }
        if !draft.deleted.is_empty() || !draft.retention.detached_costs.is_empty() {
            self.spending.clear();
            self.initiators.clear();
        }
    }

    /// Takes over what a turn found out besides its rows.
    fn apply_scratch(&mut self, aside: TurnScratch) {
        self.prefixes.take_over(aside.prefixes);
        self.instructions.take_over(aside.instructions);
        self.sections = aside.sections.or_else(|| self.sections.take());
        self.is_sparing = aside.is_sparing.unwrap_or(self.is_sparing);
        if let Some(going_on) = aside.going_on {
            self.going_on = going_on;
        }
        for (id, (at, look)) in aside.waits {
            self.schedule.set_waiting(&id, at, look);
        }
        for kept in aside.not_due {
            self.schedule.put(kept);
        }
    }

    fn take_body(&mut self, body: WorkspaceBody) {
        let settings = body.settings.with_process_requirements(&self.services.settings);
        // The rules are kept and not rebuilt with every commit.
        if settings != self.settings {
            self.rules = self.services.rules.for_workspace(&settings);
            self.settings = settings;
        }
        self.body = body;
    }

    fn note_planning(&mut self, session: &SessionId, desired: &[Effect]) {
        if desired.iter().any(|effect| matches!(effect, Effect::PlanCall { .. })) {
            self.planning.insert(session.clone());
        } else {
            self.planning.remove(session);
        }
    }

    /// The sessions whose next local action waits for another turn.
    pub(super) fn planning(&self) -> impl Iterator<Item = &SessionId> {
        self.planning.iter()
    }

    fn note_seat(&mut self, session: &SessionDraft) {
        let seat = relay::seat(&session.facts, &session.phase);
        if seat.is_placed() {
            self.seats.insert(seat.session.clone(), seat);
        } else {
            self.seats.remove(&seat.session);
        }
    }

    fn publish(&mut self, entry: Arc<JournalEntry>) {
        let session = entry.session.clone();
        if let Some(conversation) =
            self.sessions.get_mut(&session).and_then(|live| live.conversation.as_mut())
        {
            let prefix = generation_prefix(&entry).and_then(|digest| self.prefixes.in_memory(digest));
            push_entry(&*self.services.providers, conversation, &entry, prefix.as_deref());
        }
        self.services.feed.publish(FeedEvent::Committed { workspace: self.key.clone(), session, entry });
    }

    /// Reads everything again; the state in memory is discarded.
    async fn reload(&mut self) -> Result<(), TurnError> {
        self.sessions.clear();
        self.sections = None;
        self.spending.clear();
        self.initiators.clear();
        self.instructions.clear();
        self.seats.clear();
        self.row = self.services.store.workspace(&self.key).await?;
        let body = match &self.row {
            Some(row) => WorkspaceBody::decode(&row.body)
                .map_err(|fault| TurnError::unreadable_workspace(&self.key, &fault))?,
            None => first_body(&self.services.settings),
        };
        self.take_body(body);
        for row in self.services.store.sessions_with_slot_demand(&self.key).await? {
            match SessionDraft::from_row(&row) {
                Ok(session) => self.note_seat(&session),
                Err(fault) => {
                    tracing::error!(session = %row.id, %fault, "the session cannot be read, so it holds no slot");
                }
            }
        }
        self.wake_at = self.next_wake().await?;
        self.load_schedule().await
    }
}

fn answer(item: WorkspaceInput, reply: Option<MailAnswer>) {
    match item {
        WorkspaceInput::Request { reply: Some(waiting), .. } => {
            if let Some(reply) = reply {
                // The sender may have stopped waiting; the answer is committed anyway.
                let _ = waiting.send(Ok(reply));
            }
        }
        WorkspaceInput::Request { reply: None, .. }
        | WorkspaceInput::Outcome { .. }
        | WorkspaceInput::NetworkBack { .. }
        | WorkspaceInput::Wake
        | WorkspaceInput::Started => {}
    }
}
