//! Decisions in the mail store, before the owner has checked edited arguments.

use entracte_domain::validation::RuleWidth;

use super::is_default;
use super::leaf::{HashV1, RawV1};
use super::rule::{ConditionV1, UseLimitsV1};
use super::shape::shape;
use crate::mail::{MailDecision, MailVerdict};

shape! {
    pub(super) struct DecisionV1 = MailDecision {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        verdict: VerdictV1,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum VerdictV1 = MailVerdict {
        Approve,
        Edit {
            #[serde(rename = "args")]
            arguments: RawV1,
        },
        Always {
            #[serde(default, skip_serializing_if = "is_default")]
            in_session: bool,
            #[serde(default, rename = "lasts_ms", skip_serializing_if = "Option::is_none")]
            lasts: Option<i64>,
            #[serde(default, skip_serializing_if = "is_default")]
            agents: bool,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            width: Option<Box<RuleWidthV1>>,
        },
        Reject {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        },
        Answer {
            text: String,
        },
    }
}

shape! {
    struct RuleWidthV1 = RuleWidth {
        #[serde(default, rename = "args", skip_serializing_if = "Vec::is_empty")]
        arguments: Vec<(String, ConditionV1)>,
        #[serde(default, skip_serializing_if = "is_default")]
        limits: UseLimitsV1,
        #[serde(default, skip_serializing_if = "is_default")]
        requester_only: bool,
    }
}
