use crate::command::{Command, CommandTerms};
use crate::id::{CallId, Digest, SessionId};
use crate::plan::PlanCommand;
use crate::restriction::CommandPattern;
use crate::rights::NameSet;
use crate::time::{Deadline, Millis, Timestamp};
use crate::value::JsonValue;

/// Approvals that a person gave in advance for calls of one command whose arguments are as they were in the call it
/// was given for; or the refusal of such calls. Never made by a model, and never approves what cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StandingApprovalRule {
    /// Its id, `rul_…`.
    pub id: String,
    /// Name of the command.
    pub command: String,
    /// The command's version in the catalog; another one is another command.
    pub version: Digest,
    /// What each argument must be. An argument that is not named here is not allowed.
    pub arguments: Vec<(String, ArgumentCondition)>,
    /// Where it counts.
    pub scope: RuleScope,
    /// Who gave it.
    pub author: String,
    /// Until when it counts.
    pub expires: Deadline,
    /// Who took it back, and when.
    pub revoked: Option<(String, Timestamp)>,
    /// Why such calls are refused, as the model is told; none when they are approved.
    pub denies: Option<String>,
    /// How many calls it approves; none: as many as there are.
    pub uses: Option<RuleUses>,
    /// One of a whole workspace counts for agents too. So whoever made it said.
    pub agents: bool,
    /// The people whose words one that approves was given for: words of anybody else in the prompt make their calls ask.
    /// `None` in rules of before, which cover the words of everybody.
    pub people: Option<Vec<String>>,
}

/// How many calls a rule approves, and which it did approve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleUses {
    /// So many.
    pub most: u32,
    /// The calls that it approved. One of them stays approved also when none is left.
    pub spent: Vec<CallId>,
}

impl RuleUses {
    /// The most calls that a rule may count: each stands in the row of the workspace.
    pub const MOST: u32 = 100;

    /// So many calls, none of them spent.
    pub fn with_limit(most: u32) -> Self {
        Self { most, spent: Vec::new() }
    }

    /// How many are left.
    pub fn remaining(&self) -> u32 {
        self.most.saturating_sub(u32::try_from(self.spent.len()).unwrap_or(u32::MAX))
    }
}

/// What one argument must be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentCondition {
    /// Anything that the schema takes.
    Any,
    /// Exactly this.
    Is(JsonValue),
}

/// Where a rule counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleScope {
    /// In every session of the workspace.
    Workspace,
    /// In one session.
    Session(SessionId),
}

crate::words! {
    /// Where a rule stands.
    pub enum RuleState {
        /// It counts.
        Open = "open",
        /// Its time is over.
        Expired = "expired",
        /// It approved as many calls as it may.
        UsedUp = "used_up",
        /// Somebody took it back.
        Revoked = "revoked",
    }
}

impl StandingApprovalRule {
    /// How long a rule counts that ends only when somebody revokes it: a hundred years.
    pub const FOR_EVER: Millis = Millis::hours(876_000);

    /// Whether it ends only when somebody revokes it.
    pub fn is_for_ever(&self) -> bool {
        self.expires.due_at.since(self.expires.armed_at) >= Self::FOR_EVER
    }

    /// Where it stands now.
    pub fn state(&self, now: Timestamp) -> RuleState {
        match &self.revoked {
            Some(_) => RuleState::Revoked,
            None if self.is_over(now) => RuleState::Expired,
            None if self.is_used_up() => RuleState::UsedUp,
            None => RuleState::Open,
        }
    }

    /// Whether it may still count.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state(now) == RuleState::Open
    }

    /// Whether it approved as many calls as it may.
    pub fn is_used_up(&self) -> bool {
        self.uses.as_ref().is_some_and(|uses| uses.remaining() == 0)
    }

    /// Takes one off for a call that it approves; the same call counts once.
    pub fn record_use(&mut self, call: &CallId) {
        if let Some(uses) = &mut self.uses
            && !uses.spent.contains(call)
        {
            uses.spent.push(call.clone());
        }
    }

    /// Whether nothing has to be taken off it for a call: it counts none, or it has counted this one.
    pub fn has_no_use_to_record(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.spent.contains(call))
    }

    fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && !self.is_over(now)
    }

    /// Whether its time is over.
    fn is_over(&self, now: Timestamp) -> bool {
        self.expires.is_due(now)
    }

    fn has_remaining_use_for(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.remaining() > 0 || uses.spent.contains(call))
    }

    /// Whether it approves a call.
    pub fn covers(
        &self,
        (call, command): (&CallId, &Command),
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

    /// Whether it may approve what an agent asks for that may use these standing approvals: one of its own session does;
    /// one of the workspace only where it was made for agents too. One of the session that called it is none of its own.
    pub fn is_usable_by_agent(&self, usable: &NameSet) -> bool {
        match &self.scope {
            RuleScope::Session(_) => true,
            RuleScope::Workspace => self.agents && usable.contains(&self.id),
        }
    }

    /// Why it refuses a call; none when it does not. What it says of an argument must hold; others may be anything, and the
    /// version of the command does not count: whoever refuses means all of them.
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

impl ArgumentCondition {
    fn is_met_by(&self, value: &JsonValue) -> bool {
        match self {
            ArgumentCondition::Any => true,
            ArgumentCondition::Is(expected) => expected.canonical() == value.canonical(),
        }
    }
}

/// Whether a value is what another one says. A refusal is of what is meant, so a number is the same however it is written;
/// where that is not exact, it is taken for the same.
fn is_same_meaning(said: &JsonValue, value: &JsonValue) -> bool {
    match (said, value) {
        (JsonValue::Number(one), JsonValue::Number(other)) => one == other || is_same_number(one, other),
        (JsonValue::List(one), JsonValue::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same_meaning(one, other))
        }
        (JsonValue::Object(one), JsonValue::Object(other)) => {
            let is_held = |(name, said): &(String, JsonValue)| {
                value.get(name).is_some_and(|held| is_same_meaning(said, held))
            };
            one.len() == other.len() && one.iter().all(is_held)
        }
        (
            JsonValue::Null
            | JsonValue::Bool(_)
            | JsonValue::Text(_)
            | JsonValue::Number(_)
            | JsonValue::List(_)
            | JsonValue::Object(_),
            value,
        ) => said.canonical() == value.canonical(),
    }
}

fn is_same_number(one: &str, other: &str) -> bool {
    // Added to it, 0 makes a 0 of -0.
    let read = |text: &str| text.parse::<f64>().ok().map(|number| (number + 0.0).to_bits());
    read(one).is_some_and(|number| read(other) == Some(number))
}

/// The conditions that a call's own arguments give. Texts, truths, nothing and lists of those must be the same:
/// they name what is acted on and switch things. Numbers, objects and lists of them may be others: they are what
/// is written. Of a command that acts outside of Entracte everything must be the same: where it goes may stand
/// anywhere, and a number may name it.
pub fn conditions_from_arguments(
    arguments: &JsonValue,
    acts_outside: bool,
) -> Vec<(String, ArgumentCondition)> {
    let JsonValue::Object(members) = arguments else { return Vec::new() };
    let condition = |value: &JsonValue| match value {
        JsonValue::Number(_) | JsonValue::List(_) | JsonValue::Object(_)
            if !acts_outside && !identifies_things(value) =>
        {
            ArgumentCondition::Any
        }
        JsonValue::Number(_)
        | JsonValue::Text(_)
        | JsonValue::Bool(_)
        | JsonValue::Null
        | JsonValue::List(_)
        | JsonValue::Object(_) => ArgumentCondition::Is(value.clone()),
    };
    members.iter().map(|(name, value)| (name.clone(), condition(value))).collect()
}

/// Whether a value names things: a text, a truth, nothing, or a list with such in it. An empty list says nothing
/// of what would be in it.
fn identifies_things(value: &JsonValue) -> bool {
    match value {
        JsonValue::Text(_) | JsonValue::Bool(_) | JsonValue::Null => true,
        JsonValue::List(items) => items.is_empty() || items.iter().any(identifies_things),
        JsonValue::Number(_) | JsonValue::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::EffectClass;

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
    fn a_rule_covers_the_same_command_on_the_same_thing() {
        let session = SessionId::new("ses_1");
        let covers = |rule: &StandingApprovalRule, command: &Command| {
            rule.covers((&call(1), command), &terms(false), &session, NOW)
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
    fn a_rule_ends_by_time_revocation_and_a_new_version_of_the_command() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let late = Timestamp(2_000_000);
        assert!(!rule(RuleScope::Workspace).covers((&call(1), &command), &terms(false), &session, late));
        let revoked =
            StandingApprovalRule { revoked: Some(("bob".into(), NOW)), ..rule(RuleScope::Workspace) };
        assert!(!revoked.covers((&call(1), &command), &terms(false), &session, NOW));
        let other = CommandTerms { version: Digest::new("v2"), ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers((&call(1), &command), &other, &session, NOW));
    }

    #[test]
    fn always_rule_never_covers_what_is_asked_for_each_time() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        assert!(rule(RuleScope::Workspace).covers((&call(1), &command), &terms(false), &session, NOW));
        assert!(!rule(RuleScope::Workspace).covers((&call(1), &command), &terms(true), &session, NOW));
        let asks = CommandTerms { asks: true, ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers((&call(1), &command), &asks, &session, NOW));
    }

    #[test]
    fn what_names_something_must_be_the_same_and_what_is_written_may_differ() {
        let texts = JsonValue::List(vec!["bob".into(), "eve".into()]);
        let numbers = JsonValue::List(vec![JsonValue::Number("1".into())]);
        let object = arguments(&[("to", "bob".into())]);
        let all = arguments(&[
            ("id", "a".into()),
            ("on", JsonValue::Bool(true)),
            ("to", texts.clone()),
            ("values", numbers.clone()),
            ("config", object.clone()),
            ("count", JsonValue::Number("3".into())),
        ]);
        let conditions = |acts_outside: bool| -> Vec<ArgumentCondition> {
            conditions_from_arguments(&all, acts_outside)
                .into_iter()
                .map(|(_, condition)| condition)
                .collect()
        };
        let (id, on, to) = ("a".into(), JsonValue::Bool(true), texts);
        let named = [ArgumentCondition::Is(id), ArgumentCondition::Is(on), ArgumentCondition::Is(to)];
        assert_eq!(conditions(false)[..3], named);
        assert_eq!(
            conditions(false)[3..],
            [ArgumentCondition::Any, ArgumentCondition::Any, ArgumentCondition::Any]
        );
        assert_eq!(conditions(true)[..3], named);
        let sent = [numbers, object, JsonValue::Number("3".into())].map(ArgumentCondition::Is);
        assert_eq!(conditions(true)[3..], sent, "where it goes may stand anywhere, also in a number");
    }

    #[test]
    fn an_argument_that_the_rule_names_must_be_there() {
        let session = SessionId::new("ses_1");
        let mut without = entries("tool_a", "72");
        if let JsonValue::Object(members) = &mut without.arguments {
            members.retain(|(name, _)| name != "tool_id");
        }
        assert!(!rule(RuleScope::Workspace).covers((&call(1), &without), &terms(false), &session, NOW));
    }

    /// Input: an approval for two calls; expected: the third call asks, those that it approved stay approved however
    /// often they are looked at, and the rule is no longer open.
    /// Input: where a rule counts, whether it is for agents too, what the agent may use; expected: whether it may approve.
    #[test]
    fn a_standing_approval_counts_for_agents_where_it_was_made_for_them() {
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

    #[test]
    fn a_counted_rule_approves_so_many_calls() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let mut twice =
            StandingApprovalRule { uses: Some(RuleUses::with_limit(2)), ..rule(RuleScope::Workspace) };
        let covers =
            |rule: &StandingApprovalRule, n| rule.covers((&call(n), &command), &terms(false), &session, NOW);
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

    /// Input: a rule that refuses entries of one tool; expected: it refuses them whatever else they say and approves
    /// nothing, as long as it is open and where it counts.
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
        assert!(!deny.covers((&call(1), &command), &terms(false), &here, NOW));
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
            let covers = exact.covers((&call(1), &command), &terms(false), &here, NOW);
            assert_eq!(covers, covered, "a yes is for what was said: {said}");
        }
        // The clock was set back behind the moment at which it was made.
        let expires = Deadline { armed_at: Timestamp(NOW.0 + 1), due_at: Timestamp(NOW.0 + 9) };
        assert_eq!(
            StandingApprovalRule { expires, ..deny.clone() }.refusal_reason_for(&command, &here, NOW),
            Some("Bob's")
        );
        let arguments = conditions_from_arguments(&command.arguments, false);
        let yes = StandingApprovalRule { expires, arguments, ..rule(RuleScope::Workspace) };
        assert!(yes.covers((&call(1), &command), &terms(false), &here, NOW), "no clock takes a yes back");
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
