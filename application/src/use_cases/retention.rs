//! Use cases of retention: read the policy and the holds, hold, release, preview, run.

use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{UseCaseError, expect_done, refusal};
use crate::codec::WorkspaceBody;
use crate::instructions::InstructionScope;
use crate::mail::{HoldRetentionRequest, Mail, MailRequest, ReleaseRetentionRequest};
use crate::ports::{Clock, DeletionRow, KnowledgeStore, LogReader, MailSender, StoreError, WorkspaceStore};
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
    /// Whether a part of the held session, or an agent below it, is gone by the policy, as far as a few reads tell: the
    /// session was going already when it was held, or its agents have a limit of their own.
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
        let holds_session = body.holds.iter().any(|hold| matches!(hold.scope, InstructionScope::Session(_)));
        let deletions = match holds_session {
            true => self.log.deletions(workspace, DELETIONS_READ).await?,
            false => Vec::new(),
        };
        let mut holds = Vec::with_capacity(body.holds.len());
        for hold in body.holds {
            let is_partial = match &hold.scope {
                InstructionScope::Session(session) => {
                    is_part_gone(&*self.log, workspace, session, &deletions).await?
                }
                InstructionScope::Workspace | InstructionScope::Automation(_) => false,
            };
            holds.push(RetentionHoldView { hold, is_partial });
        }
        Ok(RetentionView { policy, own, holds })
    }
}

/// The latest records of deletions in which agents of a held session are looked for. While a tree goes, those of its
/// agents are among the latest.
const DELETIONS_READ: u32 = 500;

/// Records of a held session's agents that are looked at: an agent may have been imported again since.
const GONE_AGENTS_READ: usize = 10;

/// Whether a part of a held session is gone by the policy: the first entry of its log or of an agent's, or an agent. Of
/// many agents only some are looked at. Costs are detached only after the first entry went. `deletions` = the latest
/// records of the workspace.
async fn is_part_gone(
    log: &dyn LogReader,
    workspace: &WorkspaceKey,
    session: &SessionId,
    deletions: &[DeletionRow],
) -> Result<bool, StoreError> {
    // The first ones of its agents, too: their ids begin with its own.
    let mut sessions = log.sessions_by_prefix(workspace, &format!("{session}-")).await?;
    sessions.push(session.clone());
    for one in &sessions {
        if find_first_sequence(log, workspace, one).await?.is_some_and(|sequence| sequence > 1) {
            return Ok(true);
        }
    }
    let is_agent = |row: &&DeletionRow| {
        row.is_by_policy() && row.session != *session && row.session.is_in_tree_of(session)
    };
    for row in deletions.iter().filter(is_agent).take(GONE_AGENTS_READ) {
        if find_first_sequence(log, workspace, &row.session).await?.is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The sequence of the first entry of a session's log.
async fn find_first_sequence(
    log: &dyn LogReader,
    workspace: &WorkspaceKey,
    session: &SessionId,
) -> Result<Option<u64>, StoreError> {
    let first = log.entries_since(workspace, session, 0, 1).await?;
    Ok(first.first().map(|entry| entry.sequence))
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
    /// Holds it; a person's own hold takes over the reason. Returns whether a part of the held session, or an agent below
    /// it, is gone already ([`RetentionHoldView::is_partial`]).
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
        // From here on nothing more of it goes. A hold of more than a session is not looked through.
        let InstructionScope::Session(session) = &scope else { return Ok(false) };
        let deletions = self.log.deletions(workspace, DELETIONS_READ).await?;
        Ok(is_part_gone(&*self.log, workspace, session, &deletions).await?)
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
