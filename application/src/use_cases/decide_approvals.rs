use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;

use super::read_session::session_not_found;
use super::{AcceptedRequest, ApprovalView, UseCaseError, expect_accepted};
use crate::codec::decode_snapshot;
use crate::mail::{Mail, MailDecision, MailRequest, MailVerdict};
use crate::ports::{MailSender, WorkspaceStore};
use crate::texts::saying;

/// What a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalChoice {
    /// Do it.
    Approve,
    /// Do it with these arguments.
    ApproveEdited(JsonValue),
    /// Do it, and such calls from now on, without asking.
    Always {
        /// Only in this session; else in all of the workspace.
        in_session: bool,
        /// For how long; none: as the setting `validation.always_expires` says.
        lasts: Option<Millis>,
        /// In the whole workspace for agents too. What is asked on the card of an agent always is.
        agents: bool,
    },
    /// Do not; the reason is for the model. An empty one is none.
    Reject(Option<String>),
}

/// A call that was shown to whoever decides, with what was on its card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalSelection {
    /// The call.
    pub call: CallId,
    /// The digest of the card; none is refused.
    pub card: Option<Digest>,
}

impl ApprovalSelection {
    /// What a person was shown: the call of this card, bound to what is on it.
    pub fn from_approval(approval: &ApprovalView) -> Self {
        Self { call: approval.call.id.clone(), card: approval.digest.clone() }
    }
}

use_case! {
    /// Decides on the calls that wait for approval: one, some or all.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(
    ///     |request| matches!(request, MailRequest::Decide { decisions, .. } if decisions.len() == 2),
    /// );
    /// let answer = AnswerApprovals::new(Arc::new(mail_sender), Arc::new(MockWorkspaceStore::new()));
    /// let card = Some(Digest::new("what was shown"));
    /// let shown = [0, 1].map(|n| Shown { call: samples::session().call(7, n), card: card.clone() });
    /// let (workspace, session) = (samples::workspace(), samples::session());
    /// answer.run_for_shown(&workspace, &session, "ann".into(), &shown, &Choice::Approve).await?;
    ///
    /// let none = answer.run_for_shown(&workspace, &session, "ann".into(), &[], &Choice::Approve).await;
    /// assert!(matches!(none, Err(UseCaseError::Invalid(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Hands one request in ([what a drop leaves](crate::use_cases#cancel-safety)). A decision is bound to its card and
    /// taken once: asked again it is the same answer while its reply is carried out, and refused afterwards.
    /// [`run`](Self::run) and [`run_for_all`](Self::run_for_all) read the cards themselves, so asked again they decide on
    /// what is open then; show the cards again first.
    pub struct DecideApprovals over (mail_sender: dyn MailSender, store: dyn WorkspaceStore) and (link: Option<Digest> = None)
}

impl DecideApprovals {
    /// By a link, of which this is the hash: the commit of the decision spends it.
    #[must_use]
    pub fn with_link_authorization(self, link: Digest) -> Self {
        Self { link: Some(link), ..self }
    }

    /// One choice for these calls of one session, by the cards that their session has for them as it is stored now.
    ///
    /// # Errors
    /// As [`DecideApprovals::run_for_selection`].
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        calls: &[CallId],
        choice: &ApprovalChoice,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let open = if calls.is_empty() { Vec::new() } else { self.open(workspace, session).await? };
        let card = |call: &CallId| open.iter().find(|shown| shown.call == *call)?.card.clone();
        let shown: Vec<ApprovalSelection> =
            calls.iter().map(|call| ApprovalSelection { call: call.clone(), card: card(call) }).collect();
        self.run_for_selection(workspace, session, author, &shown, choice).await
    }

    /// One choice for these calls of one session, each bound to the card that was shown. New arguments are for one call.
    ///
    /// # Errors
    /// When no call is named, a card is not the open one, a call is unknown, another decision was taken first, edited arguments break the schema, or the
    /// request does not get through. No decision was taken then.
    pub async fn run_for_selection(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        calls: &[ApprovalSelection],
        choice: &ApprovalChoice,
    ) -> Result<AcceptedRequest, UseCaseError> {
        if calls.is_empty() {
            return Err(no_approvals_error(session));
        }
        if calls.len() > 1 && matches!(choice, ApprovalChoice::ApproveEdited(_)) {
            let several = saying!("request-edit-several", count = calls.len());
            return Err(UseCaseError::Invalid(several.into()));
        }
        let each: Vec<(ApprovalSelection, ApprovalChoice)> =
            calls.iter().map(|shown| (shown.clone(), choice.clone())).collect();
        self.run_for_each(workspace, session, author, &each).await
    }

    /// A choice for each of these calls of one session, bound to the card that was shown; all are taken, or none.
    ///
    /// # Errors
    /// As [`DecideApprovals::run_for_selection`].
    pub async fn run_for_each(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        each: &[(ApprovalSelection, ApprovalChoice)],
    ) -> Result<AcceptedRequest, UseCaseError> {
        if each.is_empty() {
            return Err(no_approvals_error(session));
        }
        let decision = |(shown, choice): &(ApprovalSelection, ApprovalChoice)| {
            let ApprovalSelection { call, card } = shown.clone();
            MailDecision { call, card, verdict: verdict(choice) }
        };
        let decisions = each.iter().map(decision).collect();
        let request = MailRequest::Decide { author, decisions, link: self.link.clone() };
        let mail = Mail { session: Some(session.clone()), request, receipt: None, may_approve: true };
        expect_accepted(self.mail_sender.post(workspace, mail).await?)
    }

    /// One choice for all calls of a session that are open as it is stored now.
    ///
    /// # Errors
    /// As [`DecideApprovals::run`]; and when nothing is open.
    pub async fn run_for_all(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        choice: &ApprovalChoice,
    ) -> Result<AcceptedRequest, UseCaseError> {
        let calls = self.open(workspace, session).await?;
        if calls.is_empty() {
            let none = saying!("request-nothing-open", session = session.as_str());
            return Err(UseCaseError::NotApplicable(none.into()));
        }
        self.run_for_selection(workspace, session, author, &calls, choice).await
    }

    async fn open(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
    ) -> Result<Vec<ApprovalSelection>, UseCaseError> {
        let row = self.store.session(workspace, session).await?.ok_or_else(|| session_not_found(session))?;
        let snapshot = decode_snapshot(&row.body)?;
        Ok(snapshot.phase.batch().map(|batch| batch.undecided().map(shown).collect()).unwrap_or_default())
    }
}

fn no_approvals_error(session: &SessionId) -> UseCaseError {
    UseCaseError::Invalid(saying!("request-no-call-given", session = session.as_str()).into())
}

fn verdict(choice: &ApprovalChoice) -> MailVerdict {
    match choice {
        ApprovalChoice::Approve => MailVerdict::Approve,
        ApprovalChoice::ApproveEdited(arguments) => MailVerdict::Edit { arguments: arguments.clone() },
        ApprovalChoice::Always { in_session, lasts, agents } => {
            MailVerdict::Always { in_session: *in_session, lasts: *lasts, agents: *agents }
        }
        // An empty field is no reason: with one the model is asked to go on, without one a chat rests.
        ApprovalChoice::Reject(reason) => {
            MailVerdict::Reject { reason: reason.clone().filter(|reason| !reason.trim().is_empty()) }
        }
    }
}

fn shown(call: &Call) -> ApprovalSelection {
    ApprovalSelection { call: call.id.clone(), card: call.card.clone() }
}
