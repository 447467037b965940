//! Requests that record what a person has open and has read. They change nothing that the model needs to know.

use entracte_domain::session::{Input, SessionOpening};

use crate::mail::{
    LeaveSessionRequest, MailAnswer, MarkEndSeenRequest, MarkReadRequest, OpenSessionRequest,
    WithdrawMessageRequest,
};
use crate::runtime::turn::commands::{ApplyToSession, SessionDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;

impl ApplyToSession for OpenSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let until = edit.draft().now.plus(edit.turn().memory.runtime.attachment_lease);
        let (author, attachment) = (self.author.clone(), self.attachment.clone());
        let opening = SessionOpening { author, attachment, until, asks_slot: self.asks_slot };
        edit.apply_or_refuse(Input::SessionOpened(opening), "request-no-chat")
    }
}

impl ApplyToSession for LeaveSessionRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let (author, attachment) = (self.author.clone(), self.attachment.clone());
        edit.apply_or_refuse(Input::SessionLeft { author, attachment }, "request-not-applicable")
    }
}

impl ApplyToSession for MarkReadRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let (reader, sequence) = (self.reader.clone(), self.sequence);
        edit.apply_or_refuse(Input::MessagesRead { reader, sequence }, "request-not-applicable")
    }
}

impl ApplyToSession for MarkEndSeenRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        edit.apply_or_refuse(Input::EndSeen { author: self.author.clone() }, "request-nothing-to-see")
    }
}

impl ApplyToSession for WithdrawMessageRequest {
    fn apply(&self, edit: &mut SessionDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let (author, message) = (self.author.clone(), self.message.clone());
        edit.apply_or_refuse(Input::MessageWithdrawn { author, message }, "request-not-waiting")
    }
}
