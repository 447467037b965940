//! The content of a user message's input.

use crate::id::CallId;
use crate::message::UserMessage;
use crate::session::RequestedCall;

/// An accepted user message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserMessageSent {
    /// The author of the message.
    pub author: String,
    /// Text and references.
    pub message: UserMessage,
    /// Idempotency key from the client.
    pub client_key: Option<String>,
    /// Queries of the enrichments.
    pub enrichments: Vec<RequestedCall>,
    /// Title that the session gets from its first message; `None` if it has a name.
    pub title: Option<String>,
    /// Whether the author counts as asking for the following work: true except in journals of v0.1.
    pub asks: bool,
    /// The undecided calls that the author answers with the message in place of a decision: they are rejected.
    pub instead_of: Vec<CallId>,
}
