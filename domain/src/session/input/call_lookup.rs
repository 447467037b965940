//! Looked-up data of calls, which an input carries because a transition cannot look anything up.

use crate::call::CallStatus;
use crate::command::{self, Command, CommandKind, CommandTerms};
use crate::file::FileReference;
use crate::id::{CallId, Digest};
use crate::time::Timestamp;
use crate::validation::ApprovalReason;

/// A requested call with its lookup by the pipeline.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestedCall {
    /// Id the model gave the call.
    pub provider_call_id: Option<String>,
    /// The requested command.
    pub command: Command,
    /// Hash of the command's canonical bytes.
    pub command_id: Digest,
    /// Query or action.
    pub kind: CommandKind,
    /// Result of the lookup.
    pub lookup: CallLookup,
}

impl RequestedCall {
    /// Whether this query reads state that the action `other` may change, see [`Call::reads_state_of`].
    ///
    /// [`Call::reads_state_of`]: crate::call::Call::reads_state_of
    pub fn reads_state_of(&self, other: &Self) -> bool {
        command::reads_state_of((self.kind, self.lookup.terms()), (other.kind, other.lookup.terms()))
    }
}

impl CallLookup {
    /// The catalog terms, if the lookup found some.
    fn terms(&self) -> Option<&CommandTerms> {
        match self {
            Self::Known { terms, .. } => Some(terms),
            Self::Refused { .. } => None,
        }
    }
}

/// The result of a call lookup.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallLookup {
    /// The catalog contains the command and its arguments are valid.
    Known {
        /// Catalog terms of the command.
        terms: CommandTerms,
        /// Reasons why approval is needed.
        reasons: Vec<ApprovalReason>,
        /// A successful identical call of this exchange, if any.
        twin: Option<IdenticalCall>,
        /// The standing approval that covers the call, if any; the reasons are then empty.
        rule: Option<String>,
        /// Hash of the card shown for approval; `None` in journals of v0.1.
        card: Option<Digest>,
        /// Whether the policy hook is asked about the call; false in journals of earlier versions.
        policy: bool,
    },
    /// The call gets its result without running.
    Refused {
        /// `unknown_command`, `invalid_arguments`, `malformed`, `schema_required`, `forbidden`.
        status: CallStatus,
        /// The fault, with the value, and how to fix it.
        message: String,
        /// Path of the first fault, if any.
        path: Option<String>,
        /// Hash of the schema that the message contains (`schema_required`).
        shows: Option<Digest>,
    },
}

/// A successful identical call of the same exchange.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdenticalCall {
    /// Id of that call.
    pub call: CallId,
    /// When it got its result.
    pub finished_at: Timestamp,
    /// Content of its result.
    pub content: String,
    /// Files of its result.
    pub files: Vec<FileReference>,
    /// True if the result may be reused: the command is cacheable and no action was committed in the workspace since.
    pub fresh: bool,
}

/// The current approval needs of a call that has not started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApprovalRecheck {
    /// Id of the call.
    pub call: CallId,
    /// Current catalog version of the command; `None` if the catalog no longer has it.
    pub version: Option<Digest>,
    /// Current reasons for an approval.
    pub reasons: Vec<ApprovalReason>,
    /// The current card; `None` in journals of v0.1, which compared version and reasons only.
    pub now: Option<CardRefresh>,
}

/// The renewed lookup of a call that has not started.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CardRefresh {
    /// Current catalog terms of the command.
    pub terms: CommandTerms,
    /// Hash of the current card; `None` if no approval is needed.
    pub card: Option<Digest>,
    /// Why the call may no longer run as requested, if so.
    pub refusal: Option<CallRefusal>,
}

/// Why a call may not run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallRefusal {
    /// `invalid_arguments`, `malformed`, `schema_required`, `forbidden`.
    pub status: CallStatus,
    /// The fault, with the value, and how to fix it.
    pub message: String,
    /// Path of the first fault, if any.
    pub path: Option<String>,
}
