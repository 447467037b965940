//! Follows a session until it does nothing more by itself, in this process or beside its owner.

use std::pin::Pin;
use std::sync::Arc;

use entracte_application::journal::Entry;
use entracte_application::ports::FeedEvent;
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{
    InterruptRound, SessionView, SlotPlace, TurnView, Watched, WorkLeft, settings_of,
};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Standing;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::error::CliError;
use crate::keys::Pressed;
use crate::message::message;
use crate::way::Way;
use crate::wiring::Wiring;

/// What is shown while a session works.
pub(crate) trait Watcher: Send {
    /// An entry was committed.
    fn entry(&mut self, entry: &Entry) -> Result<(), CliError>;

    /// It waits for a slot, or does so at another place than before.
    fn waits(&mut self, _place: &SlotPlace) {}

    /// The model says something; void when the attempt fails.
    fn said(&mut self, _piece: &Piece<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// The model thinks aloud.
    fn thought(&mut self, _piece: &Piece<'_>) -> Result<(), CliError> {
        Ok(())
    }

    /// How the session stands; told at every look.
    fn looked(&mut self, _session: &SessionView) {}

    /// What a person pressed since the last look.
    fn pressed(&mut self) -> Option<Pressed> {
        None
    }
}

/// A piece of what a model says, as it comes.
pub(crate) struct Piece<'a> {
    /// The round.
    pub(crate) round: u32,
    /// The attempt.
    pub(crate) attempt: u32,
    /// The text.
    pub(crate) text: &'a str,
}

/// A turn that came to its rest.
pub(crate) struct Ended {
    /// What became of it.
    pub(crate) turn: TurnView,
    /// A person interrupted it from here.
    pub(crate) interrupted: bool,
    /// A person left before it came to its rest.
    pub(crate) left: bool,
}

/// How far somebody has read a session: every entry once, in order.
pub(crate) struct Reading {
    feed: Receiver<FeedEvent>,
    /// Number of the last entry seen.
    pub(crate) last: u64,
    /// Its number in the session; none before any was seen.
    sequence: Option<u64>,
}

impl Reading {
    /// From after this entry on. The feed must have been asked for before that entry was the last one.
    pub(crate) fn after(feed: Receiver<FeedEvent>, last: u64) -> Self {
        Self { feed, last, sequence: None }
    }

    fn saw(&mut self, entry: &Entry) {
        (self.last, self.sequence) = (entry.seq, Some(entry.sequence));
    }

    /// Whether no entry of the session lies between the last one seen and this one. Of the first one that is certain.
    fn is_next(&self, entry: &Entry) -> bool {
        self.sequence.is_none_or(|sequence| entry.sequence == sequence + 1)
    }
}

/// Follows one session.
pub(crate) struct Follower<'a> {
    /// The ports.
    pub(crate) wiring: &'a Wiring,
    /// The way in.
    pub(crate) way: &'a Arc<Way>,
    /// Who interrupts.
    pub(crate) author: &'a str,
    /// Where the session lives.
    pub(crate) workspace: &'a WorkspaceKey,
    /// The session.
    pub(crate) session: &'a SessionId,
}

/// Ctrl-C, listened for without a gap: what is pressed while something else is done is not lost.
pub(crate) struct CtrlC(Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>);

impl CtrlC {
    /// Listens from now on.
    pub(crate) fn listen() -> Self {
        Self(Box::pin(tokio::signal::ctrl_c()))
    }

    /// Waits until it is pressed.
    pub(crate) async fn pressed(&mut self) {
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
struct Seen<'r> {
    reading: &'r mut Reading,
    ctrl_c: CtrlC,
    looks: u32,
    interrupted: bool,
    left: bool,
    /// Where it was last seen to wait for a slot.
    place: Option<SlotPlace>,
}

/// What woke the follower.
enum Woken {
    Told(Result<FeedEvent, RecvError>),
    Looked,
    Interrupted,
}

/// What came of something that the feed told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// It was shown, or is of another session.
    Shown,
    /// Entries before it were missed: the log has them.
    Behind,
}

impl Follower<'_> {
    /// Waits until the session rests. `feed` must have been asked for before the request that began the work;
    /// the turn is what came after the entry `after`.
    pub(crate) async fn until_rest(
        &self,
        feed: Receiver<FeedEvent>,
        after: u64,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, CliError> {
        self.read_on(&mut Reading::after(feed, after), watcher).await
    }

    /// Shows what a reader has not seen, until the session rests; the turn is what came since.
    pub(crate) async fn read_on(
        &self,
        reading: &mut Reading,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, CliError> {
        let (after, ctrl_c) = (reading.last, CtrlC::listen());
        let mut seen = Seen { reading, ctrl_c, looks: 0, interrupted: false, left: false, place: None };
        while !seen.left && !self.look(&mut seen, watcher).await? {
            self.wait(&mut seen, watcher).await?;
        }
        let turn = self.wiring.follow().view(self.workspace, self.session, after).await?;
        Ok(Ended { turn, interrupted: seen.interrupted, left: seen.left })
    }

    /// Waits until the session works, or an entry comes that is to be shown; others count as seen.
    pub(crate) async fn news(
        &self,
        reading: &mut Reading,
        is_shown: impl Fn(&Entry) -> bool,
    ) -> Result<(), CliError> {
        let mut looks = 0_u32;
        let follow = self.wiring.follow();
        loop {
            // Words are told when the entries of the reply are read.
            let told = tokio::select! {
                event = reading.feed.recv() => event.map_or(true, |event| self.is_committed(&event)),
                () = follow.pause() => {
                    looks = looks.wrapping_add(1);
                    false
                }
            };
            let stepped_in = self.way.step_in(looks).await?;
            if !told && !stepped_in && !looks.is_multiple_of(LOOKS_AT_REST) {
                continue;
            }
            let watched = self.wiring.follow().look(self.workspace, self.session, reading.last).await?;
            if !watched.rests || watched.entries.iter().any(&is_shown) {
                return Ok(());
            }
            watched.entries.iter().for_each(|entry| reading.saw(entry));
        }
    }

    /// Shows what is new; true when the session rests.
    async fn look(&self, seen: &mut Seen<'_>, watcher: &mut dyn Watcher) -> Result<bool, CliError> {
        // What was told so far is shown before what can be read, because words come before their entry.
        let mut is_behind = false;
        loop {
            match seen.reading.feed.try_recv() {
                Ok(event) => is_behind |= self.told(event, seen.reading, watcher)? == Told::Behind,
                Err(TryRecvError::Lagged(_)) => is_behind = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        let watched = self.wiring.follow().look(self.workspace, self.session, seen.reading.last).await?;
        let rests = watched.rests && seen.reading.feed.is_empty();
        if rests || is_behind || !self.way.owns().await {
            show(&watched.entries, seen.reading, watcher)?;
        }
        self.tell_place(seen, &watched, watcher).await?;
        watcher.looked(&watched.session);
        Ok(rests)
    }

    /// Says where the session stands among those that wait for a slot, when that is news.
    async fn tell_place(
        &self,
        seen: &mut Seen<'_>,
        watched: &Watched,
        watcher: &mut dyn Watcher,
    ) -> Result<(), CliError> {
        if !waits_for_slot(watched.session.standing) || watched.rests {
            seen.place = None;
            return Ok(());
        }
        if seen.place.is_some() && !seen.looks.is_multiple_of(LOOKS_AT_PLACE) {
            return Ok(());
        }
        let Some(place) = self.wiring.place(self.workspace, self.session).await? else { return Ok(()) };
        if seen.place.as_ref().is_none_or(|before| !is_same(before, &place)) {
            watcher.waits(&place);
            seen.place = Some(place);
        }
        Ok(())
    }

    /// Waits for news, or for the next look.
    async fn wait(&self, seen: &mut Seen<'_>, watcher: &mut dyn Watcher) -> Result<(), CliError> {
        let mut is_behind = false;
        match watcher.pressed() {
            Some(Pressed::Leaves) => {
                seen.left = true;
                return Ok(());
            }
            Some(Pressed::Interrupts) => return self.interrupted(seen).await,
            None => {}
        }
        match self.next(&mut seen.reading.feed, &mut seen.ctrl_c).await {
            Woken::Told(Ok(event)) => is_behind = self.told(event, seen.reading, watcher)? == Told::Behind,
            Woken::Told(Err(_)) => is_behind = true,
            Woken::Looked => seen.looks += 1,
            Woken::Interrupted => self.interrupted(seen).await?,
        }
        if self.way.step_in(seen.looks).await? || is_behind {
            let last = seen.reading.last;
            let watched = self.wiring.follow().look(self.workspace, self.session, last).await?;
            show(&watched.entries, seen.reading, watcher)?;
        }
        Ok(())
    }

    /// Interrupts the round; who asks for it twice leaves it alone.
    async fn interrupted(&self, seen: &mut Seen<'_>) -> Result<(), CliError> {
        if seen.interrupted {
            return Err(left_alone(self.session));
        }
        seen.interrupted = self.interrupt().await?;
        Ok(())
    }

    async fn next(&self, feed: &mut Receiver<FeedEvent>, ctrl_c: &mut CtrlC) -> Woken {
        let follow = self.wiring.follow();
        tokio::select! {
            biased;
            () = ctrl_c.pressed() => Woken::Interrupted,
            told = feed.recv() => Woken::Told(told),
            () = follow.pause() => Woken::Looked,
        }
    }

    fn told(
        &self,
        event: FeedEvent,
        reading: &mut Reading,
        watcher: &mut dyn Watcher,
    ) -> Result<Told, CliError> {
        match event {
            FeedEvent::Committed { workspace, session, entry }
                if self.is_of(&workspace, &session) && entry.seq > reading.last =>
            {
                if !reading.is_next(&entry) {
                    return Ok(Told::Behind);
                }
                reading.saw(&entry);
                watcher.entry(&entry)?;
            }
            FeedEvent::Said { workspace, session, round, attempt, text }
                if self.is_of(&workspace, &session) =>
            {
                watcher.said(&Piece { round, attempt, text: &text })?;
            }
            FeedEvent::Thought { workspace, session, round, attempt, text }
                if self.is_of(&workspace, &session) =>
            {
                watcher.thought(&Piece { round, attempt, text: &text })?;
            }
            FeedEvent::Committed { .. }
            | FeedEvent::Changed { .. }
            | FeedEvent::Said { .. }
            | FeedEvent::Thought { .. } => {}
        }
        Ok(Told::Shown)
    }

    fn is_committed(&self, event: &FeedEvent) -> bool {
        match event {
            FeedEvent::Committed { workspace, session, .. } => self.is_of(workspace, session),
            FeedEvent::Changed { .. } | FeedEvent::Said { .. } | FeedEvent::Thought { .. } => false,
        }
    }

    /// Whether this is the session that is followed.
    fn is_of(&self, workspace: &WorkspaceKey, session: &SessionId) -> bool {
        workspace == self.workspace && session == self.session
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
pub(crate) fn is_same(before: &SlotPlace, now: &SlotPlace) -> bool {
    let ahead = |place: &SlotPlace| -> Vec<(SessionId, Standing)> {
        place.ahead.iter().map(|ahead| (ahead.session.clone(), ahead.standing)).collect()
    };
    before.position == now.position && ahead(before) == ahead(now)
}

/// Looks between two looks at the queue.
pub(crate) const LOOKS_AT_PLACE: u32 = 8;

/// Looks of whoever waits at a prompt between two looks at the log: a quarter of a second.
const LOOKS_AT_REST: u32 = 10;

fn show(entries: &[Entry], reading: &mut Reading, watcher: &mut dyn Watcher) -> Result<(), CliError> {
    for entry in entries {
        if entry.seq > reading.last {
            reading.saw(entry);
            watcher.entry(entry)?;
        }
    }
    Ok(())
}

fn left_alone(session: &SessionId) -> CliError {
    let text = message!("left-working", session = session.as_str());
    CliError::new(crate::error::Exit::Interrupted, text)
}

/// Before an owner leaves: what it would break off is let come to its rest. Ctrl-C leaves at once.
pub(crate) async fn finish(wiring: &Wiring, way: &Way, say: impl Fn(&str)) -> Result<(), CliError> {
    if !way.owns().await {
        return Ok(());
    }
    let left = WorkLeft::new(wiring.store.clone(), wiring.clock.clone());
    let follow = wiring.follow();
    let mut looks = 0_u32;
    let mut ctrl_c = CtrlC::listen();
    loop {
        let Some((workspace, _)) = left.run().await?.into_iter().next() else { return Ok(()) };
        if looks == LOOKS_BEFORE_WORDS {
            let texts = Texts::of(settings_of(&*wiring.store, &workspace).await?.language);
            say(&say!(texts, "still-working", workspace = workspace.as_str()));
        }
        looks = looks.saturating_add(1);
        tokio::select! {
            () = ctrl_c.pressed() => return Ok(()),
            () = follow.pause() => {}
        }
    }
}

/// Looks before a person is told what is waited for: a second.
const LOOKS_BEFORE_WORDS: u32 = 40;
