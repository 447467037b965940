//! Follows a session until it does nothing more by itself, in this process or beside its owner.

use std::pin::Pin;
use std::sync::Arc;

use entracte_application::codec::Entry;
use entracte_application::ports::FeedEvent;
use entracte_application::use_cases::{InterruptRound, TurnView, WorkLeft};
use entracte_domain::id::{SessionId, WorkspaceKey};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::error::CliError;
use crate::way::Way;
use crate::wiring::Wiring;

/// What is shown while a session works.
pub(crate) trait Watcher: Send {
    /// An entry was committed.
    fn entry(&mut self, entry: &Entry) -> Result<(), CliError>;

    /// The model says something; void when the attempt fails.
    fn said(&mut self, _text: &str) -> Result<(), CliError> {
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
struct CtrlC(Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>);

impl CtrlC {
    fn listen() -> Self {
        Self(Box::pin(tokio::signal::ctrl_c()))
    }

    async fn pressed(&mut self) {
        match (&mut self.0).await {
            Ok(()) => *self = Self::listen(),
            Err(error) => {
                tracing::debug!(%error, "nobody can press Ctrl-C here");
                std::future::pending().await
            }
        }
    }
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
        mut feed: Receiver<FeedEvent>,
        after: u64,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, CliError> {
        let follow = self.wiring.follow();
        let (mut last, mut looks, mut interrupted) = (after, 0, false);
        let mut ctrl_c = CtrlC::listen();
        loop {
            // What was told so far is shown before what can be read, because words come before their entry.
            while let Ok(event) = feed.try_recv() {
                self.told(event, &mut last, watcher)?;
            }
            let watched = follow.look(self.session, last).await?;
            if watched.rests && feed.is_empty() {
                show(&watched.entries, &mut last, watcher)?;
                let turn = follow.view(self.session, after).await?;
                return Ok(Ended { turn, last, interrupted });
            }
            if !self.way.owns().await {
                show(&watched.entries, &mut last, watcher)?;
            }
            match self.next(&mut feed, &mut ctrl_c).await {
                Woken::Told(Ok(event)) => self.told(event, &mut last, watcher)?,
                Woken::Told(Err(_)) => {
                    show(&follow.look(self.session, last).await?.entries, &mut last, watcher)?
                }
                Woken::Looked => looks += 1,
                Woken::Interrupted if interrupted => return Err(left_alone(self.session)),
                Woken::Interrupted => interrupted = self.interrupt().await?,
            }
            if self.way.step_in(looks).await? {
                show(&follow.look(self.session, last).await?.entries, &mut last, watcher)?;
            }
        }
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
            FeedEvent::Committed { session, entry, .. } if session == *self.session && entry.seq > *last => {
                *last = entry.seq;
                watcher.entry(&entry)
            }
            FeedEvent::Said { session, text, .. } if session == *self.session => watcher.said(&text),
            FeedEvent::Committed { .. } | FeedEvent::Said { .. } => Ok(()),
        }
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
    let text = format!("left before {session} rested; let it go on: entracte session resume {session}");
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
        let Some(session) = left.run().await?.into_iter().next() else { return Ok(()) };
        if looks == LOOKS_BEFORE_WORDS {
            say(&format!("{session} still works; Ctrl-C leaves it to the next command"));
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
