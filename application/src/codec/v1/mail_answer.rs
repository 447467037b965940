//! Answers to mail, in the mail store and in receipts.

use entracte_domain::task::TaskUpdateVerdict;
use entracte_domain::workspace::ActivationResult;
use serde::{Deserialize, Serialize};

use super::shape::{Shape, shape};
use super::words::Word;
use crate::codec::version::V1;
use crate::mail::RefusalCode;
use crate::texts::Topic;

shape! {
    #[derive(Clone, Copy)]
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum SlotAnswer = ActivationResult {
        Activated,
        AlreadyActive,
        Queued { position: u32 },
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailAnswer {
    v: V1,
    answer: Answer,
}

impl Shape<RefusalCode> for String {
    fn of(code: &RefusalCode) -> Self {
        code.word().to_owned()
    }

    /// One of a later version is for this one a request that is wrong as it stands.
    fn domain(self) -> RefusalCode {
        RefusalCode::from_word(&self).unwrap_or(RefusalCode::Invalid)
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Answer = crate::mail::MailAnswer {
        Accepted {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            message: Option<String>,
            session: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            activation: Option<SlotAnswer>,
        },
        Done,
        Made {
            id: String,
        },
        Heard {
            verdict: Word<TaskUpdateVerdict>,
        },
        Replayed(first: Box<Answer>),
        Refused {
            code: String,
            text: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            topic: Option<StoredTopic>,
        },
    }
}

shape! {
    struct StoredTopic = Topic {
        key: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        values: Vec<(String, String)>,
    }
}

impl From<&crate::mail::MailAnswer> for MailAnswer {
    fn from(answer: &crate::mail::MailAnswer) -> Self {
        Self { v: V1, answer: answer.into() }
    }
}

impl From<MailAnswer> for crate::mail::MailAnswer {
    fn from(MailAnswer { v: V1, answer }: MailAnswer) -> Self {
        answer.into()
    }
}
