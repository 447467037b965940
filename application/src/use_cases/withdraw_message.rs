//! A message that still waits for a model call can be taken back.

use std::sync::Arc;

use entracte_domain::id::{MessageId, SessionId, WorkspaceKey};

use super::{UseCaseError, accepted};
use crate::mail::{Mail, MailRequest};
use crate::ports::MailSender;

/// Takes back a message that was sent during a round and that no model has read. It stays in the log, and nobody is sent it.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mail_sender = samples::mail_sender(|request| matches!(request, MailRequest::Withdraw { .. }));
/// let withdraw = WithdrawMessage::new(Arc::new(mail_sender));
/// let message = samples::session().message(3, 0);
/// withdraw.run(&samples::workspace(), &samples::session(), "ann".into(), message).await?;
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Hands one request in ([what a drop leaves](crate::use_cases#cancel-safety)). Asked again it is refused, because
/// the message waits no more.
pub struct WithdrawMessage {
    mail_sender: Arc<dyn MailSender>,
}

impl WithdrawMessage {
    /// Over this mail sender.
    pub fn new(mail_sender: Arc<dyn MailSender>) -> Self {
        Self { mail_sender }
    }

    /// Takes the message back as `author`.
    ///
    /// # Errors
    /// When there is no such session, when the message waits no more, or the request does not get through.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        message: MessageId,
    ) -> Result<(), UseCaseError> {
        let request = MailRequest::Withdraw { author, message };
        let mail = Mail { session: Some(session.clone()), request, receipt: None };
        accepted(self.mail_sender.post(workspace, mail).await?).map(|_| ())
    }
}
