use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{UseCaseError, done};
use crate::mail::{Mail, MailRequest};
use crate::ports::MailSender;

/// Deletes a session with all that is stored of it. One that works is not deleted: it is stopped first. Of a chat in which
/// nobody said anything no record is kept.
///
/// ```
/// # use entracte_application::{samples::example::*, use_cases::*};
/// # example(async {
/// let mail_sender = samples::mail_sender(|request| matches!(request, MailRequest::Delete { .. }));
/// let delete = DeleteSession::new(Arc::new(mail_sender));
/// delete.run(&samples::workspace(), &samples::session(), "ann".into()).await?;
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// Hands one request in ([what a drop leaves](crate::use_cases#cancel-safety)). Asked again it is refused: there is
/// no such session.
pub struct DeleteSession {
    mail_sender: Arc<dyn MailSender>,
}

impl DeleteSession {
    /// Over this mail sender.
    pub fn new(mail_sender: Arc<dyn MailSender>) -> Self {
        Self { mail_sender }
    }

    /// Deletes the session; that is committed when this returns.
    ///
    /// # Errors
    /// When there is no such session, it works, or the request does not get through. Nothing was deleted then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
    ) -> Result<(), UseCaseError> {
        let mail =
            Mail { session: Some(session.clone()), request: MailRequest::Delete { author }, receipt: None };
        done(self.mail_sender.post(workspace, mail).await?)
    }
}
