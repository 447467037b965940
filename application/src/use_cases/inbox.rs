use std::collections::BTreeMap;
use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::command::CommandKind;
use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::session::{
    EndReason, Input, JournalNote, LogAppend, ParkReason, Phase, SessionKind, UnseenEndReason, unseen_end,
};
use entracte_domain::task::{Task, TaskNotice};
use entracte_domain::time::Timestamp;

use super::agent_tree::delegation_chain;
use super::turn_view::{ApprovalView, PendingDecision, TurnViewBuilder};
use super::{DelegationStep, ReadLog, SessionView, ShowSession, TASKS_SHOWN, UseCaseError};
use crate::codec::{decode_automation, decode_call, decode_task};
use crate::commands::Catalog;
use crate::journal::JournalEntry;
use crate::permissions::lacks_grant;
use crate::ports::{
    AutomationReader, CallRow, Clock, ExternalServerTools, InboxRowKind, LogReader, ResourceReader,
    SessionFilter, TaskFilter, TaskReader, WorkspaceStore,
};
use crate::protocol::relay;
use crate::system::sha256;
use crate::texts::ReaderLanguage;

/// An item that waits for a person.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct InboxItem {
    /// The session it waits in.
    pub session: entracte_domain::id::SessionId,
    /// Display name of the session.
    pub name: String,
    /// The kind of the session. A chat's name may quote its first message, a run's does not.
    pub session_kind: SessionKind,
    /// Whether the session only runs calls that people make by hand: it takes no messages.
    pub is_by_hand: bool,
    /// Since when it waits.
    pub asked_at: Timestamp,
    /// The person whose message or decision led to it; `None` if an automation began it.
    pub requester: Option<String>,
    /// The automation, if the session is a run.
    pub automation: Option<String>,
    /// The chain from the session that a person began to the waiting agent, included; empty if no agent waits.
    pub chain: Vec<DelegationStep>,
    /// When a person last wrote in its session, or commented a decision there, as far as its exchange shows.
    pub noted_at: Option<Timestamp>,
    /// When it is over if nobody acts; `None` if it waits until somebody does.
    pub deadline: Option<Timestamp>,
    /// The kind of the item, with its content.
    pub kind: InboxKind,
}

impl InboxItem {
    /// The id of the item, unique in its workspace while it waits.
    pub fn id(&self) -> String {
        let session = &self.session;
        match &self.kind {
            InboxKind::Approval(approval) => InboxRowKind::Approval.item_id(approval.id.as_str()),
            InboxKind::Question(_) => InboxRowKind::Question.item_id(session.as_str()),
            InboxKind::Unsettled(row) => format!("unknown:{}", row.id),
            InboxKind::Parked(_) => InboxRowKind::Parked.item_id(session.as_str()),
            InboxKind::Ended { .. } => InboxRowKind::Ended.item_id(session.as_str()),
            InboxKind::Failed { row, .. } => InboxRowKind::Failed.item_id(row.id.as_str()),
            InboxKind::Task { task, .. } => format!("task:{}", task.id),
            InboxKind::Ungranted { automation } => format!("policy:{automation}"),
        }
    }

    /// A text that differs when another item took its place under the same id, or when what it asks or its deadline changed.
    pub fn version(&self) -> String {
        let asked_at = self.asked_at.0;
        let asks = match &self.kind {
            InboxKind::Approval(approval) => {
                let digest = approval.digest.as_ref().map_or("", |digest| digest.as_str());
                let changed = if approval.is_changed { " changed" } else { "" };
                format!("{digest}{changed}")
            }
            InboxKind::Question(_)
            | InboxKind::Unsettled(_)
            | InboxKind::Failed { .. }
            | InboxKind::Ungranted { .. } => asked_at.to_string(),
            InboxKind::Parked(why) => format!("{} {asked_at}", parked_word(why)),
            InboxKind::Ended { why, .. } => format!("{} {asked_at}", why.word()),
            InboxKind::Task { task, why } => {
                let question = sha256(task.question.as_deref().unwrap_or_default().as_bytes());
                format!("{} {} {}", why.word(), task.contradicted, question.short())
            }
        };
        match self.deadline {
            Some(deadline) => format!("{asks} until {}", deadline.0),
            None => asks,
        }
    }

    /// The approval that is asked for, if the item is one.
    pub fn approval(&self) -> Option<&ApprovalView> {
        match &self.kind {
            InboxKind::Approval(approval) => Some(approval),
            InboxKind::Question(_)
            | InboxKind::Unsettled(_)
            | InboxKind::Parked(_)
            | InboxKind::Ended { .. }
            | InboxKind::Failed { .. }
            | InboxKind::Task { .. }
            | InboxKind::Ungranted { .. } => None,
        }
    }

    /// Whether the item is the approval of a query of this server about which no person has decided.
    pub fn is_query_of(&self, server: &ExternalServerTools) -> bool {
        self.approval().is_some_and(|approval| {
            approval.call.kind == CommandKind::Query && server.holds_query(&approval.call.command.name)
        })
    }
}

/// The kinds of items that wait for a person.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxKind {
    /// A call that needs approval.
    Approval(Box<ApprovalView>),
    /// A question.
    Question(entracte_domain::question::Question),
    /// An action of unknown outcome.
    Unsettled(Box<CallRow>),
    /// A run that is parked until a person looks at it.
    Parked(ParkReason),
    /// A run that ended without success, until a person has seen it ([`super::MarkSeen`]). The item has the
    /// session's id.
    Ended {
        /// Why a person should look.
        why: UnseenEndReason,
        /// How it ended.
        reason: EndReason,
        /// The commands whose approval expired.
        expired: Vec<String>,
    },
    /// A long task that asks a person, until it is answered ([`super::AnswerTaskQuestion`]), or with a notice that no
    /// session received, until a person has seen it ([`super::AcknowledgeTask`]).
    Task {
        /// The task with the notice.
        task: Box<Task>,
        /// Why a person should look.
        why: TaskNotice,
    },
    /// A call that failed after a person approved it, until that person has seen it: by [`super::MarkSeen`], by reading
    /// the session so far, or by a message in it.
    Failed {
        /// The call.
        row: Box<CallRow>,
        /// The person who approved it.
        approver: String,
        /// The code of the failure, if it has one.
        code: Option<String>,
    },
    /// An automation with the policy `allow` that no person with approval rights granted for its current text, so its
    /// actions wait, until the policy is set again.
    Ungranted {
        /// The automation without a grant.
        automation: AutomationId,
    },
}

/// All open approvals, questions, unknown outcomes and parked runs of a workspace, and unsuccessful runs that no
/// person has seen. [`with_tasks`](Self::with_tasks) adds the tasks with a notice.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// // A run that was interrupted waits until a person looks at it.
/// let parked = || samples::row_in(samples::facts(), Phase::Parked(ParkReason::Interrupted));
/// let mut store = MockWorkspaceStore::new();
/// store.expect_session().returning(move |_, _| Ok(parked().ok()));
/// let mut log = MockLogReader::new();
/// log.expect_session_list().returning(move |_| Ok(vec![parked().unwrap().into()]));
/// log.expect_calls_with_unknown_outcome().returning(|_| Ok(vec![]));
/// log.expect_entries_since().returning(|_, _, _, _| Ok(vec![]));
/// let inbox = ReadInbox::new(
///     Arc::new(store),
///     Arc::new(log),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(samples::clock()),
/// );
/// let items = inbox.run(&samples::workspace()).await?;
/// assert_eq!(items.len(), 1);
/// assert_eq!(items[0].kind, InboxKind::Parked(ParkReason::Interrupted));
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: dropping it leaves nothing behind.
pub struct ReadInbox {
    pub(super) turns: TurnViewBuilder,
    tasks: Option<Arc<dyn TaskReader>>,
    automations: Option<Arc<dyn AutomationReader>>,
}

impl ReadInbox {
    /// Creates the use case over these ports.
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let reader = ReaderLanguage::OF_WORKSPACE;
        let turns = TurnViewBuilder { store, log, rows, catalog, clock, reader };
        Self { turns, tasks: None, automations: None }
    }

    /// Words cards and reasons in the language of this reader.
    #[must_use]
    pub fn for_reader(mut self, reader: ReaderLanguage) -> Self {
        self.turns.reader = reader;
        self
    }

    /// Includes the notices of the latest [`TASKS_SHOWN`] long tasks.
    #[must_use]
    pub fn with_tasks(self, tasks: Arc<dyn TaskReader>) -> Self {
        Self { tasks: Some(tasks), ..self }
    }

    /// Includes the automations whose policy `allow` was not granted.
    #[must_use]
    pub fn with_automations(self, automations: Arc<dyn AutomationReader>) -> Self {
        Self { automations: Some(automations), ..self }
    }

    /// The items of this workspace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<InboxItem>, UseCaseError> {
        let filter =
            SessionFilter { workspace: Some(workspace.clone()), waiting: true, ..SessionFilter::default() };
        let mut items = Vec::new();
        for line in self.turns.log.session_list(&filter).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &line.id).await?;
            let found = self.of_session(&view).await?;
            items.extend(self.with_chain(&view, found).await?);
        }
        items.extend(self.items_besides_sessions(workspace).await?);
        // Items that need an action precede those that only inform.
        items.sort_by_key(|item| {
            matches!(
                item.kind,
                InboxKind::Ended { .. }
                    | InboxKind::Failed { .. }
                    | InboxKind::Task { why: TaskNotice::Contradicted | TaskNotice::Undelivered, .. }
                    | InboxKind::Ungranted { .. }
            )
        });
        Ok(items)
    }

    /// The items of this workspace that are in no row of a session: actions of unknown outcome, long tasks with a notice and
    /// automations without a grant. There are few of them.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn items_besides_sessions(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let mut items = Vec::new();
        let mut read = BTreeMap::new();
        for row in self.turns.log.calls_with_unknown_outcome(workspace).await? {
            if !read.contains_key(&row.session) {
                let view = ShowSession::new(self.turns.store.clone()).run(workspace, &row.session).await?;
                let history = self.history(&view).await?;
                let chain = delegation_chain(&self.turns.store, &view.facts).await?;
                read.insert(row.session.clone(), (view, history, chain));
            }
            let found = read.get(&row.session).map(|(view, history, chain)| InboxItem {
                chain: chain.clone(),
                ..item(view, history, InboxKind::Unsettled(Box::new(row)))
            });
            items.extend(found);
        }
        for task in self.tasks_with_notice(workspace).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &task.session).await?;
            let history = self.history(&view).await?;
            if let Some(why) = task.notice() {
                let found = vec![item(&view, &history, InboxKind::Task { task: Box::new(task), why })];
                items.extend(self.with_chain(&view, found).await?);
            }
        }
        items.extend(self.automations_without_grant(workspace).await?);
        Ok(items)
    }

    /// The automations whose `allow` is treated as `park`. `doctor` reports unreadable ones.
    pub(super) async fn automations_without_grant(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        let Some(automations) = &self.automations else { return Ok(Vec::new()) };
        let rows = automations.automations(workspace).await?;
        let automations = rows.iter().filter_map(|row| decode_automation(row).ok());
        let item = |automation: Automation| InboxItem {
            session: automation.seed,
            session_kind: SessionKind::Seed,
            is_by_hand: false,
            name: automation.name,
            asked_at: automation.updated_at,
            requester: None,
            automation: Some(automation.id.to_string()),
            chain: Vec::new(),
            noted_at: None,
            deadline: None,
            kind: InboxKind::Ungranted { automation: automation.id },
        };
        Ok(automations.filter(lacks_grant).map(item).collect())
    }

    /// The tasks that a person should look at.
    pub(super) async fn tasks_with_notice(
        &self,
        workspace: &WorkspaceKey,
    ) -> Result<Vec<Task>, UseCaseError> {
        let Some(tasks) = &self.tasks else { return Ok(Vec::new()) };
        let latest = TaskFilter { limit: Some(TASKS_SHOWN), ..TaskFilter::default() };
        let rows = tasks.tasks(workspace, latest).await?;
        let decoded: Result<Vec<Task>, _> = rows.iter().map(decode_task).collect();
        let mut noticed = decoded?;
        noticed.retain(|task| task.notice().is_some());
        Ok(noticed)
    }

    /// The items of one session, except actions of unknown outcome.
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

    pub(super) async fn of_session(&self, view: &SessionView) -> Result<Vec<InboxItem>, UseCaseError> {
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
        for failed in self.failed(view).await? {
            items.push(item(view, &history, failed));
        }
        if let Some(why) = view.phase.park_reason() {
            items.push(item(view, &history, InboxKind::Parked(why.clone())));
        }
        Ok(items)
    }

    /// These items of one session with the chain that leads to it.
    pub(super) async fn with_chain(
        &self,
        view: &SessionView,
        mut items: Vec<InboxItem>,
    ) -> Result<Vec<InboxItem>, UseCaseError> {
        if !items.is_empty() {
            let chain = delegation_chain(&self.turns.store, &view.facts).await?;
            items.iter_mut().for_each(|item| item.chain.clone_from(&chain));
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

    /// The approved calls that failed and that their approvers have not seen.
    async fn failed(&self, view: &SessionView) -> Result<Vec<InboxKind>, UseCaseError> {
        let facts = &view.facts;
        let mut kinds = Vec::with_capacity(facts.failed.len());
        for failed in &facts.failed {
            let Some(row) = self.turns.log.call(&facts.workspace, &failed.call).await? else { continue };
            let code = decode_call(&row)?.result().and_then(|result| result.code.clone());
            let approver = failed.approver.clone();
            kinds.push(InboxKind::Failed { row: Box::new(row), approver, code });
        }
        Ok(kinds)
    }

    /// The entries of the exchange, which show who began it and since when an item waits; all entries if they do not.
    pub(super) async fn history(&self, view: &SessionView) -> Result<Vec<JournalEntry>, UseCaseError> {
        let (facts, log) = (&view.facts, ReadLog::new(self.turns.log.clone()));
        let before = facts.exchange.saturating_sub(1);
        let history = log.entries_since(&facts.workspace, &facts.id, before).await?;
        if before == 0 || requester(&history, facts.exchange).is_some() {
            return Ok(history);
        }
        log.entries_since(&facts.workspace, &facts.id, 0).await
    }
}

pub(super) fn item(view: &SessionView, history: &[JournalEntry], kind: InboxKind) -> InboxItem {
    let facts = &view.facts;
    let asked_at = match &kind {
        InboxKind::Approval(approval) => Some(approval.call.requested_at),
        InboxKind::Unsettled(row) => Some(row.requested_at),
        InboxKind::Question(_) => last(history, |entry| matches!(entry.input, Input::AiResponseReceived(_))),
        InboxKind::Parked(_) => last(history, parks),
        InboxKind::Failed { row, .. } => row.finished_at,
        InboxKind::Task { task, .. } => task.completed_at,
        // No entry follows its end.
        InboxKind::Ended { .. } | InboxKind::Ungranted { .. } => None,
    };
    InboxItem {
        session: facts.id.clone(),
        name: facts.name.clone(),
        session_kind: facts.kind,
        is_by_hand: relay::is_model_of(facts),
        asked_at: asked_at.unwrap_or(facts.last_event_at),
        requester: requester(history, facts.exchange),
        automation: facts.automation.clone(),
        chain: Vec::new(),
        noted_at: last(history, is_note),
        deadline: deadline(view, &kind),
        kind,
    }
}

fn last(history: &[JournalEntry], is_it: impl Fn(&JournalEntry) -> bool) -> Option<Timestamp> {
    history.iter().rev().find(|entry| is_it(entry)).map(|entry| entry.at)
}

/// Whether a person wrote something in it.
fn is_note(entry: &JournalEntry) -> bool {
    matches!(entry.input, Input::UserMessageSent(_) | Input::DecisionCommented { .. })
}

fn deadline(view: &SessionView, kind: &InboxKind) -> Option<Timestamp> {
    match kind {
        InboxKind::Approval(approval) => Some(approval.expires_at),
        InboxKind::Question(_) => match &view.phase {
            Phase::WaitingCommunicationResponse { expires, .. } => expires.map(|expires| expires.due_at),
            _ => None,
        },
        InboxKind::Task { task, why: TaskNotice::Asks } => task.deadline.map(|deadline| deadline.due_at),
        InboxKind::Unsettled(_)
        | InboxKind::Parked(_)
        | InboxKind::Ended { .. }
        | InboxKind::Failed { .. }
        | InboxKind::Task { .. }
        | InboxKind::Ungranted { .. } => None,
    }
}

/// The word of a reason in versions and notifications, which are stored.
pub(crate) const fn parked_word(why: &ParkReason) -> &'static str {
    match why {
        ParkReason::Exhausted(_) => "exhausted",
        ParkReason::Interrupted => "interrupted",
        ParkReason::Quarantined => "quarantined",
        ParkReason::Spending(_) => "spending",
    }
}

fn parks(entry: &JournalEntry) -> bool {
    let rests = |appended: &LogAppend| {
        matches!(appended, LogAppend::Note(JournalNote::SessionParked | JournalNote::Quarantined))
            || matches!(appended, LogAppend::Note(JournalNote::LimitReached(_)))
    };
    entry.appended.iter().any(rests)
}

/// The person who began this exchange.
fn requester(history: &[JournalEntry], exchange: u64) -> Option<String> {
    let before = history.iter().rev().filter(|entry| entry.sequence <= exchange);
    before.filter_map(|entry| author(&entry.input)).next().map(str::to_owned)
}

/// The author of an input by a person.
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
