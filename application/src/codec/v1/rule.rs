//! Standing approval rules.

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::time::Timestamp;
use entracte_domain::validation as domain;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::{DueV1, HashV1, RawV1};
use super::shape::shape;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AlwaysRuleV1 {
    id: String,
    command: String,
    version: HashV1,
    #[serde(rename = "args")]
    arguments: Vec<(String, ConditionV1)>,
    /// The only session the rule applies to; `None` = the whole workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    author: String,
    expires: DueV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked: Option<(String, i64)>,
    /// Absent in rules that approve; the first version had no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denies: Option<String>,
    /// The maximum number of approved calls; absent in rules without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    times: Option<u32>,
    /// The calls approved so far, if the rule counts them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spent: Vec<String>,
    /// Absent in rules that do not apply to agents; the first version had no others.
    #[serde(default, skip_serializing_if = "is_default")]
    agents: bool,
    /// Absent in rules that cover the words of all people; the first version had no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    people: Option<Vec<String>>,
}

shape! {
    #[serde(rename_all = "snake_case", deny_unknown_fields)]
    pub(super) enum ConditionV1 = domain::ArgumentCondition {
        Any,
        Is(value: RawV1),
    }
}

impl From<&domain::StandingApprovalRule> for AlwaysRuleV1 {
    fn from(rule: &domain::StandingApprovalRule) -> Self {
        let domain::StandingApprovalRule {
            id,
            command,
            version,
            arguments,
            scope,
            author,
            expires,
            revoked,
            denies,
            uses,
            agents,
            people,
        } = rule;
        let spent = uses.iter().flat_map(|uses| &uses.spent);
        Self {
            id: id.clone(),
            command: command.clone(),
            version: version.into(),
            arguments: arguments.iter().map(|(name, is)| (name.clone(), is.into())).collect(),
            session: match scope {
                domain::RuleScope::Workspace => None,
                domain::RuleScope::Session(session) => Some(session.as_str().to_owned()),
            },
            author: author.clone(),
            expires: expires.into(),
            revoked: revoked.as_ref().map(|(who, at)| (who.clone(), at.0)),
            denies: denies.clone(),
            times: uses.as_ref().map(|uses| uses.most),
            spent: spent.map(|call| call.as_str().to_owned()).collect(),
            agents: *agents,
            people: people.clone(),
        }
    }
}

impl From<AlwaysRuleV1> for domain::StandingApprovalRule {
    fn from(rule: AlwaysRuleV1) -> Self {
        Self {
            id: rule.id,
            command: rule.command,
            version: rule.version.into(),
            arguments: rule.arguments.into_iter().map(|(name, is)| (name, is.into())).collect(),
            scope: rule
                .session
                .map_or(domain::RuleScope::Workspace, |id| domain::RuleScope::Session(SessionId::new(id))),
            author: rule.author,
            expires: rule.expires.into(),
            revoked: rule.revoked.map(|(who, at)| (who, Timestamp(at))),
            denies: rule.denies,
            uses: rule.times.map(|most| domain::RuleUses {
                most,
                spent: rule.spent.into_iter().map(CallId::new).collect(),
            }),
            agents: rule.agents,
            people: rule.people,
        }
    }
}
