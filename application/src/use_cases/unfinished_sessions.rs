use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::UseCaseError;
use crate::ports::{Clock, WorkspaceStore};

use_case! {
    /// Finds the unfinished work in the database: a process that would release ownership checks it first, because the
    /// next owner must begin interrupted work again.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_due().returning(|_| Ok(vec![(samples::workspace(), samples::session())]));
    /// let works = || SessionRow { working: true, ..samples::row(samples::facts()).unwrap() };
    /// store.expect_session().returning(move |_, _| Ok(Some(works())));
    /// let left = FindUnfinishedSessions::new(Arc::new(store), Arc::new(SystemClock)).run().await?;
    /// assert_eq!(left, [(samples::workspace(), samples::session())]);
    /// # Ok(()) });
    /// ```
    pub struct FindUnfinishedSessions reads (store: dyn WorkspaceStore, clock: dyn Clock)
}

impl FindUnfinishedSessions {
    /// The sessions of all workspaces that a starting process would resume.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run(&self) -> Result<Vec<(WorkspaceKey, SessionId)>, UseCaseError> {
        let now = self.clock.now();
        let mut left = Vec::new();
        for (workspace, session) in self.store.due(now).await? {
            // If the clock was set back, there may be no work before it reaches the deadline again.
            if self.store.session(&workspace, &session).await?.is_some_and(|row| row.has_work(now)) {
                left.push((workspace, session));
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;
    use crate::kit::MachineSessionFixture;
    use crate::ports::{MockClock, MockWorkspaceStore, SessionRow};

    /// The unfinished sessions at this instant, of three that may be due: one with this deadline, one that works, and
    /// a deleted one.
    async fn left(now: i64, deadline: i64) -> Vec<SessionId> {
        let mut clock = MockClock::new();
        clock.expect_now().return_const(Timestamp(now));
        let mut store = MockWorkspaceStore::new();
        let due = ["ses_a", "ses_b", "ses_c"].map(|id| (WorkspaceKey::new("ann:home"), SessionId::new(id)));
        store.expect_due().withf(move |asked| *asked == Timestamp(now)).returning(move |_| Ok(due.to_vec()));
        store.expect_session().returning(move |_, id| {
            let row = MachineSessionFixture::chat().row();
            Ok(match id.as_str() {
                "ses_a" => Some(SessionRow { wake_at: Some(Timestamp(deadline)), working: false, ..row }),
                "ses_b" => Some(SessionRow { wake_at: None, working: true, ..row }),
                _ => None,
            })
        });
        let left = FindUnfinishedSessions::new(Arc::new(store), Arc::new(clock)).run().await.unwrap();
        left.into_iter().map(|(_, session)| session).collect()
    }

    #[tokio::test]
    async fn sessions_with_work_are_unfinished() {
        assert_eq!(left(7, 7).await, ["ses_a", "ses_b"].map(SessionId::new));
        // It is examined because the clock was set back, and has no work.
        assert_eq!(left(7, 8).await, [SessionId::new("ses_b")]);
    }
}
