//! A requested command, from the model's request to its one result.

use crate::agent::AgentReport;
use crate::command::{self, CallTask, Command, CommandKind, CommandTerms, EffectClass};
use crate::file::FileReference;
use crate::id::{ApprovalId, CallId, Digest, SessionId, TaskId};
use crate::localizable_text::LocalizableText;
use crate::task::TaskHandle;
use crate::time::{Deadline, Millis, Timestamp};
use crate::validation::{
    Approval, ApprovalReason, ApproverObjection, ApproverRequirement, ExchangePrincipal, GivenApproval,
    PolicyCheck, four_eyes_objection, share_identity,
};

/// One command of one AI message (or enrichment), with its ledger state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Id assigned by Entracte, derived from session, input and ordinal.
    pub id: CallId,
    /// Id the model gave the call; used on the wire only.
    pub provider_call_id: Option<String>,
    /// The command as proposed.
    pub command: Command,
    /// Hash of the proposed command's canonical bytes.
    pub command_id: Digest,
    /// Query or action: the catalog's kind, or for an unknown command the list it was requested in.
    pub kind: CommandKind,
    /// Catalog terms of the command; `None` if the call was refused before the lookup.
    pub terms: Option<CommandTerms>,
    /// Reasons why approval is needed; empty if it is not.
    pub reasons: Vec<ApprovalReason>,
    /// Hash of the approval card shown for the call, see [`crate::validation::ApprovalCard`]; `None` if no approval is
    /// asked.
    pub card: Option<Digest>,
    /// Whether the policy hook was asked about the call, and its answer. `None` if no hook is asked, and in journals of
    /// earlier versions.
    pub policy: Option<PolicyCheck>,
    /// The people who asked for the call and the person whose rights it has.
    pub asked_by: ExchangePrincipal,
    /// Number of approvals withdrawn because part of the card changed.
    pub withdrawn: u32,
    /// The approvals of the current card, where it needs named or several approvers; empty elsewhere, and in journals of
    /// earlier versions.
    pub approvals: Vec<GivenApproval>,
    /// Ledger state of the call.
    pub state: CallState,
    /// Number of starts so far.
    pub attempt: u32,
    /// When the call was requested.
    pub requested_at: Timestamp,
    /// The exchange it belongs to: the session's sequence of the human act that began it.
    pub exchange: u64,
    /// When it was first started.
    pub first_started_at: Option<Timestamp>,
}

/// The ledger states: `proposed -> (waiting_decision -> approved | rejected) -> started -> finished`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallState {
    /// Requested, needs no approval, not started.
    Proposed,
    /// The same command occurs earlier in the reply: the call gets that call's result.
    Follows(CallId),
    /// Waits for a person's decision.
    WaitingDecision,
    /// Approved by a person; the approval is not spent yet.
    Approved(Approval),
    /// Committed as started, so its effect may have happened.
    Started {
        /// When this attempt was started.
        at: Timestamp,
        /// The command or the probe.
        step: CallStep,
        /// The approval that this start spent, if it needed one.
        spent: Option<Approval>,
    },
    /// Waits before its next attempt.
    Delayed {
        /// Earliest instant of the next attempt.
        until: Deadline,
        /// The step that is then taken.
        step: CallStep,
        /// The approval that the first start spent.
        spent: Option<Approval>,
    },
    /// Has its one result.
    Finished {
        /// The result.
        result: CallResult,
        /// The decision that led to it, if a person made one.
        decision: Option<Approval>,
    },
}

crate::words! {
    /// The step a started call is in.
    pub enum CallStep {
        /// Runs the command itself.
        Run = "run",
        /// Probes whether the effect happened.
        Ask = "ask",
    }
}

/// The outcome of an attempt, from the executor or because the executor was lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CallOutcome {
    /// The command succeeded.
    Succeeded {
        /// Content that the model reads (JSON or plain text).
        content: String,
        /// Files that follow the content.
        files: Vec<FileReference>,
        /// Hash of the content and the files.
        digest: Digest,
    },
    /// A long task has begun; its end arrives as `TaskFinished`.
    Accepted {
        /// Id of the task.
        task: TaskId,
        /// Text for the model while the task runs.
        content: String,
        /// How the external service is polled and cancelled.
        handle: TaskHandle,
    },
    /// The command was not carried out.
    Failed(CallFailure),
    /// No answer within the command's time limit; the attempt was aborted.
    TimedOut,
    /// The outcome is unknown: the connection was cut, or the executing process died.
    Lost {
        /// Start of the process that found the loss after a restart; `None` for a cut connection.
        found_by_start: Option<Timestamp>,
        /// Latest instant at which the request may still take effect; no probe or retry happens before it. `None` if
        /// the sending process knows that it sends no more.
        lands_by: Option<Timestamp>,
    },
    /// The answer of a probe.
    Probed {
        /// Whether the effect happened; `None` if the probe could not tell.
        happened: Option<bool>,
        /// Content that the model reads if the effect happened.
        content: String,
        /// Hash of the content.
        digest: Digest,
    },
    /// The agent that the call started has ended, or rests with a question.
    Reported {
        /// The agent's report.
        report: Box<AgentReport>,
        /// Hash of the content that the caller's model reads, [`AgentReport::to_model_content`].
        digest: Digest,
    },
}

impl CallOutcome {
    /// Whether a restart found that the executing process had died.
    pub const fn is_crash(&self) -> bool {
        match self {
            Self::Lost { found_by_start, .. } => found_by_start.is_some(),
            Self::Succeeded { .. }
            | Self::Accepted { .. }
            | Self::Failed(_)
            | Self::TimedOut
            | Self::Probed { .. }
            | Self::Reported { .. } => false,
        }
    }
}

/// Why a call was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallFailure {
    /// Code for the model, in capitals.
    pub code: String,
    /// The fault, with the value, and how to fix it.
    pub message: String,
    /// Path of the first fault in the arguments, if there is one.
    pub path: Option<String>,
    /// A later try may succeed.
    pub retryable: bool,
}

/// The one result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallResult {
    /// Status of the result.
    pub status: CallStatus,
    /// Code for the model; `None` for plain success.
    pub code: Option<String>,
    /// Content for the model: the answer, or the fault and how to fix it.
    pub content: LocalizableText,
    /// Files that follow the content.
    pub files: Vec<FileReference>,
    /// Path of the fault, if there is one.
    pub path: Option<String>,
    /// Hash of the content and the files of a success.
    pub digest: Option<Digest>,
    /// When the result was known.
    pub at: Timestamp,
}

crate::words! {
    /// The status of a finished call.
    #[expect(
        missing_docs,
        reason = "the words of the table in docs/INVARIANTS.md, `Every call gets exactly one result`"
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

/// The four groups of statuses in the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the words say it")]
pub enum CallStatusGroup {
    Success,
    Failed,
    Cancelled,
    Cached,
}

impl CallStatus {
    /// Default code for the model if the executor gave none.
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

    /// The group shown in lists and the interface.
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

    /// Whether no person approved the call: it was rejected, or nobody decided in time.
    pub const fn is_unapproved(self) -> bool {
        match self {
            CallStatus::Rejected | CallStatus::Expired => true,
            CallStatus::Succeeded
            | CallStatus::Cached
            | CallStatus::Duplicate
            | CallStatus::Accepted
            | CallStatus::Failed
            | CallStatus::InvalidArguments
            | CallStatus::UnknownCommand
            | CallStatus::Malformed
            | CallStatus::SchemaRequired
            | CallStatus::Forbidden
            | CallStatus::PlanFirst
            | CallStatus::OverLimit
            | CallStatus::Repeated
            | CallStatus::RepeatedReply
            | CallStatus::Cancelled
            | CallStatus::TimedOut
            | CallStatus::Unknown => false,
        }
    }

    /// Whether the model reads this result as an error. A duplicate is as its original, see [`CallResult::is_error`].
    pub const fn is_error(self) -> bool {
        match self.group() {
            CallStatusGroup::Success | CallStatusGroup::Cached => false,
            CallStatusGroup::Failed | CallStatusGroup::Cancelled => true,
        }
    }
}

impl CallResult {
    /// Creates a result with the default code of its status.
    pub fn new(status: CallStatus, content: impl Into<LocalizableText>, at: Timestamp) -> Self {
        Self {
            status,
            code: status.code().map(str::to_owned),
            content: content.into(),
            files: Vec::new(),
            path: None,
            digest: None,
            at,
        }
    }

    /// Whether the model reads this result as an error.
    pub const fn is_error(&self) -> bool {
        self.status.is_error()
    }
}

impl Call {
    /// The effect class: a query is a read; an action without catalog terms has the most careful class.
    pub fn effect_class(&self) -> EffectClass {
        match self.kind {
            CommandKind::Query => EffectClass::Read,
            CommandKind::Action => self.terms.as_ref().map_or(EffectClass::Once, |terms| terms.effect),
        }
    }

    /// Whether the executor may have forgotten the call's idempotency key. Also true if the clock was set back since
    /// its first use, because the key's age is then unknown.
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

    /// Whether an agent answers the call.
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

    /// The long task that the call becomes or may become.
    pub fn task(&self) -> Option<&CallTask> {
        self.terms.as_ref()?.task.as_ref()
    }

    /// The result, if the call is finished.
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

    /// Whether the call has its result.
    pub fn is_finished(&self) -> bool {
        self.result().is_some()
    }

    /// Whether the call waits for all earlier ones: an action not declared independent.
    pub fn is_ordered(&self) -> bool {
        self.kind == CommandKind::Action && !self.terms.as_ref().is_some_and(|terms| terms.independent)
    }

    /// Whether the effect may be in progress or have happened.
    pub fn is_started(&self) -> bool {
        matches!(self.state, CallState::Started { .. })
    }

    /// Whether the call runs, or waits for its next attempt.
    pub fn is_under_way(&self) -> bool {
        matches!(self.state, CallState::Started { .. } | CallState::Delayed { .. })
    }

    /// Whether this query reads state that the action `other` may change: both name the same server or resource.
    pub fn reads_state_of(&self, other: &Call) -> bool {
        command::reads_state_of((self.kind, self.terms.as_ref()), (other.kind, other.terms.as_ref()))
    }

    /// The decision that a person made on the call.
    pub fn decision(&self) -> Option<&Approval> {
        match &self.state {
            CallState::Approved(approval) => Some(approval),
            CallState::Started { spent, .. } | CallState::Delayed { spent, .. } => spent.as_ref(),
            CallState::Finished { decision, .. } => decision.as_ref(),
            CallState::Proposed | CallState::Follows(_) | CallState::WaitingDecision => None,
        }
    }

    /// The command to run: as proposed, or as edited by a person.
    pub fn effective_command(&self) -> &Command {
        self.decision()
            .and_then(|decision| decision.edited.as_ref())
            .map_or(&self.command, |edit| &edit.command)
    }

    /// Hash of the command to run.
    pub fn effective_command_id(&self) -> &Digest {
        self.decision()
            .and_then(|decision| decision.edited.as_ref())
            .map_or(&self.command_id, |edit| &edit.command_id)
    }

    /// The person whose rights the call acts with; `None` means the rights of the workspace. Arguments edited by
    /// another person do not run with the requester's rights.
    pub fn principal(&self) -> Option<&str> {
        let requester = self.asked_by.acts_as.as_deref()?;
        let editor = self.decision().filter(|decision| decision.edited.is_some());
        editor.is_none_or(|decision| decision.author == requester).then_some(requester)
    }

    /// Whether the policy hook has not answered yet about the command that would run: for arguments that a person edited
    /// it is asked again. The call waits for the answer.
    pub fn awaits_policy(&self) -> bool {
        let has_not_begun = match &self.state {
            CallState::Proposed | CallState::Approved(_) => true,
            CallState::Follows(_)
            | CallState::WaitingDecision
            | CallState::Started { .. }
            | CallState::Delayed { .. }
            | CallState::Finished { .. } => false,
        };
        let is_unanswered = |check: &PolicyCheck| {
            check.answer().is_none_or(|answer| answer.command_id != *self.effective_command_id())
        };
        has_not_begun && self.policy.as_ref().is_some_and(is_unanswered)
    }

    /// Why this person's approval does not count under four eyes; `None` if it does.
    pub fn four_eyes_objection(&self, person: &str, edits: bool) -> Option<ApproverObjection> {
        four_eyes_objection(&self.reasons, &self.asked_by, person, edits)
    }

    /// Why this person's approval does not count at this instant; `None` if it does. Arguments that one of several
    /// approvers edits, the others have not seen.
    pub fn approver_objection(&self, person: &str, edits: bool, now: Timestamp) -> Option<ApproverObjection> {
        let given = GivenApproval { author: person.to_owned(), at: now };
        let admits = |required: &ApproverRequirement| required.admits(&given, self.requested_at);
        let is_unlisted =
            self.approver_requirements().next().is_some() && !self.approver_requirements().any(admits);
        let needs_several = || {
            let several = |required: &ApproverRequirement| required.quorum > 1;
            self.approver_requirements().any(several) || self.approver_requirements().nth(1).is_some()
        };
        self.four_eyes_objection(person, edits)
            .or_else(|| is_unlisted.then_some(ApproverObjection::Unlisted))
            .or_else(|| (edits && needs_several()).then_some(ApproverObjection::Wrote))
    }

    /// Whether this person has approved the current card already, while others still have to.
    pub fn has_approval_of(&self, person: &str) -> bool {
        self.approvals.iter().any(|given| share_identity(&given.author, person))
    }

    /// Records that a person approved the current card, if named or several people must approve it. Each person counts once.
    pub(crate) fn record_approval(&mut self, author: &str, at: Timestamp) {
        if self.approver_requirements().next().is_some() && !self.has_approval_of(author) {
            self.approvals.push(GivenApproval { author: author.to_owned(), at });
        }
    }

    /// The requirement of each reason for approval that names approvers or a quorum.
    pub fn approver_requirements(&self) -> impl Iterator<Item = &ApproverRequirement> {
        self.reasons.iter().filter_map(|reason| reason.approvers.as_deref())
    }

    /// Whether the approvals given so far, and this person's, are all that the reasons demand.
    pub fn would_suffice(&self, author: &str, now: Timestamp) -> bool {
        let mut with = self.clone();
        with.record_approval(author, now);
        with.has_enough_approvals()
    }

    /// The first requirement whose quorum cannot be reached at this instant, because too few of its people are named, are
    /// here, and may approve under four eyes; with the number of approvals that there can be.
    pub fn unattainable_approval(&self, now: Timestamp) -> Option<(&ApproverRequirement, usize)> {
        let may = |person: &str| self.four_eyes_objection(person, false).is_none();
        self.approver_requirements().find_map(|required| {
            let most = required.attainable(&self.approvals, self.requested_at, now, may)?;
            (most < usize::try_from(required.quorum).unwrap_or(usize::MAX)).then_some((required, most))
        })
    }

    /// Whether the approvals given so far are all that the reasons demand; true where they demand nobody in particular.
    pub fn has_enough_approvals(&self) -> bool {
        self.approver_requirements().all(|required| required.is_met(&self.approvals, self.requested_at))
    }

    /// Id of the current or last approval of the call.
    pub fn approval_id(&self) -> ApprovalId {
        self.id.approval_id_after(self.withdrawn)
    }

    /// Idempotency key for the executor. It contains session, call and argument digest because a restored backup
    /// generates the same call ids again.
    pub fn idempotency_key(&self, session: &SessionId) -> String {
        format!("{session}/{}/{}", self.id, self.effective_command_id())
    }
}
