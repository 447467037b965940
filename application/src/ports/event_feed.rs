use entracte_domain::id::{SessionId, WorkspaceKey};

use crate::journal::JournalEntry;

/// What those who watch are told. Only what was committed, and the words of a model as they come.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FeedEvent {
    /// An entry of the log was committed.
    Committed {
        /// The workspace.
        workspace: WorkspaceKey,
        /// The session.
        session: SessionId,
        /// The entry.
        entry: std::sync::Arc<JournalEntry>,
    },
    /// Something was committed that no session took in: settings, automations, deletions.
    Changed {
        /// The workspace.
        workspace: WorkspaceKey,
        /// The sessions that were deleted with it.
        deleted: Vec<SessionId>,
    },
    /// The model says something; not stored, and void when the attempt fails.
    Said {
        /// The workspace.
        workspace: WorkspaceKey,
        /// The session.
        session: SessionId,
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The next piece of its text, as the wire brought it.
        text: String,
    },
    /// The model thinks aloud; not stored, and no part of what it says.
    Thought {
        /// The workspace.
        workspace: WorkspaceKey,
        /// The session.
        session: SessionId,
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The next piece of it.
        text: String,
    },
}

/// Tells those who watch. Never waits and never fails: a slow watcher misses words, never events, because it
/// can read the log again from the last number it saw.
///
/// ```
/// # use entracte_application::samples;
/// use std::sync::Mutex;
///
/// use entracte_application::ports::{Feed, FeedEvent};
///
/// /// Shows the model's words as they come.
/// #[derive(Default)]
/// struct Screen(Mutex<String>);
///
/// impl Feed for Screen {
///     fn publish(&self, event: FeedEvent) {
///         if let FeedEvent::Said { text, .. } = event {
///             self.0.lock().unwrap().push_str(&text);
///         }
///     }
/// }
///
/// let screen = Screen::default();
/// for text in ["At ", "nine."] {
///     screen.publish(FeedEvent::Said {
///         workspace: samples::workspace(),
///         session: samples::session(),
///         round: 1,
///         attempt: 1,
///         text: text.into(),
///     });
/// }
/// assert_eq!(*screen.0.lock().unwrap(), "At nine.");
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait EventFeed: Send + Sync {
    /// Hands one event to all listeners.
    fn publish(&self, event: FeedEvent);
}
