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
use crate::texts::ReaderLanguage;

/// Follows a session from an entry of its log until it is idle. It reads committed rows only, so it may run in another
/// process than the session.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// // A chat that rests already: its turn is returned immediately.
/// let follow = FollowTurn::new(
///     Arc::new(samples::store()),
///     Arc::new(samples::log("Hello.")),
///     Arc::new(MockResourceReader::new()),
///     Arc::new(Catalog::new(&[]).unwrap()),
///     Arc::new(samples::clock()),
/// );
/// let turn = follow.run_until_idle(&samples::workspace(), &samples::session(), 0).await?;
/// assert_eq!(turn.outcome(), TurnOutcome::Done);
/// assert_eq!(turn.reply, None);
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Only reads: dropping it leaves nothing behind, and the session continues. Repeated from the same number it returns
/// the same, and later changes.
pub struct FollowTurn {
    turns: TurnViewBuilder,
    poll: Millis,
    live: Option<Arc<LiveText>>,
}

/// The polling interval for changes made by other processes.
const BESIDE: Millis = Millis(250);

/// The result of one read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FollowUpdate {
    /// New entries.
    pub entries: Vec<JournalEntry>,
    /// The number of the last entry read.
    pub last: u64,
    /// The current session.
    pub session: SessionView,
    /// Whether the session is idle: it does nothing more without new input.
    pub rests: bool,
}

impl FollowTurn {
    /// Creates the use case over these ports; polls every 25 ms, unless it uses
    /// [`with_live_text`](Self::with_live_text).
    pub fn new(
        store: Arc<dyn WorkspaceStore>,
        log: Arc<dyn LogReader>,
        rows: Arc<dyn ResourceReader>,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let reader = ReaderLanguage::OF_WORKSPACE;
        let turns = TurnViewBuilder { store, log, rows, catalog, clock, reader };
        Self { turns, poll: Millis(25), live: None }
    }

    /// Words cards and reasons in the language of this reader.
    #[must_use]
    pub fn for_reader(mut self, reader: ReaderLanguage) -> Self {
        self.turns.reader = reader;
        self
    }

    /// Uses signals for changes made in this process; changes of other processes are polled at a longer interval.
    #[must_use]
    pub fn with_live_text(self, live: Arc<LiveText>) -> Self {
        Self { live: Some(live), ..self }
    }

    /// The number of the workspace's last entry, after which the next turn begins.
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

    /// Reads the entries after that number, and the session.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn read_update(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
    ) -> Result<FollowUpdate, UseCaseError> {
        // The session first: entries committed between the two reads are returned by the next read.
        let view = ShowSession::new(self.turns.store.clone()).run(workspace, session).await?;
        let entries = ReadLog::new(self.turns.log.clone()).entries(workspace, session, after).await?;
        let last = entries.last().map_or(after, |entry| entry.seq);
        let rests = is_idle(&view) || self.turns.is_waiting_for_idle_agents(&view).await?;
        let rests = rests && entries.last().is_none_or(|entry| entry.sequence == view.facts.sequence);
        Ok(FollowUpdate { entries, last, session: view, rests })
    }

    /// Waits for a change, or until the next poll.
    pub async fn wait_for_change(&self) {
        self.turns.clock.sleep(self.poll).await;
    }

    /// Waits until the session is idle.
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
            // Changes from here on are signalled.
            if let Some(ear) = &mut ear {
                ear.version();
            }
            let watched = self.read_update(workspace, session, last).await?;
            last = watched.last;
            if watched.rests {
                let turn = self.turns.view(workspace, session, after).await?;
                // A decision may have been committed between the two reads.
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

    /// The current state of the turn.
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
    /// Creates the use case that follows sessions of these services.
    pub fn follow(&self) -> FollowTurn {
        FollowTurn::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog.get(),
            self.clock.clone(),
        )
    }
}
