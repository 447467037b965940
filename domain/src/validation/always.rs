use crate::command::{Command, Terms};
use crate::id::{CallId, Digest, SessionId};
use crate::plan::PlanCommand;
use crate::restriction::CommandPattern;
use crate::time::{Deadline, Millis, Timestamp};
use crate::value::Value;

/// Approvals that a person gave in advance for calls of one command whose arguments are as they were in the call it
/// was given for; or the refusal of such calls. Never made by a model, and never approves what cannot be undone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AlwaysRule {
    /// Its id, `rul_…`.
    pub id: String,
    /// Name of the command.
    pub command: String,
    /// The command's version in the catalog; another one is another command.
    pub version: Digest,
    /// What each argument must be. An argument that is not named here is not allowed.
    pub arguments: Vec<(String, Condition)>,
    /// Where it counts.
    pub scope: Scope,
    /// Who gave it.
    pub author: String,
    /// Until when it counts.
    pub expires: Deadline,
    /// Who took it back, and when.
    pub revoked: Option<(String, Timestamp)>,
    /// Why such calls are refused, as the model is told; none when they are approved.
    pub denies: Option<String>,
    /// How many calls it approves; none: as many as there are.
    pub uses: Option<Uses>,
}

/// How many calls a rule approves, and which it did approve.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uses {
    /// So many.
    pub most: u32,
    /// The calls that it approved. One of them stays approved also when none is left.
    pub spent: Vec<CallId>,
}

impl Uses {
    /// The most calls that a rule may count: each stands in the row of the workspace.
    pub const MOST: u32 = 100;

    /// So many calls, none of them spent.
    pub fn of(most: u32) -> Self {
        Self { most, spent: Vec::new() }
    }

    /// How many are left.
    pub fn left(&self) -> u32 {
        self.most.saturating_sub(u32::try_from(self.spent.len()).unwrap_or(u32::MAX))
    }
}

/// What one argument must be.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// Anything that the schema takes.
    Any,
    /// Exactly this.
    Is(Value),
}

/// Where a rule counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
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

impl AlwaysRule {
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
            None if self.expires.is_due(now) => RuleState::Expired,
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
        self.uses.as_ref().is_some_and(|uses| uses.left() == 0)
    }

    /// Takes one off for a call that it approves; the same call counts once.
    pub fn spend(&mut self, call: &CallId) {
        if let Some(uses) = &mut self.uses
            && !uses.spent.contains(call)
        {
            uses.spent.push(call.clone());
        }
    }

    fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && !self.expires.is_due(now)
    }

    fn has_use_for(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.left() > 0 || uses.spent.contains(call))
    }

    /// Whether it approves a call.
    pub fn covers(
        &self,
        (call, command): (&CallId, &Command),
        terms: &Terms,
        session: &SessionId,
        now: Timestamp,
    ) -> bool {
        self.denies.is_none()
            && self.is_in_force(now)
            && self.has_use_for(call)
            && self.counts_in(session)
            && !terms.destructive
            && !terms.asks
            && PlanCommand::of(command).is_none()
            && self.command == command.name
            && self.version == terms.version
            && self.allows(&command.arguments)
    }

    /// Why it refuses a call; none when it does not. What it says of an argument must hold; others may be anything, and the
    /// version of the command does not count: whoever refuses means all of them.
    pub fn refuses(&self, command: &Command, session: &SessionId, now: Timestamp) -> Option<&str> {
        let reason = self.denies.as_deref()?;
        let holds = |(name, condition): &(String, Condition)| match condition {
            Condition::Any => true,
            Condition::Is(_) => command.arguments.get(name).is_some_and(|value| condition.holds(value)),
        };
        let meant = CommandPattern::of(&self.command).fits(&command.name) && self.arguments.iter().all(holds);
        (self.is_open(now) && self.counts_in(session) && meant).then_some(reason)
    }

    fn counts_in(&self, session: &SessionId) -> bool {
        match &self.scope {
            Scope::Workspace => true,
            Scope::Session(only) => only == session,
        }
    }

    fn allows(&self, arguments: &Value) -> bool {
        let Value::Object(given) = arguments else { return false };
        let allowed = |(name, value): &(String, Value)| {
            self.arguments.iter().any(|(known, condition)| known == name && condition.holds(value))
        };
        let missing = |(name, condition): &(String, Condition)| match condition {
            Condition::Any => false,
            Condition::Is(_) => arguments.get(name).is_none(),
        };
        given.iter().all(allowed) && !self.arguments.iter().any(missing)
    }
}

impl Condition {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Condition::Any => true,
            Condition::Is(expected) => expected.canonical() == value.canonical(),
        }
    }
}

/// The conditions that a call's own arguments give. Texts, truths, nothing and lists of those must be the same:
/// they name what is acted on and switch things. Numbers, objects and lists of them may be others: they are what
/// is written. Of a command that acts outside of Entracte everything must be the same: where it goes may stand
/// anywhere, and a number may name it.
pub fn conditions_of(arguments: &Value, acts_outside: bool) -> Vec<(String, Condition)> {
    let Value::Object(members) = arguments else { return Vec::new() };
    let condition = |value: &Value| match value {
        Value::Number(_) | Value::List(_) | Value::Object(_) if !acts_outside && !names(value) => {
            Condition::Any
        }
        Value::Number(_)
        | Value::Text(_)
        | Value::Bool(_)
        | Value::Null
        | Value::List(_)
        | Value::Object(_) => Condition::Is(value.clone()),
    };
    members.iter().map(|(name, value)| (name.clone(), condition(value))).collect()
}

/// Whether a value names things: a text, a truth, nothing, or a list with such in it. An empty list says nothing
/// of what would be in it.
fn names(value: &Value) -> bool {
    match value {
        Value::Text(_) | Value::Bool(_) | Value::Null => true,
        Value::List(items) => items.is_empty() || items.iter().any(names),
        Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::EffectClass;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn arguments(members: &[(&str, Value)]) -> Value {
        Value::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
    }

    fn entries(tool: &str, value: &str) -> Command {
        let list = Value::List(vec![Value::Number(value.into())]);
        let arguments = arguments(&[("tool_id", Value::from(tool)), ("entries", list)]);
        Command { name: "tool_data.batch_create".into(), arguments }
    }

    fn terms(destructive: bool) -> Terms {
        Terms {
            version: Digest::new("v1"),
            effect: EffectClass::Local,
            independent: false,
            destructive,
            asks: false,
            settle_ms: 0,
            key_lifetime_ms: 0,
            shows: Vec::new(),
            task: None,
        }
    }

    fn rule(scope: Scope) -> AlwaysRule {
        AlwaysRule {
            id: "rul_1".into(),
            command: "tool_data.batch_create".into(),
            version: Digest::new("v1"),
            arguments: conditions_of(&entries("tool_a", "72").arguments, false),
            scope,
            author: "ann".into(),
            expires: Deadline { armed_at: Timestamp(0), due_at: Timestamp(2_000_000) },
            revoked: None,
            denies: None,
            uses: None,
        }
    }

    fn call(n: u32) -> CallId {
        CallId::new(format!("cal_1_{n}_0"))
    }

    #[test]
    fn a_rule_covers_the_same_command_on_the_same_thing() {
        let session = SessionId::new("ses_1");
        let covers = |rule: &AlwaysRule, command: &Command| {
            rule.covers((&call(1), command), &terms(false), &session, NOW)
        };
        let everywhere = rule(Scope::Workspace);
        assert!(covers(&everywhere, &entries("tool_a", "73")), "what is written may differ");
        assert!(!covers(&everywhere, &entries("tool_b", "72")), "another tool");
        let mut more = entries("tool_a", "72");
        if let Value::Object(members) = &mut more.arguments {
            members.push(("require_validation".into(), Value::Bool(false)));
        }
        assert!(!covers(&everywhere, &more), "an argument that the rule does not know");
        assert!(!covers(&everywhere, &Command { name: "tools.delete".into(), ..entries("tool_a", "72") }));
        assert!(covers(&rule(Scope::Session(session.clone())), &entries("tool_a", "72")));
        assert!(!covers(&rule(Scope::Session(SessionId::new("ses_2"))), &entries("tool_a", "72")));
    }

    #[test]
    fn a_rule_ends_by_time_revocation_and_a_new_version_of_the_command() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let late = Timestamp(2_000_000);
        assert!(!rule(Scope::Workspace).covers((&call(1), &command), &terms(false), &session, late));
        let revoked = AlwaysRule { revoked: Some(("bob".into(), NOW)), ..rule(Scope::Workspace) };
        assert!(!revoked.covers((&call(1), &command), &terms(false), &session, NOW));
        let other = Terms { version: Digest::new("v2"), ..terms(false) };
        assert!(!rule(Scope::Workspace).covers((&call(1), &command), &other, &session, NOW));
    }

    #[test]
    fn always_rule_never_covers_what_is_asked_for_each_time() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        assert!(rule(Scope::Workspace).covers((&call(1), &command), &terms(false), &session, NOW));
        assert!(!rule(Scope::Workspace).covers((&call(1), &command), &terms(true), &session, NOW));
        let asks = Terms { asks: true, ..terms(false) };
        assert!(!rule(Scope::Workspace).covers((&call(1), &command), &asks, &session, NOW));
    }

    #[test]
    fn what_names_something_must_be_the_same_and_what_is_written_may_differ() {
        let texts = Value::List(vec!["bob".into(), "eve".into()]);
        let numbers = Value::List(vec![Value::Number("1".into())]);
        let object = arguments(&[("to", "bob".into())]);
        let all = arguments(&[
            ("id", "a".into()),
            ("on", Value::Bool(true)),
            ("to", texts.clone()),
            ("values", numbers.clone()),
            ("config", object.clone()),
            ("count", Value::Number("3".into())),
        ]);
        let conditions = |acts_outside: bool| -> Vec<Condition> {
            conditions_of(&all, acts_outside).into_iter().map(|(_, condition)| condition).collect()
        };
        let (id, on, to) = ("a".into(), Value::Bool(true), texts);
        let named = [Condition::Is(id), Condition::Is(on), Condition::Is(to)];
        assert_eq!(conditions(false)[..3], named);
        assert_eq!(conditions(false)[3..], [Condition::Any, Condition::Any, Condition::Any]);
        assert_eq!(conditions(true)[..3], named);
        let sent = [numbers, object, Value::Number("3".into())].map(Condition::Is);
        assert_eq!(conditions(true)[3..], sent, "where it goes may stand anywhere, also in a number");
    }

    #[test]
    fn an_argument_that_the_rule_names_must_be_there() {
        let session = SessionId::new("ses_1");
        let mut without = entries("tool_a", "72");
        if let Value::Object(members) = &mut without.arguments {
            members.retain(|(name, _)| name != "tool_id");
        }
        assert!(!rule(Scope::Workspace).covers((&call(1), &without), &terms(false), &session, NOW));
    }

    /// Input: an approval for two calls; expected: the third call asks, those that it approved stay approved however
    /// often they are looked at, and the rule is no longer open.
    #[test]
    fn a_counted_rule_approves_so_many_calls() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        let mut twice = AlwaysRule { uses: Some(Uses::of(2)), ..rule(Scope::Workspace) };
        let covers = |rule: &AlwaysRule, n| rule.covers((&call(n), &command), &terms(false), &session, NOW);
        for n in [1, 1, 2] {
            assert!(covers(&twice, n) && twice.is_open(NOW), "call {n}");
            twice.spend(&call(n));
        }
        assert_eq!(twice.uses.as_ref().map(Uses::left), Some(0));
        assert!(!covers(&twice, 3) && !twice.is_open(NOW));
        assert!(covers(&twice, 1) && covers(&twice, 2), "what it approved is not asked for again");
        let revoked = AlwaysRule { revoked: Some(("bob".into(), NOW)), ..twice };
        assert!(!covers(&revoked, 1));
    }

    /// Input: a rule that refuses entries of one tool; expected: it refuses them whatever else they say and approves
    /// nothing, as long as it is open and where it counts.
    #[test]
    fn a_rule_that_denies_refuses_and_approves_nothing() {
        let here = SessionId::new("ses_1");
        let command = entries("weight", "70");
        let deny = AlwaysRule {
            arguments: vec![("tool_id".into(), Condition::Is(Value::from("weight")))],
            denies: Some("Bob's".into()),
            ..rule(Scope::Workspace)
        };
        assert_eq!(deny.refuses(&command, &here, NOW), Some("Bob's"));
        assert!(!deny.covers((&call(1), &command), &terms(false), &here, NOW));
        assert_eq!(deny.refuses(&entries("sleep", "70"), &here, NOW), None);
        let all = AlwaysRule { command: "tool_data.*".into(), arguments: Vec::new(), ..deny.clone() };
        assert_eq!(all.refuses(&entries("sleep", "7"), &here, NOW), Some("Bob's"));
        let elsewhere = AlwaysRule { scope: Scope::Session(SessionId::new("ses_2")), ..deny.clone() };
        assert_eq!(elsewhere.refuses(&command, &here, NOW), None);
        let revoked = AlwaysRule { revoked: Some(("ann".into(), NOW)), ..deny };
        assert_eq!(revoked.refuses(&command, &here, NOW), None);
        assert_eq!(rule(Scope::Workspace).refuses(&command, &here, NOW), None, "one that approves");
    }
}
