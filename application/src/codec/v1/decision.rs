//! Decisions, while they lie in the mail store: before the owner has checked edited arguments.

use entracte_domain::id::CallId;
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::{Hash, Raw};
use crate::mail::{MailDecision, MailVerdict};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decision {
    call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<Hash>,
    verdict: Verdict,
}

impl From<&MailDecision> for Decision {
    fn from(decision: &MailDecision) -> Self {
        let MailDecision { call, card, verdict } = decision;
        Self { call: call.as_str().to_owned(), card: card.as_ref().map(Into::into), verdict: verdict.into() }
    }
}

impl From<Decision> for MailDecision {
    fn from(decision: Decision) -> Self {
        Self {
            call: CallId::new(decision.call),
            card: decision.card.map(Into::into),
            verdict: decision.verdict.into(),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Verdict {
    Approve,
    Edit {
        #[serde(rename = "args")]
        arguments: Raw,
    },
    Always {
        #[serde(default, skip_serializing_if = "is_default")]
        in_session: bool,
        #[serde(default, rename = "lasts_ms", skip_serializing_if = "Option::is_none")]
        lasts: Option<i64>,
        #[serde(default, skip_serializing_if = "is_default")]
        agents: bool,
    },
    Reject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl From<&MailVerdict> for Verdict {
    fn from(verdict: &MailVerdict) -> Self {
        match verdict {
            MailVerdict::Approve => Self::Approve,
            MailVerdict::Edit { arguments } => Self::Edit { arguments: Raw(arguments.clone()) },
            MailVerdict::Always { in_session, lasts, agents } => {
                Self::Always { in_session: *in_session, lasts: lasts.map(|span| span.0), agents: *agents }
            }
            MailVerdict::Reject { reason } => Self::Reject { reason: reason.clone() },
        }
    }
}

impl From<Verdict> for MailVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approve => Self::Approve,
            Verdict::Edit { arguments: Raw(arguments) } => Self::Edit { arguments },
            Verdict::Always { in_session, lasts, agents } => {
                Self::Always { in_session, lasts: lasts.map(Millis), agents }
            }
            Verdict::Reject { reason } => Self::Reject { reason },
        }
    }
}
