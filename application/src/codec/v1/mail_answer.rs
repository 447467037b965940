//! Answers to mail, in the mail store and in receipts.

use entracte_domain::task::TaskUpdateVerdict;
use entracte_domain::workspace::ActivationResult;
use serde::{Deserialize, Serialize};

use super::shape::{ShapeV1, shape};
use super::words::WordV1;
use crate::codec::format_version::FormatVersion1;
use crate::mail::RefusalCode;
use crate::texts::RefusalTopic;

shape! {
    #[derive(Clone, Copy)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum SlotAnswerV1 = ActivationResult {
        Activated,
        AlreadyActive,
        Queued { position: u32 },
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailAnswerV1 {
    v: FormatVersion1,
    answer: AnswerV1,
}

impl ShapeV1<RefusalCode> for String {
    fn of(code: &RefusalCode) -> Self {
        code.word().to_owned()
    }

    /// An unknown code of a later version is read as an invalid request.
    fn domain(self) -> RefusalCode {
        RefusalCode::from_word(&self).unwrap_or(RefusalCode::Invalid)
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum AnswerV1 = crate::mail::MailAnswer {
        Accepted {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            message: Option<String>,
            session: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            activation: Option<SlotAnswerV1>,
        },
        Done,
        Made {
            id: String,
        },
        Heard {
            verdict: WordV1<TaskUpdateVerdict>,
        },
        Applied {
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            steps: Vec<u32>,
        },
        Replayed(first: Box<AnswerV1>),
        Refused {
            code: String,
            text: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            topic: Option<StoredTopicV1>,
        },
    }
}

shape! {
    struct StoredTopicV1 = RefusalTopic {
        key: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<(String, String)>,
    }
}

impl From<&crate::mail::MailAnswer> for MailAnswerV1 {
    fn from(answer: &crate::mail::MailAnswer) -> Self {
        Self { v: FormatVersion1, answer: answer.into() }
    }
}

impl From<MailAnswerV1> for crate::mail::MailAnswer {
    fn from(MailAnswerV1 { v: FormatVersion1, answer }: MailAnswerV1) -> Self {
        answer.into()
    }
}
