//! Requests to the process that owns the database, and its answers.
//!
//! The same types are used inside one process, so every request takes the same path.

mod new_requests;
mod refusal;
mod session_requests;
mod task_requests;
mod workspace_requests;

pub use new_requests::{
    AutomationChangeRequest, NewAutomationRequest, NewRuleRequest, NewSeedRequest, NewSessionRequest,
};
pub(crate) use refusal::MailRefusal;
pub use refusal::RefusalCode;
pub use session_requests::*;
pub use task_requests::*;
pub use workspace_requests::*;

use entracte_domain::id::{CallId, Digest, MessageId, SessionId, TaskId};
use entracte_domain::task::TaskUpdateVerdict;
use entracte_domain::time::Millis;
use entracte_domain::validation::RuleWidth;
use entracte_domain::value::JsonValue;
use entracte_domain::workspace::ActivationResult;

use crate::texts::{ReaderLanguage, RefusalTopic};

/// Declares an enum with one request struct per variant, and the conversions from those structs.
macro_rules! request_kinds {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$variant_meta:meta])* $variant:ident($request:ident) ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[$variant_meta])* $variant($request), )* }

        $(
            impl From<$request> for $name {
                fn from(request: $request) -> Self {
                    Self::$variant(request)
                }
            }
        )*
    };
}
use request_kinds;

/// The key under which a receipt is stored in its workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReceiptKey {
    /// The requester: the id of a person, whose tokens may change.
    pub person: String,
    /// The key that the client generated.
    pub key: String,
}

/// A request with its receipt and the scope of its requester.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// The request, with what it is addressed to.
    pub request: MailRequest,
    /// The receipt to store; `None`: a repeated request is executed again.
    pub receipt: Option<Receipt>,
    /// Whether the requester may approve: has the scope `approve`. The process itself may; a server sets it per token.
    pub may_approve: bool,
    /// The language of the requester, for a refusal.
    pub reader: ReaderLanguage,
}

impl Mail {
    /// A request of the process itself, which may approve and speaks the language of the workspace.
    pub const fn from_request(request: MailRequest) -> Self {
        Self { request, receipt: None, may_approve: true, reader: ReaderLanguage::OF_WORKSPACE }
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

/// A request, by what it is addressed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailRequest {
    /// Concerns the workspace as a whole, or creates an object in it.
    Workspace(WorkspaceRequest),
    /// Concerns a session of the workspace.
    Session(SessionId, SessionRequest),
    /// Concerns a long task of the workspace.
    Task(TaskId, TaskRequest),
}

impl MailRequest {
    /// A request to the workspace.
    pub fn workspace(request: impl Into<WorkspaceRequest>) -> Self {
        Self::Workspace(request.into())
    }

    /// A request to the session with this id.
    pub fn session(session: SessionId, request: impl Into<SessionRequest>) -> Self {
        Self::Session(session, request.into())
    }

    /// A request about the task with this id.
    pub fn task(task: TaskId, request: impl Into<TaskRequest>) -> Self {
        Self::Task(task, request.into())
    }

    /// The session it is addressed to, or that it creates under an id that may have been used before
    /// ([`WorkspaceRequest::StartSession`]). `None` for every other request.
    pub const fn session_id(&self) -> Option<&SessionId> {
        match self {
            Self::Session(session, _) => Some(session),
            Self::Workspace(WorkspaceRequest::StartSession(new)) => Some(&new.id),
            Self::Workspace(_) | Self::Task(..) => None,
        }
    }
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

/// Approval, approval with changed arguments, refusal, or words in place of a decision.
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
        /// What the rule covers; `None` derives it from the arguments on the card.
        width: Option<Box<RuleWidth>>,
    },
    /// Refuse the call.
    Reject {
        /// The reason, which the model reads.
        reason: Option<String>,
    },
    /// Refuse the call, and send the model a message at once: the person says something else than yes or no. Calls that
    /// nobody decided on are cancelled, as by any message.
    Answer {
        /// The words. In the session of an agent, which takes no messages, they are the reason of the refusal.
        text: String,
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
    /// The steps of a retention request were checked again.
    Applied {
        /// The positions of those that were applied, from 0. The others were left out.
        steps: Vec<u32>,
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
