//! Answers of policy hooks about calls.

use entracte_domain::validation::{self as domain, PolicyDecision};

use super::approvers::ApproverV1;
use super::leaf::HashV1;
use super::shape::shape;
use super::words::WordV1;

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum PolicyCheckV1 = domain::PolicyCheck {
        Pending,
        Answered(answer: PolicyAnswerV1),
    }
}

shape! {
    pub(super) struct PolicyAnswerV1 = domain::PolicyAnswer {
        decision: WordV1<PolicyDecision>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        approvers: Vec<ApproverV1>,
        quorum: u32,
        #[serde(rename = "hash")]
        command_id: HashV1,
        at: i64,
    }
}
