//! What this person did here just now: it stands on the screen as they typed it, so its entry shows nothing again.

use entracte_application::journal::JournalEntry;
use entracte_domain::id::CallId;
use entracte_domain::session::Input;

/// What was done here, by what its entry will say. Of another process of the same person nothing is here.
#[derive(Debug, Default)]
pub(super) struct LocalChatActions {
    author: String,
    /// Keys of the messages.
    messages: Vec<String>,
    /// The calls that were decided on.
    decided: Vec<CallId>,
    /// Answers that were accepted and not seen yet.
    answers: usize,
}

impl LocalChatActions {
    /// Nothing yet.
    pub(super) fn for_author(author: String) -> Self {
        Self { author, ..Self::default() }
    }

    /// A message is sent with this key.
    pub(super) fn record_message(&mut self, key: String) {
        self.messages.push(key);
    }

    /// A question is answered.
    pub(super) fn record_answer(&mut self) {
        self.answers += 1;
    }

    /// These calls are decided on.
    pub(super) fn record_decisions(&mut self, calls: impl IntoIterator<Item = CallId>) {
        self.decided.extend(calls);
    }

    /// The decision was refused: whatever is decided on them now is another one's.
    pub(super) fn clear_decisions(&mut self) {
        self.decided.clear();
    }

    /// Whether an entry is of what was done here.
    pub(super) fn is_own_entry(&self, entry: &JournalEntry) -> bool {
        match &entry.input {
            Input::UserMessageSent(sent) => {
                sent.client_key.as_ref().is_some_and(|key| self.messages.contains(key))
            }
            Input::ValidationReceived { author, decisions } => {
                *author == self.author && decisions.iter().all(|one| self.decided.contains(&one.call))
            }
            Input::CommunicationResponseReceived { author, .. } => *author == self.author && self.answers > 0,
            // Whoever of the same name broke it off knows that they did.
            Input::RoundInterrupted { author } | Input::StopRequested { author, .. } => {
                *author == self.author
            }
            _ => false,
        }
    }

    /// It was shown.
    pub(super) fn remove_shown(&mut self, entry: &JournalEntry) {
        match &entry.input {
            Input::UserMessageSent(sent) => self.messages.retain(|key| Some(key) != sent.client_key.as_ref()),
            Input::ValidationReceived { decisions, .. } => {
                self.decided.retain(|call| decisions.iter().all(|one| one.call != *call));
            }
            Input::CommunicationResponseReceived { .. } => self.answers = self.answers.saturating_sub(1),
            _ => {}
        }
    }
}
