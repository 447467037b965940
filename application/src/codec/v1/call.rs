//! Commands, calls and their ledger states.

use entracte_domain::call as domain;
use entracte_domain::call::{CallStatus, CallStep};
use entracte_domain::command::{self, CommandKind};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::approval::{ApprovalV1, AskedByV1};
use super::approvers::GivenApprovalV1;
use super::leaf::{DueV1, HashV1, JsonTextV1, RawV1};
use super::lookup::{ReasonV1, TermsV1};
use super::outcome::CallResultV1;
use super::policy::PolicyCheckV1;
use super::shape::shape;
use super::words::WordV1;
use super::{domains, is_default};
use crate::codec::CodecError;
use crate::codec::format_version::FormatVersion1;
use crate::ports::CallRow;

shape! {
    pub(super) struct CommandV1 = command::Command {
        name: String,
        #[serde(rename = "args")]
        arguments: RawV1,
    }
}

shape! {
    /// A call in the phase of a session.
    pub(super) struct CallV1 = domain::Call {
        id: String,
        #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
        provider_call_id: Option<String>,
        command: CommandV1,
        #[serde(rename = "hash")]
        command_id: HashV1,
        kind: WordV1<CommandKind>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<TermsV1>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<ReasonV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy: Option<PolicyCheckV1>,
        #[serde(default, skip_serializing_if = "is_default")]
        asked_by: AskedByV1,
        #[serde(default, skip_serializing_if = "is_default")]
        withdrawn: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        approvals: Vec<GivenApprovalV1>,
        state: CallStateV1,
        #[serde(default, skip_serializing_if = "is_default")]
        attempt: u32,
        #[serde(rename = "requested")]
        requested_at: i64,
        exchange: u64,
        #[serde(default, rename = "started", skip_serializing_if = "Option::is_none")]
        first_started_at: Option<i64>,
    }
}

/// A call in its ledger row, without the values of the columns.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LedgerCallV1 {
    /// Present in JSON only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<FormatVersion1>,
    #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
    provider_call_id: Option<String>,
    #[serde(rename = "args")]
    arguments: RawV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms: Option<TermsV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<HashV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    policy: Option<PolicyCheckV1>,
    #[serde(default, skip_serializing_if = "is_default")]
    asked_by: AskedByV1,
    #[serde(default, skip_serializing_if = "is_default")]
    withdrawn: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    approvals: Vec<GivenApprovalV1>,
    state: CallStateV1,
    #[serde(default, rename = "started", skip_serializing_if = "Option::is_none")]
    first_started_at: Option<i64>,
}

impl From<&domain::Call> for LedgerCallV1 {
    fn from(call: &domain::Call) -> Self {
        let CallV1 {
            id: _,
            provider_call_id,
            command: CommandV1 { name: _, arguments },
            command_id: _,
            kind: _,
            terms,
            reasons,
            card,
            policy,
            asked_by,
            withdrawn,
            approvals,
            state,
            attempt: _,
            requested_at: _,
            exchange: _,
            first_started_at,
        } = call.into();
        let state = state.for_ledger();
        Self {
            v: None,
            provider_call_id,
            arguments,
            terms,
            reasons,
            card,
            policy,
            asked_by,
            withdrawn,
            approvals,
            state,
            first_started_at,
        }
    }
}

impl LedgerCallV1 {
    /// Combines the body with the values of the row's columns.
    pub(crate) fn into_domain(self, row: &CallRow) -> Result<domain::Call, CodecError> {
        let Self {
            v: _,
            provider_call_id,
            arguments,
            terms,
            reasons,
            card,
            policy,
            asked_by,
            withdrawn,
            approvals,
            mut state,
            first_started_at,
        } = self;
        if let CallStateV1::Finished { result, .. } = &mut state {
            let Some(at) = row.finished_at else {
                let detail = "it has a result without a time".to_owned();
                return Err(CodecError::Malformed { what: "call", detail });
            };
            result.at = Some(at.0);
        }
        Ok(domain::Call {
            id: row.id.clone(),
            provider_call_id,
            command: command::Command { name: row.command.clone(), arguments: arguments.0 },
            command_id: row.command_id.clone(),
            kind: row.kind,
            terms: terms.map(Into::into),
            reasons: domains(reasons),
            card: card.map(Into::into),
            policy: policy.map(Into::into),
            asked_by: asked_by.into(),
            withdrawn,
            approvals: domains(approvals),
            state: state.into(),
            attempt: row.attempt,
            requested_at: row.requested_at,
            exchange: row.exchange,
            first_started_at: first_started_at.map(Timestamp),
        })
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum CallStateV1 = domain::CallState {
        Proposed,
        Follows(first: String),
        WaitingDecision,
        Approved(approval: ApprovalV1),
        Started {
            at: i64,
            #[serde(default, skip_serializing_if = "is_default")]
            step: WordV1<CallStep>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            spent: Option<ApprovalV1>,
        },
        Delayed {
            until: DueV1,
            #[serde(default, skip_serializing_if = "is_default")]
            step: WordV1<CallStep>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            spent: Option<ApprovalV1>,
        },
        Finished {
            result: CallResultV1,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            decision: Option<ApprovalV1>,
        },
    }
}

impl CallStateV1 {
    /// Removes the content and the files of a succeeded call, which may be long and are in the log, and the time of the result, which
    /// is in a column.
    fn for_ledger(self) -> Self {
        match self {
            Self::Finished { mut result, decision } => {
                result.at = None;
                if result.status.0 == CallStatus::Succeeded {
                    result.content = JsonTextV1::default();
                    result.said = None;
                    result.files = Vec::new();
                }
                Self::Finished { result, decision }
            }
            Self::Proposed
            | Self::Follows(_)
            | Self::WaitingDecision
            | Self::Approved(_)
            | Self::Started { .. }
            | Self::Delayed { .. } => self,
        }
    }
}
