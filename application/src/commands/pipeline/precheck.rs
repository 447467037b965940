//! What is known against calls before a person is asked about them.

use std::sync::Arc;

use entracte_domain::call::CallFailure;
use futures_util::future::join_all;

use crate::ports::{CallRequest, CommandExecutor};

/// A call that waits for an approval, and what carries it out.
pub(super) struct UnapprovedCall {
    pub(super) executor: Arc<dyn CommandExecutor>,
    pub(super) request: CallRequest,
}

/// Why each of these calls would surely be refused when it is carried out; `None` where nothing is known against one, or
/// where there is none. All are checked at once, because a turn waits for the slowest answer.
pub(super) async fn find_faults(calls: Vec<Option<UnapprovedCall>>) -> Vec<Option<CallFailure>> {
    join_all(calls.into_iter().map(find_fault)).await
}

async fn find_fault(call: Option<UnapprovedCall>) -> Option<CallFailure> {
    let UnapprovedCall { executor, request } = call?;
    executor.precheck(request).await
}
