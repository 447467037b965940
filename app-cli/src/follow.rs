//! Follows a session until it does nothing more by itself, in this process or beside its owner.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;

use entracte_application::journal::JournalEntry;
use entracte_application::stream::{Cursor, CursorFrame, ReplyChannel, StreamFrame, StreamReadStart};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{
    EventReader, FindUnfinishedSessions, FollowUpdate, InterruptRound, QueuePosition, SessionView, TurnView,
    settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Standing;

use crate::app_services::AppServices;
use crate::error::CliError;
use crate::model_stream::ModelStreamSubscription;
use crate::raw_keyboard::TurnKeyAction;
use crate::runtime_access::RuntimeAccess;
use crate::user_text::message;

/// What is shown while a session works.
pub(crate) trait SessionWatcher: Send {
    /// An entry was committed.
    fn on_entry(&mut self, entry: &JournalEntry) -> Result<(), CliError>;

    /// It waits for a slot, or does so at another place than before.
    fn on_slot_wait(&mut self, _place: &QueuePosition) {}

    /// The model says something; void when the attempt fails.
    fn on_reply_delta(&mut self, _piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// The model thinks aloud.
    fn on_reasoning_delta(&mut self, _piece: &ReplyTextDelta<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// How the session stands; told at every look.
    fn on_session_state(&mut self, _session: &SessionView) {}

    /// What a person pressed since the last look.
    fn poll_key(&mut self) -> Option<TurnKeyAction> {
        None
    }
}

/// A piece of what a model says, as it comes.
pub(crate) struct ReplyTextDelta<'a> {
    /// The round.
    pub(crate) round: u32,
    /// The attempt.
    pub(crate) attempt: u32,
    /// The text.
    pub(crate) text: &'a str,
}

/// A turn that came to its rest.
pub(crate) struct TurnCompletion {
    /// What became of it.
    pub(crate) turn: TurnView,
    /// A person interrupted it from here.
    pub(crate) interrupted: bool,
    /// A person left before it came to its rest.
    pub(crate) left: bool,
}

/// How far somebody has read a session: every entry once, in order.
pub(crate) struct SessionEventCursor {
    /// None before anything was read.
    events: Option<EventReader>,
    /// Hears what is said in a server, while this is read.
    relay: Option<ModelStreamSubscription>,
    /// What was told, and not shown.
    ready: VecDeque<CursorFrame>,
    /// Number of the last entry seen.
    pub(crate) last: u64,
    /// Round and number of the attempt whose words come.
    speaks: (u32, u32),
}

impl SessionEventCursor {
    /// From after this entry on.
    pub(crate) fn starting_after(last: u64) -> Self {
        Self { events: None, relay: None, ready: VecDeque::new(), last, speaks: (0, 0) }
    }

    /// Waits until there may be more to read.
    async fn wait_for_events(&mut self) {
        match &mut self.events {
            Some(events) => events.wait_for_change().await,
            None => std::future::pending().await,
        }
    }

    /// Another process may have written.
    fn mark_stale(&mut self) {
        if let Some(events) = &mut self.events {
            events.invalidate();
        }
    }

    /// Takes what was told first.
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
            // Frames may grow: one that is not known here changes no place.
            _ => {}
        }
        Some(told)
    }
}

/// Follows one session.
pub(crate) struct SessionFollower<'a> {
    /// The ports.
    pub(crate) wiring: &'a AppServices,
    /// The way in.
    pub(crate) way: &'a Arc<RuntimeAccess>,
    /// Who interrupts.
    pub(crate) author: &'a str,
    /// Where the session lives.
    pub(crate) workspace: &'a WorkspaceKey,
    /// The session.
    pub(crate) session: &'a SessionId,
}

/// Ctrl-C, listened for without a gap: what is pressed while something else is done is not lost.
pub(crate) struct CtrlCListener(Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>);

impl CtrlCListener {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        Self(Box::pin(tokio::signal::ctrl_c()))
    }

    /// Waits until it is pressed.
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

/// How far a follower is.
struct FollowProgress<'r> {
    reading: &'r mut SessionEventCursor,
    ctrl_c: CtrlCListener,
    looks: u32,
    interrupted: bool,
    left: bool,
    /// How the session stood at the last look.
    session: Option<SessionView>,
    /// Where it was last seen to wait for a slot.
    place: Option<QueuePosition>,
}

/// What woke the follower.
enum FollowWakeup {
    Heard,
    Looked,
    Interrupted,
}

impl SessionFollower<'_> {
    /// Waits until the session rests; the turn is what came after the entry `after`.
    pub(crate) async fn until_rest(
        &self,
        after: u64,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion, CliError> {
        self.follow_until_rest(&mut SessionEventCursor::starting_after(after), watcher).await
    }

    /// Shows what a reader has not seen, until the session rests; the turn is what came since.
    pub(crate) async fn follow_until_rest(
        &self,
        reading: &mut SessionEventCursor,
        watcher: &mut dyn SessionWatcher,
    ) -> Result<TurnCompletion, CliError> {
        let (after, ctrl_c) = (reading.last, CtrlCListener::listen());
        let (interrupted, left) = (false, false);
        let mut seen =
            FollowProgress { reading, ctrl_c, looks: 0, interrupted, left, session: None, place: None };
        loop {
            while !seen.left && !self.show_new_entries(&mut seen, watcher).await? {
                self.wait(&mut seen, watcher).await?;
            }
            let turn = self.wiring.follow().view(self.workspace, self.session, after).await?;
            let rested = seen.session.as_ref().map(|session| session.facts.sequence);
            if seen.left || rested == Some(turn.session.facts.sequence) {
                return Ok(TurnCompletion { turn, interrupted: seen.interrupted, left: seen.left });
            }
            // Somebody decided between the two looks.
            seen.reading.mark_stale();
            seen.session = None;
        }
    }

    /// Waits until the session works, or an entry comes that is to be shown; others count as seen.
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
            // Words are told when the entries of the reply are read.
            while reading.pop_event().is_some() {}
            if told && !self.view_since(reading.last).await?.rests {
                return Ok(());
            }
            tokio::select! {
                () = reading.wait_for_events() => {}
                () = self.pause() => looks = looks.wrapping_add(1),
            }
            if self.way.try_take_ownership(looks).await? || self.should_poll_log(looks).await {
                reading.mark_stale();
            }
        }
    }

    /// Reads all that there is; whether there was anything.
    async fn read(&self, reading: &mut SessionEventCursor) -> Result<bool, CliError> {
        let events = match &mut reading.events {
            Some(events) => events,
            None => {
                let from = StreamReadStart::At(Cursor { seq: reading.last, spoken: None });
                let read = self.wiring.events();
                let opened = read.open(self.workspace, Some(self.session), from, None).await?;
                let (workspace, session) = (self.workspace, self.session);
                reading.relay = Some(ModelStreamSubscription::subscribe(
                    self.wiring,
                    Some(self.way),
                    (workspace, session),
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

    /// How the session stands, seen from an entry.
    async fn view_since(&self, last: u64) -> Result<FollowUpdate, CliError> {
        Ok(self.wiring.follow().read_update(self.workspace, self.session, last).await?)
    }

    async fn pause(&self) {
        self.wiring.follow().wait_for_change().await;
    }

    /// Whether it is time to look what the owner wrote, where that is another process.
    async fn should_poll_log(&self, looks: u32) -> bool {
        looks % LOOKS_BESIDE == LOOKS_BESIDE - 1 && !self.way.refresh_is_owner().await
    }

    /// Shows what is new; true when the session rests.
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
            // Time passes for whoever waits.
            seen.session.iter().for_each(|session| watcher.on_session_state(session));
            return Ok(false);
        }
        let watched = self.view_since(seen.reading.last).await?;
        self.report_slot_place(seen, &watched, watcher).await?;
        watcher.on_session_state(&watched.session);
        // What was committed since it was read is shown first: it ends with the words that were not told as they came.
        let is_all = watched.entries.is_empty();
        if !is_all {
            seen.reading.mark_stale();
        }
        seen.session = Some(watched.session);
        Ok(watched.rests && is_all)
    }

    /// Says where the session stands among those that wait for a slot, when that is news.
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
        let Some(place) = self.wiring.slot_place(self.workspace, self.session).await? else { return Ok(()) };
        if seen.place.as_ref().is_none_or(|before| !is_same_slot_place(before, &place)) {
            watcher.on_slot_wait(&place);
            seen.place = Some(place);
        }
        Ok(())
    }

    /// Waits for news, or for the next look.
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
        if self.way.try_take_ownership(seen.looks).await? || self.should_poll_log(seen.looks).await {
            seen.reading.mark_stale();
            seen.session = None;
        }
        // Who is before it changes also where its place stays the same.
        let has_place = seen.place.is_some();
        // What an agent does, and that it waits for a person, is in its own log.
        let has_agents = seen.session.as_ref().is_some_and(|session| !session.facts.children.is_empty());
        if (has_place || has_agents) && seen.looks.is_multiple_of(LOOKS_AT_PLACE) {
            seen.session = None;
        }
        Ok(())
    }

    /// Interrupts the round; who asks for it twice leaves it alone.
    async fn handle_interrupt(&self, seen: &mut FollowProgress<'_>) -> Result<(), CliError> {
        if seen.interrupted {
            return Err(left_alone_error(self.session));
        }
        seen.interrupted = self.interrupt().await?;
        Ok(())
    }

    /// Interrupts the round. That nothing is there to interrupt any more is no error.
    async fn interrupt(&self) -> Result<bool, CliError> {
        let interrupt = InterruptRound::new(self.way.clone());
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

/// Whether two places are the same to whoever waits.
pub(crate) fn is_same_slot_place(before: &QueuePosition, now: &QueuePosition) -> bool {
    let ahead = |place: &QueuePosition| -> Vec<(SessionId, Standing)> {
        place.ahead.iter().map(|ahead| (ahead.session.clone(), ahead.standing)).collect()
    };
    before.position == now.position && ahead(before) == ahead(now)
}

/// Looks between two looks at the queue, or at the agents of a session.
pub(crate) const LOOKS_AT_PLACE: u32 = 8;

/// Looks between two looks at what another process wrote: a quarter of a second.
const LOOKS_BESIDE: u32 = 10;

fn dispatch_event(
    told: &CursorFrame,
    (round, attempt): (u32, u32),
    watcher: &mut dyn SessionWatcher,
) -> Result<(), CliError> {
    match &told.frame {
        StreamFrame::Entry(entry) => watcher.on_entry(entry),
        StreamFrame::StreamChunk { channel: ReplyChannel::Text, text, .. } => {
            watcher.on_reply_delta(&ReplyTextDelta { round, attempt, text })
        }
        StreamFrame::StreamChunk { channel: ReplyChannel::Reasoning, text, .. } => {
            watcher.on_reasoning_delta(&ReplyTextDelta { round, attempt, text })
        }
        StreamFrame::Hello { .. }
        | StreamFrame::StreamStart { .. }
        | StreamFrame::StreamComplete { .. }
        | StreamFrame::StreamSuperseded { .. }
        | StreamFrame::Changed(_)
        | StreamFrame::Session(_)
        | StreamFrame::Resync(_) => Ok(()),
        // Frames may grow: one that is not known here is not drawn.
        _ => Ok(()),
    }
}

fn left_alone_error(session: &SessionId) -> CliError {
    let text = message!("left-working", session = session.as_str());
    CliError::new(crate::error::CliExitCode::Interrupted, text)
}

/// Before an owner leaves: what it would break off is let come to its rest. Ctrl-C leaves at once.
pub(crate) async fn drain_before_exit(
    wiring: &AppServices,
    way: &RuntimeAccess,
    say: impl Fn(&str),
) -> Result<(), CliError> {
    if !way.refresh_is_owner().await {
        return Ok(());
    }
    let left = FindUnfinishedSessions::new(wiring.store.clone(), wiring.clock.clone());
    let follow = wiring.follow();
    let mut looks = 0_u32;
    let mut ctrl_c = CtrlCListener::listen();
    loop {
        let Some((workspace, _)) = left.run().await?.into_iter().next() else { return Ok(()) };
        if looks == LOOKS_BEFORE_WORDS {
            let texts = LocalizedTexts::for_language(settings_of(&*wiring.store, &workspace).await?.language);
            say(&say!(texts, "still-working", workspace = workspace.as_str()));
        }
        looks = looks.saturating_add(1);
        tokio::select! {
            () = ctrl_c.wait_for_press() => return Ok(()),
            () = follow.wait_for_change() => {}
        }
    }
}

/// Looks before a person is told what is waited for: a second.
const LOOKS_BEFORE_WORDS: u32 = 40;
