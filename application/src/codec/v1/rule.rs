//! Standing approval rules.

use entracte_domain::decimal::Decimal;
use entracte_domain::id::{AutomationId, CallId, SessionId};
use entracte_domain::time::{Deadline, Timestamp};
use entracte_domain::validation::{self as domain, RuleUseState};
use serde::{Deserialize, Serialize};

use super::is_default;
use super::leaf::{DecimalV1, DueV1, HashV1, RawV1};
use super::shape::{ShapeV1, shape};
use super::words::WordV1;

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
    /// The only automation whose runs the rule applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    automation: Option<String>,
    /// The only agent that the rule applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    author: String,
    expires: DueV1,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked: Option<(String, i64)>,
    /// Absent in rules that approve; the first version had no others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denies: Option<String>,
    /// The maximum number of approved calls, as earlier versions stored it.
    #[serde(default, skip_serializing)]
    times: Option<u32>,
    /// The calls approved so far, as earlier versions stored them.
    #[serde(default, skip_serializing)]
    spent: Vec<String>,
    /// Absent in rules without limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uses: Option<RuleUsesV1>,
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
        OneOf(values: Vec<RawV1>),
        Range(range: NumberRangeV1),
        Prefix(text: String),
        Pattern(text: String),
    }
}

shape! {
    pub(super) struct NumberRangeV1 = domain::NumberRange {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        least: Option<DecimalV1>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        most: Option<DecimalV1>,
    }
}

shape! {
    #[derive(Default, PartialEq)]
    pub(super) struct UseLimitV1 = domain::UseLimit {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        calls: Option<u32>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sum: Option<DecimalV1>,
    }
}

shape! {
    #[derive(Default, PartialEq)]
    pub(super) struct UseLimitsV1 = domain::UseLimits {
        #[serde(default, skip_serializing_if = "is_default")]
        run: UseLimitV1,
        #[serde(default, skip_serializing_if = "is_default")]
        day: UseLimitV1,
        #[serde(default, skip_serializing_if = "is_default")]
        total: UseLimitV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summed: Option<String>,
    }
}

shape! {
    #[derive(Default, PartialEq)]
    struct UseTallyV1 = domain::UseTally {
        calls: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        sum: DecimalV1,
    }
}

shape! {
    struct RuleUseV1 = domain::RuleUse {
        call: String,
        #[serde(default, skip_serializing_if = "is_default")]
        amount: DecimalV1,
        at: i64,
        state: WordV1<RuleUseState>,
    }
}

shape! {
    struct RuleUsesV1 = domain::RuleUses {
        #[serde(default, skip_serializing_if = "is_default")]
        limits: UseLimitsV1,
        #[serde(default, skip_serializing_if = "is_default")]
        total: UseTallyV1,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        day: Option<(i64, UseTallyV1)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        runs: Vec<(String, UseTallyV1)>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        latest: Vec<RuleUseV1>,
    }
}

/// The scope of a rule as it is stored: at most one of these is given.
pub(super) struct RuleScopeParts {
    pub(super) session: Option<String>,
    pub(super) automation: Option<String>,
    pub(super) agent: Option<String>,
}

impl RuleScopeParts {
    pub(super) fn from_scope(scope: &domain::RuleScope) -> Self {
        let none = Self { session: None, automation: None, agent: None };
        match scope {
            domain::RuleScope::Workspace => none,
            domain::RuleScope::Session(session) => {
                Self { session: Some(session.as_str().to_owned()), ..none }
            }
            domain::RuleScope::Automation(automation) => {
                Self { automation: Some(automation.as_str().to_owned()), ..none }
            }
            domain::RuleScope::Agent(agent) => Self { agent: Some(agent.clone()), ..none },
        }
    }

    pub(super) fn into_scope(self) -> domain::RuleScope {
        match self {
            Self { session: Some(session), .. } => domain::RuleScope::Session(SessionId::new(session)),
            Self { automation: Some(id), .. } => domain::RuleScope::Automation(AutomationId::new(id)),
            Self { agent: Some(agent), .. } => domain::RuleScope::Agent(agent),
            Self { session: None, automation: None, agent: None } => domain::RuleScope::Workspace,
        }
    }
}

/// The account of a rule that an earlier version stored: whatever it counted stays counted.
fn uses_of_earlier_version(most: u32, spent: Vec<String>, since: Timestamp) -> domain::RuleUses {
    let calls = u32::try_from(spent.len()).unwrap_or(u32::MAX);
    let used = |call: String| domain::RuleUse {
        call: CallId::new(call),
        amount: Decimal::ZERO,
        at: since,
        state: RuleUseState::Started,
    };
    domain::RuleUses {
        total: domain::UseTally { calls, sum: Decimal::ZERO },
        latest: spent.into_iter().map(used).collect(),
        ..domain::RuleUses::new(domain::UseLimits::calls_in_all(most))
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
        let RuleScopeParts { session, automation, agent } = RuleScopeParts::from_scope(scope);
        Self {
            id: id.clone(),
            command: command.clone(),
            version: version.into(),
            arguments: arguments.iter().map(|(name, is)| (name.clone(), is.into())).collect(),
            session,
            automation,
            agent,
            author: author.clone(),
            expires: expires.into(),
            revoked: revoked.as_ref().map(|(who, at)| (who.clone(), at.0)),
            denies: denies.clone(),
            times: None,
            spent: Vec::new(),
            uses: ShapeV1::of(uses),
            agents: *agents,
            people: people.clone(),
        }
    }
}

impl From<AlwaysRuleV1> for domain::StandingApprovalRule {
    fn from(rule: AlwaysRuleV1) -> Self {
        let expires: Deadline = rule.expires.into();
        let AlwaysRuleV1 { session, automation, agent, times, spent, .. } = rule;
        let uses: Option<domain::RuleUses> = rule.uses.domain();
        let of_before = times.map(|most| uses_of_earlier_version(most, spent, expires.armed_at));
        Self {
            id: rule.id,
            command: rule.command,
            version: rule.version.into(),
            arguments: rule.arguments.into_iter().map(|(name, is)| (name, is.into())).collect(),
            scope: RuleScopeParts { session, automation, agent }.into_scope(),
            author: rule.author,
            expires,
            revoked: rule.revoked.map(|(who, at)| (who, Timestamp(at))),
            denies: rule.denies,
            uses: uses.or(of_before),
            agents: rule.agents,
            people: rule.people,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a rule with a count as an earlier version stored it; expected: it counted the same calls, and is stored in the
    /// present form, which is read as the same rule.
    #[test]
    fn counts_of_earlier_versions_are_read() {
        let stored = r#"{"id":"rul_1","command":"zones.create","version":"=v1","args":[["name","any"],["parent",{"is":"a"}]],"session":"ses_1","author":"ann","expires":[5,9],"times":3,"spent":["cal_1_1_0","cal_1_2_0"]}"#;
        let shape: AlwaysRuleV1 = serde_json::from_str(stored).unwrap();
        let rule = domain::StandingApprovalRule::from(shape);
        assert_eq!(rule.scope, domain::RuleScope::Session(SessionId::new("ses_1")));
        let uses = rule.uses.clone().unwrap();
        assert_eq!((uses.limits.total.calls, uses.total.calls), (Some(3), 2));
        assert!(uses.has_use_of(&CallId::new("cal_1_2_0")) && !uses.has_use_of(&CallId::new("cal_1_3_0")));
        let present = serde_json::to_string(&AlwaysRuleV1::from(&rule)).unwrap();
        assert!(
            present.contains(r#""uses":{"limits":{"total":{"calls":3}},"total":{"calls":2}"#),
            "{present}"
        );
        let again: AlwaysRuleV1 = serde_json::from_str(&present).unwrap();
        assert_eq!(domain::StandingApprovalRule::from(again), rule);
    }
}
