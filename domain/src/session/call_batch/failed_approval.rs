//! Approved calls that failed and that the person who approved them has not seen yet.

use crate::call::{Call, CallResult, CallStatus, CallStatusGroup};
use crate::session::{FAILED_APPROVALS_MAX, FailedApproval, FailureNoticePolicy, TransitionContext};

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
