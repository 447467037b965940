use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::read_session::session_not_found;
use super::settings::texts_of;
use super::{UseCaseError, expect_created_id};
use crate::instructions::{InstructionScope, InstructionSource, InstructionVersion};
use crate::mail::{Mail, MailRequest, SetInstructionsRequest};
use crate::ports::{AutomationReader, LogReader, MailSender, WorkspaceStore};
use crate::texts::saying;

/// New instructions for a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionUpdate {
    /// The text for the model; `None` clears the instructions.
    pub text: Option<String>,
    /// The source of the text.
    pub source: InstructionSource,
    /// The version that was read before; a mismatch is refused. `None` accepts any version, 0 means that none exists
    /// yet.
    pub expected: Option<u64>,
}

use_case! {
    /// Sets the instructions of a workspace, of an automation's runs, or of a session. Sessions use them from their
    /// next user turn on.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::instructions::{InstructionScope, InstructionSource};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Workspace(WorkspaceRequest::SetInstructions(set)) => set.scope == InstructionScope::Workspace,
    ///     _ => false,
    /// });
    /// let set = SetInstructions::new(Arc::new(mail_sender));
    /// let text = Some("You are Fernando, a warm assistant.".into());
    /// let telling = InstructionUpdate { text, source: InstructionSource::Written, expected: None };
    /// set.run(&samples::workspace(), InstructionScope::Workspace, "ann".into(), telling).await?;
    /// # Ok(()) });
    /// ```
    pub struct SetInstructions over (mail_sender: dyn MailSender)
        again "Asked again with the same text it makes no second version; with the version that was read it is "
        "refused, because there is a later one."
}

impl SetInstructions {
    /// Writes the next version; an unchanged text creates none.
    ///
    /// # Errors
    /// When there is no such automation or session, the text is empty, too long or not plain text, the version does
    /// not match, or the request is not accepted. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        scope: InstructionScope,
        author: String,
        telling: InstructionUpdate,
    ) -> Result<(), UseCaseError> {
        let InstructionUpdate { text, source, expected } = telling;
        let request =
            MailRequest::workspace(SetInstructionsRequest { author, scope, text, source, expected });
        expect_created_id(self.mail_sender.post(workspace, Mail::from_request(request)).await?).map(drop)
    }
}

use_case! {
    /// Reads instructions and their versions.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # use entracte_application::instructions::InstructionScope;
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_instructions().returning(|_, _| Ok(Vec::new()));
    /// let (store, automations) = (MockWorkspaceStore::new(), MockAutomationReader::new());
    /// let read = ReadInstructions::new(Arc::new(store), Arc::new(log), Arc::new(automations));
    /// assert_eq!(read.run(&samples::workspace(), &InstructionScope::Workspace).await?, None, "no instructions are set");
    /// # Ok(()) });
    /// ```
    pub struct ReadInstructions reads (
        store: dyn WorkspaceStore, log: dyn LogReader, automations: dyn AutomationReader
    )
}

impl ReadInstructions {
    /// The latest version of a scope, which may clear the instructions; `None` if there never were any.
    ///
    /// # Errors
    /// When there is no such automation or session, or the database cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
    ) -> Result<Option<InstructionVersion>, UseCaseError> {
        self.check(workspace, scope).await?;
        Ok(self.log.instructions(workspace, std::slice::from_ref(scope)).await?.pop())
    }

    /// The stored versions of a scope that are older than `before` (`None`: all of them), latest first, at most
    /// `limit`.
    ///
    /// # Errors
    /// Same as [`ReadInstructions::run`].
    pub async fn versions(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<InstructionVersion>, UseCaseError> {
        self.check(workspace, scope).await?;
        Ok(self.log.versions_of_instructions(workspace, scope, before, limit).await?)
    }

    /// One version of a scope.
    ///
    /// # Errors
    /// When there is no such version, or it was deleted; otherwise same as [`ReadInstructions::run`].
    pub async fn version(
        &self,
        workspace: &WorkspaceKey,
        scope: &InstructionScope,
        version: u64,
    ) -> Result<InstructionVersion, UseCaseError> {
        let after = version.saturating_add(1);
        let found = self.versions(workspace, scope, Some(after), 1).await?.pop();
        match found.filter(|found| found.version == version) {
            Some(found) => Ok(found),
            None => {
                let texts = texts_of(&*self.store, workspace).await?;
                let text = saying!("instructions-no-version", version = version.to_string())
                    .into_refusal_text(texts);
                Err(UseCaseError::NotFound(text))
            }
        }
    }

    /// Checks that the automation or session exists in the workspace.
    async fn check(&self, workspace: &WorkspaceKey, scope: &InstructionScope) -> Result<(), UseCaseError> {
        match scope {
            InstructionScope::Workspace => Ok(()),
            InstructionScope::Automation(id) => match self.automations.automation(workspace, id).await? {
                Some(_) => Ok(()),
                None => {
                    let texts = texts_of(&*self.store, workspace).await?;
                    let text =
                        saying!("request-no-automation", automation = id.as_str()).into_refusal_text(texts);
                    Err(UseCaseError::NotFound(text))
                }
            },
            InstructionScope::Session(id) => match self.store.session(workspace, id).await? {
                Some(_) => Ok(()),
                None => Err(session_not_found(id)),
            },
        }
    }
}
