//! One workspace turn before its commit: clones of the sessions it touches, and all that it will write.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use entracte_domain::automation::{Automation, RunCause};
use entracte_domain::call::{Call, CallOutcome, CallStatus};
use entracte_domain::command::CommandKind;
use entracte_domain::id::{AutomationId, CallId, Digest, SessionId, TaskId};
use entracte_domain::session::{
    IgnoreReason, Input, Phase, SessionFacts, SessionRules, desired_effects, standing, transition_as_entry,
    unseen_end, wake_at,
};
use entracte_domain::task::{Task, TaskHandle};
use entracte_domain::time::{Millis, Timestamp};
use entracte_domain::validation::RuleScope;
use entracte_domain::workspace::PlacementCandidate;

use super::cost_draft::TurnCostDraft;
use super::files::named_files;
use super::rule_accounts::{count_rule_uses, forget_run, release_uses};
use super::spending_draft::open_attempt;
use super::stage::{TurnScratch, TurnStage};
use crate::codec::{self, CodecError, WorkspaceBody};
use crate::command_naming::CommandNaming;
use crate::commands::TasksExecutor;
use crate::instructions::{InstructionScope, InstructionVersion};
use crate::journal::{JournalEntry, Occurrence, OccurrenceOutcome, SessionDeletion};
use crate::mail::{MailAnswer, Receipt};
use crate::ports::{
    AutomationRow, CallRow, ContentBlob, InboxRow, LogRow, MailId, OccurrenceRow, ReceiptRow, ResourceChange,
    ResourceChangeRow, RetentionRows, SessionRow, TaskArrivalRow, TaskRow, TriageChange, WorkspaceCommit,
    WorkspaceRow,
};
use crate::prompt::generation_prefix;
use crate::protocol::relay;
use crate::rule_book::RuleBook;
use crate::runtime::automation_schedule::ScheduledAutomation;
use crate::runtime::data_sections::DataSectionCache;
use crate::runtime::session_draft::SessionDraft;
use crate::settings::{RetentionPolicy, RetentionSubject, RuntimeSettings};
use crate::texts::LocalizedTexts;

/// The call of a task, as an input of this turn left it.
#[derive(Clone, Debug)]
pub(crate) struct TaskCallState {
    pub(crate) session: SessionId,
    pub(crate) call: Call,
    /// The handle for querying the task, if the remote side accepted it.
    pub(crate) handle: Option<TaskHandle>,
}

/// All that a turn will write.
#[derive(Clone)]
pub(crate) struct TurnDraft {
    pub(crate) now: Timestamp,
    pub(crate) workspace: WorkspaceRow,
    pub(crate) expected_seq: Option<u64>,
    /// The workspace body, settings included, as it will be.
    pub(crate) body: WorkspaceBody,
    pub(crate) is_body_changed: bool,
    pub(crate) sessions: BTreeMap<SessionId, SessionDraft>,
    pub(crate) entries: Vec<Arc<JournalEntry>>,
    pub(crate) log: Vec<LogRow>,
    pub(crate) calls: BTreeMap<CallId, CallRow>,
    /// Attempts of model calls that it starts and ends.
    pub(crate) costs: TurnCostDraft,
    pub(crate) resources: Vec<ResourceChange>,
    /// The always-sent data, with the changes of `resources`.
    pub(crate) sections: Option<DataSectionCache>,
    pub(crate) blobs: Vec<ContentBlob>,
    pub(crate) answers: Vec<(MailId, MailAnswer)>,
    /// Receipts of this turn's requests that have an idempotency key.
    pub(crate) receipts: Vec<(Receipt, MailAnswer)>,
    /// Sessions to delete, each with its stored sequence.
    pub(crate) deleted: Vec<(SessionId, u64)>,
    /// The remaining records of sessions that a person deleted.
    pub(crate) deletions: Vec<SessionDeletion>,
    /// New versions of instructions.
    pub(crate) instructions: Vec<InstructionVersion>,
    /// Approval links used by decisions.
    pub(crate) spent_links: Vec<Digest>,
    /// Changes that belong to no session; known at the end of the turn.
    pub(crate) changes: Vec<ResourceChangeRow>,
    /// Created or changed automations.
    pub(crate) automations: BTreeMap<AutomationId, ScheduledAutomation>,
    /// Tasks as they will be.
    pub(crate) tasks: BTreeMap<TaskId, Task>,
    /// Task updates that carry an id of their sender.
    pub(crate) arrivals: Vec<TaskArrivalRow>,
    /// Changed calls of tasks whose task rows are not updated yet.
    pub(crate) followed: Vec<TaskCallState>,
    /// Sessions that a person stopped, whose tasks are not updated yet.
    pub(crate) stopped: Vec<SessionId>,
    /// Tasks that the model of a session cancels.
    pub(crate) stopped_tasks: Vec<(SessionId, TaskId)>,
    /// Decided occurrences.
    pub(crate) occurrences: Vec<Occurrence>,
    /// Automations to delete, each with its stored revision; `None` if it was never stored.
    pub(crate) deleted_automations: Vec<(AutomationId, Option<u64>)>,
    /// What goes by the retention policy, besides deleted sessions.
    pub(crate) retention: RetentionRows,
    /// What people note about inbox items.
    pub(crate) triage: Vec<TriageChange>,
    /// Whether a local action was planned; another one waits for the next turn, so that it reads committed rows.
    pub(crate) planned: bool,
    /// The findings besides the rows, which memory takes over.
    pub(crate) aside: TurnScratch,
}

impl TurnDraft {
    pub(crate) fn new(
        now: Timestamp,
        workspace: WorkspaceRow,
        expected_seq: Option<u64>,
        body: WorkspaceBody,
    ) -> Self {
        Self {
            now,
            workspace,
            expected_seq,
            body,
            is_body_changed: false,
            sessions: BTreeMap::new(),
            entries: Vec::new(),
            log: Vec::new(),
            calls: BTreeMap::new(),
            costs: TurnCostDraft::default(),
            resources: Vec::new(),
            sections: None,
            blobs: Vec::new(),
            answers: Vec::new(),
            receipts: Vec::new(),
            deleted: Vec::new(),
            tasks: BTreeMap::new(),
            arrivals: Vec::new(),
            followed: Vec::new(),
            stopped: Vec::new(),
            stopped_tasks: Vec::new(),
            automations: BTreeMap::new(),
            occurrences: Vec::new(),
            deleted_automations: Vec::new(),
            deletions: Vec::new(),
            instructions: Vec::new(),
            spent_links: Vec::new(),
            changes: Vec::new(),
            retention: RetentionRows::default(),
            triage: Vec::new(),
            planned: false,
            aside: TurnScratch::default(),
        }
    }

    /// Adds a session that has received no input yet.
    pub(crate) fn add_new_session(&mut self, facts: SessionFacts) {
        let id = facts.id.clone();
        let session = SessionDraft { facts: Arc::new(facts), phase: Phase::Idle, stored: None };
        self.sessions.insert(id, session);
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        let no_automation = self.automations.is_empty() && self.deleted_automations.is_empty();
        let nothing_decided = self.occurrences.is_empty() && no_automation;
        let no_session = self.log.is_empty() && self.deleted.is_empty();
        let nothing_answered = self.answers.is_empty() && self.receipts.is_empty();
        let nothing_told = self.instructions.is_empty() && !self.is_body_changed && self.triage.is_empty();
        let no_task = self.tasks.is_empty() && self.arrivals.is_empty() && self.retention.is_empty();
        no_session && no_task && nothing_decided && nothing_answered && nothing_told
    }

    /// Applies one input to a session of the draft. The input becomes a journal entry, unless the state machine
    /// ignores it and returns why.
    pub(crate) fn apply_input(
        &mut self,
        session: &SessionId,
        input: Input,
        rules: &RuleBook,
    ) -> Result<Option<IgnoreReason>, CodecError> {
        let Some(drafted) = self.sessions.get_mut(session) else {
            return Ok(Some(IgnoreReason::NotApplicable));
        };
        if let Input::SessionCreated(creation) = &input {
            // A run, and an agent of one, has its automation's policy from its first input on.
            let policy = creation.run.as_ref().map_or(creation.policy, |run| run.policy);
            Arc::make_mut(&mut drafted.facts).policy = policy;
        }
        // An agent has its own limits from its first input on, which makes it one.
        let own = match &input {
            Input::SessionCreated(creation) => creation.agent.as_ref().map(|start| start.limits),
            _ => drafted.facts.agent.as_ref().map(|agent| agent.limits),
        };
        let stored = rules.encoded_rules_for_agent(&drafted.facts, own)?;
        let rules = rules.rules_for_agent(&drafted.facts, own);
        let facts = Arc::make_mut(&mut drafted.facts);
        let seq = self.workspace.seq + 1;
        let before = open_attempt(&drafted.phase);
        let mut costs = self.costs.clone();
        costs.record_end(facts, &input, self.now);
        let taken = transition_as_entry(facts, &mut drafted.phase, input.clone(), seq, self.now, rules);
        let mut record = match taken {
            Ok(record) => record,
            Err(why) => return Ok(Some(why)),
        };
        costs.record_starts(facts, &record.appended, self.now);
        let opened = open_attempt(&drafted.phase);
        if let Some(number) = before.filter(|_| before != opened) {
            costs.end_reservation(facts, number, self.now);
        }
        self.costs = costs;
        if let Some(number) = opened.filter(|_| before != opened && self.body.settings.budget.has_caps()) {
            self.aside.next.push(TurnStage::Reserve(session.clone(), number));
        }
        // Facts, phase and ledger store localizable sentences.
        let naming = CommandNaming::from_dialect(drafted.facts.dialect);
        LocalizedTexts::for_language(self.body.settings.language)
            .render_appended_messages(naming, &mut record.appended);
        self.workspace.seq += 1;
        if !self.blobs.iter().any(|blob| blob.digest == stored.digest) {
            self.blobs.push(stored.clone());
        }
        let begun = record.births.drain(..).map(|birth| TurnStage::Birth(Box::new(birth)));
        let next: Vec<TurnStage> = begun
            .chain(record.onward.drain(..).map(TurnStage::Onward))
            .chain(family_stage(drafted))
            .filter(|stage| !matches!(stage, TurnStage::Family(id) if self.aside.has_family_stage(id)))
            .collect();
        self.aside.next.extend(next);
        let entry = JournalEntry {
            seq: self.workspace.seq,
            session: session.clone(),
            sequence: drafted.facts.sequence,
            at: self.now,
            rules: stored.digest.clone(),
            input,
            appended: record.appended,
        };
        let has_ended =
            self.sessions.get(session).is_some_and(|drafted| drafted.phase.end_reason().is_some());
        self.is_body_changed |= count_rule_uses(&mut self.body, &entry, &record.calls);
        if has_ended {
            self.is_body_changed |= forget_run(&mut self.body.rules, session);
        }
        self.note_tasks(&entry, &record.calls);
        if changes_data(&entry.input, &record.calls) {
            self.body.last_action_at = Some(self.now);
        }
        self.write(entry, &record.calls)?;
        Ok(None)
    }

    /// Notes the calls whose tasks must be updated, and that a session was stopped.
    fn note_tasks(&mut self, entry: &JournalEntry, calls: &[Call]) {
        let session = &entry.session;
        for call in calls.iter().filter(|call| call.task().is_some()) {
            let handle =
                match &entry.input {
                    Input::CallFinished {
                        call: of, outcome: CallOutcome::Accepted { handle, .. }, ..
                    } if *of == call.id => Some(handle.clone()),
                    _ => None,
                };
            self.followed.push(TaskCallState { session: session.clone(), call: call.clone(), handle });
        }
        let finished = |call: &Call| {
            let result = call.result().filter(|result| result.status == CallStatus::Succeeded);
            result.and_then(|_| TasksExecutor::stopped_task_id(call.effective_command()))
        };
        let by_model = calls.iter().filter_map(finished).map(|task| (session.clone(), task));
        self.stopped_tasks.extend(by_model);
        let has_tasks = |drafted: &SessionDraft| {
            let batch = drafted.phase.batch();
            let mut calls = batch.into_iter().flat_map(|batch| &batch.calls);
            !drafted.facts.tasks.is_empty() || calls.any(|call| call.task().is_some() && call.is_under_way())
        };
        if matches!(entry.input, Input::StopRequested { .. })
            && self.sessions.get(session).is_some_and(has_tasks)
        {
            self.stopped.push(session.clone());
        }
    }

    /// Copies an entry of another session as this session's next entry. What it appended stays unchanged.
    pub(crate) fn copy_entry(&mut self, entry: JournalEntry, rules: &SessionRules) -> Result<(), CodecError> {
        let Some(drafted) = self.sessions.get_mut(&entry.session) else { return Ok(()) };
        let input = entry.input.clone();
        let (facts, seq) = (Arc::make_mut(&mut drafted.facts), self.workspace.seq + 1);
        let taken = transition_as_entry(facts, &mut drafted.phase, input, seq, entry.at, rules);
        let record = taken.map_err(|why| {
            let detail = format!("entry {} cannot be copied: {why:?}", entry.sequence);
            CodecError::Malformed { what: "log entry", detail }
        })?;
        self.workspace.seq += 1;
        self.write(JournalEntry { seq: self.workspace.seq, ..entry }, &record.calls)
    }

    /// Writes an entry, and the ledger rows that changed with it.
    fn write(&mut self, entry: JournalEntry, calls: &[Call]) -> Result<(), CodecError> {
        self.log.push(codec::encode_entry(&entry)?);
        for call in calls {
            let (sequence, ordinal) = call_numbers(&call.id);
            let result_seq = call.is_finished().then_some(entry.seq);
            let row = codec::encode_call(
                call,
                codec::CallPosition { session: &entry.session, sequence, ordinal },
                result_seq,
            )?;
            self.calls.insert(call.id.clone(), row);
        }
        self.entries.push(Arc::new(entry));
        Ok(())
    }

    /// Removes a session from the draft and deletes its stored rows.
    pub(crate) fn delete(&mut self, session: &SessionId) {
        let Some(drafted) = self.sessions.remove(session) else { return };
        self.entries.retain(|entry| entry.session != *session);
        self.costs.remove_session(session);
        self.calls.retain(|_, row| row.session != *session);
        self.tasks.retain(|_, task| task.session != *session);
        self.followed.retain(|followed| followed.session != *session);
        self.stopped.retain(|stopped| stopped != session);
        self.triage.retain(|change| !change.is_of_session(session));
        match drafted.stored {
            // Entries that this turn appended are removed with the session: the log of the workspace has no gap in a
            // commit.
            Some(sequence) => {
                // What was spent stays spent, or a deletion would make room for more.
                if self.body.settings.budget.has_caps() {
                    self.retention.kept_costs.push(session.clone());
                }
                self.deleted.push((session.clone(), sequence));
            }
            None => self.log.retain(|row| row.session != *session),
        }
        self.instructions.retain(|told| told.scope != InstructionScope::Session(session.clone()));
        // Instructions and standing approvals of this session alone have no use any more.
        let rules = self.body.rules.len();
        self.body.rules.retain(|rule| rule.scope != RuleScope::Session(session.clone()));
        self.is_body_changed |= self.body.rules.len() != rules;
        self.is_body_changed |= self.body.remove_raised_lines(session);
        self.is_body_changed |= release_uses(&mut self.body.rules, session, &drafted.phase);
    }

    /// Whether this turn deletes the session.
    pub(crate) fn is_deleted(&self, session: &SessionId) -> bool {
        self.deleted.iter().any(|(deleted, _)| deleted == session)
    }

    /// Records the outcome of an occurrence.
    pub(crate) fn record_occurrence(
        &mut self,
        automation: &Automation,
        at: Timestamp,
        cause: RunCause,
        outcome: OccurrenceOutcome,
    ) {
        self.occurrences.push(Occurrence {
            automation: automation.id.clone(),
            at,
            cause,
            version: automation.version,
            decided_at: self.now,
            outcome,
            blocked_by: None,
        });
    }

    /// Records the unfinished run because of which the occurrence recorded last was skipped.
    pub(crate) fn record_blocking_run(&mut self, run: Option<SessionId>) {
        if let Some(skipped) = self.occurrences.last_mut() {
            skipped.blocked_by = run;
        }
    }

    /// Stores an automation in the draft; `revision` is that of its row.
    pub(crate) fn put_automation(&mut self, automation: Automation, revision: Option<u64>) {
        self.automations.insert(automation.id.clone(), ScheduledAutomation { automation, revision });
    }

    /// Whether this turn deletes the automation.
    pub(crate) fn is_automation_deleted(&self, id: &AutomationId) -> bool {
        self.deleted_automations.iter().any(|(deleted, _)| deleted == id)
    }

    /// The placement candidates of the drafted sessions.
    pub(crate) fn seats(&self) -> impl Iterator<Item = PlacementCandidate> {
        self.sessions.values().map(|drafted| relay::seat(&drafted.facts, &drafted.phase))
    }

    /// The answer under an idempotency key is final: the first one is stored, and later requests with the key get it
    /// too.
    pub(crate) fn settle_receipt(&mut self, receipt: &Receipt, answer: &mut MailAnswer) {
        let Some((_, kept)) = self.receipts.iter_mut().find(|(known, _)| known.key() == receipt.key()) else {
            return;
        };
        match answer {
            MailAnswer::Replayed(first) => (**first).clone_from(kept),
            MailAnswer::Accepted { .. }
            | MailAnswer::Done
            | MailAnswer::Made { .. }
            | MailAnswer::Heard { .. }
            | MailAnswer::Applied { .. } => kept.clone_from(answer),
            MailAnswer::Refused { .. } => {}
        }
    }

    fn automation_rows(&self) -> Result<Vec<(AutomationRow, Option<u64>)>, CodecError> {
        let row = |kept: &ScheduledAutomation| {
            let revision = kept.revision.map_or(1, |revision| revision + 1);
            let row = codec::encode_automation(&self.workspace.key, &kept.automation, revision)?;
            Ok((row, kept.revision))
        };
        self.automations.values().map(row).collect()
    }

    fn occurrence_rows(&self) -> Result<Vec<OccurrenceRow>, CodecError> {
        let row = |occurrence| codec::encode_occurrence(&self.workspace.key, occurrence);
        self.occurrences.iter().map(row).collect()
    }

    fn task_rows(&self) -> Result<Vec<TaskRow>, CodecError> {
        self.tasks.values().map(|task| codec::encode_task(&self.workspace.key, task)).collect()
    }

    fn receipt_rows(&self, policy: &RetentionPolicy) -> Result<Vec<(ReceiptRow, Timestamp)>, CodecError> {
        let before = self.now.plus(Millis(-policy.receipt_age().0));
        let row = |(receipt, answer): &(Receipt, MailAnswer)| {
            let (key, fingerprint) = (receipt.key(), receipt.fingerprint.clone());
            let answer = codec::encode_mail_answer(answer)?;
            Ok((ReceiptRow { key, fingerprint, answer, created_at: self.now }, before))
        };
        self.receipts.iter().map(row).collect()
    }

    /// The frozen prefixes that the new entries name, each with its session, without duplicates.
    fn named_prefixes(&self) -> Vec<(SessionId, Digest)> {
        let named = self.entries.iter().filter_map(|entry| {
            let prefix = generation_prefix(entry)?;
            Some((entry.session.clone(), prefix.clone()))
        });
        named.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The blobs to store: those that are not known to be stored, and each prefix that an entry names, because another
    /// workspace may have deleted its last session with it.
    fn missing_blobs(&self, kept: &HashSet<Digest>, prefixes: &[(SessionId, Digest)]) -> Vec<ContentBlob> {
        let is_named = |digest: &Digest| prefixes.iter().any(|(_, prefix)| prefix == digest);
        let is_missing = |blob: &&ContentBlob| !kept.contains(&blob.digest) || is_named(&blob.digest);
        self.blobs.iter().filter(is_missing).cloned().collect()
    }

    /// Builds the commit of this turn. `kept` = the blobs that are known to be stored.
    pub(crate) fn build_commit(
        &self,
        rules: &RuleBook,
        kept: &HashSet<Digest>,
        settings: &RuntimeSettings,
    ) -> Result<WorkspaceCommit, CodecError> {
        let policy = settings.retention.policy.with_overrides(&self.body.settings.retention);
        // Nothing of a held workspace goes, its records neither.
        let is_held = self.body.holds.iter().any(|hold| hold.scope == InstructionScope::Workspace);
        let kept_of = |subject| if is_held { 0 } else { policy.latest_of(subject) };
        let deletions_kept = kept_of(RetentionSubject::Deletions);
        let changes_kept = kept_of(RetentionSubject::Changes);
        let deletion = |deletion| Ok((codec::encode_deletion(deletion)?, deletions_kept));
        let deletions = self.deletions.iter().map(deletion).collect::<Result<_, CodecError>>()?;
        let (mut sessions, mut inbox) = (Vec::new(), Vec::new());
        for drafted in self.sessions.values() {
            if drafted.stored != Some(drafted.facts.sequence) && drafted.facts.sequence > 0 {
                sessions.push((session_row(drafted, rules, self.now)?, drafted.stored));
                inbox.extend(InboxRow::of_session(&drafted.facts, &drafted.phase));
            }
        }
        let mut answers = Vec::new();
        for (id, answer) in &self.answers {
            answers.push((*id, codec::encode_mail_answer(answer)?));
        }
        let prefixes = self.named_prefixes();
        Ok(WorkspaceCommit {
            workspace: self.workspace.clone(),
            expected_seq: self.expected_seq,
            sessions,
            log: self.log.clone(),
            calls: self.calls.values().cloned().collect(),
            resources: self.resources.clone(),
            blobs: self.missing_blobs(kept, &prefixes),
            prefixes,
            answers,
            deleted: self.deleted.clone(),
            automations: self.automation_rows()?,
            occurrences: self.occurrence_rows()?,
            deleted_automations: self
                .deleted_automations
                .iter()
                .filter_map(|(id, revision)| Some((id.clone(), (*revision)?)))
                .collect(),
            deletions,
            receipts: self.receipt_rows(&policy)?,
            spent_links: self.spent_links.iter().map(|link| (link.clone(), self.now)).collect(),
            changes: self.changes.iter().map(|row| (row.clone(), changes_kept)).collect(),
            instructions: self
                .instructions
                .iter()
                .map(|told| (told.clone(), settings.instruction_versions))
                .collect(),
            tasks: self.task_rows()?,
            arrivals: self.arrivals.clone(),
            costs: self.costs.rows(),
            withdrawn_costs: self.costs.withdrawn(),
            retention: self.retention.clone(),
            triage: self.triage.clone(),
            inbox,
            files: named_files(self.entries.iter().map(Arc::as_ref)),
        })
    }
}

fn session_row(drafted: &SessionDraft, rules: &RuleBook, now: Timestamp) -> Result<SessionRow, CodecError> {
    let (facts, phase) = (&drafted.facts, &drafted.phase);
    let body = codec::encode_snapshot(facts, phase)?;
    Ok(SessionRow {
        id: facts.id.clone(),
        workspace: facts.workspace.clone(),
        kind: facts.kind,
        name: facts.name.clone(),
        standing: standing(facts, phase),
        phase: phase.label(),
        sequence: facts.sequence,
        placed: PlacementCandidate::from_session(facts, phase).is_placed(),
        working: !desired_effects(facts, phase, now).is_empty(),
        waiting: phase.waits_for_person()
            || phase.park_reason().is_some()
            || unseen_end(facts, phase).is_some()
            || !facts.failed.is_empty(),
        wake_at: wake_at(facts, phase, rules.rules_for_session(facts)),
        end_reason: phase.end_reason(),
        created_at: facts.created_at,
        last_activity: facts.last_event_at,
        body,
    })
}

/// Sequence and ordinal in the derived id: `cal_<session>_<sequence>_<ordinal>`.
fn call_numbers(id: &CallId) -> (u64, u32) {
    let mut parts = id.as_str().rsplit('_');
    let ordinal = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let sequence = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    (sequence, ordinal)
}

/// Whether an input may have changed workspace data, so that cached answers are invalid.
fn changes_data(input: &Input, calls: &[entracte_domain::call::Call]) -> bool {
    match input {
        Input::CallFinished { call, outcome, .. } => {
            let is_action =
                calls.iter().any(|changed| changed.id == *call && changed.kind == CommandKind::Action);
            let may_have_happened = !matches!(outcome, CallOutcome::Failed(_));
            is_action && may_have_happened
        }
        Input::CallSettled { .. } | Input::TaskFinished { .. } => true,
        _ => false,
    }
}

/// The texts in the workspace's language.
pub(crate) fn texts(draft: &TurnDraft) -> &'static LocalizedTexts {
    LocalizedTexts::for_language(draft.body.settings.language)
}

/// The stage that exchanges events with a session's parent and children; `None` if it has none.
fn family_stage(drafted: &SessionDraft) -> Option<TurnStage> {
    let has_family = drafted.facts.agent.is_some() || !drafted.facts.children.is_empty();
    has_family.then(|| TurnStage::Family(drafted.facts.id.clone()))
}
