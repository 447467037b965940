use std::collections::BTreeMap;

use entracte_application::json_value::to_serde;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ArgumentCondition, RuleScope, RuleUses, StandingApprovalRule};
use serde::Serialize;

use crate::render::time::iso;

/// `entracte.rules/1`: standing approvals.
#[derive(Serialize)]
pub(crate) struct RulesObject {
    schema: &'static str,
    rules: Vec<RuleObject>,
}

/// `entracte.rule/1`: one standing approval.
#[derive(Serialize)]
pub(crate) struct RuleObject {
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    id: String,
    state: &'static str,
    command: String,
    version: String,
    /// Why it refuses calls; null if it approves them.
    denies: Option<String>,
    /// The condition on each argument; other arguments are not allowed.
    arguments: BTreeMap<String, RuleConditionObject>,
    /// How many calls it approves; null: unlimited.
    times: Option<u32>,
    /// How many of them remain.
    left: Option<u32>,
    /// The only session it applies to; null: the whole workspace.
    session: Option<String>,
    /// Whether it applies to agents too; a refusing rule always does.
    agents: bool,
    /// The people whose messages it applies to; null: all people.
    people: Option<Vec<String>>,
    author: String,
    made_at: String,
    expires_at: String,
    revoked_by: Option<String>,
    revoked_at: Option<String>,
}

/// The condition on one argument.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RuleConditionObject {
    Any,
    Is(serde_json::Value),
}

/// The conditions on the arguments.
pub(super) fn conditions(arguments: &[(String, ArgumentCondition)]) -> BTreeMap<String, RuleConditionObject> {
    let condition = |(name, condition): &(String, ArgumentCondition)| {
        let condition = match condition {
            ArgumentCondition::Any => RuleConditionObject::Any,
            ArgumentCondition::Is(value) => RuleConditionObject::Is(to_serde(value)),
        };
        (name.clone(), condition)
    };
    arguments.iter().map(condition).collect()
}

impl RulesObject {
    /// These rules at the instant `now`.
    pub(crate) fn new(rules: &[StandingApprovalRule], now: Timestamp) -> Self {
        let rules = rules.iter().map(|rule| RuleObject::in_list(rule, now)).collect();
        Self { schema: "entracte.rules/1", rules }
    }
}

impl RuleObject {
    /// A single rule.
    pub(crate) fn single(rule: &StandingApprovalRule, now: Timestamp) -> Self {
        Self { schema: Some("entracte.rule/1"), ..Self::in_list(rule, now) }
    }

    fn in_list(rule: &StandingApprovalRule, now: Timestamp) -> Self {
        let session = match &rule.scope {
            RuleScope::Workspace => None,
            RuleScope::Session(session) => Some(session.to_string()),
        };
        Self {
            schema: None,
            id: rule.id.clone(),
            state: rule.state(now).word(),
            command: rule.command.clone(),
            version: rule.version.to_string(),
            denies: rule.denies.clone(),
            arguments: conditions(&rule.arguments),
            times: rule.uses.as_ref().map(|uses| uses.most),
            left: rule.uses.as_ref().map(RuleUses::remaining),
            session,
            agents: rule.agents || rule.denies.is_some(),
            people: rule.people.clone(),
            author: rule.author.clone(),
            made_at: iso(rule.expires.armed_at),
            expires_at: iso(rule.expires.due_at),
            revoked_by: rule.revoked.as_ref().map(|(who, _)| who.clone()),
            revoked_at: rule.revoked.as_ref().map(|(_, at)| iso(*at)),
        }
    }
}
