//! How a run ended is kept in the inbox until somebody has seen it.

use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{UseCaseError, accepted};
use crate::mail::{Mail, MailRequest};
use crate::ports::MailSender;

/// Remembers that a person has seen how a run ended: its item leaves the inbox, for everybody.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mail_sender = samples::mail_sender(|request| matches!(request, MailRequest::MarkSeen { .. }));
/// let mark = MarkSeen::new(Arc::new(mail_sender));
/// mark.run(&samples::workspace(), &samples::session(), "bob".into()).await?;
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Hands one request in ([what a drop leaves](crate::use_cases#cancel-safety)). Asked again it changes nothing.
pub struct MarkSeen {
    mail_sender: Arc<dyn MailSender>,
}

impl MarkSeen {
    /// Over this mail sender.
    pub fn new(mail_sender: Arc<dyn MailSender>) -> Self {
        Self { mail_sender }
    }

    /// Marks how this run ended as seen by `author`; who comes second changes nothing.
    ///
    /// # Errors
    /// When there is no such session, when there is nothing to see of it, or the request does not get through.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
    ) -> Result<(), UseCaseError> {
        let mail =
            Mail { session: Some(session.clone()), request: MailRequest::MarkSeen { author }, receipt: None };
        accepted(self.mail_sender.post(workspace, mail).await?).map(|_| ())
    }
}
