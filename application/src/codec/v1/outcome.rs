//! What becomes of calls.

use entracte_domain::call as domain;
use entracte_domain::call::CallStatus;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::agent::Report;
use super::is_default;
use super::leaf::{Hash, JsonText};
use super::shape::{by_hand, shape};
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

by_hand!(CallResult = domain::CallResult);

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

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    #[expect(clippy::large_enum_variant, reason = "it is written or read once, and dropped")]
    pub(super) enum CallOutcome = domain::CallOutcome {
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
        Failed(failure: Failure),
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
}

shape! {
    pub(super) struct Failure = domain::CallFailure {
        code: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        retryable: bool,
    }
}
