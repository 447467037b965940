//! Refuses calls that would surely fail, before a person is asked about them.

use entracte_domain::call::{CallFailure, CallStatus};
use entracte_domain::session::{CallLookup, CallRefusal, RequestedCall};
use futures_util::future::join_all;

use super::{CallLookupContext, CommandPipeline, lookup};

impl CommandPipeline {
    /// Refuses the calls of a reply that wait for an approval and that their executor would surely refuse. All are checked
    /// at once, because a turn waits for the slowest answer.
    pub(super) async fn refuse_impossible(
        &self,
        setting: CallLookupContext<'_>,
        requested: &mut [RequestedCall],
    ) {
        let mut checks = Vec::with_capacity(requested.len());
        for (ordinal, call) in requested.iter().enumerate() {
            checks.push(self.fault_of(setting, ordinal, call));
        }
        let faults = join_all(checks).await;
        for (call, fault) in requested.iter_mut().zip(faults) {
            if let Some(CallFailure { message, path, .. }) = fault {
                call.lookup = lookup(CallRefusal { status: CallStatus::Forbidden, message, path }, None);
            }
        }
    }

    async fn fault_of(
        &self,
        setting: CallLookupContext<'_>,
        ordinal: usize,
        call: &RequestedCall,
    ) -> Option<CallFailure> {
        let CallLookup::Known { reasons, .. } = &call.lookup else { return None };
        if reasons.is_empty() {
            return None;
        }
        let known = self.catalog.find(&call.command.name)?;
        known.executor.precheck(setting.request(&setting.next_call_id(ordinal), &call.command)).await
    }
}
