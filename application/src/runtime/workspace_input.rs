use entracte_domain::call::CallOutcome;
use entracte_domain::id::{CallId, SessionId};
use tokio::sync::oneshot;

use super::compaction::{CompactionFailure, CompactionResult};
use super::context_budget::ContextBudgetExcess;
use crate::mail::{Mail, MailAnswer};
use crate::ports::{MailId, MailPostError, ModelReply, ProviderFailure};

/// Something for a workspace to take in.
#[derive(Debug)]
pub enum WorkspaceInput {
    /// A request, of this process or another.
    Request {
        /// What is asked.
        mail: Mail,
        /// Who waits for the answer in this process.
        reply: Option<oneshot::Sender<Result<MailAnswer, MailPostError>>>,
        /// The row of the mailbox it came from.
        row: Option<MailId>,
    },
    /// An effect came to its end.
    Outcome {
        /// Whose effect.
        session: SessionId,
        /// What came of it.
        outcome: EffectOutcome,
    },
    /// A provider that could not be reached can be reached again.
    NetworkBack {
        /// Name of its entry.
        provider: String,
    },
    /// A deadline may be due.
    Wake,
    /// The process has just begun to own the database: look at what a dead one left under way.
    Started,
}

/// What came of an effect, before it is looked up and becomes an input.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectOutcome {
    /// A model call.
    Model {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The reply, or how it failed.
        result: Result<ModelReply, ProviderFailure>,
    },
    /// A call.
    Call {
        /// The call.
        call: CallId,
        /// Its attempt.
        attempt: u32,
        /// What came of it.
        outcome: CallOutcome,
    },
    /// The effect could not even be begun: something of ours failed.
    Broken(String),
    /// The request of a model call is larger than it may be; it was not sent.
    TooLarge {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// By how much, and what follows.
        excess: ContextBudgetExcess,
    },
    /// The context was summed up, or could not be.
    Compaction {
        /// The round.
        round: u32,
        /// The attempt.
        attempt: u32,
        /// The summary, or why there is none.
        result: Result<Box<CompactionResult>, Box<CompactionFailure>>,
    },
}
