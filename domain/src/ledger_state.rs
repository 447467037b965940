//! The state of a call in the ledger, as one word.

use crate::call::{Call, CallState, CallStatus};

crate::words! {
    /// The state of a call in its ledger row: a [`CallState`] without its data, the [`CallStatus`] of a finished call, or
    /// what a person found about a call of unknown outcome.
    #[expect(missing_docs, reason = "the words of `CallState` and `CallStatus`, except the last three")]
    pub enum LedgerState {
        Proposed = "proposed",
        WaitingDecision = "waiting_decision",
        Approved = "approved",
        Started = "started",
        Delayed = "delayed",
        Succeeded = "succeeded",
        Cached = "cached",
        Duplicate = "duplicate",
        Accepted = "accepted",
        Failed = "failed",
        InvalidArguments = "invalid_arguments",
        UnknownCommand = "unknown_command",
        Malformed = "malformed",
        SchemaRequired = "schema_required",
        Forbidden = "forbidden",
        PlanFirst = "plan_first",
        OverLimit = "over_limit",
        Repeated = "repeated",
        RepeatedReply = "repeated_reply",
        Rejected = "rejected",
        Expired = "expired",
        Cancelled = "cancelled",
        TimedOut = "timed_out",
        Unknown = "unknown",
        /// Its outcome was unknown; a person found that its effect happened.
        SettledHappened = "settled_happened",
        /// Its outcome was unknown; a person found that its effect did not happen.
        SettledAbsent = "settled_absent",
        /// Its outcome is unknown in the session that this one was copied from, where a person settles it.
        UnknownInOriginal = "unknown_in_original",
    }
}

impl LedgerState {
    /// The state of a call of unknown outcome after a person settled it.
    pub const fn settled(happened: bool) -> Self {
        if happened { Self::SettledHappened } else { Self::SettledAbsent }
    }

    /// Whether the effect of a settled call happened; `None` for a call that no person settled.
    pub const fn finding(self) -> Option<bool> {
        match self {
            Self::SettledHappened => Some(true),
            Self::SettledAbsent => Some(false),
            _ => None,
        }
    }
}

impl From<CallStatus> for LedgerState {
    fn from(status: CallStatus) -> Self {
        match status {
            CallStatus::Succeeded => Self::Succeeded,
            CallStatus::Cached => Self::Cached,
            CallStatus::Duplicate => Self::Duplicate,
            CallStatus::Accepted => Self::Accepted,
            CallStatus::Failed => Self::Failed,
            CallStatus::InvalidArguments => Self::InvalidArguments,
            CallStatus::UnknownCommand => Self::UnknownCommand,
            CallStatus::Malformed => Self::Malformed,
            CallStatus::SchemaRequired => Self::SchemaRequired,
            CallStatus::Forbidden => Self::Forbidden,
            CallStatus::PlanFirst => Self::PlanFirst,
            CallStatus::OverLimit => Self::OverLimit,
            CallStatus::Repeated => Self::Repeated,
            CallStatus::RepeatedReply => Self::RepeatedReply,
            CallStatus::Rejected => Self::Rejected,
            CallStatus::Expired => Self::Expired,
            CallStatus::Cancelled => Self::Cancelled,
            CallStatus::TimedOut => Self::TimedOut,
            CallStatus::Unknown => Self::Unknown,
        }
    }
}

impl Call {
    /// The state of the call in the ledger, unless a person settled it.
    pub fn ledger_state(&self) -> LedgerState {
        match &self.state {
            CallState::Proposed | CallState::Follows(_) => LedgerState::Proposed,
            CallState::WaitingDecision => LedgerState::WaitingDecision,
            CallState::Approved(_) => LedgerState::Approved,
            CallState::Started { .. } => LedgerState::Started,
            CallState::Delayed { .. } => LedgerState::Delayed,
            CallState::Finished { result, .. } => result.status.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_own_word() {
        for status in CallStatus::ALL {
            assert_eq!(LedgerState::from(status).word(), status.word());
        }
    }
}
