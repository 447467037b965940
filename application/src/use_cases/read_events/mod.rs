mod session_status;
mod start_position;

use std::collections::VecDeque;
use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Standing;
use entracte_domain::time::Millis;

use self::start_position::EventReaderStart;
use super::agent_tree::running_agents;
use super::{ReadQueue, ReadRunningTree, ShowSession, UseCaseError};
use crate::codec::decode_entry;
use crate::journal::JournalEntry;
use crate::ports::{Clock, LogReader, LogRow, ResourceChangeRow, WorkspaceStore};
use crate::runtime::RuntimeServices;
use crate::stream::{
    AttemptEnd, AttemptOffset, AttemptPosition, CursorFrame, LiveSubscription, LiveText, LiveVersion,
    SessionLevel, StreamFrame, StreamPosition, StreamReadStart, attempt_end,
};

/// The polling interval for changes made by other processes.
const BESIDE: Millis = Millis(250);

/// The number of rows read per page.
const ROWS: u32 = 200;

/// The maximum size in bytes of the rows of one batch, which the last row may exceed.
const ROWS_BYTES: usize = 1024 * 1024;

use_case! {
    /// Reads the events of a workspace or of one session from a cursor on: the same frames in the same order for every
    /// reader, whenever they connect and however often they are interrupted. `live` contains the live text of this
    /// process.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::stream::{Cursor, LiveText, StreamFrame, StreamReadStart};
    /// # example(async {
    /// let mut store = MockWorkspaceStore::new();
    /// store.expect_workspace().returning(|_| Ok(Some(WorkspaceRow { seq: 1, ..samples::commit().workspace })));
    /// let mut log = MockLogReader::new();
    /// log.expect_entries_of_all().returning(|_, after, _| {
    ///     Ok((after == 0).then(|| samples::user_message_row("Hello.").unwrap()).into_iter().collect())
    /// });
    /// log.expect_changes().returning(|_, _, _| Ok(vec![]));
    /// let clock = Arc::new(MockClock::new());
    /// let read = ReadEvents::new(Arc::new(store), Arc::new(log), Arc::new(LiveText::default()), clock);
    ///
    /// let mut reader = read.open(&samples::workspace(), None, StreamReadStart::At(Cursor::default()), None).await?;
    /// let told = reader.read_available(true).await?;
    /// assert!(matches!(told[0].frame, StreamFrame::Hello { .. }));
    /// let told = reader.read_available(true).await?;
    /// assert!(matches!(&told[0].frame, StreamFrame::Entry(entry) if entry.seq == 1));
    /// assert_eq!(told[0].at, Some(Cursor { seq: 1, spoken: None }));
    /// assert_eq!(reader.read_available(true).await?, []);
    /// # Ok(()) });
    /// ```
    #[derive(Clone)]
    pub struct ReadEvents reads (store: dyn WorkspaceStore, log: dyn LogReader, live: LiveText, clock: dyn Clock)
}

/// A reader of events: returns the next frames until there are none, and then waits for changes.
///
/// ```
/// # use entracte_application::use_cases::{EventReader, UseCaseError};
/// use entracte_application::stream::StreamFrame;
///
/// /// Prints live model text.
/// async fn print(mut reader: EventReader) -> Result<(), UseCaseError> {
///     loop {
///         for told in reader.wait_for_frames().await? {
///             if let StreamFrame::StreamChunk { text, .. } = told.frame {
///                 print!("{text}");
///             }
///         }
///     }
/// }
/// ```
///
/// # Cancel safety
/// [`wait_for_frames`](Self::wait_for_frames), [`read_available`](Self::read_available) and
/// [`wait_for_change`](Self::wait_for_change) may be dropped at any time, also in a `select!`, and called again: no
/// frame is lost or repeated. [`ReadEvents::open`] at the [`cursor`](Self::cursor) of a dropped reader continues after
/// it.
pub struct EventReader {
    read: ReadEvents,
    workspace: WorkspaceKey,
    session: Option<SessionId>,
    place: StreamPosition,
    /// The frames to return before all others.
    backlog: VecDeque<CursorFrame>,
    /// The session status that was last returned.
    level: Option<SessionLevel>,
    /// Whether agents ran below the session at the last read: what they wait for is part of its status.
    has_running_agents: bool,
    /// Signals changes of the stream that is read.
    own: LiveSubscription,
    /// Signals changes of the whole workspace: the queue position of a session, and what waits below it, depend on other
    /// sessions.
    all: LiveSubscription,
    /// The version at the last read of rows.
    seen: Option<LiveVersion>,
    /// Whether there are more rows.
    is_behind: bool,
}

impl ReadEvents {
    /// Opens the events of a session, or of all sessions of the workspace. The first frame is a
    /// [`Hello`](StreamFrame::Hello). `timeline` is the timeline the cursor belongs to, if the reader knows it.
    ///
    /// # Errors
    /// When there is no such session, or the database cannot be read.
    pub async fn open(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        start: StreamReadStart,
        timeline: Option<&str>,
    ) -> Result<EventReader, UseCaseError> {
        if let Some(session) = session {
            ShowSession::new(self.store.clone()).run(workspace, session).await?;
        }
        let (own, all) = (self.live.subscribe(workspace, session), self.live.subscribe(workspace, None));
        let EventReaderStart { place, backlog } = self.begin(workspace, session, start, timeline).await?;
        Ok(EventReader {
            read: self.clone(),
            workspace: workspace.clone(),
            session: session.cloned(),
            place,
            backlog,
            level: None,
            has_running_agents: false,
            own,
            all,
            seen: None,
            is_behind: false,
        })
    }

    /// The rows committed after a number, in order, and whether there may be more. For a session its entries; for a
    /// workspace also the changes outside of session logs.
    async fn rows(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        after: u64,
    ) -> Result<(Vec<EventReaderRow>, bool), UseCaseError> {
        let is_full = |count: usize| count >= ROWS as usize;
        let Some(session) = session else {
            // Rows committed between these reads are returned by the next read, in order.
            let until = self.store.workspace(workspace).await?.map_or(0, |row| row.seq);
            let changes = self.log.changes(workspace, after, ROWS).await?;
            let entries = self.log.entries_of_all(workspace, after, ROWS).await?;
            return Ok(joined(changes, entries, until));
        };
        let entries = self.log.entries(workspace, session, after, ROWS).await?;
        let is_behind = is_full(entries.len());
        Ok((entries.into_iter().map(EventReaderRow::Entry).collect(), is_behind))
    }
}

impl RuntimeServices {
    /// Reads the events of the workspaces of these services: committed rows, and with `live` the live text of their
    /// models. `live` contains that text if it is the [`feed`](RuntimeServices::feed) of these services.
    pub fn events(&self, live: Arc<LiveText>) -> ReadEvents {
        ReadEvents::new(self.store.clone(), self.log.clone(), live, self.clock.clone())
    }
}

/// A row to be returned as frames.
enum EventReaderRow {
    Entry(LogRow),
    Change(ResourceChangeRow),
}

impl EventReaderRow {
    const fn seq(&self) -> u64 {
        match self {
            Self::Entry(row) => row.seq,
            Self::Change(row) => row.seq,
        }
    }
}

/// Merges changes and entries in the order of their numbers, up to the point where both are complete: at most `until`,
/// and not beyond the end of a full page. Also returns whether there are more.
fn joined(changes: Vec<ResourceChangeRow>, entries: Vec<LogRow>, until: u64) -> (Vec<EventReaderRow>, bool) {
    let end = |count: usize, last: Option<u64>| match count >= ROWS as usize {
        true => last.unwrap_or(until),
        false => until,
    };
    let known = end(changes.len(), changes.last().map(|row| row.seq));
    let known = known.min(end(entries.len(), entries.last().map(|row| row.seq))).min(until);
    let all =
        changes.into_iter().map(EventReaderRow::Change).chain(entries.into_iter().map(EventReaderRow::Entry));
    let (mut rows, later): (Vec<EventReaderRow>, Vec<EventReaderRow>) =
        all.partition(|row| row.seq() <= known);
    rows.sort_by_key(EventReaderRow::seq);
    (rows, known < until || !later.is_empty())
}

impl EventReader {
    /// The next frames; empty if all were returned. May be cancelled. Unstored text is included only if `hears`; other
    /// readers miss nothing, because it is returned again once it is stored.
    ///
    /// # Errors
    /// When the session is gone, or the database cannot be read.
    pub async fn read_available(&mut self, hears: bool) -> Result<Vec<CursorFrame>, UseCaseError> {
        if !self.backlog.is_empty() {
            return Ok(self.backlog.drain(..).collect());
        }
        // The version first: a change between it and the read is signalled to the waiter.
        let version = self.version();
        let is_due = self.is_behind || self.seen.is_none_or(|seen| seen.committed != version.committed);
        let has_progress = self.seen.is_some_and(|seen| seen.progressed != version.progressed);
        // Frames are stored before the next await: a cancelled call returns them the next time.
        if is_due {
            let told = self.rows().await?;
            self.backlog.extend(told);
        }
        if !self.is_behind && hears {
            let told = self.words();
            self.backlog.extend(told);
        }
        if has_progress && hears && !is_due {
            let told = self.progress_level();
            self.backlog.extend(told);
        }
        if is_due && !self.is_behind {
            let told = self.level().await?;
            self.backlog.extend(told);
        }
        self.seen = Some(version);
        Ok(self.backlog.drain(..).collect())
    }

    /// Waits for the next frames and returns them. Writes of other processes are polled, so a reader that only calls
    /// this method receives all frames, in the owner and beside it.
    ///
    /// # Errors
    /// Same as [`read_available`](Self::read_available). The reader may be called again: no frame is skipped.
    pub async fn wait_for_frames(&mut self) -> Result<Vec<CursorFrame>, UseCaseError> {
        loop {
            let told = self.read_available(true).await?;
            if !told.is_empty() {
                return Ok(told);
            }
            let clock = self.read.clock.clone();
            let is_heard = tokio::select! {
                biased;
                () = self.wait_for_change() => true,
                () = clock.sleep(BESIDE) => false,
            };
            if !is_heard {
                self.invalidate();
            }
        }
    }

    /// Waits for a change. Writes of other processes are not signalled: see [`invalidate`](Self::invalidate).
    pub async fn wait_for_change(&mut self) {
        let waits_for_others =
            self.has_running_agents || self.level.as_ref().is_some_and(|level| level.place.is_some());
        tokio::select! {
            () = self.own.wait_for_change() => {}
            () = self.all.wait_for_change(), if waits_for_others => self.seen = None,
        }
    }

    /// Makes the next [`read_available`](Self::read_available) read the rows again, also without a signal.
    pub fn invalidate(&mut self) {
        self.seen = None;
    }

    /// The cursor after the last returned frame.
    pub fn cursor(&self) -> crate::stream::Cursor {
        self.place.cursor()
    }

    fn version(&mut self) -> LiveVersion {
        self.all.version();
        self.own.version()
    }

    async fn rows(&mut self) -> Result<Vec<CursorFrame>, UseCaseError> {
        let after = self.place.cursor().seq;
        let (rows, is_behind) = self.read.rows(&self.workspace, self.session.as_ref(), after).await?;
        let (mut told, mut bytes, mut left) = (Vec::new(), 0, rows.len());
        for row in rows {
            if bytes >= ROWS_BYTES {
                break;
            }
            left -= 1;
            let row = match row {
                EventReaderRow::Entry(row) => row,
                EventReaderRow::Change(change) => {
                    told.push(self.place.change_frame(change));
                    continue;
                }
            };
            bytes += row.body.len();
            let entry = Arc::new(decode_entry(&row)?);
            let corrected = self.place.speech().is_some_and(|speech| self.is_corrected(speech, &entry));
            told.extend(self.place.entry_frames(entry, corrected));
        }
        self.is_behind = is_behind || left > 0;
        Ok(told)
    }

    /// Whether the returned text of an attempt differs from the text that this entry stores.
    fn is_corrected(&self, speech: &AttemptPosition, entry: &JournalEntry) -> bool {
        let (live, workspace) = (&self.read.live, &self.workspace);
        let differs = || match attempt_end(entry, speech.number) {
            Some(AttemptEnd::Complete { text, .. }) => {
                live.differs_from_stored(workspace, &speech.session, speech.attempt, &text)
            }
            Some(AttemptEnd::Superseded(_)) | None => false,
        };
        live.is_corrected(workspace, speech.attempt) || differs()
    }

    fn words(&mut self) -> Vec<CursorFrame> {
        let mut told: Vec<CursorFrame> = self.place.attempt_start_frame().into_iter().collect();
        if let Some(speech) = self.place.speech() {
            let (text, thoughts) = speech.told.unwrap_or_default();
            let from = AttemptOffset { attempt: speech.attempt, text, thoughts };
            let fresh = self.read.live.text_delta(&self.workspace, &speech.session, from);
            told.extend(fresh.map(|fresh| self.place.text_frames(&fresh)).unwrap_or_default());
        }
        told
    }

    /// The last returned status with the present progress of its calls; `None` if that is the same.
    fn progress_level(&mut self) -> Option<CursorFrame> {
        let level = self.level.as_mut()?;
        let progress = self.read.live.call_progress(&self.workspace, &level.session);
        let before = level.clone();
        session_status::apply_progress(level, &progress);
        (*level != before)
            .then(|| CursorFrame { at: None, frame: StreamFrame::Session(Box::new(level.clone())) })
    }

    async fn level(&mut self) -> Result<Option<CursorFrame>, UseCaseError> {
        let Some(session) = &self.session else { return Ok(None) };
        let view = ShowSession::new(self.read.store.clone()).run(&self.workspace, session).await?;
        let queue = ReadQueue::new(self.read.store.clone(), self.read.clock.clone());
        let place = match view.standing {
            Standing::Queued | Standing::Suspended => queue.place(&self.workspace, session).await?,
            Standing::Template | Standing::Open | Standing::Active | Standing::Parked | Standing::Ended => {
                None
            }
        };
        let progress = self.read.live.call_progress(&self.workspace, session);
        self.has_running_agents = !running_agents(&view).is_empty();
        let running = ReadRunningTree::new(self.read.store.clone()).below(view.clone()).await?;
        let level = session_status::of(&view, &running, place.map(|place| place.position), &progress);
        if self.level.as_ref() == Some(&level) {
            return Ok(None);
        }
        self.level = Some(level.clone());
        Ok(Some(CursorFrame { at: None, frame: StreamFrame::Session(Box::new(level)) }))
    }
}
