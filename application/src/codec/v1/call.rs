//! Commands, calls and their ledger states.

use entracte_domain::call as domain;
use entracte_domain::call::{CallStatus, CallStep};
use entracte_domain::command::{self, CommandKind};
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, AskedBy};
use super::leaf::{Due, Hash, JsonText, Raw};
use super::lookup::{Reason, Terms};
use super::outcome::CallResult;
use super::shape::shape;
use super::words::Word;
use super::{domains, is_default};
use crate::codec::CodecError;
use crate::codec::version::V1;
use crate::ports::CallRow;
use entracte_domain::words::KeywordEnum;

/// The word in the ledger's column `kind`.
pub(crate) fn kind_word(kind: CommandKind) -> &'static str {
    kind.word()
}

shape! {
    pub(super) struct Command = command::Command {
        name: String,
        #[serde(rename = "args")]
        arguments: Raw,
    }
}

shape! {
    /// A call in the phase of a session.
    pub(super) struct Call = domain::Call {
        id: String,
        #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
        provider_call_id: Option<String>,
        command: Command,
        #[serde(rename = "hash")]
        command_id: Hash,
        kind: Word<CommandKind>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        terms: Option<Terms>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<Reason>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
        #[serde(default, skip_serializing_if = "is_default")]
        asked_by: AskedBy,
        #[serde(default, skip_serializing_if = "is_default")]
        withdrawn: u32,
        state: CallState,
        #[serde(default, skip_serializing_if = "is_default")]
        attempt: u32,
        #[serde(rename = "requested")]
        requested_at: i64,
        exchange: u64,
        #[serde(default, rename = "started", skip_serializing_if = "Option::is_none")]
        first_started_at: Option<i64>,
    }
}

/// A call in its ledger row: what the columns do not say.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LedgerCall {
    /// In JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    v: Option<V1>,
    #[serde(default, rename = "pid", skip_serializing_if = "Option::is_none")]
    provider_call_id: Option<String>,
    #[serde(rename = "args")]
    arguments: Raw,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    terms: Option<Terms>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<Hash>,
    #[serde(default, skip_serializing_if = "is_default")]
    asked_by: AskedBy,
    #[serde(default, skip_serializing_if = "is_default")]
    withdrawn: u32,
    state: CallState,
    #[serde(default, rename = "started", skip_serializing_if = "Option::is_none")]
    first_started_at: Option<i64>,
}

impl From<&domain::Call> for LedgerCall {
    fn from(call: &domain::Call) -> Self {
        let Call {
            id: _,
            provider_call_id,
            command: Command { name: _, arguments },
            command_id: _,
            kind: _,
            terms,
            reasons,
            card,
            asked_by,
            withdrawn,
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
            asked_by,
            withdrawn,
            state,
            first_started_at,
        }
    }
}

impl LedgerCall {
    /// The call, with what the columns of its row say.
    pub(crate) fn into_domain(self, row: &CallRow) -> Result<domain::Call, CodecError> {
        let kind = CommandKind::from_word(&row.kind).ok_or_else(|| CodecError::Malformed {
            what: "call",
            detail: format!("“{}” is not a valid {}", row.kind, CommandKind::NAME),
        })?;
        let Self {
            v: _,
            provider_call_id,
            arguments,
            terms,
            reasons,
            card,
            asked_by,
            withdrawn,
            mut state,
            first_started_at,
        } = self;
        if let CallState::Finished { result, .. } = &mut state {
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
            kind,
            terms: terms.map(Into::into),
            reasons: domains(reasons),
            card: card.map(Into::into),
            asked_by: asked_by.into(),
            withdrawn,
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
    enum CallState = domain::CallState {
        Proposed,
        Follows(first: String),
        WaitingDecision,
        Approved(approval: Approval),
        Started {
            at: i64,
            #[serde(default, skip_serializing_if = "is_default")]
            step: Word<CallStep>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            spent: Option<Approval>,
        },
        Delayed {
            until: Due,
            #[serde(default, skip_serializing_if = "is_default")]
            step: Word<CallStep>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            spent: Option<Approval>,
        },
        Finished {
            result: CallResult,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            decision: Option<Approval>,
        },
    }
}

impl CallState {
    /// Without what a succeeded call answered, which may be long and is in the log, and without the time of the
    /// result, which is in a column.
    fn for_ledger(self) -> Self {
        match self {
            Self::Finished { mut result, decision } => {
                result.at = None;
                if result.status.0 == CallStatus::Succeeded {
                    result.content = JsonText::default();
                    result.said = None;
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
