use entracte_domain::command::{Command, CommandKind};
use entracte_domain::message::{AiMessage, Author, Message, MessageBody};
use entracte_domain::session::{Input, SessionFacts};

use super::JournalEntry;

/// A message of a conversation, with what its journal entry says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConversationMessage {
    /// The message.
    pub message: Message,
    /// The session's sequence after the entry of the message; `MarkRead` takes it.
    pub sequence: u64,
    /// The queries that a reply requested, in either dialect.
    pub queries: Vec<Command>,
    /// The actions that a reply requested, in either dialect.
    pub actions: Vec<Command>,
    /// The text of a reply that could not be read, as the model wrote it.
    pub unreadable_reply: Option<String>,
    /// The automation of the run that the message begins.
    pub automation: Option<String>,
}

impl ConversationMessage {
    /// Whether a reader has not read the message; one's own messages count as read.
    pub fn is_unread_by(&self, reader: &str, facts: &SessionFacts) -> bool {
        self.sequence > facts.read_mark_of(reader)
            && !matches!(&self.message.author, Author::Person(author) if author == reader)
    }
}

impl JournalEntry {
    /// The messages that the entry adds to the conversation, with what it says of them.
    pub fn conversation(&self) -> Vec<ConversationMessage> {
        self.messages().into_iter().map(|message| self.describe_message(message)).collect()
    }

    fn describe_message(&self, message: Message) -> ConversationMessage {
        let (queries, actions) = match &message.body {
            MessageBody::Ai(reply) => self.requested_commands(reply),
            MessageBody::Rich(_)
            | MessageBody::Text(_)
            | MessageBody::System(_)
            | MessageBody::Execution(_) => (Vec::new(), Vec::new()),
        };
        let unreadable_reply = match (&message.body, &self.input) {
            (MessageBody::Ai(reply), Input::AiResponseReceived(response)) if !response.faults.is_empty() => {
                Some(reply.original.clone())
            }
            _ => None,
        };
        let automation = match (&message.body, &self.input) {
            (MessageBody::Execution(_), Input::SessionCreated(creation)) => creation.automation.clone(),
            _ => None,
        };
        ConversationMessage {
            message,
            sequence: self.sequence,
            queries,
            actions,
            unreadable_reply,
            automation,
        }
    }

    /// The commands of a reply: those of an envelope stand in the message, native calls in the entry.
    fn requested_commands(&self, reply: &AiMessage) -> (Vec<Command>, Vec<Command>) {
        let is_written_in_message = !(reply.queries.is_empty() && reply.actions.is_empty());
        match &self.input {
            Input::AiResponseReceived(response) if !is_written_in_message => {
                let of = |kind| {
                    let calls = response.calls.iter().filter(move |call| call.kind == kind);
                    calls.map(|call| call.command.clone()).collect()
                };
                (of(CommandKind::Query), of(CommandKind::Action))
            }
            _ => (reply.queries.clone(), reply.actions.clone()),
        }
    }
}
