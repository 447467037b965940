//! Follows a session until it does nothing more by itself, in this process or beside its owner.

use std::pin::Pin;
use std::sync::Arc;

use entracte_application::codec::Entry;
use entracte_application::ports::FeedEvent;
use entracte_application::texts::{Texts, say};
use entracte_application::use_cases::{InterruptRound, SlotPlace, TurnView, Watched, WorkLeft, settings_of};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::Standing;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::error::CliError;
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
    fn said(&mut self, _text: &str) -> Result<(), CliError> {
        Ok(())
    }

    /// The model thinks aloud.
    fn thought(&mut self, _text: &str) -> Result<(), CliError> {
        Ok(())
    }
}

/// A turn that came to its rest.
pub(crate) struct Ended {
    /// What became of it.
    pub(crate) turn: TurnView,
    /// Number of the last entry seen.
    pub(crate) last: u64,
    /// A person interrupted it from here.
    pub(crate) interrupted: bool,
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
struct Seen {
    feed: Receiver<FeedEvent>,
    ctrl_c: CtrlC,
    /// Number of the last entry shown.
    last: u64,
    looks: u32,
    interrupted: bool,
    /// Where it was last seen to wait for a slot.
    place: Option<SlotPlace>,
}

/// What woke the follower.
enum Woken {
    Told(Result<FeedEvent, RecvError>),
    Looked,
    Interrupted,
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
        let ctrl_c = CtrlC::listen();
        let mut seen = Seen { feed, ctrl_c, last: after, looks: 0, interrupted: false, place: None };
        while !self.look(&mut seen, watcher).await? {
            self.wait(&mut seen, watcher).await?;
        }
        let turn = self.wiring.follow().view(self.workspace, self.session, after).await?;
        Ok(Ended { turn, last: seen.last, interrupted: seen.interrupted })
    }

    /// Shows what is new; true when the session rests.
    async fn look(&self, seen: &mut Seen, watcher: &mut dyn Watcher) -> Result<bool, CliError> {
        // What was told so far is shown before what can be read, because words come before their entry.
        while let Ok(event) = seen.feed.try_recv() {
            self.told(event, &mut seen.last, watcher)?;
        }
        let watched = self.wiring.follow().look(self.workspace, self.session, seen.last).await?;
        let rests = watched.rests && seen.feed.is_empty();
        if rests || !self.way.owns().await {
            show(&watched.entries, &mut seen.last, watcher)?;
        }
        self.tell_place(seen, &watched, watcher).await?;
        Ok(rests)
    }

    /// Says where the session stands among those that wait for a slot, when that is news.
    async fn tell_place(
        &self,
        seen: &mut Seen,
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
    async fn wait(&self, seen: &mut Seen, watcher: &mut dyn Watcher) -> Result<(), CliError> {
        let mut missed = false;
        match self.next(&mut seen.feed, &mut seen.ctrl_c).await {
            Woken::Told(Ok(event)) => self.told(event, &mut seen.last, watcher)?,
            Woken::Told(Err(_)) => missed = true,
            Woken::Looked => seen.looks += 1,
            Woken::Interrupted if seen.interrupted => return Err(left_alone(self.session)),
            Woken::Interrupted => seen.interrupted = self.interrupt().await?,
        }
        if self.way.step_in(seen.looks).await? || missed {
            let watched = self.wiring.follow().look(self.workspace, self.session, seen.last).await?;
            show(&watched.entries, &mut seen.last, watcher)?;
        }
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

    fn told(&self, event: FeedEvent, last: &mut u64, watcher: &mut dyn Watcher) -> Result<(), CliError> {
        match event {
            FeedEvent::Committed { workspace, session, entry }
                if self.is_of(&workspace, &session) && entry.seq > *last =>
            {
                *last = entry.seq;
                watcher.entry(&entry)
            }
            FeedEvent::Said { workspace, session, text, .. } if self.is_of(&workspace, &session) => {
                watcher.said(&text)
            }
            FeedEvent::Thought { workspace, session, text, .. } if self.is_of(&workspace, &session) => {
                watcher.thought(&text)
            }
            FeedEvent::Committed { .. } | FeedEvent::Said { .. } | FeedEvent::Thought { .. } => Ok(()),
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

fn show(entries: &[Entry], last: &mut u64, watcher: &mut dyn Watcher) -> Result<(), CliError> {
    for entry in entries {
        if entry.seq > *last {
            *last = entry.seq;
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
