//! What an input brings of that which a transition cannot look up.

use crate::call::CallStatus;
use crate::command::{Command, CommandKind, CommandTerms};
use crate::id::{CallId, Digest};
use crate::time::Timestamp;
use crate::validation::ApprovalReason;

/// A requested call with what the pipeline looked up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestedCall {
    /// As the model named it.
    pub provider_call_id: Option<String>,
    /// What is asked for.
    pub command: Command,
    /// Hash of its canonical bytes.
    pub command_id: Digest,
    /// Query or action.
    pub kind: CommandKind,
    /// What the look-up said.
    pub lookup: CallLookup,
}

/// What the pipeline found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallLookup {
    /// The catalog knows it and its arguments are right.
    Known {
        /// What the catalog says.
        terms: CommandTerms,
        /// Why approval is needed.
        reasons: Vec<ApprovalReason>,
        /// An identical call of this exchange that succeeded.
        twin: Option<IdenticalCall>,
        /// The rule by which a person approved such calls in advance; there are no reasons then.
        rule: Option<String>,
        /// Hash of the card that is shown when approval is needed; none in journals of v0.1.
        card: Option<Digest>,
    },
    /// It gets its result at once.
    Refused {
        /// `unknown_command`, `invalid_arguments`, `malformed`, `schema_required`, `forbidden`.
        status: CallStatus,
        /// What was wrong, with which value, and how to fix it.
        message: String,
        /// Path of the first fault.
        path: Option<String>,
        /// The schema that the message shows (`schema_required`).
        shows: Option<Digest>,
    },
}

/// An identical call of the same exchange that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdenticalCall {
    /// The call.
    pub call: CallId,
    /// When it got its result.
    pub finished_at: Timestamp,
    /// Its result.
    pub content: String,
    /// It may be given again: the command is cacheable and no action was committed in the workspace since.
    pub fresh: bool,
}

/// What approval a call that has not started needs now.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApprovalRecheck {
    /// The call.
    pub call: CallId,
    /// The catalog's version now; none when the command is gone.
    pub version: Option<Digest>,
    /// The reasons now.
    pub reasons: Vec<ApprovalReason>,
    /// All that the card says now; none in journals of v0.1, where version and reasons were all that was looked at.
    pub now: Option<CardRefresh>,
}

/// A call that has not started, as it was looked up again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CardRefresh {
    /// What the catalog says of its command.
    pub terms: CommandTerms,
    /// Hash of its card; none where no approval is needed.
    pub card: Option<Digest>,
    /// Why it cannot be run any more as it was asked for.
    pub refusal: Option<CallRefusal>,
}

/// Why a call cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallRefusal {
    /// `invalid_arguments`, `malformed`, `schema_required`, `forbidden`.
    pub status: CallStatus,
    /// What is wrong, with which value, and how to fix it.
    pub message: String,
    /// Path of the first fault.
    pub path: Option<String>,
}
