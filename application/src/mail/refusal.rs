//! Refusals of requests: a code for programs, and a localisable text.

use entracte_domain::id::{AutomationId, CallId, SessionId};
use entracte_domain::validation::ApproverObjection;

use super::MailAnswer;
use crate::permissions::PermissionError;
use crate::retention::RetentionHold;
use crate::texts::{LocalizedMessage, LocalizedTexts, RefusalTopic, saying};

entracte_domain::words! {
    /// Why a request is refused, for programs.
    pub enum RefusalCode {
        /// The named object does not exist in this workspace, or does not exist any more.
        NotFound = "not_found",
        /// The version read is outdated, another decision came first, or a limit is reached.
        Conflict = "conflict",
        /// The session has ended.
        Ended = "ended",
        /// The queue of waiting messages is full.
        QueueFull = "queue_full",
        /// The request does not apply in the current state.
        NotApplicable = "not_applicable",
        /// The idempotency key was used for another request.
        KeyReused = "key_reused",
        /// Another person must decide.
        FourEyes = "four_eyes",
        /// The request requires the scope `approve`.
        NeedsApprove = "needs_approve",
        /// The request is invalid; also used for unknown codes of later versions.
        Invalid = "invalid",
    }
}

/// Why a request is refused, before it is rendered in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MailRefusal {
    /// The named object does not exist in this workspace, or does not exist any more.
    NotFound(LocalizedMessage),
    /// The version read is outdated, another decision came first, or a limit is reached.
    Conflict(LocalizedMessage),
    /// The session has ended.
    Ended(SessionId),
    /// The queue of waiting messages is full.
    QueueFull,
    /// The request does not apply in the current state.
    NotApplicable(LocalizedMessage),
    /// The idempotency key was used for another request.
    KeyReused(String),
    /// Another person must decide.
    FourEyes(ApproverObjection),
    /// The request requires the scope `approve`.
    NeedsApprove,
    /// The request is invalid.
    Invalid(LocalizedMessage),
}

impl From<PermissionError> for MailRefusal {
    fn from(denied: PermissionError) -> Self {
        match denied {
            PermissionError::NeedsApprove => Self::NeedsApprove,
            PermissionError::ConfigurationRefuses => Self::Invalid(saying!("request-configuration-refuses")),
        }
    }
}

impl MailRefusal {
    /// The refusal when the workspace has no such session.
    pub(crate) fn no_session(session: &SessionId) -> Self {
        Self::NotFound(saying!("request-no-session", session = session.as_str()))
    }

    /// The refusal of a message to a session that only runs calls of people.
    pub(crate) fn manual_calls_only(session: &SessionId) -> Self {
        Self::Conflict(saying!("request-of-calls", session = session.as_str()))
    }

    /// The refusal when the session has no such call.
    pub(crate) fn no_call(call: &CallId) -> Self {
        Self::NotFound(saying!("request-no-call", call = call.as_str()))
    }

    /// The refusal when the workspace has no such automation.
    pub(crate) fn no_automation(automation: &AutomationId) -> Self {
        Self::NotFound(saying!("request-no-automation", automation = automation.as_str()))
    }

    /// The refusal to delete what a person holds.
    pub(crate) fn held(hold: &RetentionHold) -> Self {
        let (what, author, reason) = (hold.scope.name(), &hold.author, &hold.reason);
        Self::Conflict(saying!("request-held", what = what, author = author, reason = reason))
    }

    /// The refusal to hold what another person holds.
    pub(crate) fn already_held(hold: &RetentionHold) -> Self {
        let (what, author, reason) = (hold.scope.name(), &hold.author, &hold.reason);
        Self::Conflict(saying!("request-already-held", what = what, author = author, reason = reason))
    }

    /// The refusal when a session has this id already.
    pub(crate) fn session_exists(session: &SessionId) -> Self {
        Self::Conflict(saying!("request-session-exists", session = session.as_str()))
    }

    /// The code for programs.
    pub(crate) const fn code(&self) -> RefusalCode {
        match self {
            Self::NotFound(_) => RefusalCode::NotFound,
            Self::Conflict(_) => RefusalCode::Conflict,
            Self::Ended(_) => RefusalCode::Ended,
            Self::QueueFull => RefusalCode::QueueFull,
            Self::NotApplicable(_) => RefusalCode::NotApplicable,
            Self::KeyReused(_) => RefusalCode::KeyReused,
            Self::FourEyes(_) => RefusalCode::FourEyes,
            Self::NeedsApprove => RefusalCode::NeedsApprove,
            Self::Invalid(_) => RefusalCode::Invalid,
        }
    }

    /// The text of the refusal.
    pub(crate) fn saying(self) -> LocalizedMessage {
        match self {
            Self::NotFound(saying)
            | Self::Conflict(saying)
            | Self::NotApplicable(saying)
            | Self::Invalid(saying) => saying,
            Self::Ended(session) => saying!("request-session-ended", session = session.as_str()),
            Self::QueueFull => saying!("request-queue-full"),
            Self::KeyReused(key) => saying!("request-key-reused", key = key),
            Self::FourEyes(ApproverObjection::Asked) => saying!("request-four-eyes-asked"),
            Self::FourEyes(ApproverObjection::Wrote) => saying!("request-four-eyes-wrote"),
            Self::FourEyes(ApproverObjection::Unknown) => saying!("request-four-eyes-unknown"),
            Self::FourEyes(ApproverObjection::Unlisted) => saying!("request-approver-unlisted"),
            Self::NeedsApprove => saying!("request-needs-approve"),
        }
    }

    /// The answer in the language of `texts`.
    pub(crate) fn answer(self, texts: &LocalizedTexts) -> MailAnswer {
        let code = self.code();
        let saying = self.saying();
        MailAnswer::Refused { code, text: saying.render(texts), topic: Some(RefusalTopic::from(&saying)) }
    }
}
