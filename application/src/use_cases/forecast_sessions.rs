use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{Effect, SessionRules, WakeReason, desired_effects, wake_at, wake_reason};
use entracte_domain::time::Timestamp;

use super::open_session_pages::open_session_page;
use super::read_session::session_not_found;
use super::{
    ApprovalView, ExamineSessions, ReadApprovals, SessionDefect, SessionView, UseCaseError, VerifySession,
};
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::journal::Snapshot;
use crate::ports::{
    Clock, LogReader, ProviderRegistry, ResourceReader, SessionListRow, SessionRow, StoreError, WorkspaceRow,
    WorkspaceStore,
};
use crate::rule_book::RuleBook;

/// What this program and configuration would do with a session if a process took it up now.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionForecast {
    /// The examined session.
    pub session: SessionId,
    /// The workspace the session belongs to.
    pub workspace: WorkspaceKey,
    /// Display name.
    pub name: String,
    /// The forecast, or why the session cannot be read.
    pub stand: Result<Box<SessionForecastDetails>, String>,
}

/// The state of a session, and what would happen to it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionForecastDetails {
    /// The session as displayed.
    pub view: SessionView,
    /// The effects it needs immediately.
    pub next: Vec<Effect>,
    /// When it would be woken, and why.
    pub woken: Option<(Timestamp, WakeReason)>,
    /// Its open approvals, with their current cards.
    pub approvals: Vec<ApprovalView>,
    /// Its defects.
    pub ailments: Vec<SessionDefect>,
    /// The limits and policies it would run under.
    pub rules: SessionRules,
    /// Whether replaying its journal gives the stored state.
    pub replays: bool,
}

/// Examines every session that has not ended as a process would that is about to take it up. It changes and starts
/// nothing: compare the forecasts of two programs or configurations before one replaces the other.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use entracte_application::codec::WorkspaceBody;
/// # use entracte_application::ports::WorkspaceRow;
/// # example(async {
/// let mut log = MockLogReader::new();
/// log.expect_session_page().returning(|filter| filter.select_page(vec![samples::row(samples::facts()).unwrap().into()]));
/// log.expect_entries().returning(|_, _, _, _| Ok(vec![]));
/// # let mut store = samples::store();
/// # store.expect_workspaces().returning(|| {
/// #     let body = WorkspaceBody::default().encode().unwrap();
/// #     Ok(vec![WorkspaceRow { key: samples::workspace(), seq: 1, body, created_at: samples::NOON, epoch: 0 }])
/// # });
/// # let mut providers = MockProviderRegistry::new();
/// # providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
/// # let (store, log): (Arc<dyn WorkspaceStore>, Arc<dyn LogReader>) = (Arc::new(store), Arc::new(log));
/// # let rows = Arc::new(MockResourceReader::new());
/// # let catalog = Arc::new(Catalog::new(&[]).unwrap());
/// let look = ForecastSessions::new(store, log, rows, catalog, Arc::new(providers), Arc::new(samples::clock()));
/// let mut stands = Vec::new();
/// look.run(&RuleBook::default(), |sight| {
///     stands.push(sight.stand);
///     Ok::<(), UseCaseError>(())
/// })
/// .await?;
/// let stand = stands[0].as_ref().unwrap();
/// assert_eq!((stand.next.len(), stand.approvals.len()), (0, 0), "an idle chat waits for its person");
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: dropping it leaves nothing behind.
pub struct ForecastSessions {
    store: Arc<dyn WorkspaceStore>,
    log: Arc<dyn LogReader>,
    clock: Arc<dyn Clock>,
    approvals: ReadApprovals,
    examine: ExamineSessions,
}

impl ForecastSessions {
    /// Creates the use case over these ports.
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        providers: Arc<dyn ProviderRegistry>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            approvals: ReadApprovals::new(store.clone(), log.clone(), rows, catalog.clone(), clock.clone()),
            examine: ExamineSessions::new(log.clone(), catalog, providers),
            store,
            log,
            clock,
        }
    }

    /// Examines every session that has not ended under these rules, one after the other, and gives each to `take`: by
    /// workspace, then the latest activity first. A page of a list is in memory at a time.
    ///
    /// # Errors
    /// When the workspaces or a page of their lists cannot be read, and the first error of `take`.
    pub async fn run<E: From<UseCaseError>>(
        &self,
        book: &RuleBook,
        mut take: impl FnMut(SessionForecast) -> Result<(), E>,
    ) -> Result<(), E> {
        for WorkspaceRow { key, body, .. } in self.store.workspaces().await.map_err(UseCaseError::from)? {
            let rules = WorkspaceBody::decode(&body).map(|body| book.for_workspace(&body.settings));
            let mut after = None;
            loop {
                let page = open_session_page(&*self.log, &key, after.take()).await?;
                for (line, place) in page.lines {
                    let stand = match &rules {
                        Ok(rules) => self.forecast_line(&line, rules).await?,
                        Err(fault) => Err(fault.to_string()),
                    };
                    let SessionListRow { id, workspace, name, .. } = line;
                    take(SessionForecast { session: id, workspace, name, stand })?;
                    after = Some(place);
                }
                if !page.is_more {
                    break;
                }
            }
        }
        Ok(())
    }

    /// The forecast of a session, or why it cannot be read: an unreadable session does not hide the others.
    async fn forecast_line(
        &self,
        line: &SessionListRow,
        rules: &RuleBook,
    ) -> Result<Result<Box<SessionForecastDetails>, String>, UseCaseError> {
        match self.store.session(&line.workspace, &line.id).await {
            Ok(Some(row)) => {
                let forecast = self.forecast_session(&row, rules).await;
                Ok(forecast.map(Box::new).map_err(|error| error.to_string()))
            }
            Ok(None) => Ok(Err(session_not_found(&line.id).to_string())),
            Err(StoreError::Inconsistent(why)) => Ok(Err(why)),
            Err(error @ StoreError::Unavailable(_)) => Err(error.into()),
        }
    }

    async fn forecast_session(
        &self,
        row: &SessionRow,
        book: &RuleBook,
    ) -> Result<SessionForecastDetails, UseCaseError> {
        let view = SessionView::from_row(row)?;
        let rules = book.rules_for_session(&view.facts).clone();
        let verify = VerifySession::new(self.store.clone(), self.log.clone());
        let replays = match verify.run(&row.workspace, &row.id).await {
            // It is going by the retention policy, so nothing of it is replayed any more.
            Err(UseCaseError::NotApplicable(_)) => true,
            verified => verified?.is_none(),
        };
        let approvals = self.approvals.run(&row.workspace, &row.id).await?;
        let (facts, phase) = (view.facts.clone(), view.phase.clone());
        let snapshot = Snapshot { facts, phase };
        let ailments = self.examine.ailments(&snapshot);
        let Snapshot { facts, phase } = &snapshot;
        let woken = wake_at(facts, phase, &rules).map(|at| (at, wake_reason(facts, phase, &rules, at)));
        let next = desired_effects(facts, phase, self.clock.now());
        Ok(SessionForecastDetails { view, next, woken, approvals, ailments, rules, replays })
    }
}
