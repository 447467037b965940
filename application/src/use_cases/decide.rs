use std::sync::Arc;

use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::time::Millis;
use entracte_domain::value::Value;

use super::{Accepted, UseCaseError, accepted};
use crate::codec::{Mail, MailDecision, MailRequest, MailVerdict, decode_snapshot};
use crate::ports::{Postbox, Store};

/// What a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Do it.
    Approve,
    /// Do it with these arguments.
    ApproveEdited(Value),
    /// Do it, and such calls from now on, without asking.
    Always {
        /// Only in this session; else in all of the workspace.
        in_session: bool,
        /// For how long; none: as the setting `validation.always_expires` says.
        lasts: Option<Millis>,
    },
    /// Do not; the reason is for the model.
    Reject(Option<String>),
}

/// Decides on the calls that wait for leave: one, some or all.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::{AnswerApprovals, Choice, UseCaseError};
/// # use entracte_application::codec::MailRequest;
/// # use entracte_application::ports::MockStore;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), UseCaseError> {
/// let postbox = samples::postbox(
///     |request| matches!(request, MailRequest::Decide { decisions, .. } if decisions.len() == 2),
/// );
/// let answer = AnswerApprovals::new(Arc::new(postbox), Arc::new(MockStore::new()));
/// let calls = [samples::session().call(7, 0), samples::session().call(7, 1)];
/// let (workspace, session) = (samples::workspace(), samples::session());
/// answer.run(&workspace, &session, "ann".into(), &calls, &Choice::Approve).await?;
///
/// let none = answer.run(&workspace, &session, "ann".into(), &[], &Choice::Approve).await;
/// assert!(matches!(none, Err(UseCaseError::Invalid(_))));
/// # Ok(())
/// # }
/// ```
pub struct AnswerApprovals {
    postbox: Arc<dyn Postbox>,
    store: Arc<dyn Store>,
}

impl AnswerApprovals {
    /// Over these ports.
    pub fn new(postbox: Arc<dyn Postbox>, store: Arc<dyn Store>) -> Self {
        Self { postbox, store }
    }

    /// One choice for these calls of one session. New arguments are for one call.
    ///
    /// # Errors
    /// When no call is named, a call is unknown, another decision was taken first, edited arguments break the schema, or the
    /// request does not get through. No decision was taken then.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        calls: &[CallId],
        choice: &Choice,
    ) -> Result<Accepted, UseCaseError> {
        if calls.is_empty() {
            let text = format!("no call of {session} is named; see what is open: entracte inbox");
            return Err(UseCaseError::Invalid(text));
        }
        if calls.len() > 1 && matches!(choice, Choice::ApproveEdited(_)) {
            let text = format!("new arguments are for one call, and {} are named; name one", calls.len());
            return Err(UseCaseError::Invalid(text));
        }
        let verdict = match choice {
            Choice::Approve => MailVerdict::Approve,
            Choice::ApproveEdited(arguments) => MailVerdict::Edit { arguments: arguments.clone() },
            Choice::Always { in_session, lasts } => {
                MailVerdict::Always { in_session: *in_session, lasts: *lasts }
            }
            Choice::Reject(reason) => MailVerdict::Reject { reason: reason.clone() },
        };
        let decisions =
            calls.iter().map(|call| MailDecision { call: call.clone(), verdict: verdict.clone() }).collect();
        let request = MailRequest::Decide { author, decisions };
        accepted(self.postbox.post(workspace, Mail { session: Some(session.clone()), request }).await?)
    }

    /// One choice for all calls of a session that are open now.
    ///
    /// # Errors
    /// As [`AnswerApprovals::run`]; and when nothing is open.
    pub async fn run_for_all(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        author: String,
        choice: &Choice,
    ) -> Result<Accepted, UseCaseError> {
        let calls = self.open(session).await?;
        if calls.is_empty() {
            let text = format!("nothing waits for leave in {session}; see what is open: entracte inbox");
            return Err(UseCaseError::NotApplicable(text));
        }
        self.run(workspace, session, author, &calls, choice).await
    }

    async fn open(&self, session: &SessionId) -> Result<Vec<CallId>, UseCaseError> {
        let Some(row) = self.store.session(session).await? else {
            return Err(UseCaseError::NotFound(format!(
                "there is no session {session}; list them: entracte session list"
            )));
        };
        let snapshot = decode_snapshot(&row.body)?;
        Ok(snapshot
            .phase
            .batch()
            .map(|batch| batch.undecided().map(|call| call.id.clone()).collect())
            .unwrap_or_default())
    }
}
