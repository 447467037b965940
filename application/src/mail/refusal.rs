//! Why a request is refused: a code for programs, and what is said of it before anybody knows in which language it is read.

use entracte_domain::id::{AutomationId, CallId, SessionId};
use entracte_domain::validation::FourEyesObjection;

use super::MailAnswer;
use crate::permissions::PermissionError;
use crate::texts::{LocalizedMessage, LocalizedTexts, RefusalTopic, saying};

entracte_domain::words! {
    /// Why a request is refused, for programs.
    pub enum RefusalCode {
        /// What is named does not exist in this workspace, or not any more.
        NotFound = "not_found",
        /// What was read is not what is there now, somebody decided first, or a limit is reached.
        Conflict = "conflict",
        /// The session has ended.
        Ended = "ended",
        /// As many messages wait as may.
        QueueFull = "queue_full",
        /// There is nothing that it could apply to, as things stand.
        NotApplicable = "not_applicable",
        /// The key of the request was used for another one.
        KeyReused = "key_reused",
        /// Somebody else must decide it.
        FourEyes = "four_eyes",
        /// Only somebody who may approve may ask for it.
        NeedsApprove = "needs_approve",
        /// The request is wrong as it stands; also a code of a later version.
        Invalid = "invalid",
    }
}

/// Why a request is refused, with what is said of it. Its words are added where it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MailRefusal {
    /// What is named does not exist in this workspace, or not any more.
    NotFound(LocalizedMessage),
    /// What was read is not what is there now, somebody decided first, or a limit is reached.
    Conflict(LocalizedMessage),
    /// The session has ended.
    Ended(SessionId),
    /// As many messages wait as may.
    QueueFull,
    /// There is nothing that it could apply to, as things stand.
    NotApplicable(LocalizedMessage),
    /// The key was used for another request.
    KeyReused(String),
    /// Somebody else must decide it.
    FourEyes(FourEyesObjection),
    /// Only somebody who may approve may ask for it.
    NeedsApprove,
    /// The request is wrong as it stands.
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
    /// There is no such session in the workspace.
    pub(crate) fn no_session(session: &SessionId) -> Self {
        Self::NotFound(saying!("request-no-session", session = session.as_str()))
    }

    /// People's own calls run in the session, and no words come into it.
    pub(crate) fn manual_calls_only(session: &SessionId) -> Self {
        Self::Conflict(saying!("request-of-calls", session = session.as_str()))
    }

    /// There is no such call in the session.
    pub(crate) fn no_call(call: &CallId) -> Self {
        Self::NotFound(saying!("request-no-call", call = call.as_str()))
    }

    /// There is no such automation in the workspace.
    pub(crate) fn no_automation(automation: &AutomationId) -> Self {
        Self::NotFound(saying!("request-no-automation", automation = automation.as_str()))
    }

    /// A session has this id already.
    pub(crate) fn session_exists(session: &SessionId) -> Self {
        Self::Conflict(saying!("request-session-exists", session = session.as_str()))
    }

    /// Why, for programs.
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

    /// What is said of it.
    pub(crate) fn saying(self) -> LocalizedMessage {
        match self {
            Self::NotFound(saying)
            | Self::Conflict(saying)
            | Self::NotApplicable(saying)
            | Self::Invalid(saying) => saying,
            Self::Ended(session) => saying!("request-session-ended", session = session.as_str()),
            Self::QueueFull => saying!("request-queue-full"),
            Self::KeyReused(key) => saying!("request-key-reused", key = key),
            Self::FourEyes(FourEyesObjection::Asked) => saying!("request-four-eyes-asked"),
            Self::FourEyes(FourEyesObjection::Wrote) => saying!("request-four-eyes-wrote"),
            Self::FourEyes(FourEyesObjection::Unknown) => saying!("request-four-eyes-unknown"),
            Self::NeedsApprove => saying!("request-needs-approve"),
        }
    }

    /// The answer that somebody gets who reads this language.
    pub(crate) fn answer(self, texts: &LocalizedTexts) -> MailAnswer {
        let code = self.code();
        let saying = self.saying();
        MailAnswer::Refused { code, text: saying.render(texts), topic: Some(RefusalTopic::from(&saying)) }
    }
}
