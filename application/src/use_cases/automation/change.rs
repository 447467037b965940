use std::sync::Arc;

use entracte_domain::automation::{Automation, AutomationPolicies, OverlapPolicy, Trigger};
use entracte_domain::id::{AutomationId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::{CompletionCheck, Dialect, LimitProfile, ModelSelection, UnattendedPolicy};
use entracte_domain::time::Millis;

use super::show::seed_of;
use crate::mail::{
    AutomationChangeRequest, DeleteAutomationRequest, EditAutomationRequest, Mail, MailRequest,
    NewSeedRequest,
};
use crate::ports::{IdGenerator, LogReader, MailSender, WorkspaceStore};
use crate::use_cases::{UseCaseError, expect_done};

/// A partial update of an automation; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomationUpdate {
    /// The new display name.
    pub name: Option<String>,
    /// When it runs.
    pub trigger: Option<Trigger>,
    /// The changes of its policies.
    pub policies: PolicyUpdate,
    /// Whether it runs on its own schedule.
    pub enabled: Option<bool>,
    /// The changes of its seed.
    pub seed: SeedUpdate,
}

/// A partial update of an automation's policies; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyUpdate {
    /// The maximum delay of an occurrence; an inner `None` means unlimited.
    pub window: Option<Option<Millis>>,
    /// Whether only the latest of several due occurrences runs.
    pub latest_only: Option<bool>,
    /// How to handle an occurrence that is due while a run has not ended.
    pub overlap: Option<OverlapPolicy>,
    /// The set of limits; an inner `None` means the workspace's.
    pub profile: Option<Option<LimitProfile>>,
    /// How to handle an action that needs approval; an inner `None` means the workspace's policy.
    pub unattended: Option<Option<UnattendedPolicy>>,
    /// Whether "completed" is accepted without confirmation; an inner `None` means the workspace's policy.
    pub completion: Option<Option<CompletionCheck>>,
    /// Whether a plan must precede actions; an inner `None` means the workspace's policy.
    pub mode: Option<Option<PlanMode>>,
}

impl PolicyUpdate {
    /// Applies the update to the policies.
    pub fn apply_to(&self, policies: &AutomationPolicies) -> AutomationPolicies {
        let mut changed = policies.clone();
        changed.catch_up.window = self.window.unwrap_or(changed.catch_up.window);
        changed.catch_up.latest_only = self.latest_only.unwrap_or(changed.catch_up.latest_only);
        changed.overlap = self.overlap.unwrap_or(changed.overlap);
        changed.run.profile = self.profile.unwrap_or(changed.run.profile);
        changed.run.unattended = self.unattended.unwrap_or(changed.run.unattended);
        changed.run.completion = self.completion.unwrap_or(changed.run.completion);
        changed.run.mode = self.mode.unwrap_or(changed.run.mode);
        changed
    }
}

/// A partial update of the seed; absent fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeedUpdate {
    /// The message each run begins with.
    pub message: Option<UserMessage>,
    /// The name of the provider in the configuration.
    pub provider: Option<String>,
    /// The model's name at the provider.
    pub model: Option<String>,
    /// How commands are encoded for the model.
    pub dialect: Option<Dialect>,
    /// Whether every action of the runs needs approval.
    pub require_validation: Option<bool>,
    /// The commands the runs may request.
    pub restriction: Option<Restriction>,
}

use_case! {
    /// Changes an automation. A change of the seed creates a new seed session: existing runs keep their start.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::EditAutomation(edit)) => edit.change.enabled == Some(false),
    ///     _ => false,
    /// });
    /// let edit = EditAutomation::new(
    ///     Arc::new(mail_sender),
    ///     Arc::new(RandomIdGenerator),
    ///     Arc::new(MockWorkspaceStore::new()),
    ///     Arc::new(MockLogReader::new()),
    /// );
    /// let change = AutomationUpdate { enabled: Some(false), ..AutomationUpdate::default() };
    /// edit.run(&samples::workspace(), "ann".into(), &samples::automation(), change).await?;
    /// # Ok(()) });
    /// ```
    pub struct EditAutomation over (
        mail_sender: dyn MailSender, ids: dyn IdGenerator, store: dyn WorkspaceStore, log: dyn LogReader
    )
        again "Asked again with the same edit it comes to the same."
}

impl EditAutomation {
    /// Applies the update to the automation as it was read, all or nothing; it is committed when this returns.
    ///
    /// # Errors
    /// When the automation or its seed is missing, its next instant cannot be computed or has passed, its message is
    /// refused, or the request is not accepted. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        automation: &Automation,
        edit: AutomationUpdate,
    ) -> Result<(), UseCaseError> {
        let policies = edit.policies.apply_to(&automation.policies);
        // Repeating the setting renews the grant, for the current words of the seed.
        let grants = edit.policies.unattended == Some(Some(UnattendedPolicy::Allow))
            || edit.policies.mode == Some(Some(PlanMode::Free));
        let change = AutomationChangeRequest {
            grants,
            name: edit.name,
            trigger: edit.trigger,
            policies: (policies != automation.policies).then_some(policies),
            enabled: edit.enabled,
            seed: self.seed(workspace, automation, edit.seed).await?,
        };
        let request = MailRequest::workspace(EditAutomationRequest {
            author,
            automation: automation.id.clone(),
            change,
        });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }

    /// The new seed: the current one with the update; `None` if the seed does not change.
    async fn seed(
        &self,
        workspace: &WorkspaceKey,
        automation: &Automation,
        edit: SeedUpdate,
    ) -> Result<Option<NewSeedRequest>, UseCaseError> {
        if edit == SeedUpdate::default() {
            return Ok(None);
        }
        let SeedUpdate { message, provider, model, dialect, require_validation, restriction } = edit;
        let id = self.ids.session();
        // An update with all parts needs nothing of the current seed, which may be missing.
        let seed = match (message, provider, model, dialect, require_validation, restriction) {
            (
                Some(message),
                Some(provider),
                Some(model),
                Some(dialect),
                Some(require_validation),
                Some(restriction),
            ) => {
                let voice = ModelSelection { provider, model, dialect };
                NewSeedRequest { id, message, voice, require_validation, restriction }
            }
            (message, provider, model, dialect, require_validation, restriction) => {
                let old = seed_of(&self.store, &self.log, workspace, automation).await?;
                let voice = ModelSelection {
                    provider: provider.unwrap_or(old.voice.provider),
                    model: model.unwrap_or(old.voice.model),
                    dialect: dialect.unwrap_or(old.voice.dialect),
                };
                NewSeedRequest {
                    id,
                    message: message.unwrap_or(old.message),
                    voice,
                    require_validation: require_validation.unwrap_or(old.require_validation),
                    restriction: restriction.unwrap_or(old.restriction),
                }
            }
        };
        Ok(Some(seed))
    }
}

use_case! {
    /// Deletes an automation with its seed. Its runs and its history are preserved.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     matches!(request, MailRequest::Workspace(WorkspaceRequest::DeleteAutomation(_)))
    /// });
    /// let delete = DeleteAutomation::new(Arc::new(mail_sender));
    /// delete.run(&samples::workspace(), "ann".into(), &samples::automation().id).await?;
    /// # Ok(()) });
    /// ```
    pub struct DeleteAutomation over (mail_sender: dyn MailSender)
        again "Asked again it is refused: there is no such automation."
}

impl DeleteAutomation {
    /// Deletes the automation; this is committed when it returns.
    ///
    /// # Errors
    /// When there is no such automation, or the request is not accepted.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        automation: &AutomationId,
    ) -> Result<(), UseCaseError> {
        let request =
            MailRequest::workspace(DeleteAutomationRequest { author, automation: automation.clone() });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}
