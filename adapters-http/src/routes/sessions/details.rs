//! Reads what of sessions takes longer to find out.

use entracte_application::ports::{SessionListRow, TaskFilter};
use entracte_application::rule_book::RuleBook;
use entracte_application::texts::ReaderLanguage;
use entracte_application::use_cases::{
    MeasureContext, MeasureSession, ReadLog, ReadQueue, ReadTasks, ReadUnreadMessages, ReportCosts,
    SessionView, TASKS_SHOWN, UseCaseError, settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::{ExecutionMetadata, MessageBody};

use crate::server_state::ServerState;
use crate::shapes::session::{
    ContextShape, MetricsShape, QueueShape, SessionItem, SessionPoliciesShape, SessionShape,
};
use crate::shapes::task::TaskLineShape;

/// Adds the details of a session.
pub(super) async fn add_details(
    state: &ServerState,
    view: &SessionView,
    shape: SessionShape,
    reader: ReaderLanguage,
) -> Result<SessionShape, UseCaseError> {
    let ports = &state.ports;
    let (workspace, session) = (&view.facts.workspace, &view.facts.id);
    let slot = ReadQueue::new(ports.store.clone(), ports.clock.clone()).place(workspace, session).await?;
    let filter = TaskFilter { session: Some(session.clone()), open: false, limit: Some(TASKS_SHOWN) };
    let tasks = ReadTasks::new(ports.tasks.clone()).all(workspace, filter).await?;
    let began = execution_of(state, view).await?;
    let rules = state.terms.rules.for_workspace(&settings_of(&*ports.store, workspace).await?);
    Ok(SessionShape {
        position: slot.as_ref().map(|slot| slot.position),
        slot: slot.as_ref().map(QueueShape::from),
        trigger: began.as_ref().map(|began| began.trigger.clone()),
        automation_version: began.as_ref().map(|began| began.automation_version),
        tasks: Some(tasks.iter().map(TaskLineShape::from).collect()),
        metrics: Some(session_metrics(state, workspace, session, reader).await?),
        policies: Some(SessionPoliciesShape::new(&view.facts, &rules)),
        ..shape
    })
}

/// The metrics of a session.
pub(super) async fn session_metrics(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    reader: ReaderLanguage,
) -> Result<MetricsShape, UseCaseError> {
    let (store, log) = (state.ports.store.clone(), state.ports.log.clone());
    let metrics = MeasureSession::new(store.clone(), log.clone()).run(workspace, session).await?;
    let (runtime, rules) = (state.terms.runtime.clone(), state.terms.rules.clone());
    let measure = MeasureContext::new(store, log, state.ports.providers.clone(), runtime, rules);
    let full = measure.run(workspace, session).await?;
    let texts = state.texts_for(workspace, reader).await?;
    let costs =
        ReportCosts::new(state.ports.log.clone()).total(workspace, Some(session), (None, None)).await?;
    Ok(MetricsShape::new(&metrics, costs.reservations, ContextShape::new(&full, texts)))
}

/// What began a run; `None` for other sessions.
async fn execution_of(
    state: &ServerState,
    view: &SessionView,
) -> Result<Option<ExecutionMetadata>, UseCaseError> {
    if view.facts.automation.is_none() {
        return Ok(None);
    }
    let log = ReadLog::new(state.ports.log.clone());
    let messages = log.conversation(&view.facts.workspace, &view.facts.id).await?;
    Ok(messages.into_iter().find_map(|described| match described.message.body {
        MessageBody::Execution(began) => Some(began),
        MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::System(_) => None,
    }))
}

/// What the details of listed sessions are read with.
pub(super) struct SessionItemDetails {
    rules: RuleBook,
    queue: Vec<SessionId>,
    reader: String,
}

impl SessionItemDetails {
    /// Reads what all sessions of a workspace have in common; `reader` is the person whose unread messages count.
    pub(super) async fn read(
        state: &ServerState,
        workspace: &WorkspaceKey,
        reader: String,
    ) -> Result<Self, UseCaseError> {
        let ports = &state.ports;
        let rules = state.terms.rules.for_workspace(&settings_of(&*ports.store, workspace).await?);
        let queue = ReadQueue::new(ports.store.clone(), ports.clock.clone()).run(workspace).await?;
        Ok(Self { rules, queue, reader })
    }

    /// Adds the details of a session. What a damaged row does not tell stays out.
    pub(super) async fn add(&self, state: &ServerState, line: SessionListRow) -> SessionItem {
        let row = state.ports.store.session(&line.workspace, &line.id).await;
        let position = self.queue.iter().position(|waiting| *waiting == line.id).map(|before| before + 1);
        let (unread, queued_messages) = (Some(0), Some(0));
        let item = SessionItem { position, unread, queued_messages, ..SessionItem::from(line) };
        let Ok(Some(row)) = row else { return SessionItem { working: Some(false), ..item } };
        let item = SessionItem { working: Some(row.working), ..item };
        let Ok(view) = SessionView::from_row(&row) else { return item };
        let unread = ReadUnreadMessages::new(state.ports.log.clone());
        let unread = unread.count(&view.facts, &self.reader).await.unwrap_or_else(|error| {
            tracing::debug!(session = %row.id, %error, "what is new in it cannot be counted");
            0
        });
        SessionItem { unread: Some(unread), ..item }.with_details(&view, &self.rules)
    }
}
