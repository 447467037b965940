//! What becomes of calls.

use entracte_domain::call as domain;
use entracte_domain::call::CallStatus;
use entracte_domain::id::TaskId;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::agent::Report;
use super::is_default;
use super::leaf::{Hash, JsonText};
use super::speech::{self, Speech};
use super::task::TaskHandle;
use super::words::Word;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallResult {
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) status: Word<CallStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) content: JsonText,
    /// Instead of `content`, when it is not words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<Speech>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<Hash>,
    /// None in a ledger row, whose column has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<i64>,
}

impl From<&domain::CallResult> for CallResult {
    fn from(result: &domain::CallResult) -> Self {
        let domain::CallResult { status, code, content, path, digest, at } = result;
        Self {
            status: status.into(),
            code: code.clone(),
            content: content.as_words().map(JsonText::from).unwrap_or_default(),
            said: speech::said(content),
            path: path.clone(),
            digest: digest.as_ref().map(Into::into),
            at: Some(at.0),
        }
    }
}

impl From<CallResult> for domain::CallResult {
    fn from(result: CallResult) -> Self {
        Self {
            status: result.status.0,
            code: result.code,
            content: result.said.map_or_else(|| result.content.0.into(), Into::into),
            path: result.path,
            digest: result.digest.map(Into::into),
            at: Timestamp(result.at.unwrap_or_default()),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "it is written or read once, and dropped")]
pub(super) enum CallOutcome {
    Succeeded {
        content: JsonText,
        digest: Hash,
    },
    Accepted {
        task: String,
        content: JsonText,
        #[serde(default, skip_serializing_if = "is_default")]
        handle: TaskHandle,
    },
    Failed(Failure),
    TimedOut,
    Lost {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        found_by_start: Option<i64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lands_by: Option<i64>,
    },
    Probed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        happened: Option<bool>,
        content: JsonText,
        digest: Hash,
    },
    Reported {
        report: Report,
        digest: Hash,
    },
}

impl From<&domain::CallOutcome> for CallOutcome {
    fn from(outcome: &domain::CallOutcome) -> Self {
        use domain::CallOutcome as Domain;
        match outcome {
            Domain::Succeeded { content, digest } => {
                Self::Succeeded { content: content.into(), digest: digest.into() }
            }
            Domain::Accepted { task, content, handle } => Self::Accepted {
                task: task.as_str().to_owned(),
                content: content.into(),
                handle: handle.into(),
            },
            Domain::Failed(failure) => Self::Failed(failure.into()),
            Domain::TimedOut => Self::TimedOut,
            Domain::Lost { found_by_start, lands_by } => Self::Lost {
                found_by_start: found_by_start.map(|at| at.0),
                lands_by: lands_by.map(|at| at.0),
            },
            Domain::Probed { happened, content, digest } => {
                Self::Probed { happened: *happened, content: content.into(), digest: digest.into() }
            }
            Domain::Reported { report, digest } => {
                Self::Reported { report: report.as_ref().into(), digest: digest.into() }
            }
        }
    }
}

impl From<CallOutcome> for domain::CallOutcome {
    fn from(outcome: CallOutcome) -> Self {
        match outcome {
            CallOutcome::Succeeded { content, digest } => {
                Self::Succeeded { content: content.0, digest: digest.into() }
            }
            CallOutcome::Accepted { task, content, handle } => {
                Self::Accepted { task: TaskId::new(task), content: content.0, handle: handle.into() }
            }
            CallOutcome::Failed(failure) => Self::Failed(failure.into()),
            CallOutcome::TimedOut => Self::TimedOut,
            CallOutcome::Lost { found_by_start, lands_by } => Self::Lost {
                found_by_start: found_by_start.map(Timestamp),
                lands_by: lands_by.map(Timestamp),
            },
            CallOutcome::Probed { happened, content, digest } => {
                Self::Probed { happened, content: content.0, digest: digest.into() }
            }
            CallOutcome::Reported { report, digest } => {
                Self::Reported { report: Box::new(report.into()), digest: digest.into() }
            }
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failure {
    code: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    retryable: bool,
}

impl From<&domain::Failure> for Failure {
    fn from(failure: &domain::Failure) -> Self {
        let domain::Failure { code, message, path, retryable } = failure;
        Self { code: code.clone(), message: message.clone(), path: path.clone(), retryable: *retryable }
    }
}

impl From<Failure> for domain::Failure {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, path, retryable } = failure;
        Self { code, message, path, retryable }
    }
}
