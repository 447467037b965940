//! Shapes of standing approvals, and of rules that refuse.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_application::json_value::ExactJson;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{ArgumentCondition, RuleScope, RuleUses, StandingApprovalRule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;

/// What an argument must be.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConditionShape {
    /// Anything that the schema takes.
    Any,
    /// Exactly this.
    #[schema(value_type = Value)]
    Is(ExactJson),
}

/// The shape of a rule's conditions.
pub fn conditions(arguments: &[(String, ArgumentCondition)]) -> BTreeMap<String, ConditionShape> {
    let condition = |(name, condition): &(String, ArgumentCondition)| {
        let shape = match condition {
            ArgumentCondition::Any => ConditionShape::Any,
            ArgumentCondition::Is(value) => ConditionShape::Is(ExactJson::sorted(value)),
        };
        (name.clone(), shape)
    };
    arguments.iter().map(condition).collect()
}

/// A rule.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleShape {
    /// `rul_…`.
    pub id: String,
    /// `open`, `expired`, `used_up` or `revoked`.
    pub state: Cow<'static, str>,
    /// The command it is for.
    pub command: String,
    /// The version of its declaration.
    pub version: String,
    /// Why it refuses; null: it approves.
    pub denies: Option<String>,
    /// What each argument must be.
    pub arguments: BTreeMap<String, ConditionShape>,
    /// How many calls it approves; null: as many as there are.
    pub times: Option<u32>,
    /// How many of them are left.
    pub left: Option<u32>,
    /// The only session it counts in.
    pub session: Option<String>,
    /// It counts for agents too; one that refuses always does.
    pub agents: bool,
    /// The people whose words it approves; none: those of everybody, as rules of before do, and one that refuses.
    pub people: Option<Vec<String>>,
    /// Who gave it.
    pub author: String,
    /// When.
    pub made_at: String,
    /// Until when.
    pub expires_at: String,
    /// It ends only when somebody revokes it; `expires_at` is a hundred years away then.
    #[serde(default)]
    pub for_ever: bool,
    /// Who revoked it.
    pub revoked_by: Option<String>,
    /// When.
    pub revoked_at: Option<String>,
}

impl RuleShape {
    /// The shape of a rule at this time.
    pub fn new(rule: &StandingApprovalRule, now: Timestamp) -> Self {
        let session = match &rule.scope {
            RuleScope::Workspace => None,
            RuleScope::Session(session) => Some(session.to_string()),
        };
        Self {
            id: rule.id.clone(),
            state: rule.state(now).word().into(),
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
            for_ever: rule.is_for_ever(),
            revoked_by: rule.revoked.as_ref().map(|(who, _)| who.clone()),
            revoked_at: rule.revoked.as_ref().map(|(_, at)| iso(*at)),
        }
    }
}

/// A rule to be made by hand.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRuleShape {
    /// The command; of one that refuses also all of a resource: `files.*`.
    pub command: String,
    /// What each argument must be. One that approves allows no other argument.
    #[serde(default)]
    pub arguments: BTreeMap<String, ConditionShape>,
    /// The only session it counts in.
    pub session: Option<String>,
    /// Why such calls are refused; none: they are approved.
    pub denies: Option<String>,
    /// For how many seconds; none: as the configuration says.
    pub lasts_seconds: Option<u32>,
    /// For how many calls, of one that approves; none: as many as there are.
    pub times: Option<u32>,
    /// It counts for agents too: one that approves in the whole workspace.
    #[serde(default)]
    pub agents: bool,
    /// The people whose words one that approves is given for, beside whoever makes it.
    #[serde(default)]
    pub people: Vec<String>,
}
