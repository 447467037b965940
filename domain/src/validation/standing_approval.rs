use crate::command::{Command, CommandTerms};
use crate::id::{AutomationId, CallId, Digest, SessionId};
use crate::plan::PlanCommand;
use crate::restriction::CommandPattern;
use crate::rights::NameSet;
use crate::time::{Deadline, Millis, Timestamp};
use crate::validation::{ArgumentCondition, RuleUses, UseClaim, matches_arguments};

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
    /// Limits on its use and what calls used of them; `None` means no limit. A rule with limits is a mandate.
    pub uses: Option<RuleUses>,
    /// True if a workspace rule also covers agents, as its creator decided.
    pub agents: bool,
    /// The people whose words an approving rule covers; words of others in the prompt require an approval. `None` in
    /// rules of earlier versions, which cover everyone's words.
    pub people: Option<Vec<String>>,
}

/// The scope of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RuleScope {
    /// Every session of the workspace.
    Workspace,
    /// One session.
    Session(SessionId),
    /// The runs of one automation.
    Automation(AutomationId),
    /// The sessions of one agent, by the name of its declaration.
    Agent(String),
}

/// The session that requests a call.
#[derive(Clone, Copy, Debug)]
pub struct RuleRequester<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// The automation that it, or the session at the root of its agents, is a run of.
    pub automation: Option<&'a str>,
    /// The name of the agent that it runs as.
    pub agent: Option<&'a str>,
}

/// A call that a rule may approve.
#[derive(Clone, Copy, Debug)]
pub struct RuleCandidate<'a> {
    /// Id of the call.
    pub call: &'a CallId,
    /// The command to run.
    pub command: &'a Command,
    /// Its present terms.
    pub terms: &'a CommandTerms,
    /// The session that requests it.
    pub requester: RuleRequester<'a>,
    /// Beginning of the present day of the workspace.
    pub day: Timestamp,
    /// The present instant.
    pub now: Timestamp,
}

impl<'a> RuleRequester<'a> {
    /// A session that is neither a run nor an agent.
    pub fn from_session(session: &'a SessionId) -> Self {
        Self { session, automation: None, agent: None }
    }
}

impl RuleScope {
    /// Whether a rule with this scope may also be for agents, see [`StandingApprovalRule::agents`]. One for an agent is
    /// for it anyway, and one for a session is for it alone.
    pub fn can_add_agents(&self) -> bool {
        match self {
            Self::Workspace | Self::Automation(_) => true,
            Self::Session(_) | Self::Agent(_) => false,
        }
    }

    /// Whether a session is in the scope.
    fn includes(&self, requester: RuleRequester<'_>) -> bool {
        match self {
            Self::Workspace => true,
            Self::Session(only) => only == requester.session,
            Self::Automation(only) => requester.automation == Some(only.as_str()),
            Self::Agent(only) => requester.agent == Some(only.as_str()),
        }
    }
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

    /// Whether nothing is left for any further call.
    pub fn is_used_up(&self) -> bool {
        self.uses.as_ref().is_some_and(RuleUses::is_used_up)
    }

    /// Reserves a use for an approved call; returns whether the rule may approve it. The same call counts once.
    pub fn reserve_use(&mut self, claim: &UseClaim<'_>) -> bool {
        self.uses.as_mut().is_none_or(|uses| uses.reserve(claim))
    }

    /// Whether a call needs no new use: the rule has no limits, or already counted this call.
    pub fn has_no_use_to_reserve(&self, call: &CallId) -> bool {
        self.uses.as_ref().is_none_or(|uses| uses.has_use_of(call))
    }

    fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && !self.is_over(now)
    }

    /// Whether the validity has ended.
    fn is_over(&self, now: Timestamp) -> bool {
        self.expires.is_due(now)
    }

    /// Whether the rule approves a call.
    pub fn covers(&self, candidate: &RuleCandidate<'_>) -> bool {
        let RuleCandidate { call: _, command, terms, requester, day: _, now } = *candidate;
        self.denies.is_none()
            && self.is_in_force(now)
            && self.scope.includes(requester)
            && !terms.destructive
            && !terms.asks
            && PlanCommand::from_command(command).is_none()
            && self.command == command.name
            && self.version == terms.version
            && matches_arguments(&self.arguments, &command.arguments)
            && self
                .uses
                .as_ref()
                .is_none_or(|uses| uses.admits(&candidate.claim(&requester.session.tree_root())))
    }

    /// Whether the rule may approve calls of an agent with the given usable rules: a rule of the agent's own session
    /// may; one for this agent if its caller may use it; one of the workspace or of an automation only if created for
    /// agents too. A rule of the calling session does not.
    pub fn is_usable_by_agent(&self, usable: &NameSet) -> bool {
        match &self.scope {
            RuleScope::Session(_) => true,
            RuleScope::Agent(_) => usable.contains(&self.id),
            RuleScope::Workspace | RuleScope::Automation(_) => self.agents && usable.contains(&self.id),
        }
    }

    /// Why the rule refuses a call; `None` if it does not. Its argument conditions must hold, other arguments may have
    /// any value, and all versions of the command are refused.
    pub fn refusal_reason_for(
        &self,
        command: &Command,
        requester: RuleRequester<'_>,
        now: Timestamp,
    ) -> Option<&str> {
        let reason = self.denies.as_deref()?;
        let holds =
            |(name, condition): &(String, ArgumentCondition)| condition.refuses(command.arguments.get(name));
        let meant = CommandPattern::from_text(&self.command).matches_command(&command.name)
            && self.arguments.iter().all(holds);
        (self.is_open(now) && self.scope.includes(requester) && meant).then_some(reason)
    }
}

impl<'a> RuleCandidate<'a> {
    /// The claim of this call, whose session is in the tree of `run`.
    pub fn claim(&self, run: &'a SessionId) -> UseClaim<'a> {
        let Self { call, command, day, now, .. } = *self;
        UseClaim { call, arguments: &command.arguments, run, day, now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::EffectClass;
    use crate::validation::{NumberRange, UseLimits, conditions_from_arguments};
    use crate::value::JsonValue;

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

    fn candidate<'a>(
        call: &'a CallId,
        command: &'a Command,
        terms: &'a CommandTerms,
        session: &'a SessionId,
    ) -> RuleCandidate<'a> {
        let requester = RuleRequester::from_session(session);
        RuleCandidate { call, command, terms, requester, day: Timestamp(0), now: NOW }
    }

    #[test]
    fn rule_covers_same_command_on_same_object() {
        let session = SessionId::new("ses_1");
        let covers = |rule: &StandingApprovalRule, command: &Command| {
            rule.covers(&candidate(&call(1), command, &terms(false), &session))
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
        let (id, terms_now) = (call(1), terms(false));
        let now = candidate(&id, &command, &terms_now, &session);
        assert!(rule(RuleScope::Workspace).covers(&now));
        assert!(!rule(RuleScope::Workspace).covers(&RuleCandidate { now: late, ..now }));
        let revoked =
            StandingApprovalRule { revoked: Some(("bob".into(), NOW)), ..rule(RuleScope::Workspace) };
        assert!(!revoked.covers(&candidate(&call(1), &command, &terms(false), &session)));
        let other = CommandTerms { version: Digest::new("v2"), ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers(&candidate(&call(1), &command, &other, &session)));
    }

    #[test]
    fn rule_never_covers_per_call_approvals() {
        let (session, command) = (SessionId::new("ses_1"), entries("tool_a", "72"));
        assert!(rule(RuleScope::Workspace).covers(&candidate(&call(1), &command, &terms(false), &session)));
        assert!(!rule(RuleScope::Workspace).covers(&candidate(&call(1), &command, &terms(true), &session)));
        let asks = CommandTerms { asks: true, ..terms(false) };
        assert!(!rule(RuleScope::Workspace).covers(&candidate(&call(1), &command, &asks, &session)));
    }

    #[test]
    fn arguments_with_conditions_are_required() {
        let session = SessionId::new("ses_1");
        let mut without = entries("tool_a", "72");
        if let JsonValue::Object(members) = &mut without.arguments {
            members.retain(|(name, _)| name != "tool_id");
        }
        assert!(!rule(RuleScope::Workspace).covers(&candidate(&call(1), &without, &terms(false), &session)));
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
            (RuleScope::Automation(AutomationId::new("aut_1")), false, &NameSet::All, false),
            (RuleScope::Agent("payer".into()), false, &NameSet::All, true),
            (RuleScope::Agent("payer".into()), false, &none, false),
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
        let uses = Some(RuleUses::new(UseLimits::calls_in_all(2)));
        let mut twice = StandingApprovalRule { uses, ..rule(RuleScope::Workspace) };
        let covers = |rule: &StandingApprovalRule, n| {
            rule.covers(&candidate(&call(n), &command, &terms(false), &session))
        };
        for n in [1, 1, 2] {
            assert!(covers(&twice, n) && twice.is_open(NOW), "call {n}");
            let (id, terms) = (call(n), terms(false));
            assert!(twice.reserve_use(&candidate(&id, &command, &terms, &session).claim(&session)));
        }
        assert_eq!(twice.uses.as_ref().map(|uses| uses.total.calls), Some(2));
        assert!(!covers(&twice, 3) && !twice.is_open(NOW));
        assert!(covers(&twice, 1) && covers(&twice, 2), "what it approved is not asked for again");
        assert!(twice.has_no_use_to_reserve(&call(1)) && !twice.has_no_use_to_reserve(&call(3)));
        assert!(rule(RuleScope::Workspace).has_no_use_to_reserve(&call(3)), "it counts nothing");
        let revoked = StandingApprovalRule { revoked: Some(("bob".into(), NOW)), ..twice };
        assert!(!covers(&revoked, 1));
    }

    /// Input: a rule that refuses entries of one tool; expected: it refuses them whatever other arguments, and approves
    /// nothing, while open and in scope.
    #[test]
    fn a_rule_that_denies_refuses_and_approves_nothing() {
        let here = SessionId::new("ses_1");
        let by = RuleRequester::from_session(&here);
        let command = entries("weight", "70");
        let deny = StandingApprovalRule {
            arguments: vec![("tool_id".into(), ArgumentCondition::Is(JsonValue::from("weight")))],
            denies: Some("Bob's".into()),
            ..rule(RuleScope::Workspace)
        };
        assert_eq!(deny.refusal_reason_for(&command, by, NOW), Some("Bob's"));
        assert!(!deny.covers(&candidate(&call(1), &command, &terms(false), &here)));
        assert_eq!(deny.refusal_reason_for(&entries("sleep", "70"), by, NOW), None);
        let all =
            StandingApprovalRule { command: "tool_data.*".into(), arguments: Vec::new(), ..deny.clone() };
        assert_eq!(all.refusal_reason_for(&entries("sleep", "7"), by, NOW), Some("Bob's"));
        let many = |number: &str| {
            let values = JsonValue::List(vec![JsonValue::Number(number.into())]);
            vec![("entries".to_owned(), ArgumentCondition::Is(values))]
        };
        for (said, refused) in [("70", true), ("70.0", true), ("7e1", true), ("71", false)] {
            let deny = StandingApprovalRule { arguments: many(said), ..deny.clone() };
            assert_eq!(deny.refusal_reason_for(&command, by, NOW).is_some(), refused, "{said}");
        }
        for (said, covered) in [("70", true), ("70.0", false)] {
            let arguments = [many(said), vec![("tool_id".to_owned(), ArgumentCondition::Any)]].concat();
            let exact = StandingApprovalRule { denies: None, arguments, ..deny.clone() };
            let covers = exact.covers(&candidate(&call(1), &command, &terms(false), &here));
            assert_eq!(covers, covered, "a yes is for what was said: {said}");
        }
        // The clock was set back to before the rule was created.
        let expires = Deadline { armed_at: Timestamp(NOW.0 + 1), due_at: Timestamp(NOW.0 + 9) };
        assert_eq!(
            StandingApprovalRule { expires, ..deny.clone() }.refusal_reason_for(&command, by, NOW),
            Some("Bob's")
        );
        let arguments = conditions_from_arguments(&command.arguments, false);
        let yes = StandingApprovalRule { expires, arguments, ..rule(RuleScope::Workspace) };
        assert!(
            yes.covers(&candidate(&call(1), &command, &terms(false), &here)),
            "no clock takes a yes back"
        );
        let elsewhere =
            StandingApprovalRule { scope: RuleScope::Session(SessionId::new("ses_2")), ..deny.clone() };
        assert_eq!(elsewhere.refusal_reason_for(&command, by, NOW), None);
        let revoked = StandingApprovalRule { revoked: Some(("ann".into(), NOW)), ..deny };
        assert_eq!(revoked.refusal_reason_for(&command, by, NOW), None);
        assert_eq!(
            rule(RuleScope::Workspace).refusal_reason_for(&command, by, NOW),
            None,
            "one that approves"
        );
    }

    /// Input: a rule for an automation or an agent, and a session; expected: it covers exactly those sessions.
    #[test]
    fn scope_includes_only_its_sessions() {
        let (session, command, terms) = (SessionId::new("ses_1"), entries("tool_a", "72"), terms(false));
        let (automation, agent) =
            (RuleScope::Automation(AutomationId::new("aut_1")), RuleScope::Agent("payer".into()));
        let id = call(1);
        let plain = candidate(&id, &command, &terms, &session);
        let by = |automation, agent| RuleRequester { automation, agent, ..plain.requester };
        let covers =
            |scope: &RuleScope, requester| rule(scope.clone()).covers(&RuleCandidate { requester, ..plain });
        assert!(covers(&automation, by(Some("aut_1"), None)) && covers(&agent, by(None, Some("payer"))));
        for requester in [by(None, None), by(Some("aut_2"), Some("clerk")), by(Some("payer"), Some("aut_1"))]
        {
            assert!(!covers(&automation, requester) && !covers(&agent, requester), "{requester:?}");
        }
    }

    /// Input: arguments that a person would not take for the approved ones; expected: none is covered.
    #[test]
    fn predicates_approve_what_a_person_would() {
        let (session, terms, id) = (SessionId::new("ses_1"), terms(false), call(1));
        let number = |text: &str| JsonValue::Number(text.into());
        let pays = StandingApprovalRule {
            arguments: vec![
                ("to".into(), ArgumentCondition::OneOf(vec!["FR76".into(), "DE89".into()])),
                (
                    "amount".into(),
                    ArgumentCondition::Range(NumberRange { least: None, most: "200".parse().ok() }),
                ),
                ("note".into(), ArgumentCondition::Prefix("Invoice".into())),
                ("urgent".into(), ArgumentCondition::Any),
            ],
            ..rule(RuleScope::Workspace)
        };
        let paid = |to: JsonValue, amount: JsonValue, note: JsonValue| {
            arguments(&[("to", to), ("amount", amount), ("note", note)])
        };
        let covers = |arguments: JsonValue| {
            let command = Command { arguments, ..entries("", "") };
            pays.covers(&candidate(&id, &command, &terms, &session))
        };
        assert!(covers(paid("DE89".into(), number("199.99"), "Invoice 7".into())));
        let refused = [
            paid("DE90".into(), number("1"), "Invoice 7".into()),
            paid("DE89".into(), number("2e1"), "Invoice 7".into()),
            paid("DE89".into(), number("-0"), "Invoice 7".into()),
            paid("DE89".into(), "1".into(), "Invoice 7".into()),
            paid("DE89".into(), JsonValue::Null, "Invoice 7".into()),
            paid("DE89".into(), number("1"), "Invoices of all".into()),
            paid("DE89".into(), number("1"), JsonValue::Null),
            arguments(&[("to", "DE89".into()), ("note", "Invoice 7".into())]),
            arguments(&[
                ("to", "DE89".into()),
                ("amount", number("1")),
                ("note", "Invoice 7".into()),
                ("amount", number("900")),
            ]),
            arguments(&[
                ("to", "DE89".into()),
                ("amount", number("1")),
                ("note", "Invoice 7".into()),
                ("cc", "eve".into()),
            ]),
        ];
        for wrong in refused {
            assert!(!covers(wrong.clone()), "{wrong:?}");
        }
    }
}
