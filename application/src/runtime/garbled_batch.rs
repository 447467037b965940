//! Batches of native calls that arrived damaged.

use std::collections::BTreeMap;

use entracte_domain::call::CallStatus;
use entracte_domain::command::CommandKind;
use entracte_domain::session::{CallLookup, RequestedCall};
use serde::de::IgnoredAny;

use crate::ports::{ModelReply, NativeCall};
use crate::texts::{LocalizedTexts, say};

/// Refuses every action of a reply in which the arguments of one call are no JSON object: the reply was damaged, and
/// its other arguments may be, too. Queries change nothing and run.
pub(super) fn refuse_garbled_actions(
    calls: Vec<RequestedCall>,
    reply: &ModelReply,
    texts: &LocalizedTexts,
) -> Vec<RequestedCall> {
    let Some(garbled) = reply.calls.iter().find(|call| is_garbled(call)) else { return calls };
    let refuse = |call: RequestedCall| match (&call.lookup, call.kind) {
        (CallLookup::Known { .. }, CommandKind::Action) => RequestedCall {
            lookup: CallLookup::Refused {
                status: CallStatus::Malformed,
                message: say!(texts, "request-batch-garbled", name = garbled.name.as_str()),
                path: None,
                shows: None,
            },
            ..call
        },
        (CallLookup::Known { .. } | CallLookup::Refused { .. }, _) => call,
    };
    calls.into_iter().map(refuse).collect()
}

/// Whether the arguments of a call are no JSON object. Models leave them out where a command takes none.
fn is_garbled(call: &NativeCall) -> bool {
    let arguments = call.arguments.trim();
    !arguments.is_empty() && serde_json::from_str::<BTreeMap<String, IgnoredAny>>(arguments).is_err()
}
