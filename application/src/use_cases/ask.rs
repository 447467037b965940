//! The verbs that hand one request in: send, answer, interrupt, stop, end, resume, settle, confirm, reject.

use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;

use super::{Accepted, UseCaseError, accepted};
use crate::codec::{Mail, MailRequest};
use crate::ports::Postbox;

macro_rules! verb {
    ($(#[$doc:meta])* $name:ident($($(#[$field_doc:meta])* $field:ident: $type:ty),*) => $request:expr) => {
        $(#[$doc])*
        pub struct $name {
            postbox: Arc<dyn Postbox>,
        }

        impl $name {
            /// Over this postbox.
            pub fn new(postbox: Arc<dyn Postbox>) -> Self {
                Self { postbox }
            }

            /// Hands the request in; it is committed when this returns.
            ///
            /// # Errors
            /// When it is refused (the session is unknown or has ended, nothing applies, …) or does not get
            /// through. Nothing was done then.
            pub async fn run(
                &self,
                workspace: &WorkspaceKey,
                session: &SessionId,
                $($field: $type),*
            ) -> Result<Accepted, UseCaseError> {
                let mail = Mail { session: Some(session.clone()), request: $request };
                accepted(self.postbox.post(workspace, mail).await?)
            }
        }
    };
}

verb!(
    /// Sends a user message. Accepted in every phase of an open session; during a round it waits for the next
    /// model call. The same `client_key` again is the same message.
    SendMessage(author: String, message: UserMessage, client_key: Option<String>)
        => MailRequest::SendMessage { author, message, client_key }
);
verb!(
    /// Answers the open question: the number of an option, its text, or yes / no.
    AnswerQuestion(author: String, text: String) => MailRequest::Answer { author, text }
);
verb!(
    /// Interrupts the round; the session rests.
    InterruptRound(author: String) => MailRequest::Interrupt { author }
);
verb!(
    /// Stops a session's work. A run ends; a chat rests.
    StopSession(author: String) => MailRequest::Stop { author, end: false }
);
verb!(
    /// Ends a session; it refuses messages from then on.
    EndSession(author: String) => MailRequest::Stop { author, end: true }
);
verb!(
    /// Goes on from where a session rests.
    ResumeSession(author: String) => MailRequest::Resume { author }
);
verb!(
    /// Says what became of an action of unknown outcome.
    SettleCall(author: String, call: CallId, happened: bool, note: Option<String>)
        => MailRequest::Settle { author, call, happened, note }
);
verb!(
    /// Agrees that a run's work is done.
    ConfirmCompletion(author: String) => MailRequest::ConfirmCompletion { author }
);
verb!(
    /// Says that a run's work is not done.
    RejectCompletion(author: String, reason: Option<String>)
        => MailRequest::RejectCompletion { author, reason }
);
