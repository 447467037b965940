//! Shapes of standing approvals, and of rules that refuse.

use std::borrow::Cow;
use std::collections::BTreeMap;

use entracte_application::json_value::ExactJson;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::{
    ArgumentCondition, NumberRange, RuleScope, RuleUses, StandingApprovalRule,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::iso;
use super::rule_limits::{DecimalText, RuleUsageShape, UseLimitsShape};

/// What an argument must be.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ConditionShape {
    /// Anything that the schema takes.
    Any,
    /// Exactly this.
    #[schema(value_type = Value)]
    Is(ExactJson),
    /// Exactly one of these, at most 100.
    #[schema(value_type = Vec<Value>)]
    OneOf(Vec<ExactJson>),
    /// A number in plain digits from the least to the most of these; one that approves only.
    Range {
        /// The smallest number; none: there is none.
        #[schema(value_type = Option<String>)]
        least: Option<DecimalText>,
        /// The largest number; none: there is none.
        #[schema(value_type = Option<String>)]
        most: Option<DecimalText>,
    },
    /// A text that begins like this, up to the end of a word; one that approves only.
    Prefix(String),
    /// A text that is like this as a whole: `*` stands for any letters, digits, spaces, dots, hyphens and underscores, `?`
    /// for one of them; one that approves only.
    Pattern(String),
}

impl ConditionShape {
    /// The shape of a condition.
    pub fn new(condition: &ArgumentCondition) -> Self {
        match condition {
            ArgumentCondition::Any => Self::Any,
            ArgumentCondition::Is(value) => Self::Is(ExactJson::sorted(value)),
            ArgumentCondition::OneOf(values) => Self::OneOf(values.iter().map(ExactJson::sorted).collect()),
            ArgumentCondition::Range(NumberRange { least, most }) => {
                Self::Range { least: least.map(DecimalText), most: most.map(DecimalText) }
            }
            ArgumentCondition::Prefix(text) => Self::Prefix(text.clone()),
            ArgumentCondition::Pattern(text) => Self::Pattern(text.clone()),
        }
    }

    /// The condition of the shape.
    pub fn into_condition(self) -> ArgumentCondition {
        match self {
            Self::Any => ArgumentCondition::Any,
            Self::Is(value) => ArgumentCondition::Is(value.0),
            Self::OneOf(values) => {
                ArgumentCondition::OneOf(values.into_iter().map(|value| value.0).collect())
            }
            Self::Range { least, most } => ArgumentCondition::Range(NumberRange {
                least: least.map(|number| number.0),
                most: most.map(|number| number.0),
            }),
            Self::Prefix(text) => ArgumentCondition::Prefix(text),
            Self::Pattern(text) => ArgumentCondition::Pattern(text),
        }
    }
}

/// The shape of a rule's conditions.
pub fn conditions(arguments: &[(String, ArgumentCondition)]) -> BTreeMap<String, ConditionShape> {
    arguments.iter().map(|(name, condition)| (name.clone(), ConditionShape::new(condition))).collect()
}

/// The conditions of a shape.
pub fn into_conditions(arguments: BTreeMap<String, ConditionShape>) -> Vec<(String, ArgumentCondition)> {
    arguments.into_iter().map(|(name, shape)| (name, shape.into_condition())).collect()
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
    /// How many calls it approves in all; null: as many as there are. The other limits are in `limits`.
    pub times: Option<u32>,
    /// How many of them are left.
    pub left: Option<u32>,
    /// All limits on its use; null: there are none.
    #[serde(default)]
    pub limits: Option<UseLimitsShape>,
    /// What calls used of the limits; null: there are none.
    #[serde(default)]
    pub used: Option<RuleUsageShape>,
    /// The only session it counts in.
    pub session: Option<String>,
    /// The only automation whose runs it counts in.
    #[serde(default)]
    pub automation: Option<String>,
    /// The only agent it counts for.
    #[serde(default)]
    pub agent: Option<String>,
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
        let (session, automation, agent) = match &rule.scope {
            RuleScope::Workspace => (None, None, None),
            RuleScope::Session(session) => (Some(session.to_string()), None, None),
            RuleScope::Automation(automation) => (None, Some(automation.to_string()), None),
            RuleScope::Agent(agent) => (None, None, Some(agent.clone())),
        };
        let is_for_agents = rule.agents || rule.denies.is_some() || agent.is_some();
        let uses = rule.uses.as_ref();
        let left = |uses: &RuleUses| Some(uses.limits.total.calls?.saturating_sub(uses.total.calls));
        Self {
            id: rule.id.clone(),
            state: rule.state(now).word().into(),
            command: rule.command.clone(),
            version: rule.version.to_string(),
            denies: rule.denies.clone(),
            arguments: conditions(&rule.arguments),
            times: uses.and_then(|uses| uses.limits.total.calls),
            left: uses.and_then(left),
            limits: uses.map(|uses| UseLimitsShape::new(&uses.limits)),
            used: uses.map(RuleUsageShape::new),
            session,
            automation,
            agent,
            agents: is_for_agents,
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
    /// The only session it counts in. At most one of `session`, `automation` and `agent` is given.
    pub session: Option<String>,
    /// The only automation whose runs it counts in.
    pub automation: Option<String>,
    /// The only agent it counts for, by its name.
    pub agent: Option<String>,
    /// Why such calls are refused; none: they are approved.
    pub denies: Option<String>,
    /// For how many seconds; none: as the configuration says.
    pub lasts_seconds: Option<u32>,
    /// For how many calls in all, of one that approves; none: as many as there are. The same as `limits.total.calls`.
    pub times: Option<u32>,
    /// The limits on the use of one that approves.
    #[serde(default)]
    pub limits: UseLimitsShape,
    /// It counts for agents too: one that approves in the whole workspace, or in the runs of an automation.
    #[serde(default)]
    pub agents: bool,
    /// The people whose words one that approves is given for, beside whoever makes it.
    #[serde(default)]
    pub people: Vec<String>,
}
