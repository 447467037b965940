use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{Effect, SessionRules, WakeReason, desired_effects, wake_at, wake_reason};
use entracte_domain::time::Timestamp;

use super::{
    ApprovalView, ExamineSessions, ReadApprovals, SessionDefect, SessionView, UseCaseError, VerifySession,
};
use crate::codec::WorkspaceBody;
use crate::commands::Catalog;
use crate::journal::Snapshot;
use crate::ports::{
    Clock, LogReader, ProviderRegistry, ResourceReader, SessionFilter, SessionRow, SessionRows,
    UnreadableSession, WorkspaceStore,
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
/// # example(async {
/// let mut log = MockLogReader::new();
/// log.expect_sessions().returning(|_| Ok(vec![samples::row(samples::facts()).unwrap()].into()));
/// log.expect_entries().returning(|_, _, _, _| Ok(vec![]));
/// # let store = samples::store();
/// # let mut providers = MockProviderRegistry::new();
/// # providers.expect_provider().returning(|_| Ok(Arc::new(MockProvider::new())));
/// # let (store, log): (Arc<dyn WorkspaceStore>, Arc<dyn LogReader>) = (Arc::new(store), Arc::new(log));
/// # let rows = Arc::new(MockResourceReader::new());
/// # let catalog = Arc::new(Catalog::new(&[]).unwrap());
/// let look = ForecastSessions::new(store, log, rows, catalog, Arc::new(providers), Arc::new(samples::clock()));
/// let sights = look.run(&RuleBook::default()).await?;
/// let stand = sights[0].stand.as_ref().unwrap();
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

    /// Every session that has not ended, under these rules.
    ///
    /// # Errors
    /// When the list of sessions cannot be read.
    pub async fn run(&self, book: &RuleBook) -> Result<Vec<SessionForecast>, UseCaseError> {
        let open = SessionFilter { open: true, ..SessionFilter::default() };
        let mut sights = Vec::new();
        let SessionRows { rows, unreadable } = self.log.sessions(&open).await?;
        for row in rows {
            // An unreadable session does not hide the others.
            let stand =
                self.forecast_session(&row, book).await.map(Box::new).map_err(|error| error.to_string());
            sights.push(SessionForecast { session: row.id, workspace: row.workspace, name: row.name, stand });
        }
        sights.extend(unreadable.into_iter().map(|UnreadableSession { line, why }| SessionForecast {
            session: line.id,
            workspace: line.workspace,
            name: line.name,
            stand: Err(why),
        }));
        Ok(sights)
    }

    async fn forecast_session(
        &self,
        row: &SessionRow,
        book: &RuleBook,
    ) -> Result<SessionForecastDetails, UseCaseError> {
        let view = SessionView::from_row(row)?;
        let settings = WorkspaceBody::load(&*self.store, &row.workspace).await?.settings;
        let book = book.for_workspace(&settings);
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
