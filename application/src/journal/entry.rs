use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::Message;
use entracte_domain::session::{Input, LogAppend};
use entracte_domain::time::Timestamp;

/// One numbered log record of a session: the input, the rules it ran under, and the records it appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The number in the workspace.
    pub seq: u64,
    /// The session that received the input.
    pub session: SessionId,
    /// The session's sequence after the input.
    pub sequence: u64,
    /// When the input was applied.
    pub at: Timestamp,
    /// The hash of the rules it ran under, which are stored as a blob.
    pub rules: Digest,
    /// The input of the state machine.
    pub input: Input,
    /// The records the transition appended, in order.
    pub appended: Vec<LogAppend>,
}

impl JournalEntry {
    /// The messages it adds to the conversation: the input's own, then those of the machine.
    pub fn messages(&self) -> Vec<Message> {
        let own = self.input.message(&self.session, self.sequence, self.at);
        let made = self.appended.iter().filter_map(|appended| match appended {
            LogAppend::Message(message) => Some(message.as_ref().clone()),
            LogAppend::Note(_) => None,
        });
        own.into_iter().chain(made).collect()
    }
}
