use crate::command::{Command, CommandTerms};
use crate::id::{CallId, Digest, SessionId};
use crate::plan::PlanCommand;
use crate::restriction::CommandPattern;
use crate::rights::NameSet;
use crate::time::{Deadline, Millis, Timestamp};
use crate::validation::argument_condition::{ArgumentCondition, is_same_meaning};
use crate::value::JsonValue;

/// A standing approval: a person's approval or refusal in advance of calls of one command with certain arguments.
/// Models cannot create one, and it never approves irreversible commands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StandingApprovalRule {
    /// Id of the rule, `rul_…`.
    pub id: String,
    /// Name of the command.
    pub command: String,
    /// Catalog version of the command; the rule does not cover other versions.
    pub version: Digest,
    /// Condition of each argument. Arguments without a condition are not allowed.
    pub arguments: Vec<(String, ArgumentCondition)>,
    /// Scope of the rule.
    pub scope: RuleScope,
    /// The person who created it.
    pub author: String,
    /// End of the rule's validity.
    pub expires: Deadline,
    /// The person who revoked it, and when, if revoked.
    pub revoked: Option<(String, Timestamp)>,
    /// Reason of the refusal, for the model; `None` if the rule approves.
    pub denies: Option<String>,
    /// Number of calls that it approves; `None` means no maximum.
    pub uses: Option<RuleUses>,
    /// True if a workspace rule also covers agents, as its creator decided.
    pub agents: bool,
    /// The people whose words an approving rule covers; words of others in the prompt require an approval. `None` in
    /// rules of earlier versions, which cover everyone's words.
    pub people: Option<Vec<String>>,
}

/// The use count of a rule, and the calls it approved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleUses {
    /// Maximum number of approved calls.
    pub most: u32,
    /// The approved calls. Each of them stays approved even if none is left.
    pub spent: Vec<CallId>,
}

impl RuleUses {
    /// Largest permitted maximum, because each use is stored in the workspace's row.
    pub const MOST: u32 = 100;

    /// Creates a count with this maximum and no uses.
    pub fn with_limit(most: u32) -> Self {
        Self { most, spent: Vec::new() }
    }

    /// Number of remaining uses.
    pub fn remaining(&self) -> u32 {
        self.most.saturating_sub(u32::try_from(self.spent.len()).unwrap_or(u32::MAX))
    }
}

/// The scope of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleScope {
    /// Every session of the workspace.
    Workspace,
    /// One session.
    Session(SessionId),
}

crate::words! {
    /// The state of a rule.
    pub enum RuleState {
        /// In force.
        Open = "open",
        /// Its validity has ended.
        Expired = "expired",
        /// It approved its maximum of calls.
        UsedUp = "used_up",
        /// A person revoked it.
        Revoked = "revoked",
    }
}

impl StandingApprovalRule {
    /// Validity of a rule that ends only by revocation: a hundred years.
    pub const FOR_EVER: Millis = Millis::hours(876_000);

    /// Whether the rule ends only by revocation.
    pub fn is_for_ever(&self) -> bool {
        self.expires.due_at.since(self.expires.armed_at) >= Self::FOR_EVER
    }

    /// The state of the rule at `now`.
    pub fn state(&self, now: Timestamp) -> RuleState {
        match &self.revoked {
            Some(_) => RuleState::Revoked,
            None if self.is_over(now) => RuleState::Expired,
            None if self.is_used_up() => RuleState::UsedUp,
            None => RuleState::Open,
        }
    }

    /// Whether the rule is in force.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state(now) == RuleState::Open
    }

    /// Whether the rule has no uses left.
    pub fn is_used_up(&self) -> bool {
        self.uses.as_ref().is_some_and(|uses| uses.remaining() == 0)
    }

    /// Records a use for an approved call; the same call counts once.
    pub fn record_use(&mut self, call: &CallId) {
        if let Some(uses) = &mut self.uses
            && !uses.spent.contains(call)
        {
            uses.spent.push(call.clone());
        }
    }

    /// Whether a call needs no new use: the rule has no maximum, or already counted this call.
    pub fn has_no_use_to_record(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.spent.contains(call))
    }

    fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && !self.is_over(now)
    }

    /// Whether the validity has ended.
    fn is_over(&self, now: Timestamp) -> bool {
        self.expires.is_due(now)
    }

    fn has_remaining_use_for(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.remaining() > 0 || uses.spent.contains(call))
    }

    /// Whether the rule approves a call.
    pub fn covers(
        &self,
        call: &CallId,
        command: &Command,
        terms: &CommandTerms,
        session: &SessionId,
        now: Timestamp,
    ) -> bool {
        self.denies.is_none()
            && self.is_in_force(now)
            && self.has_remaining_use_for(call)
            && self.applies_in_session(session)
            && !terms.destructive
            && !terms.asks
            && PlanCommand::from_command(command).is_none()
            && self.command == command.name
            && self.version == terms.version
            && self.matches_arguments(&command.arguments)
    }

    /// Whether the rule may approve calls of an agent with the given usable rules: a rule of the agent's own session
    /// may; a workspace rule only if created for agents too. A rule of the calling session does not.
    pub fn is_usable_by_agent(&self, usable: &NameSet) -> bool {
        match &self.scope {
            RuleScope::Session(_) => true,
            RuleScope::Workspace => self.agents && usable.contains(&self.id),
        }
    }

    /// Why the rule refuses a call; `None` if it does not. Its argument conditions must hold, other arguments may have
    /// any value, and all versions of the command are refused.
    pub fn refusal_reason_for(&self, command: &Command, session: &SessionId, now: Timestamp) -> Option<&str> {
        let reason = self.denies.as_deref()?;
        let holds = |(name, condition): &(String, ArgumentCondition)| match condition {
            ArgumentCondition::Any => true,
            ArgumentCondition::Is(refused) => {
                command.arguments.get(name).is_some_and(|value| is_same_meaning(refused, value))
            }
        };
        let meant = CommandPattern::from_text(&self.command).matches_command(&command.name)
            && self.arguments.iter().all(holds);
        (self.is_open(now) && self.applies_in_session(session) && meant).then_some(reason)
    }

    fn applies_in_session(&self, session: &SessionId) -> bool {
        match &self.scope {
            RuleScope::Workspace => true,
            RuleScope::Session(only) => only == session,
        }
    }

    fn matches_arguments(&self, arguments: &JsonValue) -> bool {
        let JsonValue::Object(given) = arguments else { return false };
        let allowed = |(name, value): &(String, JsonValue)| {
            self.arguments.iter().any(|(known, condition)| known == name && condition.is_met_by(value))
        };
        let missing = |(name, condition): &(String, ArgumentCondition)| match condition {
            ArgumentCondition::Any => false,
            ArgumentCondition::Is(_) => arguments.get(name).is_none(),
        };
        given.iter().all(allowed) && !self.arguments.iter().any(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::EffectClass;
    use crate::validation::conditions_from_arguments;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn arguments(members: &[(&str, JsonValue)]) -> JsonValue {
        JsonValue::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    fn entries(tool: &str, value: &str) -> Command {
        let list = JsonValue::List(vec![JsonValue::Number(value.into())]);
        let arguments = arguments(&[("tool_id", JsonValue::from(tool)), ("entries", list)]);
        Command { name: "tool_data.batch_create".into(), arguments }
    }

    fn terms(destructive: bool) -> CommandTerms {
        CommandTerms {
            version: Digest::new("v1"),
            effect: EffectClass::Local,
            independent: false,
            state_scopes: Vec::new(),
            destructive,
            asks: false,
            settle_ms: 0,
            key_lifetime_ms: 0,
            shows: Vec::new(),
            agent: None,
            task: None,
        }
    }

    fn rule(scope: RuleScope) -> StandingApprovalRule {
        StandingApprovalRule {
            id: "rul_1".into(),
            command: "tool_data.batch_create".into(),
            version: Digest::new("v1"),
            arguments: conditions_from_arguments(&entries("tool_a", "72").arguments, false),
            scope,
            author: "ann".into(),
            expires: Deadline { armed_at: Timestamp(0), due_at: Timestamp(2_000_000) },
            revoked: None,
            denies: None,
            uses: None,
            agents: false,
            people: None,
        }
    }

    fn call(n: u32) -> CallId {
        CallId::new(format!("cal_1_{n}_0"))
    }

    #[test]
    fn rule_covers_same_command_on_same_object() {
        let session = SessionId::new("ses_1");
        let covers = |rule: &StandingApprovalRule, command: &Command| {
            rule.covers(&call(1), command, &terms(false), &session, NOW)
        };
        let everywhere = rule(RuleScope::Workspace);
        assert!(covers(&everywhere, &entries("tool_a", "73")), "what is written may differ");
        assert!(!covers(&everywhere, &entries("tool_b", "72")), "another tool");
        let mut more = entries("tool_a", "72");
        if let JsonValue::Object(members) = &mut more.arguments {
            members.push(("require_validation".into(), JsonValue::Bool(false)));
        }
        assert!(!covers(&everywhere, &more), "an argument that the rule does not know");
        assert!(!covers(&everywhere, &Command { name: "tools.delete".into(), ..entries("tool_a", "72") }));
        assert!(covers(&rule(RuleScope::Session(session.clone())), &entries("tool_a", "72")));
        assert!(!covers(&rule(RuleScope::Session(SessionId::new("ses_2"))), &entries("tool_a", "72")));
    }

    #[test]
    fn rule_ends_by_time_revocation_or_new_version() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let late = Timestamp(2_000_000);
        assert!(!rule(RuleScope::Workspace).covers(&call(1), &command, &terms(false), &session, late));
        let revoked =
            StandingApprovalRule { revoked: Some(("bob".into(), NOW)), ..rule(RuleScope::Workspace) };
        assert!(!revoked.covers(&call(1), &command, &terms(false), &session, NOW));
        let other = CommandTerms { version: Digest::new("v2"), ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers(&call(1), &command, &other, &session, NOW));
    }

    #[test]
    fn rule_never_covers_per_call_approvals() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        assert!(rule(RuleScope::Workspace).covers(&call(1), &command, &terms(false), &session, NOW));
        assert!(!rule(RuleScope::Workspace).covers(&call(1), &command, &terms(true), &session, NOW));
        let asks = CommandTerms { asks: true, ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers(&call(1), &command, &asks, &session, NOW));
    }

    #[test]
    fn arguments_with_conditions_are_required() {
        let session = SessionId::new("ses_1");
        let mut without = entries("tool_a", "72");
        if let JsonValue::Object(members) = &mut without.arguments {
            members.retain(|(name, _)| name != "tool_id");
        }
        assert!(!rule(RuleScope::Workspace).covers(&call(1), &without, &terms(false), &session, NOW));
    }

    /// Input: scope of a rule, whether it covers agents, and the agent's usable rules; expected: whether it may
    /// approve.
    #[test]
    fn workspace_rule_covers_agents_only_if_declared() {
        let own = RuleScope::Session(SessionId::new("ses_a"));
        let none = NameSet::NONE;
        let cases = [
            (RuleScope::Workspace, false, &NameSet::All, false),
            (RuleScope::Workspace, true, &NameSet::All, true),
            (RuleScope::Workspace, true, &none, false),
            (own, false, &none, true),
        ];
        for (scope, agents, usable, expected) in cases {
            let made = StandingApprovalRule { agents, ..rule(scope) };
            assert_eq!(made.is_usable_by_agent(usable), expected, "{made:?}");
        }
    }

    /// Input: an approval for two calls; expected: the third call needs an approval, the approved ones stay approved
    /// however often they are checked, and the rule is no longer open.
    #[test]
    fn counted_rule_approves_its_maximum_of_calls() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let mut twice =
            StandingApprovalRule { uses: Some(RuleUses::with_limit(2)), ..rule(RuleScope::Workspace) };
        let covers =
            |rule: &StandingApprovalRule, n| rule.covers(&call(n), &command, &terms(false), &session, NOW);
        for n in [1, 1, 2] {
            assert!(covers(&twice, n) && twice.is_open(NOW), "call {n}");
            twice.record_use(&call(n));
        }
        assert_eq!(twice.uses.as_ref().map(RuleUses::remaining), Some(0));
        assert!(!covers(&twice, 3) && !twice.is_open(NOW));
        assert!(covers(&twice, 1) && covers(&twice, 2), "what it approved is not asked for again");
        assert!(twice.has_no_use_to_record(&call(1)) && !twice.has_no_use_to_record(&call(3)));
        assert!(rule(RuleScope::Workspace).has_no_use_to_record(&call(3)), "it counts nothing");
        let revoked = StandingApprovalRule { revoked: Some(("bob".into(), NOW)), ..twice };
        assert!(!covers(&revoked, 1));
    }

    /// Input: a rule that refuses entries of one tool; expected: it refuses them whatever other arguments, and approves
    /// nothing, while open and in scope.
    #[test]
    fn a_rule_that_denies_refuses_and_approves_nothing() {
        let here = SessionId::new("ses_1");
        let command = entries("weight", "70");
        let deny = StandingApprovalRule {
            arguments: vec![("tool_id".into(), ArgumentCondition::Is(JsonValue::from("weight")))],
            denies: Some("Bob's".into()),
            ..rule(RuleScope::Workspace)
        };
        assert_eq!(deny.refusal_reason_for(&command, &here, NOW), Some("Bob's"));
        assert!(!deny.covers(&call(1), &command, &terms(false), &here, NOW));
        assert_eq!(deny.refusal_reason_for(&entries("sleep", "70"), &here, NOW), None);
        let all =
            StandingApprovalRule { command: "tool_data.*".into(), arguments: Vec::new(), ..deny.clone() };
        assert_eq!(all.refusal_reason_for(&entries("sleep", "7"), &here, NOW), Some("Bob's"));
        let many = |number: &str| {
            let values = JsonValue::List(vec![JsonValue::Number(number.into())]);
            vec![("entries".to_owned(), ArgumentCondition::Is(values))]
        };
        for (said, refused) in [("70", true), ("70.0", true), ("7e1", true), ("71", false)] {
            let deny = StandingApprovalRule { arguments: many(said), ..deny.clone() };
            assert_eq!(deny.refusal_reason_for(&command, &here, NOW).is_some(), refused, "{said}");
        }
        for (said, covered) in [("70", true), ("70.0", false)] {
            let arguments = [many(said), vec![("tool_id".to_owned(), ArgumentCondition::Any)]].concat();
            let exact = StandingApprovalRule { denies: None, arguments, ..deny.clone() };
            let covers = exact.covers(&call(1), &command, &terms(false), &here, NOW);
            assert_eq!(covers, covered, "a yes is for what was said: {said}");
        }
        // The clock was set back to before the rule was created.
        let expires = Deadline { armed_at: Timestamp(NOW.0 + 1), due_at: Timestamp(NOW.0 + 9) };
        assert_eq!(
            StandingApprovalRule { expires, ..deny.clone() }.refusal_reason_for(&command, &here, NOW),
            Some("Bob's")
        );
        let arguments = conditions_from_arguments(&command.arguments, false);
        let yes = StandingApprovalRule { expires, arguments, ..rule(RuleScope::Workspace) };
        assert!(yes.covers(&call(1), &command, &terms(false), &here, NOW), "no clock takes a yes back");
        let elsewhere =
            StandingApprovalRule { scope: RuleScope::Session(SessionId::new("ses_2")), ..deny.clone() };
        assert_eq!(elsewhere.refusal_reason_for(&command, &here, NOW), None);
        let revoked = StandingApprovalRule { revoked: Some(("ann".into(), NOW)), ..deny };
        assert_eq!(revoked.refusal_reason_for(&command, &here, NOW), None);
        assert_eq!(
            rule(RuleScope::Workspace).refusal_reason_for(&command, &here, NOW),
            None,
            "one that approves"
        );
    }
}
