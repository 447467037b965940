//! Requests to the process that owns the database, and its answers.
//!
//! The same types are used inside one process, so every request takes the same path.

mod new_requests;
mod refusal;

pub use new_requests::{
    AutomationChangeRequest, NewAutomationRequest, NewRuleRequest, NewSeedRequest, NewSessionRequest,
};
pub(crate) use refusal::MailRefusal;
pub use refusal::RefusalCode;

use entracte_domain::command::Command;
use entracte_domain::id::{AutomationId, CallId, Digest, MessageId, SessionId, TaskId};
use entracte_domain::message::UserMessage;
use entracte_domain::plan::PlanMode;
use entracte_domain::restriction::Restriction;
use entracte_domain::session::ModelSelection;
use entracte_domain::task::{TaskUpdate, TaskUpdateVerdict};
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;
use entracte_domain::workspace::ActivationResult;

use crate::instructions::{InstructionScope, InstructionSource};
use crate::texts::RefusalTopic;

/// The key under which a receipt is stored in its workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptKey {
    /// The requester: the id of a person, whose tokens may change.
    pub person: String,
    /// The key that the client generated.
    pub key: String,
}

/// A request to a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The addressed session; `None` if the request creates one or concerns the workspace.
    pub session: Option<SessionId>,
    /// The request itself.
    pub request: MailRequest,
    /// The receipt to store; `None`: a repeated request is executed again.
    pub receipt: Option<Receipt>,
    /// Whether the requester may approve: has the scope `approve`. The process itself may; a server sets it per token.
    pub may_approve: bool,
}

impl Mail {
    /// A request of the process itself, which may approve.
    pub const fn from_request(session: Option<SessionId>, request: MailRequest) -> Self {
        Self { session, request, receipt: None, may_approve: true }
    }
}

/// Identifies a request under an idempotency key, so that it is executed once however often it is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The id of the requester.
    pub person: String,
    /// The key that the client generated.
    pub key: String,
    /// The hash of the whole request: another request under the same key is refused.
    pub fingerprint: Digest,
}

impl Receipt {
    /// The key under which it is stored.
    pub fn key(&self) -> ReceiptKey {
        ReceiptKey { person: self.person.clone(), key: self.key.clone() }
    }
}

/// The kinds of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailRequest {
    /// Creates a session.
    StartSession(NewSessionRequest),
    /// Creates a session with its first message, in one commit.
    StartWithMessage {
        /// The session to create.
        new: NewSessionRequest,
        /// The author of the message.
        author: String,
        /// The message. The owner resolves the queries of its enrichments.
        message: UserMessage,
        /// The client's idempotency key of the message.
        client_key: Option<String>,
    },
    /// Sends a message.
    SendMessage {
        /// The author of the message.
        author: String,
        /// The message. The owner resolves the queries of its enrichments.
        message: UserMessage,
        /// The client's idempotency key.
        client_key: Option<String>,
    },
    /// Requests a call in a session whose model only relays requested calls. Such a session accepts no messages.
    AskForCall {
        /// The requester, owner of the session.
        author: String,
        /// The command to run.
        command: Command,
        /// The client's idempotency key.
        client_key: Option<String>,
    },
    /// Decides on calls.
    Decide {
        /// The person who decides.
        author: String,
        /// One decision per call.
        decisions: Vec<MailDecision>,
        /// The hash of the link the decisions were made with, which they use up; `None` for a person who is logged in.
        link: Option<Digest>,
    },
    /// Answers the open question.
    Answer {
        /// The person who answers.
        author: String,
        /// The answer as given: the number of an option, or a text.
        text: String,
    },
    /// Interrupts the round.
    Interrupt {
        /// The requesting person.
        author: String,
    },
    /// Summarises the conversation now.
    Compact {
        /// The requesting person.
        author: String,
    },
    /// Stops the work, or ends the session.
    Stop {
        /// The requesting person.
        author: String,
        /// Whether to end the session.
        end: bool,
    },
    /// Resumes the session where it rests.
    Resume {
        /// The requesting person.
        author: String,
    },
    /// Settles an action of unknown outcome.
    Settle {
        /// The person who settles it.
        author: String,
        /// The call to settle.
        call: CallId,
        /// Whether it happened.
        happened: bool,
        /// An optional note.
        note: Option<String>,
    },
    /// Confirms that the work is done.
    ConfirmCompletion {
        /// The confirming person.
        author: String,
    },
    /// Changes the configuration of the session; absent fields stay unchanged.
    ChangeSession {
        /// The requesting person.
        author: String,
        /// Whether every action needs approval.
        require_validation: Option<bool>,
        /// Whether a plan must precede its actions.
        mode: Option<PlanMode>,
        /// The commands it may request.
        restriction: Option<Restriction>,
        /// The new model.
        voice: Option<ModelSelection>,
        /// The new display name.
        name: Option<String>,
    },
    /// Records how far a reader has read.
    MarkRead {
        /// The reader.
        reader: String,
        /// The session's sequence of the last entry that was read.
        sequence: u64,
    },
    /// Withdraws a message that still waits for a model call.
    Withdraw {
        /// The requesting person.
        author: String,
        /// The message to withdraw.
        message: MessageId,
    },
    /// Records that a person has seen how a run ended.
    MarkSeen {
        /// The person who has seen it.
        author: String,
    },
    /// Records that a client has the session open.
    Open {
        /// The person at the client.
        author: String,
        /// The id of the attachment, generated by the client: a repetition renews it.
        attachment: String,
        /// Whether to request the session's slot, too.
        asks_slot: bool,
    },
    /// Records that a client closed the session.
    Leave {
        /// The person at the client.
        author: String,
        /// The attachment that ends.
        attachment: String,
    },
    /// Creates a session that branches off from this one.
    Fork {
        /// The requesting person.
        author: String,
        /// The id of the new session, generated by the requester.
        id: SessionId,
        /// The name of the new session.
        name: String,
        /// The last sequence of this session to copy.
        at: u64,
    },
    /// Creates a session from an exported one.
    Import {
        /// The requesting person.
        author: String,
        /// The id of the new session: that in the file, or another one.
        id: SessionId,
        /// The unchanged content of the file.
        document: String,
    },
    /// Deletes the session with all its stored data.
    Delete {
        /// The requesting person.
        author: String,
    },
    /// Changes settings of the workspace, all or none.
    ChangeSettings {
        /// The requesting person.
        author: String,
        /// Each key with its new value; `None` restores the default.
        changes: Vec<(String, Option<String>)>,
    },
    /// Sets or clears instructions for models.
    SetInstructions {
        /// The author of the instructions.
        author: String,
        /// The scope in which they apply.
        scope: InstructionScope,
        /// The text for the model; `None` clears them.
        text: Option<String>,
        /// The source of the text.
        source: InstructionSource,
        /// The version that was read before; a mismatch is refused. `None` accepts any version, 0 means that none
        /// exists yet.
        expected: Option<u64>,
    },
    /// Creates a rule that approves or refuses future calls.
    AddRule {
        /// The author of the rule.
        author: String,
        /// The rule to create.
        new: NewRuleRequest,
    },
    /// Revokes a standing approval rule.
    RevokeRule {
        /// The requesting person.
        author: String,
        /// The id of the rule.
        rule: String,
    },
    /// Creates an automation with its seed.
    CreateAutomation {
        /// The author of the automation.
        author: String,
        /// The automation to create.
        new: NewAutomationRequest,
    },
    /// Changes an automation; absent fields stay unchanged.
    EditAutomation {
        /// The requesting person.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
        /// The fields to change, with their new values.
        change: AutomationChangeRequest,
    },
    /// Deletes an automation; its runs are preserved.
    DeleteAutomation {
        /// The requesting person.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
    },
    /// Runs an automation now.
    RunAutomation {
        /// The requesting person.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
        /// The id of the run, generated by the requester, so that a repetition creates no second run.
        session: SessionId,
        /// The payload of the event that triggers the run, as received.
        event: Option<String>,
    },
    /// Reports an update of a long task, or requests something of it.
    Task {
        /// The task it concerns.
        task: TaskId,
        /// The update or request.
        mail: TaskMail,
    },
    /// Rejects the completion: the work is not done.
    RejectCompletion {
        /// The rejecting person.
        author: String,
        /// A note on what is missing.
        reason: Option<String>,
    },
}

/// An update of a long task, or a request about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskMail {
    /// Processes an update.
    Arrived {
        /// The sender's message id, under which it is processed once; `None` if it has none.
        webhook_id: Option<String>,
        /// The update.
        arrival: TaskUpdate,
    },
    /// Cancels the task.
    Cancel {
        /// The requesting person.
        author: String,
    },
    /// Answers the question of the task.
    Answer {
        /// The person who answers.
        author: String,
        /// The answer, in the form its server expects.
        answer: String,
    },
    /// Records that a person has seen the notice of the task.
    Seen {
        /// The person who has seen it.
        author: String,
    },
}

/// A decision on one call, before the owner has checked edited arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailDecision {
    /// The call to decide on.
    pub call: CallId,
    /// The hash of the card that was shown; `None` in mail of v0.1, which is refused.
    pub card: Option<Digest>,
    /// The verdict.
    pub verdict: MailVerdict,
}

/// Approval, approval with changed arguments, or refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailVerdict {
    /// Execute the call.
    Approve,
    /// Execute the call with these arguments.
    Edit {
        /// The new arguments, an object.
        arguments: JsonValue,
    },
    /// Execute the call, and approve such calls from now on.
    Always {
        /// Limits the rule to this session; otherwise it covers the whole workspace.
        in_session: bool,
        /// The validity of the rule; `None` uses the setting.
        lasts: Option<Millis>,
        /// Whether a rule for the whole workspace also covers agents. A rule created on an agent's card always does.
        agents: bool,
    },
    /// Refuse the call.
    Reject {
        /// The reason, which the model reads.
        reason: Option<String>,
    },
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailAnswer {
    /// A session accepted the request, and it was committed.
    Accepted {
        /// The message, if the request created one.
        message: Option<MessageId>,
        /// The session of the request.
        session: SessionId,
        /// The result of requesting a slot; `None` if it needs none.
        activation: Option<ActivationResult>,
    },
    /// The request was executed outside of sessions: settings, rules.
    Done,
    /// The request created an object outside of sessions.
    Made {
        /// The id of the created object.
        id: String,
    },
    /// The update of a task was processed.
    Heard {
        /// The verdict on the update.
        verdict: TaskUpdateVerdict,
    },
    /// The request was executed before, under the same key: the original answer.
    Replayed(Box<MailAnswer>),
    /// The request was refused.
    Refused {
        /// The code for programs.
        code: RefusalCode,
        /// The reason, with the wrong value and how to fix it.
        text: String,
        /// The topic of the text; `None` if an owner of an earlier version answered.
        topic: Option<RefusalTopic>,
    },
}

impl MailAnswer {
    /// Whether nothing was done.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, MailAnswer::Refused { .. })
    }

    /// The acceptance by a session, with the message that was created, if any.
    pub fn accept_message(message: Option<MessageId>, session: &SessionId) -> Self {
        MailAnswer::Accepted { message, session: session.clone(), activation: None }
    }
}
