//! Answers to mail, in the mail store and in receipts.

use entracte_domain::id::{MessageId, SessionId};
use entracte_domain::task::Verdict;
use entracte_domain::workspace::Activation;
use serde::{Deserialize, Serialize};

use super::words::Word;
use crate::codec::version::V1;
use crate::mail::RefusalCode;
use crate::texts::Topic;

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum SlotAnswer {
    Activated,
    AlreadyActive,
    Queued { position: u32 },
}

impl From<Activation> for SlotAnswer {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Activated => Self::Activated,
            Activation::AlreadyActive => Self::AlreadyActive,
            Activation::Queued { position } => Self::Queued { position },
        }
    }
}

impl From<SlotAnswer> for Activation {
    fn from(answer: SlotAnswer) -> Self {
        match answer {
            SlotAnswer::Activated => Self::Activated,
            SlotAnswer::AlreadyActive => Self::AlreadyActive,
            SlotAnswer::Queued { position } => Self::Queued { position },
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MailAnswer {
    v: V1,
    answer: Answer,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Answer {
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
        verdict: Word<Verdict>,
    },
    Replayed(Box<Answer>),
    Refused {
        code: String,
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        topic: Option<StoredTopic>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTopic {
    key: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, String)>,
}

impl From<&Topic> for StoredTopic {
    fn from(Topic { key, values }: &Topic) -> Self {
        Self { key: key.clone(), values: values.clone() }
    }
}

impl From<StoredTopic> for Topic {
    fn from(StoredTopic { key, values }: StoredTopic) -> Self {
        Self { key, values }
    }
}

impl From<&crate::mail::MailAnswer> for Answer {
    fn from(answer: &crate::mail::MailAnswer) -> Self {
        match answer {
            crate::mail::MailAnswer::Accepted { message, session, activation } => Self::Accepted {
                message: message.as_ref().map(|message| message.as_str().to_owned()),
                session: session.as_str().to_owned(),
                activation: activation.map(Into::into),
            },
            crate::mail::MailAnswer::Done => Self::Done,
            crate::mail::MailAnswer::Made { id } => Self::Made { id: id.clone() },
            crate::mail::MailAnswer::Heard { verdict } => Self::Heard { verdict: verdict.into() },
            crate::mail::MailAnswer::Replayed(first) => Self::Replayed(Box::new((&**first).into())),
            crate::mail::MailAnswer::Refused { code, text, topic } => Self::Refused {
                code: code.word().to_owned(),
                text: text.clone(),
                topic: topic.as_ref().map(Into::into),
            },
        }
    }
}

impl From<Answer> for crate::mail::MailAnswer {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Accepted { message, session, activation } => Self::Accepted {
                message: message.map(MessageId::new),
                session: SessionId::new(session),
                activation: activation.map(Into::into),
            },
            Answer::Done => Self::Done,
            Answer::Made { id } => Self::Made { id },
            Answer::Heard { verdict } => Self::Heard { verdict: verdict.0 },
            Answer::Replayed(first) => Self::Replayed(Box::new((*first).into())),
            Answer::Refused { code, text, topic } => {
                // One of a later version is for this one a request that is wrong as it stands.
                let code = RefusalCode::from_word(&code).unwrap_or(RefusalCode::Invalid);
                Self::Refused { code, text, topic: topic.map(Into::into) }
            }
        }
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
