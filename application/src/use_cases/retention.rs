//! Use cases of retention: read the policy and the holds, hold, release, preview, run.

use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::{UseCaseError, expect_done, refusal};
use crate::codec::WorkspaceBody;
use crate::instructions::InstructionScope;
use crate::mail::{HoldRetentionRequest, Mail, MailRequest, ReleaseRetentionRequest};
use crate::ports::{Clock, KnowledgeStore, LogReader, MailSender, StoreError, WorkspaceStore};
use crate::retention::{RetentionHold, RetentionTable, RetentionTotals};
use crate::retention_planner::{
    RetentionPlanError, RetentionPlanner, RetentionPlannerPorts, RetentionRemovalError,
    RetentionRemovalPorts, RetentionRun, count_of_document, list_unread_documents, read_document_cutoff,
    remove_expired,
};
use crate::settings::{RetentionOverrides, RetentionPolicy, RetentionSettings};

/// What a workspace retains, and what people hold in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetentionView {
    /// The limits in force.
    pub policy: RetentionPolicy,
    /// Those that the workspace sets itself.
    pub own: RetentionOverrides,
    /// The holds, oldest first.
    pub holds: Vec<RetentionHoldView>,
}

/// A hold, and whether it came too late for a part of what it names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetentionHoldView {
    /// The hold.
    pub hold: RetentionHold,
    /// Whether the first part of the held session's log is gone: the session was going already when it was held.
    pub is_partial: bool,
}

use_case! {
    /// Reads what a workspace retains, and what people hold in it.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, settings::RetentionSettings, use_cases::*};
    /// # example(async {
    /// let (store, log) = (Arc::new(samples::store()), Arc::new(MockLogReader::new()));
    /// let read = ReadRetention::new(store, log, RetentionSettings::default());
    /// assert_eq!(read.run(&samples::workspace()).await?.holds, []);
    /// # Ok(()) });
    /// ```
    pub struct ReadRetention reads (store: dyn WorkspaceStore, log: dyn LogReader) with (
        /// The settings of the process.
        settings: RetentionSettings
    )
}

impl ReadRetention {
    /// The limits and the holds of a workspace.
    ///
    /// # Errors
    /// When its row or a log cannot be read.
    pub async fn run(&self, workspace: &WorkspaceKey) -> Result<RetentionView, UseCaseError> {
        let body = WorkspaceBody::load(&*self.store, workspace).await?;
        let own = body.settings.retention;
        let policy = self.settings.policy.with_overrides(&own);
        let mut holds = Vec::with_capacity(body.holds.len());
        for hold in body.holds {
            let is_partial = is_first_part_gone(&*self.log, workspace, &hold.scope).await?;
            holds.push(RetentionHoldView { hold, is_partial });
        }
        Ok(RetentionView { policy, own, holds })
    }
}

/// Whether the first part of a held session's log is gone. What is held beside a single session is not looked through.
async fn is_first_part_gone(
    log: &dyn LogReader,
    workspace: &WorkspaceKey,
    scope: &InstructionScope,
) -> Result<bool, StoreError> {
    let InstructionScope::Session(session) = scope else { return Ok(false) };
    let first = log.entries_since(workspace, session, 0, 1).await?;
    Ok(first.first().is_some_and(|entry| entry.sequence > 1))
}

use_case! {
    /// Holds a workspace, the runs of an automation or a session: nothing of it goes until the hold is released.
    ///
    /// ```
    /// # use entracte_application::{instructions::InstructionScope, samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     matches!(request, MailRequest::Workspace(WorkspaceRequest::HoldRetention(hold)) if hold.reason == "Audit.")
    /// });
    /// let hold = HoldRetention::new(Arc::new(mail_sender), Arc::new(MockLogReader::new()));
    /// hold.run(&samples::workspace(), "ann".into(), InstructionScope::Workspace, "Audit.".into()).await?;
    /// # Ok(()) });
    /// ```
    pub struct HoldRetention over (mail_sender: dyn MailSender, log: dyn LogReader)
        again "Asked again it sets the same reason."
}

impl HoldRetention {
    /// Holds it; a person's own hold takes over the reason. Returns whether the first part of the held session's log is
    /// gone, because it was going already.
    ///
    /// # Errors
    /// When another person holds it already, what is held does not exist, the reason is empty or too long, or the
    /// workspace has too many holds. Nothing was changed then. Or when the log cannot be read afterwards.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        scope: InstructionScope,
        reason: String,
    ) -> Result<bool, UseCaseError> {
        let request = MailRequest::workspace(HoldRetentionRequest { author, scope: scope.clone(), reason });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)?;
        // From here on nothing more of it goes.
        Ok(is_first_part_gone(&*self.log, workspace, &scope).await?)
    }
}

use_case! {
    /// Releases a hold.
    ///
    /// ```
    /// # use entracte_application::{instructions::InstructionScope, samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| {
    ///     matches!(request, MailRequest::Workspace(WorkspaceRequest::ReleaseRetention(_)))
    /// });
    /// let release = ReleaseRetention::new(Arc::new(mail_sender));
    /// release.run(&samples::workspace(), "ann".into(), InstructionScope::Workspace).await?;
    /// # Ok(()) });
    /// ```
    pub struct ReleaseRetention over (mail_sender: dyn MailSender)
        again "Asked again it is refused, because there is no such hold any more."
}

impl ReleaseRetention {
    /// Releases the hold on this.
    ///
    /// # Errors
    /// When nothing holds it, or the requester may not approve. Nothing was changed then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        author: String,
        scope: InstructionScope,
    ) -> Result<(), UseCaseError> {
        let request = MailRequest::workspace(ReleaseRetentionRequest { author, scope });
        expect_done(self.mail_sender.post(workspace, Mail::from_request(request)).await?)
    }
}

use_case! {
    /// Removes what goes from a workspace now, or says what would go.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, settings::RetentionSettings, use_cases::*};
    /// # example(async {
    /// let (store, log) = (Arc::new(samples::store()), Arc::new(MockLogReader::new()));
    /// let mail_sender = Arc::new(MockMailSender::new());
    /// let clock = Arc::new(SystemClock);
    /// let run = RunRetention::new(store, log, mail_sender, clock, RetentionSettings::default(), None);
    /// assert!(run.preview(&samples::workspace()).await?.is_empty(), "everything is retained by default");
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts one request after the other ([what a drop leaves](crate::use_cases#cancel-safety)): what was removed stays
    /// removed, and the rest goes with the next run.
    pub struct RunRetention
    over (store: dyn WorkspaceStore, log: dyn LogReader, mail_sender: dyn MailSender, clock: dyn Clock)
    with (
        /// The settings of the process.
        settings: RetentionSettings,
        /// The documents; `None` if there are none.
        knowledge: Option<Arc<dyn KnowledgeStore>>
    )
}

impl RunRetention {
    fn read(&self) -> RetentionPlannerPorts<'_> {
        RetentionPlannerPorts { store: &*self.store, log: &*self.log }
    }

    /// What would go now, by table. Changes nothing.
    ///
    /// # Errors
    /// When the workspace cannot be read.
    pub async fn preview(&self, workspace: &WorkspaceKey) -> Result<RetentionTotals, UseCaseError> {
        let mut totals = RetentionTotals::default();
        let now = self.clock.now();
        let opened = RetentionPlanner::open(self.read(), workspace, &self.settings, now).await?;
        if let Some(mut planner) = opened {
            while let Some(batch) = planner.next_batch(self.read()).await? {
                totals.add_all(&batch.removes());
            }
        }
        if let Some(knowledge) = &self.knowledge
            && let Some(cutoff) = read_document_cutoff(self.read(), workspace, &self.settings, now).await?
        {
            for document in list_unread_documents(&**knowledge, workspace, cutoff.before).await? {
                totals.add(RetentionTable::Documents, count_of_document(&document));
            }
        }
        Ok(totals)
    }

    /// Removes what goes, in small commits with pauses, and returns what was removed. `tell` is told the sum after each
    /// commit.
    ///
    /// # Errors
    /// When it cannot continue; what was removed stays removed.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        tell: &mut (dyn FnMut(&RetentionTotals) + Send),
    ) -> Result<RetentionTotals, UseCaseError> {
        Ok(self.run_commits(workspace, u32::MAX, tell).await?.removed)
    }

    /// Like [`run`](Self::run), with at most so many commits: for a caller that is to hear of it meanwhile.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_commits(
        &self,
        workspace: &WorkspaceKey,
        most_commits: u32,
        tell: &mut (dyn FnMut(&RetentionTotals) + Send),
    ) -> Result<RetentionRun, UseCaseError> {
        let ports = RetentionRemovalPorts {
            read: self.read(),
            knowledge: self.knowledge.as_deref(),
            mail_sender: &*self.mail_sender,
            clock: &*self.clock,
        };
        Ok(remove_expired(ports, workspace, &self.settings, most_commits, tell).await?)
    }
}

impl From<RetentionPlanError> for UseCaseError {
    fn from(fault: RetentionPlanError) -> Self {
        match fault {
            RetentionPlanError::Store(fault) => fault.into(),
            RetentionPlanError::Codec(fault) => fault.into(),
        }
    }
}

impl From<RetentionRemovalError> for UseCaseError {
    fn from(fault: RetentionRemovalError) -> Self {
        match fault {
            RetentionRemovalError::Plan(fault) => fault.into(),
            RetentionRemovalError::Post(fault) => fault.into(),
            RetentionRemovalError::Refused { code, text } => refusal(code, text),
        }
    }
}
