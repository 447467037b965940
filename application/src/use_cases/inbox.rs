use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::{EndReason, ParkedWhy, UnseenEnd, unseen_end};

use super::turn::{Approval, Turns, Waiting};
use super::{SessionView, ShowSession, UseCaseError};
use crate::commands::Catalog;
use crate::ports::{CallRow, Clock, LogReader, ResourceReader, SessionFilter, Store};

/// One thing that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxItem {
    /// The session it waits in.
    pub session: entracte_domain::id::SessionId,
    /// Name of the session.
    pub name: String,
    /// What it is.
    pub kind: InboxKind,
}

/// What waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub enum InboxKind {
    /// Approval of a call.
    Approval(Box<Approval>),
    /// A question.
    Question(entracte_domain::question::Question),
    /// An action of unknown outcome.
    Unsettled(Box<CallRow>),
    /// A run that rests until a person looks at it.
    Parked(ParkedWhy),
    /// A run that came to nothing, until somebody has seen it ([`super::MarkSeen`]). The session's id is that of the item.
    Ended {
        /// Why a person should look.
        why: UnseenEnd,
        /// How it ended.
        reason: EndReason,
        /// The commands whose approval expired.
        expired: Vec<String>,
    },
}

/// Every open approval, question, unknown outcome and parked run of a workspace, and the runs that came to nothing and
/// that nobody has seen.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{Inbox, InboxKind, UseCaseError};
/// # use entracte_application::commands::Catalog;
/// # use entracte_application::ports::{MockClock, MockLogReader, MockResourceReader, MockStore};
/// # use entracte_domain::session::{ParkedWhy, SessionFacts};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// // A run that was interrupted waits until a person looks at it.
/// let parked = || SessionFacts { parked: Some(ParkedWhy::Interrupted), ..samples::facts() };
/// let mut store = MockStore::new();
/// store.expect_session().returning(move |_, _| Ok(samples::row(parked()).ok()));
/// let mut log = MockLogReader::new();
/// log.expect_lines().returning(move |_| Ok(vec![samples::row(parked()).unwrap().into()]));
/// log.expect_unsettled().returning(|_| Ok(vec![]));
/// # let mut clock = MockClock::new();
/// # clock.expect_now().returning(|| samples::NOON);
/// let inbox = Inbox::new(
///     Arc::new(store),
///     Arc::new(log),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(clock),
/// );
/// let items = inbox.run(&samples::workspace()).await?;
/// assert_eq!(items.len(), 1);
/// assert_eq!(items[0].kind, InboxKind::Parked(ParkedWhy::Interrupted));
/// # Ok(())
/// # }
/// ```
pub struct Inbox {
    turns: Turns,
}

impl Inbox {
    /// Over these ports.
    pub fn new(
        store: Arc<dyn Store>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { turns: Turns { store, log, rows, catalog, clock } }
    }

    /// What waits for a person in this workspace.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<Vec<InboxItem>, UseCaseError> {
        let filter =
            SessionFilter { workspace: Some(workspace.clone()), waiting: true, ..SessionFilter::default() };
        let mut items = Vec::new();
        for line in self.turns.log.lines(&filter).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &line.id).await?;
            items.extend(self.of_session(&view).await?);
        }
        for row in self.turns.log.unsettled(workspace).await? {
            let view = ShowSession::new(self.turns.store.clone()).run(workspace, &row.session).await?;
            items.push(item(&view, InboxKind::Unsettled(Box::new(row))));
        }
        // What somebody has to do stands before what somebody has to know.
        items.sort_by_key(|item| matches!(item.kind, InboxKind::Ended { .. }));
        Ok(items)
    }

    async fn of_session(&self, view: &SessionView) -> Result<Vec<InboxItem>, UseCaseError> {
        let mut items = Vec::new();
        match self.turns.waiting(view).await? {
            Some(Waiting::Validation(approvals)) => {
                let kinds = approvals.into_iter().map(|approval| InboxKind::Approval(Box::new(approval)));
                items.extend(kinds.map(|kind| item(view, kind)));
            }
            Some(Waiting::Question(question)) => items.push(item(view, InboxKind::Question(question))),
            None => {}
        }
        if let Some(ended) = self.ended(view).await? {
            items.push(item(view, ended));
        }
        if let Some(why) = &view.facts.parked {
            items.push(item(view, InboxKind::Parked(why.clone())));
        }
        Ok(items)
    }

    async fn ended(&self, view: &SessionView) -> Result<Option<InboxKind>, UseCaseError> {
        let facts = &view.facts;
        let (Some(why), Some(reason)) = (unseen_end(facts), facts.end_reason) else { return Ok(None) };
        let mut expired = Vec::with_capacity(facts.expired.len());
        for call in &facts.expired {
            let row = self.turns.log.call(&facts.workspace, call).await?;
            expired.extend(row.map(|row| row.command));
        }
        Ok(Some(InboxKind::Ended { why, reason, expired }))
    }
}

fn item(view: &SessionView, kind: InboxKind) -> InboxItem {
    InboxItem { session: view.facts.id.clone(), name: view.facts.name.clone(), kind }
}
