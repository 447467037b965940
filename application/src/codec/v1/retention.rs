//! Retention: holds in the body of a workspace, and requests.

use crate::mail::{ApplyRetentionRequest, HoldRetentionRequest, ReleaseRetentionRequest};
use crate::retention as domain;

use super::instructions::InstructionsScopeV1;
use super::is_default;
use super::shape::shape;

shape! {
    pub(crate) struct RetentionHoldV1 = domain::RetentionHold {
        scope: InstructionsScopeV1,
        author: String,
        reason: String,
        at: i64,
    }
}

shape! {
    pub(super) struct HoldRetentionV1 = HoldRetentionRequest {
        author: String,
        scope: InstructionsScopeV1,
        reason: String,
    }
}

shape! {
    pub(super) struct ReleaseRetentionV1 = ReleaseRetentionRequest {
        author: String,
        scope: InstructionsScopeV1,
    }
}

shape! {
    pub(super) struct ApplyRetentionV1 = ApplyRetentionRequest {
        steps: Vec<RetentionStepV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        limits: String,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum RetentionStepV1 = domain::RetentionStep {
        DeleteSession {
            session: String,
            before: i64,
        },
        TrimSession {
            session: String,
            before: i64,
            through: u64,
        },
        DetachCosts {
            session: String,
            before: i64,
            attempts: u32,
        },
        RemoveResults {
            session: String,
            before: i64,
            entries: EntrySpanV1,
        },
        KeepResults {
            session: String,
            through: u64,
        },
        RemoveCalls {
            session: String,
            before: i64,
            calls: Vec<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            last_at: Option<u64>,
        },
    }
}

shape! {
    pub(super) struct EntrySpanV1 = domain::EntrySpan {
        first: u64,
        last: u64,
    }
}
