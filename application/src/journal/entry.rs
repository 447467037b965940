use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::Message;
use entracte_domain::session::{Input, LogAppend};
use entracte_domain::time::Timestamp;

/// An entry of the log: an input of one session, what it ran under, and what it appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// Number in the workspace.
    pub seq: u64,
    /// Whose input.
    pub session: SessionId,
    /// The session's sequence after it.
    pub sequence: u64,
    /// When the input was applied.
    pub at: Timestamp,
    /// Hash of the rules it ran under; the rules are a blob.
    pub rules: Digest,
    /// What happened.
    pub input: Input,
    /// What the transition appended, in order.
    pub appended: Vec<LogAppend>,
}

impl JournalEntry {
    /// The messages it brings into the conversation: the input's own, then those that the machine made.
    pub fn messages(&self) -> Vec<Message> {
        let own = self.input.message(&self.session, self.sequence, self.at);
        let made = self.appended.iter().filter_map(|appended| match appended {
            LogAppend::Message(message) => Some(message.as_ref().clone()),
            LogAppend::Note(_) => None,
        });
        own.into_iter().chain(made).collect()
    }
}
