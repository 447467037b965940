//! The outcomes of calls.

use entracte_domain::call as domain;
use entracte_domain::call::CallStatus;
use entracte_domain::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::agent::ReportV1;
use super::file::FileV1;
use super::leaf::{HashV1, JsonTextV1};
use super::shape::{by_hand, shape};
use super::speech::{self, SpeechV1};
use super::task::TaskHandleV1;
use super::words::WordV1;
use super::{domains, is_default, shapes};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallResultV1 {
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) status: WordV1<CallStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(super) content: JsonTextV1,
    /// Replaces `content` if it is not plain text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<SpeechV1>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<FileV1>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<HashV1>,
    /// `None` in a ledger row, whose column has the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<i64>,
}

by_hand!(CallResultV1 = domain::CallResult);

impl From<&domain::CallResult> for CallResultV1 {
    fn from(result: &domain::CallResult) -> Self {
        let domain::CallResult { status, code, content, files, path, digest, at } = result;
        Self {
            status: status.into(),
            code: code.clone(),
            content: content.as_words().map(JsonTextV1::from).unwrap_or_default(),
            said: speech::said(content),
            files: shapes(files),
            path: path.clone(),
            digest: digest.as_ref().map(Into::into),
            at: Some(at.0),
        }
    }
}

impl From<CallResultV1> for domain::CallResult {
    fn from(result: CallResultV1) -> Self {
        Self {
            status: result.status.0,
            code: result.code,
            content: result.said.map_or_else(|| result.content.0.into(), Into::into),
            files: domains(result.files),
            path: result.path,
            digest: result.digest.map(Into::into),
            at: Timestamp(result.at.unwrap_or_default()),
        }
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    #[expect(clippy::large_enum_variant, reason = "it is written or read once, and dropped")]
    pub(super) enum CallOutcomeV1 = domain::CallOutcome {
        Succeeded {
            content: JsonTextV1,
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            files: Vec<FileV1>,
            digest: HashV1,
        },
        Accepted {
            task: String,
            content: JsonTextV1,
            #[serde(default, skip_serializing_if = "is_default")]
            handle: TaskHandleV1,
        },
        Failed(failure: FailureV1),
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
            content: JsonTextV1,
            digest: HashV1,
        },
        Reported {
            report: ReportV1,
            digest: HashV1,
        },
    }
}

shape! {
    pub(super) struct FailureV1 = domain::CallFailure {
        code: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        #[serde(default, skip_serializing_if = "is_default")]
        retryable: bool,
    }
}
