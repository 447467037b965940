//! The answers of a policy hook, which is asked about calls before a person is.

use super::{ApprovalReason, Approver, ValidationLevel};
use crate::id::Digest;
use crate::localizable_text::{LocalizableText, sentences};
use crate::time::Timestamp;

/// Whether a policy hook was asked about a call, and its answer. A call that waits for the answer does not start, and
/// no approval is asked for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PolicyCheck {
    /// The hook is to be asked, or is being asked. After a crash it is asked again.
    Pending,
    /// The hook has answered.
    Answered(PolicyAnswer),
}

impl PolicyCheck {
    /// The answer, if there is one.
    pub const fn answer(&self) -> Option<&PolicyAnswer> {
        match self {
            Self::Pending => None,
            Self::Answered(answer) => Some(answer),
        }
    }
}

crate::words! {
    /// What a policy hook decides about a call. No decision takes away an approval that the call needs anyway.
    pub enum PolicyDecision {
        /// Nothing more than without the hook is needed.
        Allow = "allow",
        /// A person must approve the call.
        Ask = "ask",
        /// The call is refused.
        Deny = "deny",
        /// The hook gave no answer, or none in time: a person must approve the call.
        NoAnswer = "no_answer",
    }
}

/// The answer of a policy hook about one command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PolicyAnswer {
    /// The decision.
    pub decision: PolicyDecision,
    /// The reason for people and the model, if the hook gave one; why there is no answer for [`PolicyDecision::NoAnswer`].
    pub reason: Option<String>,
    /// The version of the policy, if the hook named one.
    pub version: Option<String>,
    /// The people and roles that may approve if the decision is [`PolicyDecision::Ask`]; empty if everybody may.
    pub approvers: Vec<Approver>,
    /// The number of different people who must approve then.
    pub quorum: u32,
    /// Hash of the command that the hook was asked about: for other arguments it is asked again.
    pub command_id: Digest,
    /// When the answer arrived.
    pub at: Timestamp,
}

impl PolicyAnswer {
    /// Why a person must approve the call; `None` if this answer does not require it.
    pub fn approval_reason(&self) -> Option<ApprovalReason> {
        let text = match (self.decision, &self.reason) {
            (PolicyDecision::Allow | PolicyDecision::Deny, _) => return None,
            (PolicyDecision::Ask, Some(reason)) => sentences::approval_policy_because(reason),
            (PolicyDecision::Ask, None) => sentences::approval_policy(),
            (PolicyDecision::NoAnswer, Some(reason)) => sentences::approval_no_policy_because(reason),
            (PolicyDecision::NoAnswer, None) => sentences::approval_no_policy(),
        };
        let text = match &self.version {
            Some(version) => text.with_appended(" ").with_appended(sentences::policy_version(version)),
            None => text,
        };
        Some(ApprovalReason {
            level: ValidationLevel::Policy,
            about: self.version.clone(),
            text,
            approvers: None,
        })
    }

    /// What the model reads of a refused call.
    pub fn refusal_text(&self) -> LocalizableText {
        match &self.reason {
            Some(reason) => sentences::policy_denied_because(reason),
            None => sentences::policy_denied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(decision: PolicyDecision) -> PolicyAnswer {
        PolicyAnswer {
            decision,
            reason: None,
            version: Some("7".into()),
            approvers: Vec::new(),
            quorum: 1,
            command_id: Digest::new("c1"),
            at: Timestamp(0),
        }
    }

    /// Input: each decision of a hook; expected: a reason to ask a person where it asks or says nothing, and none where
    /// it allows: an answer never removes a reason.
    #[test]
    fn decision_adds_at_most_a_reason() {
        let asks = |decision| answer(decision).approval_reason().map(|reason| (reason.level, reason.about));
        let reason = Some((ValidationLevel::Policy, Some("7".to_owned())));
        assert_eq!(PolicyDecision::ALL.map(asks), [None, reason.clone(), None, reason]);
    }
}
