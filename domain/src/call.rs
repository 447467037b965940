//! A requested command, from the moment a model asks for it to its one result.

use crate::agent::AgentReport;
use crate::command::{CallTask, Command, CommandKind, CommandTerms, EffectClass};
use crate::id::{ApprovalId, CallId, Digest, SessionId, TaskId};
use crate::localizable_text::LocalizableText;
use crate::task::TaskHandle;
use crate::time::{Deadline, Millis, Timestamp};
use crate::validation::{
    Approval, ApprovalReason, ExchangePrincipal, FourEyesObjection, four_eyes_objection,
};

/// One command of one AI message (or enrichment), with its ledger state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Ours, derived from the session, the input and the ordinal.
    pub id: CallId,
    /// As the model sent it; used on the wire only.
    pub provider_call_id: Option<String>,
    /// As it was proposed.
    pub command: Command,
    /// Hash of the proposed command's canonical bytes.
    pub command_id: Digest,
    /// Query or action: what the catalog says, else the list it was asked in.
    pub kind: CommandKind,
    /// What the catalog said; none when the call was refused before.
    pub terms: Option<CommandTerms>,
    /// Why approval is needed; empty when it is not.
    pub reasons: Vec<ApprovalReason>,
    /// Hash of the card that is shown for it, see [`crate::validation::Card`]; none where nothing is asked.
    pub card: Option<Digest>,
    /// Who asked for it, and whose rights it has.
    pub asked_by: ExchangePrincipal,
    /// How many approvals that were asked for it were withdrawn, because something of the card changed.
    pub withdrawn: u32,
    /// Where it stands.
    pub state: CallState,
    /// Started how many times.
    pub attempt: u32,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// The exchange it belongs to: the session's sequence of the human act that began it.
    pub exchange: u64,
    /// When it was first started.
    pub first_started_at: Option<Timestamp>,
}

/// The ledger states: `proposed -> (waiting_decision -> approved | rejected) -> started -> finished`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallState {
    /// Asked for, needs no approval, not begun.
    Proposed,
    /// The same command stands earlier in the reply: gets that call's result.
    Follows(CallId),
    /// A person is asked.
    WaitingDecision,
    /// A person said yes; not yet spent.
    Approved(Approval),
    /// Committed as started: its effect may have happened. The approval it spent, if it needed one.
    Started {
        /// When the result was known.
        at: Timestamp,
        /// What is under way.
        step: CallStep,
        /// The approval that this start spent.
        spent: Option<Approval>,
    },
    /// Waits before its next attempt.
    Delayed {
        /// Until when.
        until: Deadline,
        /// What comes then.
        step: CallStep,
        /// The approval it was first started with.
        spent: Option<Approval>,
    },
    /// Has its one result.
    Finished {
        /// The result.
        result: CallResult,
        /// The decision that led to it, when a person took one.
        decision: Option<Approval>,
    },
}

crate::words! {
    /// What a started call does now.
    pub enum CallStep {
        /// The command itself.
        Run = "run",
        /// The question whether it happened.
        Ask = "ask",
    }
}

/// What an executor (or the loss of one) says of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// The command did what it was asked.
    Succeeded {
        /// What it answers, as the model will read it (JSON or plain text).
        content: String,
        /// Hash of the content.
        digest: Digest,
    },
    /// A long task has begun; its end comes as `TaskFinished`.
    Accepted {
        /// The task.
        task: TaskId,
        /// What to tell the model now.
        content: String,
        /// How the other side is asked about it.
        handle: TaskHandle,
    },
    /// It was not done.
    Failed(CallFailure),
    /// No answer within the command's time; it was cancelled for real.
    TimedOut,
    /// Nobody knows: the connection was cut, or the process that ran it died.
    Lost {
        /// The start of the process that found it, when a restart found it; none for a cut connection.
        found_by_start: Option<Timestamp>,
        /// Until when what was sent may still take effect: nothing is asked and nothing repeated before. None where
        /// the process that sent it knows that it sends no more.
        lands_by: Option<Timestamp>,
    },
    /// The probe's answer.
    Probed {
        /// Whether it happened; none when even that is not known.
        happened: Option<bool>,
        /// What the model should read when it happened.
        content: String,
        /// Hash of the content.
        digest: Digest,
    },
    /// The agent that the call started ended, or rests and asks something.
    Reported {
        /// What it says.
        report: Box<AgentReport>,
        /// Hash of what the model of its caller reads, [`AgentReport::content`].
        digest: Digest,
    },
}

/// Why a call was not done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallFailure {
    /// Code for the model, in capitals.
    pub code: String,
    /// What was wrong, with which value, and how to fix it.
    pub message: String,
    /// Path of the first fault in the arguments, when there is one.
    pub path: Option<String>,
    /// A later try may succeed.
    pub retryable: bool,
}

/// The one result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallResult {
    /// What became of it.
    pub status: CallStatus,
    /// Code for the model; none for plain success.
    pub code: Option<String>,
    /// What the model reads: the answer, or what was wrong and how to fix it.
    pub content: LocalizableText,
    /// Path of the fault, when there is one.
    pub path: Option<String>,
    /// Hash of the content of a success.
    pub digest: Option<Digest>,
    /// When the result was known.
    pub at: Timestamp,
}

crate::words! {
    /// What became of a call.
    #[expect(
        missing_docs,
        reason = "the words of the table in docs/ARCHITECTURE.md, `Every call gets exactly one result`"
    )]
    pub enum CallStatus {
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
    }
}

/// The four statuses that the interface groups results by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it")]
pub enum CallStatusGroup {
    Success,
    Failed,
    Cancelled,
    Cached,
}

impl CallStatus {
    /// The code that the model reads when the executor gave none.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            CallStatus::Succeeded => None,
            CallStatus::Cached => Some("CACHED"),
            CallStatus::Duplicate => Some("DUPLICATE"),
            CallStatus::Accepted => Some("TASK_ACCEPTED"),
            CallStatus::Failed => Some("EXECUTOR_ERROR"),
            CallStatus::InvalidArguments => Some("INVALID_ARGUMENTS"),
            CallStatus::UnknownCommand => Some("UNKNOWN_COMMAND"),
            CallStatus::Malformed => Some("MALFORMED"),
            CallStatus::SchemaRequired => Some("SCHEMA_REQUIRED"),
            CallStatus::Forbidden => Some("FORBIDDEN"),
            CallStatus::PlanFirst => Some("PLAN_FIRST"),
            CallStatus::OverLimit => Some("OVER_LIMIT"),
            CallStatus::Repeated => Some("ANTI_LOOP_SIGNATURE"),
            CallStatus::RepeatedReply => Some("ANTI_LOOP_ID"),
            CallStatus::Rejected => Some("REJECTED"),
            CallStatus::Expired => Some("EXPIRED"),
            CallStatus::Cancelled => Some("CANCELLED"),
            CallStatus::TimedOut => Some("TIMEOUT"),
            CallStatus::Unknown => Some("OUTCOME_UNKNOWN"),
        }
    }

    /// The group that lists and the interface show.
    pub const fn group(self) -> CallStatusGroup {
        match self {
            CallStatus::Succeeded | CallStatus::Accepted => CallStatusGroup::Success,
            CallStatus::Cached | CallStatus::Duplicate => CallStatusGroup::Cached,
            CallStatus::Rejected | CallStatus::Expired | CallStatus::Cancelled => CallStatusGroup::Cancelled,
            CallStatus::Failed
            | CallStatus::InvalidArguments
            | CallStatus::UnknownCommand
            | CallStatus::Malformed
            | CallStatus::SchemaRequired
            | CallStatus::Forbidden
            | CallStatus::PlanFirst
            | CallStatus::OverLimit
            | CallStatus::Repeated
            | CallStatus::RepeatedReply
            | CallStatus::TimedOut
            | CallStatus::Unknown => CallStatusGroup::Failed,
        }
    }

    /// Whether the model is told that it went wrong. A duplicate is as its first, see [`CallResult::is_error`].
    pub const fn is_error(self) -> bool {
        match self.group() {
            CallStatusGroup::Success | CallStatusGroup::Cached => false,
            CallStatusGroup::Failed | CallStatusGroup::Cancelled => true,
        }
    }
}

impl CallResult {
    /// A result with the status's own code.
    pub fn new(status: CallStatus, content: impl Into<LocalizableText>, at: Timestamp) -> Self {
        Self {
            status,
            code: status.code().map(str::to_owned),
            content: content.into(),
            path: None,
            digest: None,
            at,
        }
    }

    /// Whether the model is told that it went wrong.
    pub const fn is_error(&self) -> bool {
        self.status.is_error()
    }
}

impl Call {
    /// The effect class: a query is a read; of an action the careful reading when the catalog did not say.
    pub fn effect_class(&self) -> EffectClass {
        match self.kind {
            CommandKind::Query => EffectClass::Read,
            CommandKind::Action => self.terms.as_ref().map_or(EffectClass::Once, |terms| terms.effect),
        }
    }

    /// Whether the time is over within which the executor knows the call's idempotency key; also when the clock was set
    /// back since it was used first, for then nobody can tell how old it is.
    pub fn is_idempotency_key_expired(&self, now: Timestamp) -> bool {
        let lifetime = Millis(self.terms.as_ref().map_or(0, |terms| terms.key_lifetime_ms));
        match self.effect_class() {
            EffectClass::Idempotent => {
                self.first_started_at.is_some_and(|first| now < first || now.since(first) >= lifetime)
            }
            EffectClass::Read
            | EffectClass::Local
            | EffectClass::Probe
            | EffectClass::Once
            | EffectClass::Child => false,
        }
    }

    /// Whether an agent answers it.
    pub fn is_answered_by_agent(&self) -> bool {
        match self.effect_class() {
            EffectClass::Child => true,
            EffectClass::Read
            | EffectClass::Local
            | EffectClass::Idempotent
            | EffectClass::Probe
            | EffectClass::Once => false,
        }
    }

    /// The long task that it becomes, or may become.
    pub fn task(&self) -> Option<&CallTask> {
        self.terms.as_ref()?.task.as_ref()
    }

    /// Its result, once it has one.
    pub fn result(&self) -> Option<&CallResult> {
        match &self.state {
            CallState::Finished { result, .. } => Some(result),
            CallState::Proposed
            | CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Delayed { .. } => None,
        }
    }

    /// Whether it has its result.
    pub fn is_finished(&self) -> bool {
        self.result().is_some()
    }

    /// Whether it waits for all before it: an action that is not declared to be independent of others.
    pub fn is_ordered(&self) -> bool {
        self.kind == CommandKind::Action && !self.terms.as_ref().is_some_and(|terms| terms.independent)
    }

    /// Whether its effect may be under way or have happened.
    pub fn is_started(&self) -> bool {
        matches!(self.state, CallState::Started { .. })
    }

    /// Whether it is under way, or waits before its next attempt.
    pub fn is_under_way(&self) -> bool {
        matches!(self.state, CallState::Started { .. } | CallState::Delayed { .. })
    }

    /// The decision a person took on it.
    pub fn decision(&self) -> Option<&Approval> {
        match &self.state {
            CallState::Approved(approval) => Some(approval),
            CallState::Started { spent, .. } | CallState::Delayed { spent, .. } => spent.as_ref(),
            CallState::Finished { decision, .. } => decision.as_ref(),
            CallState::Proposed | CallState::Follows(_) | CallState::WaitingDecision => None,
        }
    }

    /// The command that runs: as proposed, or as the person edited it.
    pub fn effective_command(&self) -> &Command {
        self.decision()
            .and_then(|decision| decision.edited.as_ref())
            .map_or(&self.command, |edit| &edit.command)
    }

    /// The command id of what runs.
    pub fn effective_command_id(&self) -> &Digest {
        self.decision()
            .and_then(|decision| decision.edited.as_ref())
            .map_or(&self.command_id, |edit| &edit.command_id)
    }

    /// Whose rights it acts with; none where it acts with those of the workspace. Arguments that somebody else wrote do
    /// not run with the rights of whoever asked.
    pub fn principal(&self) -> Option<&str> {
        let requester = self.asked_by.acts_as.as_deref()?;
        let editor = self.decision().filter(|decision| decision.edited.is_some());
        editor.is_none_or(|decision| decision.author == requester).then_some(requester)
    }

    /// Why this person's yes to it does not count; none when it does.
    pub fn four_eyes_objection(&self, person: &str, edits: bool) -> Option<FourEyesObjection> {
        four_eyes_objection(&self.reasons, &self.asked_by, person, edits)
    }

    /// The approval that is, or was last, asked for it.
    pub fn approval_id(&self) -> ApprovalId {
        self.id.approval_id_after(self.withdrawn)
    }

    /// The word for its state in lists and the ledger.
    pub fn state_word(&self) -> &'static str {
        match &self.state {
            CallState::Proposed | CallState::Follows(_) => "proposed",
            CallState::WaitingDecision => "waiting_decision",
            CallState::Approved(_) => "approved",
            CallState::Started { .. } => "started",
            CallState::Delayed { .. } => "delayed",
            CallState::Finished { result, .. } => result.status.word(),
        }
    }

    /// The key that an idempotent executor gets: session, call and argument digest, because a restored backup
    /// makes the same call ids again.
    pub fn idempotency_key(&self, session: &SessionId) -> String {
        format!("{session}/{}/{}", self.id, self.effective_command_id())
    }
}
