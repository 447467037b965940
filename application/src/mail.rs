//! What a process that does not own the database asks of the one that does, and the answer to it.
//!
//! The same types are the mail inside one process, so there is one way in for every request.

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

/// What a receipt is found by, in its workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptKey {
    /// Who asked: the id of a person, whose tokens may change.
    pub person: String,
    /// The key that they drew.
    pub key: String,
}

/// A request to a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The session it is for; empty when the request creates one.
    pub session: Option<SessionId>,
    /// What is asked.
    pub request: MailRequest,
    /// What it is remembered by; none: asked again it is done again.
    pub receipt: Option<Receipt>,
    /// Whether whoever asks may say yes: has the scope `approve`. The process itself may; a server says it of each token.
    pub may_approve: bool,
}

impl Mail {
    /// A request of the process itself, which may say yes.
    pub const fn from_request(session: Option<SessionId>, request: MailRequest) -> Self {
        Self { session, request, receipt: None, may_approve: true }
    }
}

/// What a request is remembered by, so that it is done once however often it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The id of the person who asks.
    pub person: String,
    /// The key that they drew.
    pub key: String,
    /// Of all that they sent: under the same key another one is refused.
    pub fingerprint: Digest,
}

impl Receipt {
    /// What it is found by.
    pub fn key(&self) -> ReceiptKey {
        ReceiptKey { person: self.person.clone(), key: self.key.clone() }
    }
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailRequest {
    /// Make a session.
    StartSession(NewSessionRequest),
    /// Make a session and take its first message in: one commit has both.
    StartWithMessage {
        /// The session.
        new: NewSessionRequest,
        /// The person who writes.
        author: String,
        /// What. The owner looks the queries of its enrichments up.
        message: UserMessage,
        /// The client's idempotency key of the message.
        client_key: Option<String>,
    },
    /// Take a message in.
    SendMessage {
        /// The person who asked for it.
        author: String,
        /// What. The owner looks the queries of its enrichments up.
        message: UserMessage,
        /// The client's idempotency key.
        client_key: Option<String>,
    },
    /// Ask for a call in a session whose model only repeats what it is asked for. No words of people come into one.
    AskForCall {
        /// Who asks for it, and whose session it is.
        author: String,
        /// What.
        command: Command,
        /// The client's idempotency key.
        client_key: Option<String>,
    },
    /// Take decisions on calls.
    Decide {
        /// The person who asked for it.
        author: String,
        /// One per call.
        decisions: Vec<MailDecision>,
        /// Hash of the link that they were made by, which they spend; none for those of somebody who is logged in.
        link: Option<Digest>,
    },
    /// Answer the open question.
    Answer {
        /// The person who asked for it.
        author: String,
        /// The answer as it was given: the number of an option or a text.
        text: String,
    },
    /// Interrupt the round.
    Interrupt {
        /// The person who asked for it.
        author: String,
    },
    /// Sum the conversation up now.
    Compact {
        /// The person who asked for it.
        author: String,
    },
    /// Stop the work, or the session itself.
    Stop {
        /// The person who asked for it.
        author: String,
        /// End the session.
        end: bool,
    },
    /// Go on from where the session rests.
    Resume {
        /// The person who asked for it.
        author: String,
    },
    /// Say what became of an action of unknown outcome.
    Settle {
        /// The person who asked for it.
        author: String,
        /// The call.
        call: CallId,
        /// Whether it happened.
        happened: bool,
        /// What else there is to say.
        note: Option<String>,
    },
    /// Agree that the work is done.
    ConfirmCompletion {
        /// The person who asked for it.
        author: String,
    },
    /// Change what is set for the session; what is absent stays.
    ChangeSession {
        /// The person who asked for it.
        author: String,
        /// Whether every action needs approval.
        require_validation: Option<bool>,
        /// Whether a plan comes before its actions.
        mode: Option<PlanMode>,
        /// Which commands it may ask for.
        restriction: Option<Restriction>,
        /// The model that speaks from now on.
        voice: Option<ModelSelection>,
        /// Its name for people.
        name: Option<String>,
    },
    /// Remember how far somebody has read.
    MarkRead {
        /// The person who has read it.
        reader: String,
        /// The session's sequence of the last entry that was read.
        sequence: u64,
    },
    /// Take back a message that still waits for a model call.
    Withdraw {
        /// The person.
        author: String,
        /// The message.
        message: MessageId,
    },
    /// Remember that somebody has seen how a run ended.
    MarkSeen {
        /// The person.
        author: String,
    },
    /// Note that somebody opened the session, or has it open still.
    Open {
        /// The person.
        author: String,
        /// Id of the attachment, drawn by the one who asks: the same again renews it.
        attachment: String,
        /// Ask for the session's slot too.
        asks_slot: bool,
    },
    /// Note that somebody closed the session.
    Leave {
        /// The person.
        author: String,
        /// The attachment that ends.
        attachment: String,
    },
    /// Make a session that branches off from this one.
    Fork {
        /// The person who asked for it.
        author: String,
        /// Id of the new session, drawn by the one who asks.
        id: SessionId,
        /// Name of the new session.
        name: String,
        /// The last sequence of this session that is copied.
        at: u64,
    },
    /// Make a session from an exported one.
    Import {
        /// The person who asked for it.
        author: String,
        /// Id of the new session: that in the file, or another one.
        id: SessionId,
        /// The file, as it is.
        document: String,
    },
    /// Delete the session with all that is stored of it.
    Delete {
        /// The person who asked for it.
        author: String,
    },
    /// Change settings of the workspace; all or none.
    ChangeSettings {
        /// The person who asked for it.
        author: String,
        /// Each key with its new value; none: its default.
        changes: Vec<(String, Option<String>)>,
    },
    /// Say from now on what models are told first, or say it no longer.
    SetInstructions {
        /// The person who asked for it.
        author: String,
        /// Where they hold.
        scope: InstructionScope,
        /// What a model reads; none clears them.
        text: Option<String>,
        /// Where the text came from.
        source: InstructionSource,
        /// The version that was read before; another one is refused. None: whichever there is, 0: that there is none yet.
        expected: Option<u64>,
    },
    /// Give standing approval, or refuse such calls from now on.
    AddRule {
        /// The person who asked for it.
        author: String,
        /// The rule.
        new: NewRuleRequest,
    },
    /// Take back standing approval.
    RevokeRule {
        /// The person who asked for it.
        author: String,
        /// Id of the rule.
        rule: String,
    },
    /// Make an automation with its seed.
    CreateAutomation {
        /// The person who asked for it.
        author: String,
        /// The automation to create.
        new: NewAutomationRequest,
    },
    /// Change an automation; what is absent stays.
    EditAutomation {
        /// The person who asked for it.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
        /// The fields to change, with their new values.
        change: AutomationChangeRequest,
    },
    /// Delete an automation; its runs stay.
    DeleteAutomation {
        /// The person who asked for it.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
    },
    /// Run an automation now.
    RunAutomation {
        /// The person who asked for it.
        author: String,
        /// The automation it concerns.
        automation: AutomationId,
        /// Id of the run, drawn by the one who asks, so that asking twice makes one run.
        session: SessionId,
        /// What was reported with the event that it runs for, as it came.
        event: Option<String>,
    },
    /// What is heard of a long task, or asked of it.
    Task {
        /// The task.
        task: TaskId,
        /// What.
        mail: TaskMail,
    },
    /// Say that it is not.
    RejectCompletion {
        /// The person who asked for it.
        author: String,
        /// What is missing.
        reason: Option<String>,
    },
}

/// What is heard of a long task, or asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskMail {
    /// Take in what is heard of it.
    Arrived {
        /// The sender's id of it, under which it is taken in once; none where it has none.
        webhook_id: Option<String>,
        /// What is heard.
        arrival: TaskUpdate,
    },
    /// Call it off.
    Cancel {
        /// The person who asked for it.
        author: String,
    },
    /// Answer what it asks.
    Answer {
        /// The person who answers.
        author: String,
        /// The answer, as the other side wants it.
        answer: String,
    },
    /// Somebody looked at what nobody was told.
    Seen {
        /// The person who looked.
        author: String,
    },
}

/// A decision on one call, before the owner has checked edited arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailDecision {
    /// The call.
    pub call: CallId,
    /// Hash of the card that was shown and is answered; none in mail of v0.1, which is refused.
    pub card: Option<Digest>,
    /// What was decided.
    pub verdict: MailVerdict,
}

/// Yes, yes with changes, or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailVerdict {
    /// Do it.
    Approve,
    /// Do it with these arguments.
    Edit {
        /// The new arguments, an object.
        arguments: JsonValue,
    },
    /// Do it, and such calls from now on, without asking.
    Always {
        /// Only in this session; else in all of the workspace.
        in_session: bool,
        /// For how long; none: as the setting says.
        lasts: Option<Millis>,
        /// In the whole workspace for agents too. What is asked on the card of an agent always is.
        agents: bool,
    },
    /// Do not.
    Reject {
        /// Why; the model reads it.
        reason: Option<String>,
    },
}

/// The answer to a piece of mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailAnswer {
    /// It was accepted and committed.
    Accepted {
        /// The message it became, when it became one.
        message: Option<MessageId>,
        /// The session it went to.
        session: SessionId,
        /// What came of asking for its slot; none when it wants none.
        activation: Option<ActivationResult>,
    },
    /// It was done, and no session took it in: settings, rules.
    Done,
    /// It was made, and no session took it in.
    Made {
        /// Its id.
        id: String,
    },
    /// It was heard of a task.
    Heard {
        /// What became of it.
        verdict: TaskUpdateVerdict,
    },
    /// It was done before, under the same key: the answer that it got then.
    Replayed(Box<MailAnswer>),
    /// It was not.
    Refused {
        /// Why, for programs.
        code: RefusalCode,
        /// What was wrong, with which value, and how to fix it.
        text: String,
        /// What that is about; none where an owner of an earlier version answered.
        topic: Option<RefusalTopic>,
    },
}

impl MailAnswer {
    /// Whether nothing was done.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, MailAnswer::Refused { .. })
    }

    /// Accepted by a session; the message that it became, if any.
    pub fn accept_message(message: Option<MessageId>, session: &SessionId) -> Self {
        MailAnswer::Accepted { message, session: session.clone(), activation: None }
    }
}
