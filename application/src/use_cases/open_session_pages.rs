use std::collections::VecDeque;
use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::UseCaseError;
use crate::ports::{
    LogReader, SessionCursor, SessionListRow, SessionPage, SessionPageFilter, SessionPageOf,
    SessionPageOrder, WorkspaceStore,
};

/// Sessions of a page.
const PAGE: u32 = 100;

/// Lists the sessions of all workspaces that have not ended: by workspace, then the latest activity first. A page of them is
/// in memory at a time.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # use entracte_application::codec::WorkspaceBody;
/// # use entracte_application::ports::WorkspaceRow;
/// # example(async {
/// let mut log = MockLogReader::new();
/// log.expect_session_page().returning(|filter| filter.select_page(vec![samples::row(samples::facts()).unwrap().into()]));
/// # let mut store = samples::store();
/// # store.expect_workspaces().returning(|| {
/// #     let body = WorkspaceBody::default().encode().unwrap();
/// #     Ok(vec![WorkspaceRow { key: samples::workspace(), seq: 1, body, created_at: samples::NOON, epoch: 0 }])
/// # });
/// let mut pages = OpenSessionPages::begin(&store, Arc::new(log)).await?;
/// assert_eq!(pages.next_page().await?.map(|lines| lines.len()), Some(1));
/// assert_eq!(pages.next_page().await?, None);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads. A page whose reading was dropped is read by the next call.
pub struct OpenSessionPages {
    log: Arc<dyn LogReader>,
    /// The workspaces whose sessions were not all read.
    workspaces: VecDeque<WorkspaceKey>,
    /// The place of the next page in the first of them; `None` = its beginning.
    after: Option<SessionCursor>,
}

impl OpenSessionPages {
    /// Begins with the first page.
    ///
    /// # Errors
    /// When the workspaces cannot be read.
    pub async fn begin(store: &dyn WorkspaceStore, log: Arc<dyn LogReader>) -> Result<Self, UseCaseError> {
        let workspaces = store.workspaces().await?.into_iter().map(|row| row.key).collect();
        Ok(Self { log, workspaces, after: None })
    }

    /// The sessions of the next page, at least one; `None` after the last page.
    ///
    /// # Errors
    /// When the list of a workspace cannot be read.
    pub async fn next_page(&mut self) -> Result<Option<Vec<SessionListRow>>, UseCaseError> {
        while let Some(workspace) = self.workspaces.front() {
            let page = open_session_page(&*self.log, workspace, self.after.clone()).await?;
            self.after = page.lines.last().filter(|_| page.is_more).map(|(_, place)| place.clone());
            if self.after.is_none() {
                self.workspaces.pop_front();
            }
            if !page.lines.is_empty() {
                return Ok(Some(page.lines.into_iter().map(|(line, _)| line).collect()));
            }
        }
        Ok(None)
    }
}

/// A page of the sessions of a workspace that have not ended.
pub(super) async fn open_session_page(
    log: &dyn LogReader,
    workspace: &WorkspaceKey,
    after: Option<SessionCursor>,
) -> Result<SessionPage, UseCaseError> {
    let filter = SessionPageFilter {
        workspace: workspace.clone(),
        of: SessionPageOf::Open,
        order: SessionPageOrder::LatestFirst,
        after,
        limit: PAGE,
        sought: None,
    };
    Ok(log.session_page(&filter).await?)
}
