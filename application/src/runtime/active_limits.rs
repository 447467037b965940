//! The time limits of the work under way in this process, and the words of its replies. The watchdog reads the limits: a
//! run whose work has a limit ahead of it is not lost. A stop reads the words, which stay.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use super::call_limits::ModelCallMonitor;
use super::lock::lock;
use crate::ports::ModelCallLimits;

/// How long the outcome of work that reached its limit may still be in transit.
const ON_ITS_WAY: Millis = Millis::seconds(10);

/// The time limits and the replies of the work under way in one workspace, by session.
#[derive(Default)]
pub struct ActiveWorkLimits {
    noted: Mutex<WorkLimitTable>,
    replies: Mutex<BTreeMap<SessionId, Arc<ShownText>>>,
}

/// The text of a running reply that was shown.
#[derive(Default)]
pub(super) struct ShownText(Mutex<String>);

#[derive(Default)]
struct WorkLimitTable {
    limits: BTreeMap<SessionId, Vec<(u64, WorkLimit)>>,
    next: u64,
}

/// The limit that will end a piece of work.
pub(super) enum WorkLimit {
    /// The work waits for a permit; the holders of the permits have limits of their own.
    OfOthers,
    /// The limits of a model call.
    OfModelCall(Arc<ModelCallMonitor>, ModelCallLimits),
    /// An instant of the monotonic clock.
    At(Millis),
}

/// A registered reply; dropping the guard removes it.
pub(super) struct ShownTextGuard<'a> {
    all: &'a ActiveWorkLimits,
    session: SessionId,
    text: Arc<ShownText>,
}

/// A registered limit; dropping the guard removes it.
pub(super) struct WorkLimitGuard<'a> {
    all: &'a ActiveWorkLimits,
    session: SessionId,
    number: u64,
}

impl ActiveWorkLimits {
    /// Registers a limit of a session's work until the guard is dropped.
    pub(super) fn register_limit(&self, session: &SessionId, limit: WorkLimit) -> WorkLimitGuard<'_> {
        let mut noted = lock(&self.noted);
        noted.next += 1;
        let number = noted.next;
        noted.limits.entry(session.clone()).or_default().push((number, limit));
        WorkLimitGuard { all: self, session: session.clone(), number }
    }

    /// Registers the reply that a session's model is writing until the guard is dropped.
    pub(super) fn register_reply(&self, session: &SessionId, text: Arc<ShownText>) -> ShownTextGuard<'_> {
        lock(&self.replies).insert(session.clone(), text.clone());
        ShownTextGuard { all: self, session: session.clone(), text }
    }

    /// The text that the running reply of a session has shown; empty if there is none.
    pub(super) fn shown_text(&self, session: &SessionId) -> String {
        let reply = lock(&self.replies).get(session).cloned();
        reply.map(|text| lock(&text.0).clone()).unwrap_or_default()
    }

    /// Whether work of the session is under way that has a limit after `now` on the monotonic clock.
    pub(super) fn has_limit_ahead(&self, session: &SessionId, now: Millis) -> bool {
        let noted = lock(&self.noted);
        let limits = noted.limits.get(session).into_iter().flatten();
        // A limit reached a moment ago ended its work: the outcome is in transit.
        let now = Millis(now.0.saturating_sub(ON_ITS_WAY.0));
        limits.into_iter().any(|(_, limit)| limit.is_ahead(now))
    }
}

impl ShownText {
    /// Adds a piece that was shown.
    pub(super) fn push(&self, piece: &str) {
        lock(&self.0).push_str(piece);
    }
}

impl Drop for ShownTextGuard<'_> {
    fn drop(&mut self) {
        let mut replies = lock(&self.all.replies);
        // The next reply may have begun already.
        if replies.get(&self.session).is_some_and(|text| Arc::ptr_eq(text, &self.text)) {
            replies.remove(&self.session);
        }
    }
}

impl WorkLimit {
    fn is_ahead(&self, now: Millis) -> bool {
        match self {
            WorkLimit::OfOthers => true,
            WorkLimit::OfModelCall(listener, limits) => listener.has_limit_ahead(*limits, now),
            WorkLimit::At(end) => end.0 > now.0,
        }
    }
}

impl WorkLimitGuard<'_> {
    /// Replaces the registered limit.
    pub(super) fn replace_limit(&self, limit: WorkLimit) {
        let mut noted = lock(&self.all.noted);
        let of_session = noted.limits.get_mut(&self.session).into_iter().flatten();
        if let Some(mine) = of_session.into_iter().find(|(number, _)| *number == self.number) {
            mine.1 = limit;
        }
    }
}

impl Drop for WorkLimitGuard<'_> {
    fn drop(&mut self) {
        let mut noted = lock(&self.all.noted);
        if let Some(of_session) = noted.limits.get_mut(&self.session) {
            of_session.retain(|(number, _)| *number != self.number);
            if of_session.is_empty() {
                noted.limits.remove(&self.session);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_limit_counts_until_reached_or_dropped() {
        let (all, run, other) =
            (ActiveWorkLimits::default(), SessionId::new("ses_a"), SessionId::new("ses_b"));
        let is_ahead = |at| all.has_limit_ahead(&run, Millis(at));
        assert!(!is_ahead(0), "nothing is under way");
        let first = all.register_limit(&run, WorkLimit::At(Millis(10)));
        let second = all.register_limit(&run, WorkLimit::At(Millis(20)));
        assert!(is_ahead(10_019) && !is_ahead(10_020), "its outcome may be on its way");
        assert!(!all.has_limit_ahead(&other, Millis(0)));
        drop(second);
        assert!(is_ahead(10_009) && !is_ahead(10_010));
        first.replace_limit(WorkLimit::OfOthers);
        assert!(is_ahead(10_010));
        drop(first);
        assert!(!is_ahead(0));
        assert!(lock(&all.noted).limits.is_empty());
    }
}
