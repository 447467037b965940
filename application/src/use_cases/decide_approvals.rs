use std::sync::Arc;

use entracte_domain::call::Call;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use entracte_domain::validation::RuleWidth;
use entracte_domain::value::JsonValue;

use super::read_session::session_not_found;
use super::{AcceptedRequest, ApprovalView, UseCaseError, expect_accepted};
use crate::codec::decode_snapshot;
use crate::mail::{DecideCallsRequest, Mail, MailDecision, MailRequest, MailVerdict};
use crate::ports::{MailSender, WorkspaceStore};
use crate::texts::saying;

/// The decision of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalChoice {
    /// Execute the call.
    Approve,
    /// Execute the call with these arguments.
    ApproveEdited(JsonValue),
    /// Execute the call, and approve such calls from now on.
    Always {
        /// Limits the rule to this session; otherwise it covers the whole workspace.
        in_session: bool,
        /// How long the rule is valid; `None` uses the setting `validation.always_expires`.
        lasts: Option<Millis>,
        /// Whether a rule for the whole workspace also covers agents. A rule created on an agent's card always does.
        agents: bool,
        /// What the rule covers, as the card offers it; `None` derives it from the arguments on the card.
        width: Option<Box<RuleWidth>>,
    },
    /// Refuse the call, with a reason for the model. An empty reason counts as none.
    Reject(Option<String>),
    /// Refuse the call, and send these words to the model as a message, which it reads at once.
    Answer(String),
}

/// A call chosen for a decision, with the digest of the card that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalSelection {
    /// Unique id of the call.
    pub call: CallId,
    /// The digest of the shown card; `None` is refused.
    pub card: Option<Digest>,
}

impl ApprovalSelection {
    /// Selects the call of this card, bound to the card's content.
    pub fn from_approval(approval: &ApprovalView) -> Self {
        Self { call: approval.call.id.clone(), card: approval.digest.clone() }
    }
}

use_case! {
    /// Decides on calls that wait for approval: one, some or all.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mail_sender = samples::mail_sender(|request| match request {
    ///     MailRequest::Session(_, SessionRequest::DecideCalls(all)) => all.decisions.len() == 2,
    ///     _ => false,
    /// });
    /// let answer = DecideApprovals::new(Arc::new(mail_sender), Arc::new(MockWorkspaceStore::new()));
    /// let card = Some(Digest::new("what was shown"));
    /// let shown = [0, 1].map(|n| ApprovalSelection { call: samples::session().call_id(7, n), card: card.clone() });
    /// let (workspace, session) = (samples::workspace(), samples::session());
    /// answer.run_for_selection(&workspace, &session, "ann".into(), &shown, &ApprovalChoice::Approve).await?;
    ///
    /// let none = answer.run_for_selection(&workspace, &session, "ann".into(), &[], &ApprovalChoice::Approve).await;
    /// assert!(matches!(none, Err(UseCaseError::Invalid(_))));
    /// # Ok(()) });
    /// ```
    ///
    /// # Cancel safety
    /// Posts one request ([what a drop leaves](crate::use_cases#cancel-safety)). A decision is bound to its card and
    /// accepted once: repeating it gives the same answer while its reply is being executed, and is refused afterwards.
    /// [`run`](Self::run) and [`run_for_all`](Self::run_for_all) read the cards themselves, so a repetition decides on
    /// the calls open at that time; show the cards again first.
    pub struct DecideApprovals over (mail_sender: dyn MailSender, store: dyn WorkspaceStore) and (link: Option<Digest> = None)
}

impl DecideApprovals {
    /// Authorises the decision by the link with this hash; the commit of the decision uses the link up.
    #[must_use]
    pub fn with_link_authorization(self, link: Digest) -> Self {
        Self { link: Some(link), ..self }
    }

    /// One choice for these calls of one session, bound to their currently stored cards.
    ///
    /// # Errors
    /// Same as [`DecideApprovals::run_for_selection`].
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

    /// One choice for these calls of one session, each bound to the shown card. Edited arguments are for one call
    /// only.
    ///
    /// # Errors
    /// When no call is named, a card is not the open one, a call is unknown, another decision came first, edited
    /// arguments violate the schema, or the request is not accepted. No decision was recorded then.
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

    /// A choice for each of these calls of one session, bound to the shown card; all are recorded, or none.
    ///
    /// # Errors
    /// Same as [`DecideApprovals::run_for_selection`].
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
        let request = MailRequest::session(
            session.clone(),
            DecideCallsRequest { author, decisions, link: self.link.clone() },
        );
        let mail = Mail::from_request(request);
        expect_accepted(self.mail_sender.post(workspace, mail).await?)
    }

    /// One choice for all currently open calls of a session.
    ///
    /// # Errors
    /// Same as [`DecideApprovals::run`]; also when no call is open.
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
        ApprovalChoice::Always { in_session, lasts, agents, width } => MailVerdict::Always {
            in_session: *in_session,
            lasts: *lasts,
            agents: *agents,
            width: width.clone(),
        },
        // An empty field is not a reason: a reason makes the model continue, without one a chat rests.
        ApprovalChoice::Reject(reason) => {
            MailVerdict::Reject { reason: reason.clone().filter(|reason| !reason.trim().is_empty()) }
        }
        ApprovalChoice::Answer(text) => MailVerdict::Answer { text: text.clone() },
    }
}

fn shown(call: &Call) -> ApprovalSelection {
    ApprovalSelection { call: call.id.clone(), card: call.card.clone() }
}
