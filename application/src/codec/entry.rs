use entracte_domain::id::{Digest, SessionId};
use entracte_domain::message::Message;
use entracte_domain::session::{Appended, Input};
use entracte_domain::time::Timestamp;

use super::{CodecError, v1, version};
use crate::ports::LogRow;

/// An entry of the log: an input of one session, what it ran under, and what it appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
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
    pub appended: Vec<Appended>,
}

impl Entry {
    /// The messages it brings into the conversation: the input's own, then those that the machine made.
    pub fn messages(&self) -> Vec<Message> {
        let own = self.input.message(&self.session, self.sequence, self.at);
        let made = self.appended.iter().filter_map(|appended| match appended {
            Appended::Message(message) => Some(message.as_ref().clone()),
            Appended::Note(_) => None,
        });
        own.into_iter().chain(made).collect()
    }
}

/// The row of an entry. What stands in its columns is not in its body.
pub fn encode_entry(entry: &Entry) -> Result<LogRow, CodecError> {
    Ok(LogRow {
        seq: entry.seq,
        session: entry.session.clone(),
        sequence: entry.sequence,
        at: entry.at,
        label: entry.input.label().to_owned(),
        client_key: client_key(&entry.input),
        body: version::write("log entry", &v1::Entry::from(entry))?,
    })
}

/// The entry that this row is of.
pub fn decode_entry(row: &LogRow) -> Result<Entry, CodecError> {
    let body: v1::Entry = version::read_shape("log entry", &row.body)?;
    Ok(body.into_domain(row))
}

fn client_key(input: &Input) -> Option<String> {
    match input {
        Input::UserMessageSent(sent) => sent.client_key.clone(),
        Input::SessionCreated(_)
        | Input::SessionActivationRequested { .. }
        | Input::StandingChanged { .. }
        | Input::AiResponseReceived(_)
        | Input::ValidationReceived { .. }
        | Input::CommunicationResponseReceived { .. }
        | Input::CallFinished { .. }
        | Input::CallSettled { .. }
        | Input::CompletionConfirmed { .. }
        | Input::CompletionRejected { .. }
        | Input::NetworkErrorOccurred { .. }
        | Input::ProviderErrorOccurred { .. }
        | Input::NetworkAvailable
        | Input::SystemErrorOccurred { .. }
        | Input::StopRequested { .. }
        | Input::RoundInterrupted { .. }
        | Input::TimeReached
        | Input::TaskFinished { .. }
        | Input::ContextCompacted { .. }
        | Input::CompactionFailed { .. }
        | Input::RulesChanged(_)
        | Input::SessionCopied { .. }
        | Input::MessagesRead { .. }
        | Input::EndSeen { .. }
        | Input::SessionOpened(_)
        | Input::SessionLeft { .. }
        | Input::SchedulerHeartbeat => None,
    }
}
