//! The streaming text of models. It is never stored in rows: the text of an attempt is in memory until the entry
//! that ends the attempt is committed.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_domain::id::{CallId, RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::session::Input;
use tokio::sync::watch;

use super::frame::{CHUNK_MAX, boundary};
use super::{AttemptEnd, AttemptOffset, ReplyChannel, attempt_end, started_attempt};
use crate::journal::JournalEntry;
use crate::ports::{CallProgress, EventFeed, FeedEvent};
use crate::settings::LiveTextBounds;

/// Counters of changes; each number only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveVersion {
    /// Number of commits.
    pub committed: u64,
    /// Number of text pieces.
    pub said: u64,
    /// Number of reports of the progress of calls.
    pub progressed: u64,
}

/// The text after a reader's position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveTextDelta {
    /// Piece of the answer.
    pub text: String,
    /// Piece of the reasoning.
    pub thoughts: String,
}

/// A piece of a model's text that another process streams.
#[derive(Clone, Copy, Debug)]
pub struct RemoteTextPiece<'a> {
    /// The attempt, by the number of its first entry.
    pub attempt: u64,
    /// Answer or reasoning.
    pub channel: ReplyChannel,
    /// Byte offset of the piece in the text of its channel.
    pub offset: u64,
    /// The piece of text.
    pub text: &'a str,
}

/// Signals all readers of a process that something is new, and holds the text that is not stored yet. A slow
/// reader delays no other: there is no queue.
///
/// ```
/// # use entracte_application::samples::example::*;
/// use entracte_application::ports::{EventFeed, FeedEvent};
/// use entracte_application::stream::LiveText;
///
/// # example(async {
/// let live = LiveText::default();
/// let mut subscription = live.subscribe(&samples::workspace(), None);
/// live.publish(FeedEvent::Changed { workspace: samples::workspace(), deleted: Vec::new() });
/// subscription.wait_for_change().await;
/// assert_eq!(subscription.version().committed, 1);
/// # Ok(()) });
/// ```
#[derive(Debug, Default)]
pub struct LiveText {
    bounds: LiveTextBounds,
    kept: Mutex<LiveTextState>,
}

#[derive(Debug, Default)]
struct LiveTextState {
    /// Total bytes of all attempts.
    bytes: usize,
    speeches: HashMap<LiveTextKey, LiveAttempt>,
    /// The progress of the running calls of each session.
    calls: HashMap<LiveTextKey, BTreeMap<CallId, CallProgress>>,
    bells: HashMap<(WorkspaceKey, Option<SessionId>), watch::Sender<LiveVersion>>,
    /// The latest attempts whose streamed text differs from the stored one.
    corrected: VecDeque<(WorkspaceKey, u64)>,
}

/// The session of a live text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct LiveTextKey {
    workspace: WorkspaceKey,
    session: SessionId,
}

/// The text of an attempt so far.
#[derive(Debug)]
struct LiveAttempt {
    attempt: u64,
    /// Its number; `None` for an attempt of another process.
    number: Option<RoundAttempt>,
    text: LiveTextBuffer,
    thoughts: LiveTextBuffer,
}

#[derive(Debug, Default)]
struct LiveTextBuffer {
    text: String,
    /// Whether later text was dropped.
    is_full: bool,
}

/// Maximum remembered attempts whose streamed text differs from the stored one.
const CORRECTED_KEPT: usize = 256;

/// Receives the signal that something is new to read.
#[derive(Debug)]
pub struct LiveSubscription(watch::Receiver<LiveVersion>);

impl LiveSubscription {
    /// The current version; later changes are signalled.
    pub fn version(&mut self) -> LiveVersion {
        *self.0.borrow_and_update()
    }

    /// Waits for a change after the last [`version`](Self::version).
    pub async fn wait_for_change(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

impl LiveText {
    /// An empty live text with these bounds.
    pub fn new(bounds: LiveTextBounds) -> Self {
        Self { bounds, kept: Mutex::default() }
    }

    /// Subscribes to a session, or to the commits of a whole workspace.
    pub fn subscribe(&self, workspace: &WorkspaceKey, session: Option<&SessionId>) -> LiveSubscription {
        let mut kept = self.lock();
        kept.bells.retain(|_, bell| bell.receiver_count() > 0);
        let bell = kept.bells.entry((workspace.clone(), session.cloned())).or_default();
        LiveSubscription(bell.subscribe())
    }

    /// The text of an attempt after the position `from`, at most one frame of each; `None` if the
    /// attempt is not under way here.
    pub fn text_delta(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        from: AttemptOffset,
    ) -> Option<LiveTextDelta> {
        let kept = self.lock();
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        let speech = kept.speeches.get(&key)?;
        let after = |heard: &LiveTextBuffer, from: u64| {
            let rest = usize::try_from(from).ok().and_then(|from| heard.text.get(from..)).unwrap_or_default();
            rest[..boundary(rest, CHUNK_MAX)].to_owned()
        };
        let fresh = || LiveTextDelta {
            text: after(&speech.text, from.text),
            thoughts: after(&speech.thoughts, from.thoughts),
        };
        (speech.attempt == from.attempt).then(fresh)
    }

    /// The progress of the running calls of a session.
    pub fn call_progress(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> BTreeMap<CallId, CallProgress> {
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        self.lock().calls.get(&key).cloned().unwrap_or_default()
    }

    /// Records the progress of the running calls of a session in another process.
    pub fn apply_remote_progress(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        calls: BTreeMap<CallId, CallProgress>,
    ) {
        let mut kept = self.lock();
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        match calls.is_empty() {
            true => kept.calls.remove(&key),
            false => kept.calls.insert(key.clone(), calls),
        };
        kept.notify_subscribers(workspace, Some(key.session), |version| version.progressed += 1);
    }

    /// Whether the streamed text of an attempt differs from the stored one.
    pub fn is_corrected(&self, workspace: &WorkspaceKey, attempt: u64) -> bool {
        self.lock().corrected.iter().any(|(of, corrected)| of == workspace && *corrected == attempt)
    }

    /// Adds a text piece of an attempt in another process, for the readers of this one.
    pub fn apply_remote_text(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        piece: RemoteTextPiece<'_>,
    ) {
        let mut kept = self.lock();
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        kept.append_remote_text(&key, piece, &self.bounds);
        kept.notify_subscribers(workspace, Some(key.session), |version| version.said += 1);
    }

    /// Signals that another process committed something of a session.
    pub fn notify_remote_commit(&self, workspace: &WorkspaceKey, session: &SessionId) {
        let mut kept = self.lock();
        kept.notify_subscribers(workspace, None, |version| version.committed += 1);
        kept.notify_subscribers(workspace, Some(session.clone()), |version| version.committed += 1);
    }

    /// Records that another process stored a different text of an attempt than it streamed.
    pub fn record_remote_correction(&self, workspace: &WorkspaceKey, attempt: u64) {
        self.lock().correct(workspace, attempt);
    }

    /// Whether the text received from another process is not the beginning of the stored text.
    pub fn differs_from_stored(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        attempt: u64,
        stored: &str,
    ) -> bool {
        let kept = self.lock();
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        let speech = kept.speeches.get(&key);
        let heard = speech.filter(|speech| speech.attempt == attempt && speech.number.is_none());
        heard.is_some_and(|speech| !stored.starts_with(&speech.text.text))
    }

    /// Discards the text of running attempts, because this process no longer owns the database; its readers look for
    /// what the next owner stores.
    pub fn drop_live_text(&self) {
        let mut kept = self.lock();
        let own = kept.speeches.iter().filter(|(_, speech)| speech.number.is_some());
        let own: Vec<LiveTextKey> = own.map(|(key, _)| key.clone()).collect();
        for key in own {
            kept.forget(&key);
        }
        kept.calls.clear();
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
                    let key = LiveTextKey { workspace: workspace.clone(), session };
                    kept.forget(&key);
                    kept.calls.remove(&key);
                    kept.notify_subscribers(&workspace, Some(key.session), |version| version.committed += 1);
                }
                kept.notify_subscribers(&workspace, None, |version| version.committed += 1);
            }
            FeedEvent::CallProgressed { workspace, session, call, progress } => {
                let key = LiveTextKey { workspace, session };
                kept.calls.entry(key.clone()).or_default().insert(call, progress);
                kept.notify_subscribers(&key.workspace, Some(key.session), |version| version.progressed += 1);
            }
            FeedEvent::Said { workspace, session, round, attempt, text } => {
                let key = LiveTextKey { workspace, session };
                let number = RoundAttempt { round, attempt };
                kept.append_local_text(&key, number, ReplyChannel::Text, &text, &self.bounds);
                kept.notify_subscribers(&key.workspace, Some(key.session), |version| version.said += 1);
            }
            FeedEvent::Thought { workspace, session, round, attempt, text } => {
                let key = LiveTextKey { workspace, session };
                let number = RoundAttempt { round, attempt };
                kept.append_local_text(&key, number, ReplyChannel::Reasoning, &text, &self.bounds);
                kept.notify_subscribers(&key.workspace, Some(key.session), |version| version.said += 1);
            }
        }
    }
}

impl LiveTextState {
    /// Follows the attempts of a session: text counts from the entry that begins an attempt to the one that ends it.
    /// Earlier or later text belongs to aborted work and is ignored.
    fn follow(&mut self, workspace: &WorkspaceKey, session: &SessionId, entry: &Arc<JournalEntry>) {
        let key = LiveTextKey { workspace: workspace.clone(), session: session.clone() };
        self.forget_progress(&key, entry);
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
            self.forget(&key);
        }
        if let Some(number) = started_attempt(entry) {
            self.forget(&key);
            let (text, thoughts) = (LiveTextBuffer::default(), LiveTextBuffer::default());
            self.speeches
                .insert(key, LiveAttempt { attempt: entry.seq, number: Some(number), text, thoughts });
        }
    }

    /// Drops the progress of a call that an entry ends, and that of all calls once the session does something else.
    fn forget_progress(&mut self, key: &LiveTextKey, entry: &JournalEntry) {
        let Some(calls) = self.calls.get_mut(key) else { return };
        match &entry.input {
            Input::CallFinished { call, .. } => drop(calls.remove(call)),
            _ if started_attempt(entry).is_some() => calls.clear(),
            _ => {}
        }
        if calls.is_empty() {
            self.calls.remove(key);
        }
    }

    /// Adds a piece of this process's own attempt, up to the bounds. After a dropped part, later text is dropped too.
    fn append_local_text(
        &mut self,
        key: &LiveTextKey,
        number: RoundAttempt,
        channel: ReplyChannel,
        piece: &str,
        bounds: &LiveTextBounds,
    ) {
        if self.speeches.get(key).is_some_and(|speech| speech.number == Some(number)) {
            self.add(key, channel, piece, bounds);
        }
    }

    /// Remembers that the streamed text of an attempt differs from the stored one.
    fn correct(&mut self, workspace: &WorkspaceKey, attempt: u64) {
        self.corrected.push_back((workspace.clone(), attempt));
        if self.corrected.len() > CORRECTED_KEPT {
            self.corrected.pop_front();
        }
    }

    /// Adds a piece of an attempt in another process. A piece may arrive twice after a reconnection;
    /// after a gap, later text is dropped.
    fn append_remote_text(&mut self, key: &LiveTextKey, piece: RemoteTextPiece<'_>, bounds: &LiveTextBounds) {
        let RemoteTextPiece { attempt, channel, offset, text } = piece;
        let known = self.speeches.get(key).map(|speech| (speech.attempt, speech.number));
        match known {
            // Local text needs no relay, and of two attempts the later one counts.
            Some((at, number)) if at > attempt || (at == attempt && number.is_some()) => return,
            Some((at, None)) if at == attempt => {}
            Some(_) | None => {
                self.forget(key);
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
        if let Some(fresh) = again.and_then(|again| text.get(again..)).filter(|fresh| !fresh.is_empty()) {
            self.add(key, channel, fresh, bounds);
        }
    }

    /// Adds as much of a piece as the bounds allow.
    fn add(&mut self, key: &LiveTextKey, channel: ReplyChannel, piece: &str, bounds: &LiveTextBounds) {
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

    fn forget(&mut self, key: &LiveTextKey) {
        if let Some(speech) = self.speeches.remove(key) {
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
