use entracte_domain::id::{CallId, SessionId, WorkspaceKey};

use super::CallProgress;
use crate::journal::JournalEntry;

/// An event published to observers: a commit, or live text of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum FeedEvent {
    /// An entry of the log was committed.
    Committed {
        /// The workspace of the entry.
        workspace: WorkspaceKey,
        /// The session of the entry.
        session: SessionId,
        /// The committed entry.
        entry: std::sync::Arc<JournalEntry>,
    },
    /// A change outside of session logs was committed: settings, automations, deletions.
    Changed {
        /// The changed workspace.
        workspace: WorkspaceKey,
        /// The sessions deleted by this commit.
        deleted: Vec<SessionId>,
    },
    /// The model produced reply text; it is not stored, and void when the attempt fails.
    Said {
        /// The workspace of the session.
        workspace: WorkspaceKey,
        /// The session the model replies in.
        session: SessionId,
        /// The round within the exchange.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// The next piece of the text, as received.
        text: String,
    },
    /// A running call made progress; it is not stored, and void when the call ends.
    CallProgressed {
        /// The workspace of the session.
        workspace: WorkspaceKey,
        /// The session that requested the call.
        session: SessionId,
        /// The call.
        call: CallId,
        /// Its latest progress.
        progress: CallProgress,
    },
    /// The model produced reasoning text; it is not stored, and not part of the reply.
    Thought {
        /// The workspace of the session.
        workspace: WorkspaceKey,
        /// The session the model replies in.
        session: SessionId,
        /// The round within the exchange.
        round: u32,
        /// The attempt within the round.
        attempt: u32,
        /// The next piece of the reasoning.
        text: String,
    },
}

/// Publishes events to observers. It never blocks and never fails: a slow observer loses live text, never committed
/// events, because it can read the log again from the last number it saw.
///
/// ```
/// # use entracte_application::samples;
/// use std::sync::Mutex;
///
/// use entracte_application::ports::{EventFeed, FeedEvent};
///
/// /// Shows the model's text as it arrives.
/// #[derive(Default)]
/// struct Screen(Mutex<String>);
///
/// impl EventFeed for Screen {
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
    /// Delivers one event to all observers.
    fn publish(&self, event: FeedEvent);
}
