//! Approvals that a person gives: approvals, edits and decisions.

use entracte_domain::id::{CallId, Digest};
use entracte_domain::time::Timestamp;
use entracte_domain::validation as domain;
use serde::{Deserialize, Serialize};

use super::call::Command;
use super::leaf::{Due, Hash};

/// Who asked for the work of an exchange.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AskedBy {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    people: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acts_as: Option<String>,
}

impl From<&domain::AskedBy> for AskedBy {
    fn from(asked: &domain::AskedBy) -> Self {
        let domain::AskedBy { people, acts_as } = asked;
        Self { people: people.clone(), acts_as: acts_as.clone() }
    }
}

impl From<AskedBy> for domain::AskedBy {
    fn from(asked: AskedBy) -> Self {
        Self { people: asked.people, acts_as: asked.acts_as }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Approval {
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
}

impl From<&domain::Approval> for Approval {
    fn from(approval: &domain::Approval) -> Self {
        let domain::Approval { author, at, expires, version, command_id, card, edited } = approval;
        Self {
            author: author.clone(),
            at: at.0,
            expires: expires.into(),
            version: version.into(),
            command_id: command_id.into(),
            card: card.as_ref().map(Into::into),
            edited: edited.as_ref().map(Into::into),
        }
    }
}

impl From<Approval> for domain::Approval {
    fn from(approval: Approval) -> Self {
        Self {
            author: approval.author,
            at: Timestamp(approval.at),
            expires: approval.expires.into(),
            version: approval.version.into(),
            command_id: approval.command_id.into(),
            card: approval.card.map(Into::into),
            edited: approval.edited.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    command: Command,
    #[serde(rename = "hash")]
    command_id: Hash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<Hash>,
}

impl From<&domain::Edit> for Edit {
    fn from(edit: &domain::Edit) -> Self {
        let domain::Edit { command, command_id, card } = edit;
        Self { command: command.into(), command_id: command_id.into(), card: card.as_ref().map(Into::into) }
    }
}

impl From<Edit> for domain::Edit {
    fn from(edit: Edit) -> Self {
        Self {
            command: edit.command.into(),
            command_id: Digest::from(edit.command_id),
            card: edit.card.map(Into::into),
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decision {
    call: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card: Option<Hash>,
    verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

impl From<&domain::Decision> for Decision {
    fn from(decision: &domain::Decision) -> Self {
        let domain::Decision { call, card, verdict, rule } = decision;
        Self {
            call: call.as_str().to_owned(),
            card: card.as_ref().map(Into::into),
            verdict: verdict.into(),
            rule: rule.clone(),
        }
    }
}

impl From<Decision> for domain::Decision {
    fn from(decision: Decision) -> Self {
        Self {
            call: CallId::new(decision.call),
            card: decision.card.map(Into::into),
            verdict: decision.verdict.into(),
            rule: decision.rule,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Verdict {
    Approve {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<Edit>,
    },
    Reject {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

impl From<&domain::Verdict> for Verdict {
    fn from(verdict: &domain::Verdict) -> Self {
        match verdict {
            domain::Verdict::Approve { edited } => Self::Approve { edited: edited.as_ref().map(Into::into) },
            domain::Verdict::Reject { reason } => Self::Reject { reason: reason.clone() },
        }
    }
}

impl From<Verdict> for domain::Verdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Approve { edited } => Self::Approve { edited: edited.map(Into::into) },
            Verdict::Reject { reason } => Self::Reject { reason },
        }
    }
}
