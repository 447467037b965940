//! Reads what goes next, in batches for one commit each.

use std::collections::{HashMap, HashSet, VecDeque};

use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::ledger_state::LedgerState;
use entracte_domain::session::{Input, SessionFacts, SessionKind, SessionRules};
use entracte_domain::time::Timestamp;

use super::deletion_steps::{PlannedStep, split_deletion};
use super::passes::{KindCutoffs, PASSES, RetentionPass, RetentionTask};
use super::planner_ports::RetentionPlannerPorts;
use super::redaction::{RedactedEntry, redact_call, redact_entry};
use super::session_size::{SessionSize, count_of};
use crate::agents::agent_name_of_command;
use crate::codec::{
    CodecError, WorkspaceBody, are_encoded_equally, decode_call, decode_entry, decode_rules, decode_snapshot,
};
use crate::journal::{JournalEntry, Snapshot, referenced_rules, replay_entries};
use crate::ports::{
    CallRow, LatestEndedQuery, RestingSessionFilter, RestingState, RetentionMarkKind, SessionRow, StoreError,
    WorkspaceRow,
};
use crate::retention::{
    EntrySpan, RetentionBatch, RetentionCount, RetentionHold, RetentionStep, RetentionTable, RetentionTotals,
    SizedRetentionStep, check_agent_removable, check_results_removable, check_session_removable,
};
use crate::settings::{Language, RetentionOverrides, RetentionPolicy, RetentionSettings, RetentionSubject};

/// The kinds of sessions that go, each with its subject.
const KINDS: [(SessionKind, RetentionSubject); 3] = [
    (SessionKind::Chat, RetentionSubject::Chats),
    (SessionKind::Automation, RetentionSubject::Automations),
    (SessionKind::Agent, RetentionSubject::Agents),
];

/// Sessions read at once.
const PAGE: u32 = 100;
/// Entries read at once.
const ENTRIES: u32 = 500;

/// Why the planner could not read on.
#[derive(Debug, thiserror::Error)]
pub enum RetentionPlanError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The row of the workspace cannot be read.
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// Finds what goes from one workspace. It remembers only where it is, so it is dropped and made anew at any time.
pub struct RetentionPlanner {
    workspace: WorkspaceKey,
    policy: RetentionPolicy,
    holds: Vec<RetentionHold>,
    language: Language,
    rows_per_commit: u32,
    now: Timestamp,
    cutoffs: Vec<KindCutoffs>,
    passes: VecDeque<RetentionPass>,
    after: Option<(Timestamp, SessionId)>,
    planned: VecDeque<PlannedStep>,
    /// The sessions that go whole: nothing is taken out of them, and none is planned twice. Only while one of them may
    /// be met again.
    going: HashSet<SessionId>,
    /// The limits that the workspace set when the planner began.
    overrides: RetentionOverrides,
}

impl RetentionPlanner {
    /// Whether anything of this workspace may ever go, by its row alone: most have no limit, and are not read again.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub fn has_limits(settings: &RetentionSettings, row: &WorkspaceRow) -> Result<bool, RetentionPlanError> {
        let own = WorkspaceBody::decode(&row.body)?.settings.retention;
        let policy = settings.policy.with_overrides(&own);
        let parts = [RetentionSubject::Results, RetentionSubject::Ledger, RetentionSubject::Documents];
        let mut subjects = KINDS.into_iter().map(|(_, subject)| subject).chain(parts);
        Ok(subjects.any(|subject| !policy.limit(subject).is_forever()))
    }

    /// Begins with the policy and the holds of the workspace as they are now; `None` if everything stays.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn open(
        ports: RetentionPlannerPorts<'_>,
        workspace: &WorkspaceKey,
        settings: &RetentionSettings,
        now: Timestamp,
    ) -> Result<Option<Self>, RetentionPlanError> {
        let Some(row) = ports.store.workspace(workspace).await? else { return Ok(None) };
        let body = WorkspaceBody::decode(&row.body)?;
        let policy = settings.policy.with_overrides(&body.settings.retention);
        let mut cutoffs = Vec::new();
        for (kind, subject) in KINDS {
            let limit = policy.limit(subject);
            let beyond = match limit.latest {
                Some(place) => {
                    let query = LatestEndedQuery { workspace: workspace.clone(), kind, place };
                    ports.log.latest_ended(&query).await?
                }
                None => None,
            };
            let by_age = limit.age_cutoff(now);
            let by_age_or_number = by_age.into_iter().chain(beyond).max();
            cutoffs.push(KindCutoffs { kind, by_age, by_age_or_number });
        }
        let mut planner = Self {
            workspace: workspace.clone(),
            policy,
            holds: body.holds,
            language: body.settings.language,
            rows_per_commit: settings.rows_per_commit.max(1),
            now,
            cutoffs,
            passes: VecDeque::new(),
            after: None,
            planned: VecDeque::new(),
            going: HashSet::new(),
            overrides: body.settings.retention,
        };
        let passes = PASSES.into_iter().filter(|pass| planner.earliest_cutoff(*pass).is_some()).collect();
        planner.passes = passes;
        Ok((!planner.passes.is_empty()).then_some(planner))
    }

    /// Whether the workspace still has the limits and the holds with which the planner began. Otherwise what it planned
    /// may have to stay.
    ///
    /// # Errors
    /// When its row cannot be read.
    pub async fn is_current(&self, ports: RetentionPlannerPorts<'_>) -> Result<bool, RetentionPlanError> {
        let Some(row) = ports.store.workspace(&self.workspace).await? else { return Ok(false) };
        let body = WorkspaceBody::decode(&row.body)?;
        Ok(body.settings.retention == self.overrides && body.holds == self.holds)
    }

    /// The limits in force when the planner began, in the text form of the policy.
    pub fn limits(&self) -> String {
        self.policy.text()
    }

    /// The steps of the next commit; `None` if nothing more goes.
    ///
    /// # Errors
    /// When something cannot be read now. A session that cannot be read at all stays, and is logged.
    pub async fn next_batch(
        &mut self,
        ports: RetentionPlannerPorts<'_>,
    ) -> Result<Option<RetentionBatch>, RetentionPlanError> {
        let (mut batch, mut rows) = (RetentionBatch::default(), 0_u32);
        loop {
            while let Some(planned) = self.planned.pop_front() {
                let sum = rows.saturating_add(planned.rows);
                if sum > self.rows_per_commit && !batch.0.is_empty() {
                    self.planned.push_front(planned);
                    return Ok(Some(batch));
                }
                rows = sum;
                let PlannedStep { step, removes, .. } = planned;
                batch.0.push(SizedRetentionStep { step, removes });
            }
            if !self.plan_page(ports).await? {
                return Ok((!batch.0.is_empty()).then_some(batch));
            }
        }
    }

    /// Plans the steps of the next sessions; `false` after the last ones.
    async fn plan_page(&mut self, ports: RetentionPlannerPorts<'_>) -> Result<bool, RetentionPlanError> {
        let Some(pass) = self.passes.front().copied() else { return Ok(false) };
        let Some(before) = self.earliest_cutoff(pass) else {
            self.passes.pop_front();
            return Ok(true);
        };
        let without = match pass.task {
            RetentionTask::Sessions => None,
            RetentionTask::Results => Some(RetentionMarkKind::Results),
            RetentionTask::Ledger => Some(RetentionMarkKind::Ledger),
        };
        let filter = RestingSessionFilter {
            workspace: self.workspace.clone(),
            state: pass.state,
            without,
            before,
            after: self.after.take(),
            limit: PAGE,
        };
        let found = ports.log.resting_sessions(&filter).await?;
        match found.last() {
            Some(last) => self.after = Some((last.last_activity, last.id.clone())),
            None => {
                self.passes.pop_front();
            }
        }
        for row in found {
            match self.plan_session(ports, pass, &row).await {
                Ok(()) => {}
                Err(RetentionPlanError::Store(fault @ StoreError::Unavailable(_))) => {
                    return Err(fault.into());
                }
                Err(fault) => {
                    tracing::warn!(session = %row.id, %fault, "retention leaves a session that cannot be read");
                }
            }
        }
        Ok(true)
    }

    /// The time before which the last input of any session of a pass must have come; `None` if all stay.
    fn earliest_cutoff(&self, pass: RetentionPass) -> Option<Timestamp> {
        match pass.task {
            RetentionTask::Sessions => self.cutoffs.iter().filter_map(|cutoffs| cutoffs.of(pass.state)).max(),
            RetentionTask::Results => self.policy.limit(RetentionSubject::Results).age_cutoff(self.now),
            RetentionTask::Ledger => self.policy.limit(RetentionSubject::Ledger).age_cutoff(self.now),
        }
    }

    fn cutoff_of_kind(&self, kind: SessionKind, state: RestingState) -> Option<Timestamp> {
        self.cutoffs.iter().find(|cutoffs| cutoffs.kind == kind).and_then(|cutoffs| cutoffs.of(state))
    }

    async fn plan_session(
        &mut self,
        ports: RetentionPlannerPorts<'_>,
        pass: RetentionPass,
        row: &SessionRow,
    ) -> Result<(), RetentionPlanError> {
        let before = match pass.task {
            RetentionTask::Sessions => self.cutoff_of_kind(row.kind, pass.state),
            RetentionTask::Results | RetentionTask::Ledger => self.earliest_cutoff(pass),
        };
        let Some(before) = before else { return Ok(()) };
        if self.going.contains(&row.id) {
            return Ok(());
        }
        let snapshot = decode_snapshot(&row.body)?;
        if self.is_root_held(ports, &snapshot.facts).await? {
            return Ok(());
        }
        let Snapshot { facts, phase } = &snapshot;
        match pass.task {
            RetentionTask::Sessions => {
                if check_session_removable(facts, phase, &self.holds, before).is_ok() {
                    self.plan_deletion(ports, row, before).await?;
                }
            }
            RetentionTask::Results => {
                if check_results_removable(facts, phase, &self.holds, before).is_ok() {
                    self.plan_results(ports, row, snapshot, before).await?;
                }
            }
            RetentionTask::Ledger => {
                if check_session_removable(facts, phase, &self.holds, before).is_ok() {
                    self.plan_ledger(ports, row, before).await?;
                }
            }
        }
        Ok(())
    }

    /// Whether a hold keeps the session above an agent: only that one knows its automation.
    async fn is_root_held(
        &self,
        ports: RetentionPlannerPorts<'_>,
        facts: &SessionFacts,
    ) -> Result<bool, RetentionPlanError> {
        let root = facts.id.tree_root();
        if self.holds.is_empty() || root == facts.id {
            return Ok(false);
        }
        let Some(row) = ports.store.session(&self.workspace, &root).await? else { return Ok(false) };
        let root = decode_snapshot(&row.body)?.facts;
        Ok(self.holds.iter().any(|hold| hold.keeps(&root)))
    }

    /// Plans the deletion of a session with its agents. A tree that fits into one commit goes as a whole; in a larger
    /// one, agents go before their callers, and of a long log the first entries before the last.
    async fn plan_deletion(
        &mut self,
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        before: Timestamp,
    ) -> Result<(), RetentionPlanError> {
        let Some(mut tree) = self.read_tree(ports, row, before).await? else { return Ok(()) };
        if self.may_meet_again() {
            // An agent may go by its own limit, before its caller: it is counted once.
            tree.retain(|size| !self.going.contains(&size.session));
            self.going.extend(tree.iter().map(|size| size.session.clone()));
        }
        let rows = tree.iter().map(SessionSize::rows).fold(0, u32::saturating_add);
        if rows <= self.rows_per_commit {
            let mut removes = RetentionTotals::default();
            tree.iter().for_each(|size| size.add_to(&mut removes, 0));
            let step = RetentionStep::DeleteSession { session: row.id.clone(), before };
            self.planned.push_back(PlannedStep { step, rows, removes });
            return Ok(());
        }
        // A caller stands before its agents.
        self.planned.extend(tree.iter().rev().flat_map(|size| split_deletion(size, self.rows_per_commit)));
        Ok(())
    }

    /// Whether a session that goes may be met again: as an agent of its caller or by its own limit, or by a later pass.
    fn may_meet_again(&self) -> bool {
        let agents_go = self.cutoff_of_kind(SessionKind::Agent, RestingState::Ended).is_some();
        agents_go || self.passes.iter().any(|pass| pass.task != RetentionTask::Sessions)
    }

    /// A session and its agents, each caller before its agents; `None` if one of them stays.
    async fn read_tree(
        &self,
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        before: Timestamp,
    ) -> Result<Option<Vec<SessionSize>>, RetentionPlanError> {
        let mut tree: Vec<SessionSize> = Vec::new();
        let mut left = VecDeque::from([row.clone()]);
        while let Some(row) = left.pop_front() {
            let Snapshot { facts, phase } = decode_snapshot(&row.body)?;
            let check = if tree.is_empty() { check_session_removable } else { check_agent_removable };
            if check(&facts, &phase, &self.holds, before).is_err() {
                return Ok(None);
            }
            let calls = ports.log.calls(&self.workspace, &row.id).await?;
            check_unfinished_calls(&calls)?;
            for call in calls.iter().filter(|call| agent_name_of_command(&call.command).is_some()) {
                let Some(agent) = ports.store.session(&self.workspace, &call.id.child_session_id()).await?
                else {
                    continue;
                };
                if decode_snapshot(&agent.body)?.facts.is_called_by(&row.id) {
                    left.push_back(agent);
                }
            }
            tree.push(SessionSize::read(ports, &row, before, &calls).await?);
        }
        Ok(Some(tree))
    }

    /// Plans the removal of results. A session that would not replay to its stored state without them keeps them.
    async fn plan_results(
        &mut self,
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        snapshot: Snapshot,
        before: Timestamp,
    ) -> Result<(), RetentionPlanError> {
        let entries = read_entries(ports, &self.workspace, &row.id).await?;
        let rewritten_calls =
            self.count_rewritten_calls(&ports.log.calls(&self.workspace, &row.id).await?)?;
        let redacted: Vec<Option<RedactedEntry>> =
            entries.iter().map(|entry| redact_entry(entry, self.now, self.language)).collect();
        let session = row.id.clone();
        let through = snapshot.facts.sequence;
        if redacted.iter().any(Option::is_some) {
            let without: Vec<JournalEntry> = entries
                .iter()
                .zip(&redacted)
                .map(|(entry, redacted)| redacted.as_ref().map_or(entry, |redacted| &redacted.entry).clone())
                .collect();
            if !self.replays_to(ports, row, &snapshot, &without).await? {
                tracing::warn!(session = %row.id, "the state of a session depends on its results, so they stay");
                let step = RetentionStep::KeepResults { session, through };
                self.planned.push_back(PlannedStep { step, rows: 1, removes: RetentionTotals::default() });
                return Ok(());
            }
        }
        let span = |first, last| EntrySpan { first, last };
        let (mut first, mut rows, mut removes) = (0, 1_u32, RetentionTotals::default());
        for (entry, redacted) in entries.iter().zip(&redacted) {
            let of_calls = rewritten_calls.get(&entry.sequence).copied().unwrap_or_default();
            let of_task = u32::from(matches!(entry.input, Input::TaskFinished { .. }));
            let of_entry = redacted.as_ref().map_or(0, |_| 1 + of_task) + of_calls;
            if rows > 1 && rows.saturating_add(of_entry) > self.rows_per_commit {
                let entries = span(first, entry.sequence - 1);
                let step = RetentionStep::RemoveResults { session: session.clone(), before, entries };
                self.planned.push_back(PlannedStep { step, rows, removes: std::mem::take(&mut removes) });
                (first, rows) = (entry.sequence, 1);
            }
            rows = rows.saturating_add(of_entry);
            let Some(redacted) = redacted else { continue };
            let count = RetentionCount { rows: redacted.results, bytes: redacted.bytes };
            removes.add(RetentionTable::Results, count);
        }
        let step = RetentionStep::RemoveResults { session, before, entries: span(first, through) };
        self.planned.push_back(PlannedStep { step, rows, removes });
        Ok(())
    }

    /// The ledger rows that lose a result, by the sequence of the entry that requested them.
    fn count_rewritten_calls(&self, calls: &[CallRow]) -> Result<HashMap<u64, u32>, CodecError> {
        let mut rows: HashMap<u64, u32> = HashMap::new();
        for row in calls {
            if redact_call(&mut decode_call(row)?, self.now, self.language) {
                *rows.entry(row.sequence).or_default() += 1;
            }
        }
        Ok(rows)
    }

    async fn replays_to(
        &self,
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        stored: &Snapshot,
        entries: &[JournalEntry],
    ) -> Result<bool, RetentionPlanError> {
        let mut rules: HashMap<Digest, SessionRules> = HashMap::new();
        for digest in referenced_rules(entries) {
            let Some(bytes) = ports.log.blob(&self.workspace, &row.id, digest).await? else {
                return Ok(false);
            };
            rules.insert(digest.clone(), decode_rules(&bytes)?);
        }
        let created_at = entries.first().map_or(row.created_at, |entry| entry.at);
        let facts = SessionFacts::new(row.id.clone(), row.workspace.clone(), row.kind, created_at);
        Ok(are_encoded_equally(stored, &replay_entries(facts, entries, &rules))?)
    }

    /// Plans the removal of ledger rows. Those of agents stay until their session goes: they lead to the agents.
    async fn plan_ledger(
        &mut self,
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        before: Timestamp,
    ) -> Result<(), RetentionPlanError> {
        let calls = ports.log.calls(&self.workspace, &row.id).await?;
        let goes = |call: &&CallRow| {
            call.finished_at.is_some()
                && call.state != LedgerState::Unknown
                && agent_name_of_command(&call.command).is_none()
        };
        let calls: Vec<&CallRow> = calls.iter().filter(goes).collect();
        let most = (self.rows_per_commit.max(2) - 1) as usize;
        let mut pages = calls.chunks(most).peekable();
        loop {
            let page = pages.next().unwrap_or_default();
            let is_last = pages.peek().is_none();
            let mut removes = RetentionTotals::default();
            for call in page {
                removes.add(RetentionTable::Calls, count_of(call.body.len()));
            }
            let step = RetentionStep::RemoveCalls {
                session: row.id.clone(),
                before,
                calls: page.iter().map(|call| call.id.clone()).collect::<Vec<CallId>>(),
                last_at: is_last.then_some(row.sequence),
            };
            let rows = u32::try_from(page.len()).unwrap_or(u32::MAX).saturating_add(1);
            self.planned.push_back(PlannedStep { step, rows, removes });
            if is_last {
                return Ok(());
            }
        }
    }
}

/// Checks that the record of a deletion can name the calls without an end. A turn that cannot read one fails with its
/// whole commit, at every run, and what comes after it would never go.
fn check_unfinished_calls(calls: &[CallRow]) -> Result<(), CodecError> {
    let is_named = |call: &&CallRow| call.finished_at.is_none() || call.state == LedgerState::Unknown;
    calls.iter().filter(is_named).try_for_each(|call| decode_call(call).map(drop))
}

async fn read_entries(
    ports: RetentionPlannerPorts<'_>,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<Vec<JournalEntry>, RetentionPlanError> {
    let (mut entries, mut after) = (Vec::new(), 0);
    loop {
        let page = ports.log.entries(workspace, session, after, ENTRIES).await?;
        let Some(last) = page.last() else { return Ok(entries) };
        after = last.seq;
        for row in &page {
            entries.push(decode_entry(row)?);
        }
    }
}
