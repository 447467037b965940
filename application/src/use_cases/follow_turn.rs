use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::time::Millis;

use super::turn_view::{TurnViewBuilder, is_idle};
use super::{ReadLog, SessionView, ShowSession, TurnView, UseCaseError};
use crate::commands::Catalog;
use crate::journal::JournalEntry;
use crate::ports::{Clock, LogReader, ResourceReader, WorkspaceStore};
use crate::runtime::RuntimeServices;
use crate::stream::LiveText;

/// Follows a session from an entry of its log until it does nothing more by itself. Works beside the process
/// that runs the session: it reads what was committed.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// // A chat that rests already: its turn is told at once.
/// let follow = FollowTurn::new(
///     Arc::new(samples::store()),
///     Arc::new(samples::log("Hello.")),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(samples::clock()),
/// );
/// let turn = follow.until_rest(&samples::workspace(), &samples::session(), 0).await?;
/// assert_eq!(turn.outcome(), TurnOutcome::Done);
/// assert_eq!(turn.reply, None);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: to drop it leaves nothing behind, and the session goes on. Asked again from the same number it tells
/// the same, and what came since.
pub struct FollowTurn {
    turns: TurnViewBuilder,
    poll: Millis,
    live: Option<Arc<LiveText>>,
}

/// How often it is looked whether another process did something.
const BESIDE: Millis = Millis(250);

/// What was seen at one look.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FollowUpdate {
    /// New entries.
    pub entries: Vec<JournalEntry>,
    /// Number of the last entry seen.
    pub last: u64,
    /// The session as it stands.
    pub session: SessionView,
    /// It does nothing more by itself.
    pub rests: bool,
}

impl FollowTurn {
    /// Over these ports; looks every 25 ms, unless it is [`hearing`](Self::hearing).
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { turns: TurnViewBuilder { store, log, rows, catalog, clock }, poll: Millis(25), live: None }
    }

    /// Hears at once what happens in this process; what another one does is looked for now and then.
    #[must_use]
    pub fn with_live_text(self, live: Arc<LiveText>) -> Self {
        Self { live: Some(live), ..self }
    }

    /// Where the next turn begins: the number of the workspace's last entry.
    ///
    /// # Errors
    /// When there is no such session, or the database cannot be read.
    pub async fn last_entry_number(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<u64, UseCaseError> {
        ShowSession::new(self.turns.store.clone()).run(workspace, session).await?;
        let workspace = self.turns.store.workspace(workspace).await?;
        Ok(workspace.map_or(0, |row| row.seq))
    }

    /// One look at what came after that entry.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn read_update(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<FollowUpdate, UseCaseError> {
        // The state first: entries that come between the two reads are seen with the next look.
        let view = ShowSession::new(self.turns.store.clone()).run(workspace, session).await?;
        let entries = ReadLog::new(self.turns.log.clone()).entries(workspace, session, after).await?;
        let last = entries.last().map_or(after, |entry| entry.seq);
        let rests = is_idle(&view) || self.turns.is_waiting_for_idle_agents(&view).await?;
        let rests = rests && entries.last().is_none_or(|entry| entry.sequence == view.facts.sequence);
        Ok(FollowUpdate { entries, last, session: view, rests })
    }

    /// Waits a little before the next look.
    pub async fn wait_for_change(&self) {
        self.turns.clock.sleep(self.poll).await;
    }

    /// Waits until the session does nothing more by itself.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn run_until_idle(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<TurnView, UseCaseError> {
        let mut last = after;
        let mut ear = self.live.as_ref().map(|live| live.subscribe(workspace, Some(session)));
        loop {
            // What comes from here on is heard.
            if let Some(ear) = &mut ear {
                ear.version();
            }
            let watched = self.read_update(workspace, session, last).await?;
            last = watched.last;
            if watched.rests {
                let turn = self.turns.view(workspace, session, after).await?;
                // Somebody may have decided between the two looks.
                if turn.session.facts.sequence == watched.session.facts.sequence {
                    return Ok(turn);
                }
            }
            match &mut ear {
                None => self.wait_for_change().await,
                Some(ear) => tokio::select! {
                    () = ear.wait_for_change() => {}
                    () = self.turns.clock.sleep(BESIDE) => {}
                },
            }
        }
    }

    /// The turn as it stands now.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn view(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<TurnView, UseCaseError> {
        self.turns.view(workspace, session, after).await
    }
}

impl RuntimeServices {
    /// Follows the sessions of these services.
    pub fn follow(&self) -> FollowTurn {
        FollowTurn::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog.clone(),
            self.clock.clone(),
        )
    }
}
