//! Approved calls that failed and that the person who approved them has not seen yet.

use crate::call::{Call, CallResult, CallStatus, CallStatusGroup};
use crate::id::CallId;
use crate::session::{FailureNoticePolicy, SessionFacts, TransitionContext};

/// Maximum number of unseen failures of approved calls that a session remembers; the oldest is dropped first.
pub const FAILED_APPROVALS_MAX: usize = 20;

/// A call that failed after a person approved it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FailedApproval {
    /// The call.
    pub call: CallId,
    /// The person who approved it.
    pub approver: String,
    /// Sequence of the input that ended it: who has read that far has seen it.
    pub sequence: u64,
}

/// Remembers a call that ends, if a person approved it and it failed. A call of unknown outcome waits for a person by
/// itself, and what a policy approved was seen by nobody.
pub(super) fn record_failed_approval(step: &mut TransitionContext<'_>, call: &Call, result: &CallResult) {
    let Some(approval) = call.decision().filter(|approval| approval.policy_at.is_none()) else { return };
    let is_failed = match result.status {
        CallStatus::Unknown => false,
        status => status.group() == CallStatusGroup::Failed,
    };
    if !is_failed || step.rules.failure_notice == FailureNoticePolicy::Omits {
        return;
    }
    let failed = &mut step.facts.failed;
    if failed.len() == FAILED_APPROVALS_MAX {
        failed.remove(0);
    }
    let (call, approver) = (call.id.clone(), approval.author.clone());
    failed.push(FailedApproval { call, approver, sequence: step.facts.sequence });
}

impl SessionFacts {
    /// Forgets the failures that this person approved, up to a sequence.
    pub(super) fn forget_failures_of(&mut self, person: &str, sequence: u64) {
        self.failed.retain(|failed| failed.approver != person || failed.sequence > sequence);
    }
}
