use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::session::{
    EndReason, Input, JournalNote, LogAppend, ParkReason, SessionKind, UnseenEndReason, unseen_end,
};
use entracte_domain::task::{Task, TaskNotice};
use entracte_domain::time::Timestamp;

use super::agent_tree::delegation_chain;
use super::turn_view::{ApprovalView, PendingDecision, TurnViewBuilder};
use super::{DelegationStep, ReadLog, SessionView, ShowSession, TASKS_SHOWN, UseCaseError};
use crate::codec::{decode_automation, decode_task};
use crate::commands::Catalog;
use crate::journal::JournalEntry;
use crate::permissions::lacks_grant;
use crate::ports::{
    AutomationReader, CallRow, Clock, LogReader, ResourceReader, SessionFilter, TaskFilter, TaskReader,
    WorkspaceStore,
};

/// One thing that waits for a person.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InboxItem {
    /// The session it waits in.
    pub session: entracte_domain::id::SessionId,
    /// Name of the session.
    pub name: String,
    /// Its kind. The name of a chat may be words of its first message.
    pub session_kind: SessionKind,
    /// Since when it waits.
    pub asked_at: Timestamp,
    /// The person whose message or decision led to it; none for what an automation began.
    pub requester: Option<String>,
    /// The automation whose run it is.
    pub automation: Option<String>,
    /// From the session that a person began to the agent that waits, itself last; empty where no agent waits.
    pub chain: Vec<DelegationStep>,
    /// What it is.
    pub kind: InboxKind,
}

/// What waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxKind {
    /// Approval of a call.
    Approval(Box<ApprovalView>),
    /// A question.
    Question(entracte_domain::question::Question),
    /// An action of unknown outcome.
    Unsettled(Box<CallRow>),
    /// A run that rests until a person looks at it.
    Parked(ParkReason),
    /// A run that came to nothing, until somebody has seen it ([`super::MarkSeen`]). The session's id is that of the item.
    Ended {
        /// Why a person should look.
        why: UnseenEndReason,
        /// How it ended.
        reason: EndReason,
        /// The commands whose approval expired.
        expired: Vec<String>,
    },
    /// A long task of which nobody else was told, until somebody has seen it ([`super::MarkTaskSeen`]).
    Task {
        /// It.
        task: Box<Task>,
        /// Why a person should look.
        why: TaskNotice,
    },
    /// An automation that says `allow` where nobody who may approve said so for the words that it has now: its actions wait.
    /// Until somebody sets it again.
    Ungranted {
        /// It.
        automation: AutomationId,
    },
}

/// Every open approval, question, unknown outcome and parked run of a workspace, and the runs that came to nothing and
/// that nobody has seen. With [the tasks](Inbox::with_tasks) also those of which nobody else was told.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// // A run that was interrupted waits until a person looks at it.
/// let parked = || samples::row_in(samples::facts(), Phase::Parked(ParkedWhy::Interrupted));
/// let mut store = MockWorkspaceStore::new();
/// store.expect_session().returning(move |_, _| Ok(parked().ok()));
/// let mut log = MockLogReader::new();
/// log.expect_lines().returning(move |_| Ok(vec![parked().unwrap().into()]));
/// log.expect_unsettled().returning(|_| Ok(vec![]));
/// log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
/// let inbox = Inbox::new(
///     Arc::new(store),
///     Arc::new(log),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(samples::clock()),
/// );
/// let items = inbox.run(&samples::workspace()).await?;
/// assert_eq!(items.len(), 1);
/// assert_eq!(items[0].kind, InboxKind::Parked(ParkedWhy::Interrupted));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: to drop it leaves nothing behind.
pub struct ReadInbox {
    turns: TurnViewBuilder,
    tasks: Option<Arc<dyn TaskReader>>,
    automations: Option<Arc<dyn AutomationReader>>,
}

impl ReadInbox {
    /// Over these ports.
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { turns: TurnViewBuilder { store, log, rows, catalog, clock }, tasks: None, automations: None }
    }

    /// The same, with what the latest [`TASKS_SHOWN`] long tasks have for people.
    #[must_use]
    pub fn with_tasks(self, tasks: Arc<dyn TaskReader>) -> Self {
        Self { tasks: Some(tasks), ..self }
    }

    /// The same, with the automations whose `allow` nobody granted.
    #[must_use]
    pub fn with_automations(self, automations: Arc<dyn AutomationReader>) -> Self {
        Self { automations: Some(automations), ..self }
    }

    /// What waits for a person in this workspace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<InboxItem>, UseCaseError> {
        let filter =
            SessionFilter { workspace: Some(workspace.clone()), waiting: true, ..SessionFilter::default() };
        let mut items = Vec::new();
        for line in self.turns.log.session_list(&filter).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &line.id).await?;
            items.extend(self.of_session(&view).await?);
        }
        let mut read = BTreeMap::new();
        for row in self.turns.log.calls_with_unknown_outcome(workspace).await? {
            if !read.contains_key(&row.session) {
                let view = ShowSession::new(self.turns.store.clone()).run(workspace, &row.session).await?;
                let history = self.history(&view).await?;
                read.insert(row.session.clone(), (view, history));
            }
            let found = read.get(&row.session);
            items.extend(
                found.map(|(view, history)| item(view, history, InboxKind::Unsettled(Box::new(row)))),
            );
        }
        for task in self.tasks_with_notice(workspace).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &task.session).await?;
            let history = self.history(&view).await?;
            if let Some(why) = task.notice() {
                items.push(item(&view, &history, InboxKind::Task { task: Box::new(task), why }));
            }
        }
        for item in &mut items {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &item.session).await?;
            item.chain = delegation_chain(&self.turns.store, &view.facts).await?;
        }
        items.extend(self.automations_without_grant(workspace).await?);
        // What somebody has to do stands before what somebody has to know.
        items.sort_by_key(|item| {
            matches!(
                item.kind,
                InboxKind::Ended { .. } | InboxKind::Task { .. } | InboxKind::Ungranted { .. }
            )
        });
        Ok(items)
    }

    /// The automations whose `allow` counts as `park`. One that cannot be read is told by `doctor`.
    async fn automations_without_grant(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let Some(automations) = &self.automations else { return Ok(Vec::new()) };
        let rows = automations.automations(workspace).await?;
        let automations = rows.iter().filter_map(|row| decode_automation(row).ok());
        let item = |automation: Automation| InboxItem {
            session: automation.seed,
            session_kind: SessionKind::Seed,
            name: automation.name,
            asked_at: automation.updated_at,
            requester: None,
            automation: Some(automation.id.to_string()),
            chain: Vec::new(),
            kind: InboxKind::Ungranted { automation: automation.id },
        };
        Ok(automations.filter(lacks_grant).map(item).collect())
    }

    /// The tasks that a person should look at.
    async fn tasks_with_notice(&self, workspace: &WorkspaceKey) -> Result<Vec<Task>, UseCaseError> {
        let Some(tasks) = &self.tasks else { return Ok(Vec::new()) };
        let latest = TaskFilter { limit: Some(TASKS_SHOWN), ..TaskFilter::default() };
        let rows = tasks.tasks(workspace, latest).await?;
        let decoded: Result<Vec<Task>, _> = rows.iter().map(decode_task).collect();
        let mut noticed = decoded?;
        noticed.retain(|task| task.notice().is_some());
        Ok(noticed)
    }

    /// What waits for a person in one session, its actions of unknown outcome not counted.
    ///
    /// # Errors
    /// When there is no such session, or a row cannot be read.
    pub async fn read_session_items(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let view = ShowSession::new(self.turns.store.clone()).run(workspace, session).await?;
        self.of_session(&view).await
    }

    async fn of_session(&self, view: &SessionView) -> Result<Vec<InboxItem>, UseCaseError> {
        let history = self.history(view).await?;
        let mut items = Vec::new();
        match self.turns.waiting(view).await? {
            Some(PendingDecision::Validation(approvals)) => {
                let kinds = approvals.into_iter().map(|approval| InboxKind::Approval(Box::new(approval)));
                items.extend(kinds.map(|kind| item(view, &history, kind)));
            }
            Some(PendingDecision::Question(question)) => {
                items.push(item(view, &history, InboxKind::Question(question)))
            }
            None => {}
        }
        if let Some(ended) = self.ended(view).await? {
            items.push(item(view, &history, ended));
        }
        if let Some(why) = view.phase.park_reason() {
            items.push(item(view, &history, InboxKind::Parked(why.clone())));
        }
        Ok(items)
    }

    async fn ended(&self, view: &SessionView) -> Result<Option<InboxKind>, UseCaseError> {
        let facts = &view.facts;
        let (Some(why), Some(reason)) = (unseen_end(facts, &view.phase), view.phase.end_reason()) else {
            return Ok(None);
        };
        let mut expired = Vec::with_capacity(facts.expired.len());
        for call in &facts.expired {
            let row = self.turns.log.call(&facts.workspace, call).await?;
            expired.extend(row.map(|row| row.command));
        }
        Ok(Some(InboxKind::Ended { why, reason, expired }))
    }

    /// The entries of the exchange, which tell who began it and since when something waits; all entries where they do not.
    async fn history(&self, view: &SessionView) -> Result<Vec<JournalEntry>, UseCaseError> {
        let (facts, log) = (&view.facts, ReadLog::new(self.turns.log.clone()));
        let before = facts.exchange.saturating_sub(1);
        let history = log.entries_since(&facts.workspace, &facts.id, before).await?;
        if before == 0 || requester(&history, facts.exchange).is_some() {
            return Ok(history);
        }
        log.entries_since(&facts.workspace, &facts.id, 0).await
    }
}

fn item(view: &SessionView, history: &[JournalEntry], kind: InboxKind) -> InboxItem {
    let facts = &view.facts;
    let asked_at = match &kind {
        InboxKind::Approval(approval) => Some(approval.call.requested_at),
        InboxKind::Unsettled(row) => Some(row.requested_at),
        InboxKind::Question(_) => last(history, |entry| matches!(entry.input, Input::AiResponseReceived(_))),
        InboxKind::Parked(_) => last(history, parks),
        InboxKind::Task { task, .. } => task.completed_at,
        // Nothing came after its end.
        InboxKind::Ended { .. } | InboxKind::Ungranted { .. } => None,
    };
    InboxItem {
        session: facts.id.clone(),
        name: facts.name.clone(),
        session_kind: facts.kind,
        asked_at: asked_at.unwrap_or(facts.last_event_at),
        requester: requester(history, facts.exchange),
        automation: facts.automation.clone(),
        chain: Vec::new(),
        kind,
    }
}

fn last(history: &[JournalEntry], is_it: impl Fn(&JournalEntry) -> bool) -> Option<Timestamp> {
    history.iter().rev().find(|entry| is_it(entry)).map(|entry| entry.at)
}

fn parks(entry: &JournalEntry) -> bool {
    let rests = |appended: &LogAppend| {
        matches!(appended, LogAppend::Note(JournalNote::SessionParked | JournalNote::Quarantined))
            || matches!(appended, LogAppend::Note(JournalNote::LimitReached(_)))
    };
    entry.appended.iter().any(rests)
}

/// Who began this exchange.
fn requester(history: &[JournalEntry], exchange: u64) -> Option<String> {
    let before = history.iter().rev().filter(|entry| entry.sequence <= exchange);
    before.filter_map(|entry| author(&entry.input)).next().map(str::to_owned)
}

/// The person whose act an input is.
fn author(input: &Input) -> Option<&str> {
    match input {
        Input::UserMessageSent(sent) => Some(&sent.author),
        Input::SessionActivationRequested { author, .. }
        | Input::ValidationReceived { author, .. }
        | Input::CommunicationResponseReceived { author, .. }
        | Input::CompletionConfirmed { author, .. }
        | Input::CompletionRejected { author, .. } => Some(author),
        _ => None,
    }
}
