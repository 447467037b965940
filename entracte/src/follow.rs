//! Follows a session until it rests, in this process or beside the process that owns it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use entracte_adapters_http::shapes::frame::LevelCallShape;
use entracte_adapters_http::shapes::session::QueueShape;
use entracte_adapters_http::shapes::turn::{TurnReading, TurnShape};
use entracte_application::commands::Catalog;
use entracte_application::journal::JournalEntry;
use entracte_application::ports::Clock;
use entracte_application::stream::{Cursor, CursorFrame, ReplyChannel, StreamFrame, StreamReadStart};
use entracte_application::system::SystemClock;
use entracte_application::texts::say;
use entracte_application::use_cases::{
    EventReader, FindUnfinishedSessions, FollowUpdate, InterruptRound, QueuePosition, SessionView, TurnView,
    settings_of,
};
use entracte_domain::id::{RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::session::Standing;

use crate::app_services::AppServices;
use crate::error::CliError;
use crate::model_stream::ModelStreamSubscription;
use crate::raw_keyboard::TurnKeyAction;
use crate::render::progress::SessionActivity;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

/// Callbacks while a session is followed.
pub(crate) trait SessionWatcher: Send {
    /// Called for each committed entry.
    fn on_entry(&mut self, entry: &JournalEntry) -> Result<(), CliError>;

    /// Called when the session starts to wait for a slot, or its position changes.
    fn on_slot_wait(&mut self, _session: &str, _place: &QueueShape) {}

    /// Called for each part of a reply; void if the attempt fails.
    fn on_reply_delta(&mut self, _piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// Called for each part of the model's visible reasoning.
    fn on_reasoning_delta(&mut self, _piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// Called when a running call of the session says how far it is.
    fn on_call_progress(&mut self, _calls: &[LevelCallShape]) {}

    /// Called with what the session does at every poll.
    fn on_session_state(&mut self, _activity: &SessionActivity) {}

    /// The key that a person pressed since the last poll.
    fn poll_key(&mut self) -> Option<TurnKeyAction> {
        None
    }
}

/// A part of a model's reply, as it is streamed.
pub(crate) struct ReplyTextDelta<'a> {
    /// The attempt that streams it.
    pub(crate) number: RoundAttempt,
    /// The text of the part.
    pub(crate) text: &'a str,
}

/// The result of following a turn.
pub(crate) struct TurnCompletion<T = TurnShape> {
    /// The state of the turn.
    pub(crate) turn: T,
    /// Whether a person interrupted it from here.
    pub(crate) interrupted: bool,
    /// Whether a person left before it rested.
    pub(crate) left: bool,
}

/// The entries that were followed.
#[derive(Clone, Copy)]
pub(crate) struct FollowedSpan {
    /// The number of the entry before the first one.
    pub(crate) after: u64,
    /// The number of the last one.
    pub(crate) last: u64,
}

impl TurnCompletion<TurnView> {
    /// The same with the shape of the turn.
    pub(crate) fn shape(&self, catalog: &Catalog, span: FollowedSpan) -> TurnCompletion {
        let FollowedSpan { after, last } = span;
        let reading = TurnReading { after, last, rests: !self.left, now: SystemClock.now() };
        let turn = TurnShape::new(&self.turn, None, catalog, reading);
        TurnCompletion { turn, interrupted: self.interrupted, left: self.left }
    }
}

/// The position up to which a follower has read a session's log: every entry once, in order.
pub(crate) struct SessionEventCursor {
    /// `None` before the first read.
    events: Option<EventReader>,
    /// Receives the live text of a server during the read.
    relay: Option<ModelStreamSubscription>,
    /// Received frames that are not shown yet.
    ready: VecDeque<CursorFrame>,
    /// The number of the last entry read.
    pub(crate) last: u64,
    /// The round and number of the attempt whose text is being received.
    speaks: RoundAttempt,
}

impl SessionEventCursor {
    /// Starts after this entry.
    pub(crate) fn starting_after(last: u64) -> Self {
        Self { events: None, relay: None, ready: VecDeque::new(), last, speaks: RoundAttempt::default() }
    }

    /// Waits until there may be new events.
    async fn wait_for_events(&mut self) {
        match &mut self.events {
            Some(events) => events.wait_for_change().await,
            None => std::future::pending().await,
        }
    }

    /// Marks the log as possibly changed by another process.
    fn mark_stale(&mut self) {
        if let Some(events) = &mut self.events {
            events.invalidate();
        }
    }

    /// Takes the oldest received frame.
    fn pop_event(&mut self) -> Option<CursorFrame> {
        let told = self.ready.pop_front()?;
        match &told.frame {
            StreamFrame::Entry(entry) => self.last = entry.seq,
            StreamFrame::StreamStart { number, .. } => self.speaks = *number,
            StreamFrame::Hello { .. }
            | StreamFrame::StreamChunk { .. }
            | StreamFrame::StreamComplete { .. }
            | StreamFrame::StreamSuperseded { .. }
            | StreamFrame::Changed(_)
            | StreamFrame::Session(_)
            | StreamFrame::Resync(_) => {}
            // Frames may grow: unknown ones do not move the cursor.
            _ => {}
        }
        Some(told)
    }
}

/// Follows one session.
pub(crate) struct SessionFollower<'a> {
    /// The services.
    pub(crate) services: &'a AppServices,
    /// The runtime access.
    pub(crate) runtime: &'a Arc<RuntimeAccess>,
    /// The person who may interrupt.
    pub(crate) author: &'a str,
    /// The workspace of the session.
    pub(crate) workspace: &'a WorkspaceKey,
    /// The id of the session.
    pub(crate) session: &'a SessionId,
}

/// Listens for Ctrl-C without a gap, so that a press during other work is not lost.
pub(crate) struct CtrlCListener(Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>);

impl CtrlCListener {
    /// Starts to listen.
    pub(crate) fn listen() -> Self {
        Self(Box::pin(tokio::signal::ctrl_c()))
    }

    /// Waits until Ctrl-C is pressed.
    pub(crate) async fn wait_for_press(&mut self) {
        match (&mut self.0).await {
            Ok(()) => *self = Self::listen(),
            Err(error) => {
                tracing::debug!(%error, "Ctrl-C cannot be received here");
                std::future::pending().await
            }
        }
    }
}

/// The progress of a follower.
struct FollowProgress<'r> {
    reading: &'r mut SessionEventCursor,
    ctrl_c: CtrlCListener,
    looks: u32,
    interrupted: bool,
    left: bool,
    /// The state of the session at the last poll.
    session: Option<SessionView>,
    /// Its last known position in the slot queue.
    place: Option<QueuePosition>,
}

/// The reason why the follower woke.
enum FollowWakeup {
    Heard,
    Looked,
    Interrupted,
}

impl SessionFollower<'_> {
    /// Waits until the session rests. The turn consists of the entries after `after`.
    pub(crate) async fn until_rest(
        &self,
        after: u64,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion<TurnView>, CliError> {
        self.follow_until_rest(&mut SessionEventCursor::starting_after(after), watcher).await
    }

    /// Shows the unread entries until the session rests. The turn consists of the entries since then.
    pub(crate) async fn follow_until_rest(
        &self,
        reading: &mut SessionEventCursor,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion<TurnView>, CliError> {
        let (after, ctrl_c) = (reading.last, CtrlCListener::listen());
        let (interrupted, left) = (false, false);
        let mut seen =
            FollowProgress { reading, ctrl_c, looks: 0, interrupted, left, session: None, place: None };
        loop {
            while !seen.left && !self.show_new_entries(&mut seen, watcher).await? {
                self.wait(&mut seen, watcher).await?;
            }
            let turn = self.services.follow().view(self.workspace, self.session, after).await?;
            let rested = seen.session.as_ref().map(|session| session.facts.sequence);
            if seen.left || rested == Some(turn.session.facts.sequence) {
                return Ok(TurnCompletion { turn, interrupted: seen.interrupted, left: seen.left });
            }
            // Another person decided between the two reads.
            seen.reading.mark_stale();
            seen.session = None;
        }
    }

    /// Waits until the session works, or until an entry to show arrives; other entries count as read.
    pub(crate) async fn wait_for_work_or_entry(
        &self,
        reading: &mut SessionEventCursor,
        is_shown: impl Fn(&JournalEntry) -> bool,
    ) -> Result<(), CliError> {
        let mut looks = 0_u32;
        let is_news =
            |told: &CursorFrame| matches!(&told.frame, StreamFrame::Entry(entry) if is_shown(entry));
        loop {
            let told = self.read(reading).await?;
            if reading.ready.iter().any(is_news) {
                return Ok(());
            }
            // Reply text is shown when its entries are read.
            while reading.pop_event().is_some() {}
            if told && !self.view_since(reading.last).await?.rests {
                return Ok(());
            }
            tokio::select! {
                () = reading.wait_for_events() => {}
                () = self.pause() => looks = looks.wrapping_add(1),
            }
            if self.runtime.try_take_ownership(looks).await? || self.should_poll_log(looks).await {
                reading.mark_stale();
            }
        }
    }

    /// Reads all available entries; returns whether there were any.
    async fn read(&self, reading: &mut SessionEventCursor) -> Result<bool, CliError> {
        let events = match &mut reading.events {
            Some(events) => events,
            None => {
                let from = StreamReadStart::At(Cursor { seq: reading.last, spoken: None });
                let read = self.services.events();
                let opened = read.open(self.workspace, Some(self.session), from, None).await?;
                reading.relay = Some(ModelStreamSubscription::subscribe(
                    self.services,
                    Some(self.runtime),
                    self.workspace,
                    self.session,
                    self.author,
                ));
                reading.events.insert(opened)
            }
        };
        let before = reading.ready.len();
        loop {
            let told = events.read_available(true).await?;
            if told.is_empty() {
                return Ok(reading.ready.len() > before);
            }
            reading.ready.extend(told);
        }
    }

    /// The state of the session since an entry.
    async fn view_since(&self, last: u64) -> Result<FollowUpdate, CliError> {
        Ok(self.services.follow().read_update(self.workspace, self.session, last).await?)
    }

    async fn pause(&self) {
        self.services.follow().wait_for_change().await;
    }

    /// Whether to poll for entries of an owner in another process.
    async fn should_poll_log(&self, looks: u32) -> bool {
        looks % LOOKS_BESIDE == LOOKS_BESIDE - 1 && !self.runtime.refresh_is_owner().await
    }

    /// Shows new entries; returns true when the session rests.
    async fn show_new_entries(
        &self,
        seen: &mut FollowProgress<'_>,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<bool, CliError> {
        let told = self.read(seen.reading).await?;
        while let Some(told) = seen.reading.pop_event() {
            dispatch_event(&told, seen.reading.speaks, watcher)?;
        }
        let is_first = seen.session.is_none();
        if !told && !is_first {
            // Relative times change at every poll.
            seen.session.iter().for_each(|session| watcher.on_session_state(&session.into()));
            return Ok(false);
        }
        let watched = self.view_since(seen.reading.last).await?;
        self.report_slot_place(seen, &watched, watcher).await?;
        watcher.on_session_state(&SessionActivity::from(&watched.session));
        // Entries committed meanwhile are shown first: they contain the end of text that was not streamed.
        let is_all = watched.entries.is_empty();
        if !is_all {
            seen.reading.mark_stale();
        }
        seen.session = Some(watched.session);
        Ok(watched.rests && is_all)
    }

    /// Reports the position in the slot queue when it has changed.
    async fn report_slot_place(
        &self,
        seen: &mut FollowProgress<'_>,
        watched: &FollowUpdate,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<(), CliError> {
        if !waits_for_slot(watched.session.standing) || watched.rests {
            seen.place = None;
            return Ok(());
        }
        let Some(place) = self.services.slot_place(self.workspace, self.session).await? else {
            return Ok(());
        };
        if seen.place.as_ref().is_none_or(|before| !is_same_slot_place(before, &place)) {
            watcher.on_slot_wait(self.session.as_str(), &QueueShape::from(&place));
            seen.place = Some(place);
        }
        Ok(())
    }

    /// Waits for events, or for the next poll.
    async fn wait(
        &self,
        seen: &mut FollowProgress<'_>,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<(), CliError> {
        match watcher.poll_key() {
            Some(TurnKeyAction::Leaves) => {
                seen.left = true;
                return Ok(());
            }
            Some(TurnKeyAction::Interrupts) => return self.handle_interrupt(seen).await,
            None => {}
        }
        let woken = tokio::select! {
            biased;
            () = seen.ctrl_c.wait_for_press() => FollowWakeup::Interrupted,
            () = seen.reading.wait_for_events() => FollowWakeup::Heard,
            () = self.pause() => FollowWakeup::Looked,
        };
        match woken {
            FollowWakeup::Heard => {}
            FollowWakeup::Looked => seen.looks = seen.looks.wrapping_add(1),
            FollowWakeup::Interrupted => self.handle_interrupt(seen).await?,
        }
        if self.runtime.try_take_ownership(seen.looks).await? || self.should_poll_log(seen.looks).await {
            seen.reading.mark_stale();
            seen.session = None;
        }
        // The sessions ahead may change although the position stays the same.
        let has_place = seen.place.is_some();
        // An agent's work, and its waits for a person, are in the agent's own log.
        let has_agents = seen.session.as_ref().is_some_and(|session| !session.facts.children.is_empty());
        if (has_place || has_agents) && seen.looks.is_multiple_of(LOOKS_AT_PLACE) {
            seen.session = None;
        }
        Ok(())
    }

    /// Interrupts the round; a second request leaves the session.
    async fn handle_interrupt(&self, seen: &mut FollowProgress<'_>) -> Result<(), CliError> {
        if seen.interrupted {
            return Err(left_alone_error(self.session.as_str()));
        }
        seen.interrupted = self.interrupt().await?;
        Ok(())
    }

    /// Interrupts the round. It is no error if nothing is running any more.
    async fn interrupt(&self) -> Result<bool, CliError> {
        let interrupt = InterruptRound::new(self.runtime.clone());
        let asked = interrupt.run(self.workspace, self.session, self.author.to_owned()).await;
        if let Err(error) = asked {
            tracing::debug!(%error, "there was nothing to interrupt");
        }
        Ok(true)
    }
}

/// Whether a session of this standing waits for a slot.
pub(crate) fn waits_for_slot(standing: Standing) -> bool {
    match standing {
        Standing::Queued | Standing::Suspended => true,
        Standing::Template | Standing::Open | Standing::Active | Standing::Parked | Standing::Ended => false,
    }
}

/// Whether two queue positions look the same to a person.
pub(crate) fn is_same_slot_place(before: &QueuePosition, now: &QueuePosition) -> bool {
    let ahead = |place: &QueuePosition| -> Vec<(SessionId, Standing)> {
        place.ahead.iter().map(|ahead| (ahead.session.clone(), ahead.standing)).collect()
    };
    before.position == now.position && ahead(before) == ahead(now)
}

/// Polls between two reads of the slot queue, or of a session's agents.
pub(crate) const LOOKS_AT_PLACE: u32 = 8;

/// Polls between two reads of another process's entries: a quarter of a second.
const LOOKS_BESIDE: u32 = 10;

fn dispatch_event(
    told: &CursorFrame,
    number: RoundAttempt,
    watcher: &mut dyn SessionWatcher,
) -> Result<(), CliError> {
    match &told.frame {
        StreamFrame::Entry(entry) => watcher.on_entry(entry),
        StreamFrame::StreamChunk { channel: ReplyChannel::Text, text, .. } => {
            watcher.on_reply_delta(&ReplyTextDelta { number, text })
        }
        StreamFrame::StreamChunk { channel: ReplyChannel::Reasoning, text, .. } => {
            watcher.on_reasoning_delta(&ReplyTextDelta { number, text })
        }
        StreamFrame::Session(level) => {
            let calls: Vec<LevelCallShape> = level.calls.iter().map(LevelCallShape::from).collect();
            watcher.on_call_progress(&calls);
            Ok(())
        }
        StreamFrame::Hello { .. }
        | StreamFrame::StreamStart { .. }
        | StreamFrame::StreamComplete { .. }
        | StreamFrame::StreamSuperseded { .. }
        | StreamFrame::Changed(_)
        | StreamFrame::Resync(_) => Ok(()),
        // Frames may grow: unknown ones are not shown.
        _ => Ok(()),
    }
}

/// The error of a person who leaves a session that they interrupted.
pub(crate) fn left_alone_error(session: &str) -> CliError {
    let text = message!("left-working", session = session);
    CliError::new(crate::error::CliExitCode::Interrupted, text)
}

/// Before an owner exits: waits until the sessions that it would interrupt rest. Ctrl-C exits immediately.
pub(crate) async fn drain_before_exit(
    services: &AppServices,
    runtime: &RuntimeAccess,
    say: impl Fn(&str),
) -> Result<(), CliError> {
    if !runtime.refresh_is_owner().await {
        return Ok(());
    }
    let left = FindUnfinishedSessions::new(services.store.clone(), services.clock.clone());
    let follow = services.follow();
    let mut looks = 0_u32;
    let mut ctrl_c = CtrlCListener::listen();
    loop {
        let Some((workspace, _)) = left.run().await?.into_iter().next() else { return Ok(()) };
        if looks == LOOKS_BEFORE_WORDS {
            let settings = settings_of(&*services.store, &workspace).await?;
            let texts = settings.texts_for(services.reader);
            say(&say!(texts, "still-working", workspace = workspace.as_str()));
        }
        looks = looks.saturating_add(1);
        tokio::select! {
            () = ctrl_c.wait_for_press() => return Ok(()),
            () = follow.wait_for_change() => {}
        }
    }
}

/// Polls before a person sees what the process waits for: a second.
const LOOKS_BEFORE_WORDS: u32 = 40;
