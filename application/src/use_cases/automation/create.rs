use std::sync::Arc;

use entracte_domain::automation::{AutomationPolicies, Trigger};
use entracte_domain::id::{AutomationId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::ModelSelection;

use crate::mail::{CreateAutomationRequest, Mail, MailRequest, NewAutomationRequest, NewSeedRequest};
use crate::ports::{IdGenerator, MailSender};
use crate::use_cases::{UseCaseError, expect_created_id};

/// The parameters of a new automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomationParams {
    /// Display name.
    pub name: String,
    /// When it runs.
    pub trigger: Trigger,
    /// The policies of its runs.
    pub policies: AutomationPolicies,
    /// Whether it runs on its own schedule from now on.
    pub enabled: bool,
    /// The message each run begins with; its periods stay relative.
    pub message: UserMessage,
    /// The model of the runs.
    pub voice: ModelSelection,
    /// Whether every action of the runs needs approval.
    pub require_validation: bool,
    /// The commands the runs may request.
    pub restriction: Restriction,
}

use_case! {
    /// Creates an automation with its seed.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::CreateAutomation(create)) => create.new.name == "Weekly",
    ///     _ => false,
    /// });
    /// let create = CreateAutomation::new(Arc::new(mail_sender), Arc::new(RandomIdGenerator));
    /// let plan = AutomationParams {
    ///     name: "Weekly".into(),
    ///     trigger: Trigger::Cron { expression: "0 9 * * 1".into(), zone: "Europe/Paris".into() },
    ///     policies: AutomationPolicies::default(),
    ///     enabled: true,
    ///     message: UserMessage::text("How was my week?"),
    ///     voice: samples::voice(),
    ///     require_validation: false,
    ///     restriction: Restriction::Open,
    /// };
    /// let made = create.run(&samples::workspace(), "ann".into(), plan).await?;
    /// assert!(made.as_str().starts_with("aut_"));
    /// # Ok(()) });
    /// ```
    pub struct CreateAutomation over (mail_sender: dyn MailSender, ids: dyn IdGenerator)
        again "Each call draws an id of its own, so asked again it makes a second automation: look for its name "
        "first, or hand it in under a [receipt](crate::mail::Receipt)."
}

impl CreateAutomation {
    /// Creates the automation; it is committed when this returns.
    ///
    /// # Errors
    /// When its name is empty, its next instant cannot be computed or has passed, its message is refused, or the
    /// request is not accepted. Nothing was created then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        plan: AutomationParams,
    ) -> Result<AutomationId, UseCaseError> {
        let id = self.ids.automation();
        let seed = NewSeedRequest {
            id: self.ids.session(),
            message: plan.message,
            voice: plan.voice,
            require_validation: plan.require_validation,
            restriction: plan.restriction,
        };
        let new = NewAutomationRequest {
            id: id.clone(),
            name: plan.name,
            trigger: plan.trigger,
            policies: plan.policies,
            enabled: plan.enabled,
            seed,
        };
        let request = MailRequest::workspace(CreateAutomationRequest { author, new });
        let answer = self.mail_sender.post(workspace, Mail::from_request(request)).await?;
        // A repetition under the same idempotency key returns the automation created first.
        Ok(expect_created_id(answer)?.map_or(id, AutomationId::new))
    }
}
