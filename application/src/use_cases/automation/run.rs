use std::sync::Arc;

use entracte_domain::id::{AutomationId, WorkspaceKey};

use crate::mail::{Mail, MailRequest, RunAutomationRequest};
use crate::ports::{IdGenerator, MailSender};
use crate::use_cases::{AcceptedRequest, UseCaseError, expect_accepted};

use_case! {
    /// Runs an automation now, because a person requests it or an external event occurred.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::RunAutomation(run)) => run.event.is_some(),
    ///     _ => false,
    /// });
    /// let run = RunAutomation::new(Arc::new(mail_sender), Arc::new(RandomIdGenerator));
    /// let automation = samples::automation();
    /// let event = Some(r#"{"invoice": 7}"#.to_owned());
    /// run.run(&samples::workspace(), "ann".into(), &automation.id, event).await?;
    /// # Ok(()) });
    /// ```
    pub struct RunAutomation over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "Each call draws an id of its own, so asked again it makes a second run: look at its history first, "
        "or hand it in under a [receipt](crate::mail::Receipt)."
}

impl RunAutomation {
    /// Creates the run; it is committed when this returns, and the answer says whether it got a slot. The event is
    /// JSON as received; the run's model reads it as untrusted data.
    ///
    /// # Errors
    /// When there is no such automation, its seed cannot be used, the event is invalid JSON or too long, or the
    /// request is not accepted. No run was created then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        automation: &AutomationId,
        event: Option<String>,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let session = self.ids.session();
        let request = MailRequest::workspace(RunAutomationRequest {
            author,
            automation: automation.clone(),
            session,
            event,
        });
        expect_accepted(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}
