use entracte_domain::call::CallOutcome;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::validation::PolicyAnswer;
use tokio::sync::oneshot;

use super::compaction::{CompactionFailure, CompactionResult};
use super::context_budget::ContextBudgetExcess;
use crate::mail::{Mail, MailAnswer};
use crate::ports::{MailId, MailPostError, ModelReply, ProviderFailure};

/// An input of a workspace.
#[derive(Debug)]
pub enum WorkspaceInput {
    /// A request, of this process or another.
    Request {
        /// The request itself.
        mail: Mail,
        /// Receives the answer, if a caller in this process waits for it.
        reply: Option<oneshot::Sender<Result<MailAnswer, MailPostError>>>,
        /// Its row in the mail store; `None` for a request of this process.
        row: Option<MailId>,
    },
    /// An effect has ended.
    Outcome {
        /// Session of the effect.
        session: SessionId,
        /// Outcome of the effect.
        outcome: EffectOutcome,
    },
    /// An unreachable provider is reachable again.
    NetworkBack {
        /// Name of the provider entry.
        provider: String,
    },
    /// A deadline may be due.
    Wake,
    /// The process has just begun to own the database: take up the work that a dead process left.
    Started,
}

/// The outcome of an effect, before it is resolved and becomes a session input.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectOutcome {
    /// A model call ended.
    Model {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// The reply, or the failure.
        result: Result<ModelReply, ProviderFailure>,
    },
    /// A call ended.
    Call {
        /// Id of the call.
        call: CallId,
        /// The attempt of the call.
        attempt: u32,
        /// Outcome of the call.
        outcome: CallOutcome,
    },
    /// The policy hook was asked about a call.
    Policy {
        /// Id of the call.
        call: CallId,
        /// The answer, also where the hook gave none.
        answer: PolicyAnswer,
    },
    /// The effect could not be started because of an internal failure.
    Broken(String),
    /// The request of a model call exceeds its budget; it was not sent.
    TooLarge {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// The sizes, and how the context is summarized.
        excess: ContextBudgetExcess,
    },
    /// The context was summarized, or could not be.
    Compaction {
        /// The round, from 1.
        round: u32,
        /// The attempt of the round.
        attempt: u32,
        /// The summary, or why there is none.
        result: Result<Box<CompactionResult>, Box<CompactionFailure>>,
    },
}
