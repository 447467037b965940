//! The words of models while they come. They are never rows: what an attempt said so far is kept in memory until the
//! entry that ends it is committed.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_domain::id::{SessionId, WorkspaceKey};
use tokio::sync::watch;

use super::frame::{CHUNK_MAX, boundary};
use super::{AttemptEnd, ReplyChannel, attempt_end, started_attempt};
use crate::journal::JournalEntry;
use crate::ports::{EventFeed, FeedEvent};
use crate::settings::LiveTextBounds;

/// What changed since somebody looked: each number only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveVersion {
    /// Commits.
    pub committed: u64,
    /// Pieces of what was said.
    pub said: u64,
}

/// Words that a reader has not been told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveTextDelta {
    /// Of what is said.
    pub text: String,
    /// Of what is thought aloud.
    pub thoughts: String,
}

/// Tells all readers of a process that there is something to read, and keeps the words that are not stored yet. Whoever
/// reads slowly keeps nobody waiting: there is no queue.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use entracte_application::ports::{Feed, FeedEvent};
/// use entracte_application::stream::LiveText;
///
/// # example(async {
/// let live = LiveText::default();
/// let mut ear = live.listen(&samples::workspace(), None);
/// live.publish(FeedEvent::Changed { workspace: samples::workspace(), deleted: Vec::new() });
/// ear.heard().await;
/// assert_eq!(ear.version().committed, 1);
/// # Ok(()) });
/// ```
#[derive(Debug, Default)]
pub struct LiveText {
    bounds: LiveTextBounds,
    kept: Mutex<LiveTextState>,
}

#[derive(Debug, Default)]
struct LiveTextState {
    /// Bytes of all speeches.
    bytes: usize,
    speeches: HashMap<(WorkspaceKey, SessionId), LiveAttempt>,
    bells: HashMap<(WorkspaceKey, Option<SessionId>), watch::Sender<LiveVersion>>,
    /// The latest attempts of which something else was told than is stored.
    corrected: VecDeque<(WorkspaceKey, u64)>,
}

/// What an attempt said so far.
#[derive(Debug)]
struct LiveAttempt {
    attempt: u64,
    /// Round and number; none of what another process says.
    number: Option<(u32, u32)>,
    text: LiveTextBuffer,
    thoughts: LiveTextBuffer,
}

#[derive(Debug, Default)]
struct LiveTextBuffer {
    text: String,
    /// Something after it was not kept.
    is_full: bool,
}

/// The attempts of which it is remembered that something else was told than is stored.
const CORRECTED_KEPT: usize = 256;

/// Hears when there is something to read.
#[derive(Debug)]
pub struct LiveSubscription(watch::Receiver<LiveVersion>);

impl LiveSubscription {
    /// How things are; what comes after this is heard.
    pub fn version(&mut self) -> LiveVersion {
        *self.0.borrow_and_update()
    }

    /// Waits until something changes that was not looked at.
    pub async fn wait_for_change(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl LiveText {
    /// That keeps so much.
    pub fn new(bounds: LiveTextBounds) -> Self {
        Self { bounds, kept: Mutex::default() }
    }

    /// Listens to a session, or to the commits of a whole workspace.
    pub fn subscribe(&self, workspace: &WorkspaceKey, session: Option<&SessionId>) -> LiveSubscription {
        let mut kept = self.lock();
        kept.bells.retain(|_, bell| bell.receiver_count() > 0);
        let bell = kept.bells.entry((workspace.clone(), session.cloned())).or_default();
        LiveSubscription(bell.subscribe())
    }

    /// What an attempt said after so many bytes of text and of reasoning, one frame of each at most; none when it is not
    /// under way here.
    pub fn text_delta(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        attempt: u64,
        (text, thoughts): (u64, u64),
    ) -> Option<LiveTextDelta> {
        let kept = self.lock();
        let speech = kept.speeches.get(&(workspace.clone(), session.clone()))?;
        let after = |heard: &LiveTextBuffer, from: u64| {
            let rest = usize::try_from(from).ok().and_then(|from| heard.text.get(from..)).unwrap_or_default();
            rest[..boundary(rest, CHUNK_MAX)].to_owned()
        };
        let fresh =
            || LiveTextDelta { text: after(&speech.text, text), thoughts: after(&speech.thoughts, thoughts) };
        (speech.attempt == attempt).then(fresh)
    }

    /// Whether something else was told of an attempt than is stored of it.
    pub fn is_corrected(&self, workspace: &WorkspaceKey, attempt: u64) -> bool {
        self.lock().corrected.iter().any(|(of, corrected)| of == workspace && *corrected == attempt)
    }

    /// A piece of what a model says in another process, for the readers of this one: of which attempt, and after how many bytes
    /// of its text or reasoning.
    pub fn apply_remote_text(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        attempt: u64,
        after: (ReplyChannel, u64),
        piece: &str,
    ) {
        let mut kept = self.lock();
        let key = (workspace.clone(), session.clone());
        kept.append_remote_text(&key, attempt, after, piece, &self.bounds);
        kept.notify_subscribers(workspace, Some(key.1), |version| version.said += 1);
    }

    /// Another process committed something of a session.
    pub fn notify_remote_commit(&self, workspace: &WorkspaceKey, session: &SessionId) {
        let mut kept = self.lock();
        kept.notify_subscribers(workspace, None, |version| version.committed += 1);
        kept.notify_subscribers(workspace, Some(session.clone()), |version| version.committed += 1);
    }

    /// Another process stored something else of an attempt than it told.
    pub fn record_remote_correction(&self, workspace: &WorkspaceKey, attempt: u64) {
        self.lock().correct(workspace, attempt);
    }

    /// Whether what was heard of an attempt from another process is not the beginning of what is stored of it.
    pub fn differs_from_stored(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        attempt: u64,
        stored: &str,
    ) -> bool {
        let kept = self.lock();
        let speech = kept.speeches.get(&(workspace.clone(), session.clone()));
        let heard = speech.filter(|speech| speech.attempt == attempt && speech.number.is_none());
        heard.is_some_and(|speech| !stored.starts_with(&speech.text.text))
    }

    /// This process no longer owns the database: what its models were saying is dropped, and its readers look for what the next
    /// owner stores.
    pub fn drop_live_text(&self) {
        let mut kept = self.lock();
        let own = kept.speeches.iter().filter(|(_, speech)| speech.number.is_some());
        let own: Vec<(WorkspaceKey, SessionId)> = own.map(|(key, _)| key.clone()).collect();
        for (workspace, session) in own {
            kept.forget(&workspace, &session);
        }
        for bell in kept.bells.values() {
            bell.send_modify(|version| version.committed += 1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, LiveTextState> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventFeed for LiveText {
    fn publish(&self, event: FeedEvent) {
        let mut kept = self.lock();
        match event {
            FeedEvent::Committed { workspace, session, entry } => {
                kept.follow(&workspace, &session, &entry);
                kept.notify_subscribers(&workspace, None, |version| version.committed += 1);
                kept.notify_subscribers(&workspace, Some(session), |version| version.committed += 1);
            }
            FeedEvent::Changed { workspace, deleted } => {
                for session in deleted {
                    kept.forget(&workspace, &session);
                    kept.notify_subscribers(&workspace, Some(session), |version| version.committed += 1);
                }
                kept.notify_subscribers(&workspace, None, |version| version.committed += 1);
            }
            FeedEvent::Said { workspace, session, round, attempt, text } => {
                let key = (workspace, session);
                kept.append_local_text(&key, (round, attempt), ReplyChannel::Text, &text, &self.bounds);
                kept.notify_subscribers(&key.0, Some(key.1), |version| version.said += 1);
            }
            FeedEvent::Thought { workspace, session, round, attempt, text } => {
                let key = (workspace, session);
                kept.append_local_text(&key, (round, attempt), ReplyChannel::Reasoning, &text, &self.bounds);
                kept.notify_subscribers(&key.0, Some(key.1), |version| version.said += 1);
            }
        }
    }
}

impl LiveTextState {
    /// The words of an attempt are kept from the entry that begins it to the one that ends it. Those that come before or
    /// after, of work that is being dropped, are nobody's.
    fn follow(&mut self, workspace: &WorkspaceKey, session: &SessionId, entry: &Arc<JournalEntry>) {
        let key = (workspace.clone(), session.clone());
        let speech = self.speeches.get(&key);
        if let Some((speech, ended)) =
            speech.and_then(|speech| Some((speech, attempt_end(entry, speech.number?)?)))
        {
            if let AttemptEnd::Complete { text, .. } = ended
                && !text.starts_with(&speech.text.text)
            {
                let attempt = speech.attempt;
                self.correct(workspace, attempt);
            }
            self.forget(workspace, session);
        }
        if let Some(number) = started_attempt(entry) {
            self.forget(workspace, session);
            let (text, thoughts) = (LiveTextBuffer::default(), LiveTextBuffer::default());
            self.speeches
                .insert(key, LiveAttempt { attempt: entry.seq, number: Some(number), text, thoughts });
        }
    }

    /// Keeps as much of it as there is room for. What follows something that was not kept is not kept either.
    fn append_local_text(
        &mut self,
        key: &(WorkspaceKey, SessionId),
        number: (u32, u32),
        channel: ReplyChannel,
        piece: &str,
        bounds: &LiveTextBounds,
    ) {
        if self.speeches.get(key).is_some_and(|speech| speech.number == Some(number)) {
            self.add(key, channel, piece, bounds);
        }
    }

    /// Remembers that something else was told of an attempt than is stored.
    fn correct(&mut self, workspace: &WorkspaceKey, attempt: u64) {
        self.corrected.push_back((workspace.clone(), attempt));
        if self.corrected.len() > CORRECTED_KEPT {
            self.corrected.pop_front();
        }
    }

    /// The words of an attempt that another process makes, after those before `offset`. They may come twice, when they are heard
    /// anew; where some are missing, what follows is not kept.
    fn append_remote_text(
        &mut self,
        key: &(WorkspaceKey, SessionId),
        attempt: u64,
        (channel, offset): (ReplyChannel, u64),
        piece: &str,
        bounds: &LiveTextBounds,
    ) {
        let known = self.speeches.get(key).map(|speech| (speech.attempt, speech.number));
        match known {
            // What is said here needs no relay, and of two attempts the later one speaks.
            Some((at, number)) if at > attempt || (at == attempt && number.is_some()) => return,
            Some((at, None)) if at == attempt => {}
            Some(_) | None => {
                self.forget(&key.0, &key.1);
                let (text, thoughts) = (LiveTextBuffer::default(), LiveTextBuffer::default());
                self.speeches.insert(key.clone(), LiveAttempt { attempt, number: None, text, thoughts });
            }
        }
        let Some(speech) = self.speeches.get(key) else { return };
        let kept = match channel {
            ReplyChannel::Text => speech.text.text.len(),
            ReplyChannel::Reasoning => speech.thoughts.text.len(),
        };
        let again = usize::try_from(offset).ok().and_then(|offset| kept.checked_sub(offset));
        if let Some(fresh) = again.and_then(|again| piece.get(again..)).filter(|fresh| !fresh.is_empty()) {
            self.add(key, channel, fresh, bounds);
        }
    }

    /// Keeps as much of a piece as there is room for.
    fn add(
        &mut self,
        key: &(WorkspaceKey, SessionId),
        channel: ReplyChannel,
        piece: &str,
        bounds: &LiveTextBounds,
    ) {
        let left = bounds.total.saturating_sub(self.bytes);
        let Some(speech) = self.speeches.get_mut(key) else { return };
        let (heard, most) = match channel {
            ReplyChannel::Text => (&mut speech.text, bounds.text),
            ReplyChannel::Reasoning => (&mut speech.thoughts, bounds.thoughts),
        };
        if heard.is_full {
            return;
        }
        let room = most.saturating_sub(heard.text.len()).min(left);
        let kept = &piece[..boundary(piece, room)];
        heard.is_full = kept.len() < piece.len();
        heard.text.push_str(kept);
        self.bytes += kept.len();
    }

    fn forget(&mut self, workspace: &WorkspaceKey, session: &SessionId) {
        if let Some(speech) = self.speeches.remove(&(workspace.clone(), session.clone())) {
            self.bytes = self.bytes.saturating_sub(speech.text.text.len() + speech.thoughts.text.len());
        }
    }

    fn notify_subscribers(
        &mut self,
        workspace: &WorkspaceKey,
        session: Option<SessionId>,
        note: impl FnOnce(&mut LiveVersion),
    ) {
        if let Some(bell) = self.bells.get(&(workspace.clone(), session)) {
            bell.send_modify(note);
        }
    }
}
