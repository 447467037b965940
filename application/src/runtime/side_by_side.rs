//! The old and the new turn on the same facts, to see that they give equal commits and answers. It goes with the old one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use super::incoming::Incoming;
use super::lock::lock;
use super::services::Services;
use super::turn::Done;
use super::workspace::{TurnError, Workspace};
use crate::ports::IdGenerator;

static IS_ON: AtomicBool = AtomicBool::new(false);
static EQUAL: AtomicU64 = AtomicU64::new(0);
static EMPTY: AtomicU64 = AtomicU64::new(0);
static UNREAD: AtomicU64 = AtomicU64::new(0);
static FIRST: Mutex<Option<String>> = Mutex::new(None);
static DIFFERENT: AtomicU64 = AtomicU64::new(0);

/// Compares from now on.
pub fn watch() {
    IS_ON.store(true, Ordering::Relaxed);
}

/// What was found so far.
pub fn report() -> String {
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    let first = lock(&FIRST).clone().unwrap_or_default();
    format!(
        "{} commits are equal, {} turns write nothing, {} could not be read again, {} differ{first}",
        count(&EQUAL),
        count(&EMPTY),
        count(&UNREAD),
        count(&DIFFERENT)
    )
}

/// What a turn drew, to be drawn again.
struct Tape {
    ids: Arc<dyn IdGenerator>,
    is_again: AtomicBool,
    sessions: Mutex<VecDeque<SessionId>>,
    keys: Mutex<VecDeque<String>>,
    jitters: Mutex<VecDeque<Millis>>,
}

impl Tape {
    fn draw<T: Clone>(&self, tape: &Mutex<VecDeque<T>>, draw: impl FnOnce() -> T) -> T {
        if self.is_again.load(Ordering::Relaxed)
            && let Some(drawn) = lock(tape).pop_front()
        {
            return drawn;
        }
        let drawn = draw();
        if !self.is_again.load(Ordering::Relaxed) {
            lock(tape).push_back(drawn.clone());
        }
        drawn
    }
}

impl IdGenerator for Tape {
    fn session(&self) -> SessionId {
        self.draw(&self.sessions, || self.ids.session())
    }

    fn key(&self) -> String {
        self.draw(&self.keys, || self.ids.key())
    }

    fn jitter(&self, most: Millis) -> Millis {
        self.draw(&self.jitters, || self.ids.jitter(most))
    }
}

pub(super) async fn made(workspace: &mut Workspace, incoming: &[Incoming]) -> Result<Done, TurnError> {
    let now = workspace.services.clock.now();
    if !IS_ON.load(Ordering::Relaxed) {
        return workspace.make_turn(incoming, now).await;
    }
    let services = workspace.services.clone();
    let tape = Arc::new(Tape {
        ids: services.ids.clone(),
        is_again: AtomicBool::new(false),
        sessions: Mutex::default(),
        keys: Mutex::default(),
        jitters: Mutex::default(),
    });
    workspace.services = Arc::new(Services { ids: tape.clone(), ..(*services).clone() });
    let done = workspace.make_turn(incoming, now).await;
    tape.is_again.store(true, Ordering::Relaxed);
    let before = (
        workspace.prefixes.clone(),
        workspace.schedule.clone(),
        workspace.going_on.clone(),
        workspace.is_sparing,
        workspace.sections.clone(),
    );
    let old = workspace.old_commit(incoming).await;
    (workspace.prefixes, workspace.schedule, workspace.going_on, workspace.is_sparing, workspace.sections) =
        before;
    workspace.services = services;
    let add = |to: &AtomicU64| to.fetch_add(1, Ordering::Relaxed);
    match (&done, old) {
        (Err(_), _) | (_, Err(TurnError::Store(_))) => add(&UNREAD),
        (Ok(done), Ok((old, replies))) if done.commit == old && done.replies == replies => {
            add(if old.is_none() { &EMPTY } else { &EQUAL })
        }
        (Ok(done), old) => {
            lock(&FIRST).get_or_insert_with(|| {
                format!("\nincoming {incoming:?}\nold {old:#?}\nnew {:#?} {:?}", done.commit, done.replies)
            });
            add(&DIFFERENT)
        }
    };
    done
}
