use async_trait::async_trait;
use entracte_domain::command::{Command, CommandKind, EffectClass};
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::session::SessionKind;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{Approver, ValidationLevel};

use crate::texts::LocalizedTexts;

/// What a policy hook is asked about: one call that has not started, without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyQuestion {
    /// The workspace of the session.
    pub workspace: WorkspaceKey,
    /// The session that requests the call.
    pub session: SessionId,
    /// The kind of the session.
    pub kind: SessionKind,
    /// The automation whose run the session is, if any.
    pub automation: Option<String>,
    /// The names of the agents between the person and the call, nearest to the person first.
    pub via: Vec<String>,
    /// The call.
    pub call: CallId,
    /// The command that would run, with its arguments. Known secrets in them are replaced.
    pub command: Command,
    /// Query or action.
    pub command_kind: CommandKind,
    /// The catalog version of the command when the call was requested; `None` if it was not looked up.
    pub version: Option<Digest>,
    /// What may be done if the outcome of the call is unknown.
    pub effect: EffectClass,
    /// Whether the command cannot be undone.
    pub destructive: bool,
    /// Whether the command sends data out of the workspace; true if that is not known.
    pub egress: bool,
    /// The people whose words led to the call; empty if they are unknown.
    pub asked_by: Vec<String>,
    /// The person whose rights the call has; `None` means the rights of the workspace.
    pub acts_as: Option<String>,
    /// The person who edited the arguments, if any.
    pub edited_by: Option<String>,
    /// The levels that require an approval without the hook; empty if none is needed.
    pub approval: Vec<ValidationLevel>,
    /// When the hook is asked.
    pub at: Timestamp,
}

entracte_domain::words! {
    /// What a policy hook decides about a call.
    pub enum PolicyVerdict {
        /// It adds no requirement. An approval that is needed anyway is still needed.
        Allow = "allow",
        /// A person must approve.
        Ask = "ask",
        /// The call is refused.
        Deny = "deny",
    }
}

/// The reply of a policy hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyReply {
    /// The verdict.
    pub verdict: PolicyVerdict,
    /// The reason, for people and the model, if the hook gives one.
    pub reason: Option<String>,
    /// The version of the policy, if the hook names one.
    pub version: Option<String>,
    /// The people and roles that may approve if the verdict is [`PolicyVerdict::Ask`]; empty if everybody may.
    pub approvers: Vec<Approver>,
    /// The number of different people who must approve then.
    pub quorum: u32,
}

impl PolicyReply {
    /// A reply without a reason and a version. If its verdict is [`PolicyVerdict::Ask`], any one person may approve.
    pub const fn new(verdict: PolicyVerdict) -> Self {
        Self { verdict, reason: None, version: None, approvers: Vec::new(), quorum: 1 }
    }
}

/// A hook that gave no usable reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PolicyHookError(
    /// The reason, for people; it contains no secret.
    pub String,
);

/// Decides about calls before a person is asked: a program or a server of the operator.
///
/// Contract: it only reads the question, so asking twice about one call, as after a crash, does no harm. Dropping the future
/// ends the work: it closes the connection, or kills the program. It retries nothing. It can only tighten: no reply takes
/// away an approval that a call needs anyway, and without a reply a person is asked.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     PolicyHook, PolicyHookError, PolicyQuestion, PolicyReply, PolicyVerdict,
/// };
/// use entracte_application::samples;
/// use entracte_application::settings::Language;
/// use entracte_application::texts::LocalizedTexts;
///
/// /// Whatever leaves the workspace needs a person.
/// struct NothingLeaves;
///
/// #[async_trait]
/// impl PolicyHook for NothingLeaves {
///     async fn decide(
///         &self,
///         question: &PolicyQuestion,
///         _: &LocalizedTexts,
///     ) -> Result<PolicyReply, PolicyHookError> {
///         let verdict = if question.egress { PolicyVerdict::Ask } else { PolicyVerdict::Allow };
///         Ok(PolicyReply::new(verdict))
///     }
/// }
///
/// let question = PolicyQuestion { egress: true, ..samples::policy_question() };
/// let texts = LocalizedTexts::for_language(Language::En);
/// let reply = NothingLeaves.decide(&question, texts).await?;
/// assert_eq!(reply.verdict, PolicyVerdict::Ask);
/// # Ok(()) });
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait PolicyHook: Send + Sync {
    /// Asks about one call. The caller bounds the time.
    ///
    /// # Errors
    /// [`PolicyHookError`] if there is no usable reply, worded in these texts. Nothing is allowed then.
    async fn decide(
        &self,
        question: &PolicyQuestion,
        texts: &LocalizedTexts,
    ) -> Result<PolicyReply, PolicyHookError>;
}
