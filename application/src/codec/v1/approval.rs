//! Approvals that a person gives: approvals, edits and decisions.

use entracte_domain::validation as domain;

use super::call::Command;
use super::is_default;
use super::leaf::{Due, Hash};
use super::shape::shape;

shape! {
    /// Who asked for the work of an exchange.
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct AskedBy = domain::ExchangePrincipal {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        people: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        acts_as: Option<String>,
    }
}

shape! {
    /// Whose words a model reads.
    #[derive(Default, PartialEq, Eq)]
    pub(super) struct PromptAuthors = domain::PromptAuthors {
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        people: Vec<String>,
        #[serde(default, rename = "unknown", skip_serializing_if = "is_default")]
        has_unknown: bool,
    }
}

shape! {
    /// Who set a policy; nobody where the configuration of the machine did.
    pub(super) struct PolicyAuthor = domain::PolicyAuthor {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        person: Option<String>,
        at: i64,
    }
}

shape! {
    /// The yes in advance that a policy gives.
    pub(super) struct PolicyGrant = domain::PolicyGrant {
        author: PolicyAuthor,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        covers: Vec<String>,
    }
}

shape! {
    pub(super) struct Approval = domain::Approval {
        author: String,
        at: i64,
        expires: Due,
        version: Hash,
        #[serde(rename = "hash")]
        command_id: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<Edit>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        policy_at: Option<i64>,
    }
}

shape! {
    pub(super) struct Edit = domain::ArgumentEdit {
        command: Command,
        #[serde(rename = "hash")]
        command_id: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
    }
}

shape! {
    pub(super) struct Decision = domain::Decision {
        call: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        card: Option<Hash>,
        verdict: Verdict,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
    }
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    enum Verdict = domain::DecisionVerdict {
        Approve {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            edited: Option<Edit>,
        },
        Reject {
            #[serde(default, skip_serializing_if = "Option::is_none")]
            reason: Option<String>,
        },
    }
}
