//! Decisions of people on calls: approvals, edits and refusals.

use entracte_domain::validation as domain;

use super::call::CommandV1;
use super::is_default;
use super::leaf::{DueV1, HashV1};
use super::shape::shape;

shape! {
    /// The people who asked for the work of an exchange.
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct AskedByV1 = domain::ExchangePrincipal {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        people: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        acts_as: Option<String>,
    }
}

shape! {
    /// The people whose words a model reads.
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct PromptAuthorsV1 = domain::PromptAuthors {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        people: Vec<String>,
        #[serde(default, rename = "unknown", skip_serializing_if = "is_default")]
        has_unknown: bool,
    }
}

shape! {
    /// The person who set a policy, if it was not the machine's configuration.
    pub(super) struct PolicyAuthorV1 = domain::PolicyAuthor {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        at: i64,
    }
}

shape! {
    /// The standing approval that a policy grants.
    pub(super) struct PolicyGrantV1 = domain::PolicyGrant {
        author: PolicyAuthorV1,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        covers: Vec<String>,
    }
}

shape! {
    pub(super) struct ApprovalV1 = domain::Approval {
        author: String,
        at: i64,
        expires: DueV1,
        version: HashV1,
        #[serde(rename = "hash")]
        command_id: HashV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<EditV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy_at: Option<i64>,
    }
}

shape! {
    pub(super) struct EditV1 = domain::ArgumentEdit {
        command: CommandV1,
        #[serde(rename = "hash")]
        command_id: HashV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
    }
}

shape! {
    pub(super) struct DecisionV1 = domain::Decision {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<HashV1>,
        verdict: VerdictV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum VerdictV1 = domain::DecisionVerdict {
        Approve {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            edited: Option<EditV1>,
        },
        Reject {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        },
    }
}
