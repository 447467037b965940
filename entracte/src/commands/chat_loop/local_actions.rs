//! Acts of this person in this process: the screen shows them as typed, so their entries are not shown again.

use entracte_application::journal::JournalEntry;
use entracte_domain::id::CallId;
use entracte_domain::session::Input;

/// The acts that are recognized by their entries. Acts of the same person in another process are not included.
#[derive(Debug, Default)]
pub(super) struct LocalChatActions {
    author: String,
    /// The idempotency keys of the messages.
    messages: Vec<String>,
    /// The calls that were decided.
    decided: Vec<CallId>,
    /// The number of accepted answers whose entries have not been seen yet.
    answers: usize,
}

impl LocalChatActions {
    /// An empty record for this author.
    pub(super) fn for_author(author: String) -> Self {
        Self { author, ..Self::default() }
    }

    /// Records a message with this key.
    pub(super) fn record_message(&mut self, key: String) {
        self.messages.push(key);
    }

    /// Records an answer to a question.
    pub(super) fn record_answer(&mut self) {
        self.answers += 1;
    }

    /// Records decisions on these calls.
    pub(super) fn record_decisions(&mut self, calls: impl IntoIterator<Item = CallId>) {
        self.decided.extend(calls);
    }

    /// Removes the decisions after a refusal: a decision on these calls is now another person's.
    pub(super) fn clear_decisions(&mut self) {
        self.decided.clear();
    }

    /// Whether an entry is the result of such an act.
    pub(super) fn is_own_entry(&self, entry: &JournalEntry) -> bool {
        match &entry.input {
            Input::UserMessageSent(sent) if !sent.instead_of.is_empty() => {
                sent.author == self.author && sent.instead_of.iter().all(|call| self.decided.contains(call))
            }
            Input::UserMessageSent(sent) => {
                sent.client_key.as_ref().is_some_and(|key| self.messages.contains(key))
            }
            Input::ValidationReceived { author, decisions } => {
                *author == self.author && decisions.iter().all(|one| self.decided.contains(&one.call))
            }
            Input::CommunicationResponseReceived { author, .. } => *author == self.author && self.answers > 0,
            // A person who interrupted, under the same name, knows it.
            Input::RoundInterrupted { author, .. } | Input::StopRequested { author, .. } => {
                *author == self.author
            }
            _ => false,
        }
    }

    /// Removes the act of an entry that was shown.
    pub(super) fn remove_shown(&mut self, entry: &JournalEntry) {
        match &entry.input {
            Input::UserMessageSent(sent) => {
                self.messages.retain(|key| Some(key) != sent.client_key.as_ref());
                self.decided.retain(|call| !sent.instead_of.contains(call));
            }
            Input::ValidationReceived { decisions, .. } => {
                self.decided.retain(|call| decisions.iter().all(|one| one.call != *call));
            }
            Input::CommunicationResponseReceived { .. } => self.answers = self.answers.saturating_sub(1),
            _ => {}
        }
    }
}
