//! Requests to one session.

use entracte_domain::command::Command;
use entracte_domain::dollars::Dollars;
use entracte_domain::id::{CallId, Digest, MessageId, SessionId};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::ModelSelection;
use entracte_domain::spending::SpendingAmount;

use super::{MailDecision, request_kinds};

request_kinds! {
    /// A request to a session.
    pub enum SessionRequest {
        /// Sends a message.
        SendMessage(SendMessageRequest),
        /// Requests a call in a session whose model only relays requested calls. Such a session accepts no messages.
        RequestCall(ManualCallRequest),
        /// Decides on calls.
        DecideCalls(DecideCallsRequest),
        /// Answers the open question.
        AnswerQuestion(AnswerQuestionRequest),
        /// Gives up the open question: a chat rests, an agent ends.
        CancelQuestion(CancelQuestionRequest),
        /// Interrupts the round.
        InterruptRound(InterruptRoundRequest),
        /// Summarises the conversation now.
        CompactContext(CompactContextRequest),
        /// Stops the work, or ends the session.
        Stop(StopSessionRequest),
        /// Resumes the session where it rests.
        Resume(ResumeSessionRequest),
        /// Settles an action of unknown outcome.
        SettleCall(SettleCallRequest),
        /// Answers whether more of a cap may be used.
        AnswerSpending(AnswerSpendingRequest),
        /// States what a model call of unknown usage used.
        SettleUsage(SettleUsageRequest),
        /// Confirms that the work is done.
        ConfirmCompletion(ConfirmCompletionRequest),
        /// Rejects the completion: the work is not done.
        RejectCompletion(RejectCompletionRequest),
        /// Changes the configuration of the session; absent fields stay unchanged.
        Change(ChangeSessionRequest),
        /// Records how far a reader has read.
        MarkRead(MarkReadRequest),
        /// Withdraws a message that still waits for a model call.
        WithdrawMessage(WithdrawMessageRequest),
        /// Records that a person has seen how a run ended.
        MarkEndSeen(MarkEndSeenRequest),
        /// Records that a client has the session open.
        Open(OpenSessionRequest),
        /// Records that a client closed the session.
        Leave(LeaveSessionRequest),
        /// Creates a session that branches off from this one.
        Fork(ForkSessionRequest),
        /// Deletes the session with all its stored data.
        Delete(DeleteSessionRequest),
    }
}

/// A user message to a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendMessageRequest {
    /// The author of the message.
    pub author: String,
    /// The message. The owner resolves the queries of its enrichments.
    pub message: UserMessage,
    /// The client's idempotency key.
    pub client_key: Option<String>,
}

/// A call that a person or a program requests directly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualCallRequest {
    /// The requester, owner of the session.
    pub author: String,
    /// The command to run.
    pub command: Command,
    /// The client's idempotency key.
    pub client_key: Option<String>,
}

/// Decisions on calls that wait for approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecideCallsRequest {
    /// The person who decides.
    pub author: String,
    /// One decision per call.
    pub decisions: Vec<MailDecision>,
    /// The hash of the link the decisions were made with, which they use up; `None` for a person who is logged in.
    pub link: Option<Digest>,
}

/// The answer to the open question of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerQuestionRequest {
    /// The person who answers.
    pub author: String,
    /// The answer as given: the number of an option, or a text.
    pub text: String,
    /// The message that asks the question; the answer is refused if another one does. `None` answers any question.
    pub question: Option<MessageId>,
}

/// The end of the wait for the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelQuestionRequest {
    /// The requesting person.
    pub author: String,
    /// The message that asks the question; the request is refused if another one does.
    pub question: MessageId,
}

/// The interruption of the current round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterruptRoundRequest {
    /// The requesting person.
    pub author: String,
}

/// The summary of a conversation, requested by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactContextRequest {
    /// The requesting person.
    pub author: String,
}

/// The stop or the end of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopSessionRequest {
    /// The requesting person.
    pub author: String,
    /// Whether to end the session.
    pub end: bool,
}

/// The next round of an idle or parked session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResumeSessionRequest {
    /// The requesting person.
    pub author: String,
}

/// A person's finding on an action of unknown outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleCallRequest {
    /// The person who settles it.
    pub author: String,
    /// The call to settle.
    pub call: CallId,
    /// Whether it happened.
    pub happened: bool,
    /// An optional note.
    pub note: Option<String>,
}

/// A person's answer whether more of a cap may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerSpendingRequest {
    /// The person who answers.
    pub author: String,
    /// False if the session stops as at the cap.
    pub goes_on: bool,
    /// How much more may be used; `None` for as much as the question proposes.
    pub extra: Option<SpendingAmount>,
}

/// A person's statement of what a model call of unknown usage used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleUsageRequest {
    /// The person who states it.
    pub author: String,
    /// Number of the round.
    pub round: u32,
    /// Number of the attempt.
    pub attempt: u32,
    /// Tokens; zero if it was not billed.
    pub tokens: u64,
    /// US dollars; zero if it was not billed.
    pub cost: Dollars,
}

/// The confirmation that a run's work is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmCompletionRequest {
    /// The confirming person.
    pub author: String,
}

/// The objection that a run's work is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectCompletionRequest {
    /// The rejecting person.
    pub author: String,
    /// A note on what is missing.
    pub reason: Option<String>,
}

/// A partial update of a session's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSessionRequest {
    /// The requesting person.
    pub author: String,
    /// Whether every action needs approval.
    pub require_validation: Option<bool>,
    /// Whether a plan must precede its actions.
    pub mode: Option<PlanMode>,
    /// The commands it may request.
    pub restriction: Option<Restriction>,
    /// The new model.
    pub voice: Option<ModelSelection>,
    /// The new display name.
    pub name: Option<String>,
}

/// How far a reader has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkReadRequest {
    /// The reader.
    pub reader: String,
    /// The session's sequence of the last entry that was read.
    pub sequence: u64,
}

/// The message to withdraw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithdrawMessageRequest {
    /// The requesting person.
    pub author: String,
    /// The message to withdraw.
    pub message: MessageId,
}

/// The acknowledgement of a run's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkEndSeenRequest {
    /// The person who has seen it.
    pub author: String,
}

/// The lease of a client that has a session open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSessionRequest {
    /// The person at the client.
    pub author: String,
    /// The id of the attachment, generated by the client: a repetition renews it.
    pub attachment: String,
    /// Whether to request the session's slot, too.
    pub asks_slot: bool,
}

/// The end of a client's lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaveSessionRequest {
    /// The person at the client.
    pub author: String,
    /// The attachment that ends.
    pub attachment: String,
}

/// The new session of a fork, and the point where it branches off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkSessionRequest {
    /// The requesting person.
    pub author: String,
    /// The id of the new session, generated by the requester.
    pub id: SessionId,
    /// The name of the new session.
    pub name: String,
    /// The last sequence of this session to copy.
    pub at: u64,
}

/// The deletion of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteSessionRequest {
    /// The requesting person.
    pub author: String,
}
