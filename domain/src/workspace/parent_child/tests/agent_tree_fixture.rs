use std::collections::BTreeMap;

use crate::agent::{AgentReport, MissionEnd, MissionExit, PrincipalQuestion};
use crate::call::{Call, CallOutcome, CallResult};
use crate::command::{AgentLimits, AgentTerms, Command, CommandKind, CommandTerms, EffectClass};
use crate::id::{Digest, SessionId, TaskId, WorkspaceKey};
use crate::message::{AiMessage, UserMessage};
use crate::restriction::Restriction;
use crate::rights::{Budget, RequestedRights, UnattendedPolicy};
use crate::session::failure::{FailureClass, ModelFailure};
use crate::session::{
    AiResponse, CallLookup, Dialect, Effect, IgnoreReason, Input, LimitProfile, Phase, ReplyEnd,
    RequestedCall, RunCause, RunPolicy, RunStart, SessionCreation, SessionFacts, SessionKind, SessionRules,
    UserMessageSent, agent_run_policy, desired_effects, needs_wake, transition,
};
use crate::task::TaskHandle;
use crate::time::{Millis, Timestamp};
use crate::usage::Usage;
use crate::validation::{ApprovalReason, Decision, DecisionVerdict, ExchangePrincipal, ValidationLevel};
use crate::value::JsonValue;
use crate::workspace::{
    ParentChildEvent, PlacementCandidate, SlotRules, assign_slots, descendants_deepest_first,
    pending_parent_child_event,
};

/// Id of the root session.
pub(super) const ROOT: &str = "ses_r";

/// A workspace with one agent tree.
#[derive(Clone)]
pub(super) struct AgentTreeFixture {
    pub(super) sessions: BTreeMap<SessionId, (SessionFacts, Phase)>,
    pub(super) now: Timestamp,
    pub(super) slots: SlotRules,
    pub(super) change: fn(&mut SessionRules),
    /// Applied inputs: session and label.
    pub(super) log: Vec<(String, &'static str)>,
    /// Changed calls in their last state.
    pub(super) ledger: Vec<Call>,
}

pub(super) fn id(text: &str) -> SessionId {
    SessionId::new(text)
}

/// A chat in which Ann asked for something and whose model is being called.
pub(super) fn chat() -> AgentTreeFixture {
    let mut world = AgentTreeFixture::empty();
    world.make(ROOT, SessionKind::Chat, None);
    world.act(ROOT, said("Do the accounts."));
    world
}

/// A run of an automation that Ann owns.
pub(super) fn run() -> AgentTreeFixture {
    run_with(RunPolicy::default())
}

pub(super) fn run_with(policy: RunPolicy) -> AgentTreeFixture {
    let mut world = AgentTreeFixture::empty();
    let start = RunStart {
        cause: RunCause::Manual,
        version: 1,
        messages: vec![("ann".into(), UserMessage::text("Do the accounts."))],
        enrichments: Vec::new(),
        event: None,
        policy,
        asked_by: ExchangePrincipal::for_run(["ann"], None),
    };
    world.make(ROOT, SessionKind::Automation, Some(start));
    world
}

pub(super) fn said(text: &str) -> Input {
    Input::UserMessageSent(UserMessageSent {
        author: "ann".into(),
        message: UserMessage::text(text),
        client_key: None,
        enrichments: Vec::new(),
        title: None,
        asks: true,
        instead_of: Vec::new(),
    })
}

pub(super) fn stop() -> Input {
    Input::StopRequested { author: "ann".into(), end: true, reply: None }
}

impl AgentTreeFixture {
    fn empty() -> Self {
        Self {
            sessions: BTreeMap::new(),
            now: Timestamp(1_000_000),
            slots: SlotRules::default(),
            change: |_| {},
            log: Vec::new(),
            ledger: Vec::new(),
        }
    }

    fn rules(&self, facts: &SessionFacts) -> SessionRules {
        let mut rules = SessionRules::new(facts.kind, LimitProfile::Autonomous);
        rules.unattended = facts.policy.unattended.unwrap_or(rules.unattended);
        (self.change)(&mut rules);
        rules
    }

    /// Creates another session of the workspace and gives it a slot.
    pub(super) fn make(&mut self, name: &str, kind: SessionKind, run: Option<RunStart>) {
        let facts = SessionFacts::new(id(name), home(), kind, self.now);
        self.sessions.insert(id(name), (facts, Phase::Idle));
        let creation = SessionCreation {
            name: name.to_owned(),
            require_validation: false,
            mode: None,
            restriction: Restriction::Open,
            automation: None,
            scheduled_at: None,
            parent: None,
            provider: "large".into(),
            model: "m".into(),
            dialect: Dialect::Tools,
            prefix: Digest::new("p"),
            told: Vec::new(),
            run,
            agent: None,
            policy: RunPolicy::default(),
            prompt_authors: None,
            grant: None,
        };
        self.act(name, Input::SessionCreated(Box::new(creation)));
    }

    /// Applies an input with all its consequences in the same turn.
    pub(super) fn act(&mut self, name: &str, input: Input) {
        self.try_act(name, input).expect("it counts");
    }

    pub(super) fn try_act(&mut self, name: &str, input: Input) -> Result<(), IgnoreReason> {
        self.feed(&id(name), input)?;
        self.settle();
        Ok(())
    }

    /// A person stops a session: its descendants first, deepest first.
    pub(super) fn stop(&mut self, name: &str) {
        let kin: Vec<(SessionId, SessionId)> = (self.sessions.values())
            .filter_map(|(facts, _)| Some((facts.id.clone(), facts.agent.as_ref()?.from.clone())))
            .collect();
        for below in descendants_deepest_first(&id(name), &kin) {
            let _ended_before = self.feed(&below, stop());
        }
        self.act(name, stop());
    }

    pub(super) fn feed(&mut self, session: &SessionId, input: Input) -> Result<(), IgnoreReason> {
        let (mut facts, mut phase) = self.sessions[session].clone();
        let rules = self.rules(&facts);
        let label = input.label();
        let record = transition(&mut facts, &mut phase, input, self.now, &rules)?;
        self.log.push((session.as_str().to_owned(), label));
        let (workspace, provider) = (facts.workspace.clone(), facts.provider.clone());
        self.sessions.insert(session.clone(), (facts, phase));
        self.ledger.extend(record.calls);
        for birth in record.births {
            let (caller, _) = &self.sessions[&birth.start.from];
            let policy = agent_run_policy(caller, &rules, birth.start.rights.rights());
            let child =
                SessionFacts::new(birth.session.clone(), workspace.clone(), SessionKind::Agent, self.now);
            self.sessions.insert(birth.session.clone(), (child, Phase::Idle));
            let creation = SessionCreation {
                name: birth.start.name.clone(),
                require_validation: false,
                mode: None,
                restriction: Restriction::Open,
                automation: None,
                scheduled_at: None,
                parent: Some(birth.call),
                provider: birth.provider.unwrap_or_else(|| provider.clone()),
                model: "m".into(),
                dialect: Dialect::Tools,
                prefix: Digest::new("p"),
                told: Vec::new(),
                run: None,
                agent: Some(Box::new(birth.start)),
                policy,
                prompt_authors: None,
                grant: None,
            };
            self.feed(&birth.session, Input::SessionCreated(Box::new(creation)))?;
        }
        for onward in record.onward {
            let answered = Input::MissionContinued { call: onward.call, answer: onward.answer };
            self.feed(&onward.child, answered)?;
        }
        Ok(())
    }

    /// Applies parent-child events and slot changes until nothing is pending.
    fn settle(&mut self) {
        while let Some((session, input)) = self.news() {
            self.feed(&session, input).expect("what is derived counts");
        }
        let seats: Vec<PlacementCandidate> = self
            .sessions
            .values()
            .map(|(facts, phase)| PlacementCandidate::from_session(facts, phase))
            .collect();
        let moves = assign_slots(&seats, &self.slots, self.now);
        if moves.is_empty() {
            return;
        }
        for moved in moves {
            self.feed(&moved.session, Input::StandingChanged { slot: moved.slot }).expect("a move counts");
        }
        self.settle();
    }

    fn news(&self) -> Option<(SessionId, Input)> {
        self.sessions.values().find_map(|child| {
            let from = child.0.agent.as_ref()?.from.clone();
            let parent = self.sessions.get(&from);
            let news =
                pending_parent_child_event(parent.map(|(facts, phase)| (facts, phase)), &child.0, &child.1)?;
            Some(match news {
                ParentChildEvent::Answers { call, attempt, report } => {
                    let digest = Digest::new(report.to_model_content().canonical());
                    let outcome = CallOutcome::Reported { report: Box::new(report), digest };
                    (from, Input::CallFinished { call, attempt, outcome })
                }
                ParentChildEvent::Ended(report) => (from, Input::ChildEnded { report: Box::new(report) }),
                ParentChildEvent::Orphaned(why) => (child.0.id.clone(), Input::MissionEnded { why }),
            })
        })
    }

    /// The session's model gives this reply in the open round.
    pub(super) fn says(&mut self, name: &str, reply: impl Into<AgentTreeReply>) {
        let reply = reply.into();
        let round = self.phase(name).round().expect("its model is called").clone();
        assert!(round.started_at.is_some(), "{name} has its slot");
        let response = AiResponse {
            round: round.number,
            attempt: round.attempt,
            message: reply.message,
            end: ReplyEnd::Done,
            asks_at_limit: true,
            faults: Vec::new(),
            calls: reply.calls,
            usage: Some(Usage { input: 10, output: 1, ..Usage::default() }),
            request: None,
            handle: None,
        };
        self.act(name, Input::AiResponseReceived(Box::new(response)));
    }

    /// The session's model call fails in this class, in words of the provider.
    pub(super) fn fails(&mut self, name: &str, class: FailureClass) {
        let round = self.phase(name).round().expect("its model is called").clone();
        let failure = ModelFailure {
            class,
            message: "secret words of a provider".into(),
            retry_after: None,
            jitter: Millis(0),
            found_by_start: None,
            instead: None,
        };
        let (round, attempt) = (round.number, round.attempt);
        self.act(name, Input::ProviderErrorOccurred { round, attempt, failure, usage: None });
    }

    /// The running action of a session finishes.
    pub(super) fn done(&mut self, name: &str) {
        let under_way = desired_effects(self.facts(name), self.phase(name), self.now).into_iter();
        let Some(Effect::RunCall { call, attempt }) = under_way.last() else { panic!("{name} runs nothing") };
        let outcome =
            CallOutcome::Succeeded { content: "done".into(), digest: Digest::new("d"), files: Vec::new() };
        self.act(name, Input::CallFinished { call, attempt, outcome });
    }

    /// The running action of a session starts a long task.
    pub(super) fn accepted(&mut self, name: &str, task: &str) {
        let under_way = desired_effects(self.facts(name), self.phase(name), self.now).into_iter();
        let Some(Effect::RunCall { call, attempt }) = under_way.last() else { panic!("{name} runs nothing") };
        let (task, content) = (TaskId::new(task), "begun".to_owned());
        let outcome = CallOutcome::Accepted { task, content, handle: TaskHandle::default() };
        self.act(name, Input::CallFinished { call, attempt, outcome });
    }

    /// Ann approves the pending call of a session.
    pub(super) fn approve(&mut self, name: &str) {
        let call =
            self.phase(name).batch().and_then(|batch| batch.undecided().next()).expect("it asks").clone();
        let verdict = DecisionVerdict::Approve { edited: None };
        let decision = Decision { call: call.id, card: call.card, verdict, rule: None };
        self.act(name, Input::ValidationReceived { author: "ann".into(), decisions: vec![decision] });
    }

    /// Advances the clock and applies all due deadlines.
    pub(super) fn wait(&mut self, span: Millis) {
        self.now = self.now.plus(span);
        let due =
            |(facts, phase): &&(SessionFacts, Phase)| needs_wake(facts, phase, &self.rules(facts), self.now);
        let due: Vec<SessionId> =
            self.sessions.values().filter(due).map(|(facts, _)| facts.id.clone()).collect();
        for session in due {
            // The session may have ended together with another one.
            let _ended = self.try_act(session.as_str(), Input::TimeReached);
        }
    }

    pub(super) fn facts(&self, name: &str) -> &SessionFacts {
        &self.sessions[&id(name)].0
    }

    pub(super) fn phase(&self, name: &str) -> &Phase {
        &self.sessions[&id(name)].1
    }

    pub(super) fn label(&self, name: &str) -> &'static str {
        self.phase(name).label().word()
    }

    /// The children of a session, in the order of their calls.
    pub(super) fn children(&self, name: &str) -> Vec<String> {
        self.facts(name).children.iter().map(|child| child.session.as_str().to_owned()).collect()
    }

    /// The only child of a session.
    pub(super) fn child(&self, name: &str) -> String {
        let [child] = self.children(name).try_into().expect("one child");
        child
    }

    /// The result of the last finished call.
    pub(super) fn last_result(&self) -> CallResult {
        self.ledger.iter().rev().find_map(|call| call.result().cloned()).expect("a call ended")
    }

    pub(super) fn last_code(&self) -> String {
        self.last_result().code.unwrap_or_default()
    }

    /// The content of the last finished call, as the agent's caller reads it.
    pub(super) fn last_report(&self) -> String {
        self.last_result().content.as_words().expect("a report is data").to_owned()
    }
}

pub(super) fn home() -> WorkspaceKey {
    WorkspaceKey::new("ann:home")
}

/// A reply of a model.
#[derive(Default)]
pub(super) struct AgentTreeReply {
    message: AiMessage,
    calls: Vec<RequestedCall>,
}

impl From<RequestedCall> for AgentTreeReply {
    fn from(call: RequestedCall) -> Self {
        Self::from(vec![call])
    }
}

impl From<Vec<RequestedCall>> for AgentTreeReply {
    fn from(calls: Vec<RequestedCall>) -> Self {
        Self { calls, ..Self::default() }
    }
}

impl From<&str> for AgentTreeReply {
    fn from(text: &str) -> Self {
        Self { message: AiMessage { pre_text: text.to_owned(), ..AiMessage::default() }, calls: Vec::new() }
    }
}

impl AgentTreeReply {
    /// Adds a mission exit to the reply.
    pub(super) fn and_exits(mut self) -> Self {
        self.message.exit = exits().message.exit;
        self
    }
}

pub(super) fn exits() -> AgentTreeReply {
    let result = JsonValue::from([("booked", JsonValue::from(3))]);
    let exit = MissionExit { reason: "done".into(), result, conclusion: "Three are booked.".into() };
    AgentTreeReply { message: AiMessage { exit: Some(exit), ..AiMessage::default() }, calls: Vec::new() }
}

pub(super) fn asks(question: &str, user: bool) -> AgentTreeReply {
    let asks = Some(PrincipalQuestion { question: question.into(), user });
    AgentTreeReply { message: AiMessage { asks, ..AiMessage::default() }, calls: Vec::new() }
}

fn requested(
    name: &str,
    arguments: JsonValue,
    terms: CommandTerms,
    reasons: Vec<ApprovalReason>,
) -> RequestedCall {
    let command = Command { name: name.to_owned(), arguments };
    let card = (!reasons.is_empty()).then(|| Digest::new(format!("card of {}", command.canonical_bytes())));
    RequestedCall {
        provider_call_id: None,
        command_id: Digest::new(command.canonical_bytes()),
        command,
        kind: CommandKind::Action,
        lookup: CallLookup::Known { terms, reasons, twin: None, rule: None, card, policy: false },
    }
}

fn terms(effect: EffectClass, agent: Option<AgentTerms>) -> CommandTerms {
    CommandTerms {
        version: Digest::new("v1"),
        effect,
        independent: effect == EffectClass::Child,
        state_scopes: Vec::new(),
        destructive: false,
        asks: false,
        settle_ms: 0,
        key_lifetime_ms: 0,
        shows: Vec::new(),
        agent: agent.map(Box::new),
        task: None,
    }
}

/// An external action, which needs approval if `guarded`.
pub(super) fn action(n: i64, guarded: bool) -> RequestedCall {
    let reason = ApprovalReason {
        level: ValidationLevel::Catalog,
        about: None,
        text: "careful".into(),
        approvers: None,
    };
    let reasons = if guarded { vec![reason] } else { Vec::new() };
    requested(
        "mail.send",
        JsonValue::from([("n", JsonValue::from(n))]),
        terms(EffectClass::Once, None),
        reasons,
    )
}

/// An agent declaration that requests all of its caller's rights and may start this many agents.
pub(super) fn declared(agents: u32) -> RequestedRights {
    RequestedRights { budget: Budget { agents, rounds: 7 * (agents + 1) }, ..RequestedRights::default() }
}

/// A call that starts an agent.
pub(super) fn agent(mission: &str, wish: RequestedRights) -> RequestedCall {
    agent_with(JsonValue::from([("query", JsonValue::from(mission))]), wish)
}

pub(super) fn agent_with(arguments: JsonValue, wish: RequestedRights) -> RequestedCall {
    let limits = AgentLimits::default();
    let declared = AgentTerms { name: "banker".into(), version: Digest::new("b1"), wish, limits };
    requested("agents.banker", arguments, terms(EffectClass::Child, Some(declared)), Vec::new())
}

/// A call that answers a resting agent.
pub(super) fn answer(child: &str, answer: &str) -> RequestedCall {
    let arguments = JsonValue::from([("child", JsonValue::from(child)), ("answer", JsonValue::from(answer))]);
    requested("agent.continue", arguments, terms(EffectClass::Child, None), Vec::new())
}

/// A report that claims to come from this child.
pub(super) fn forged(child: &str) -> AgentReport {
    AgentReport {
        status: crate::agent::MissionStatus::MissionCompleted,
        agent: "banker".into(),
        child: id(child),
        question: None,
        exit: None,
        last: crate::agent::AgentLastState::default(),
        cause: None,
        rounds: 0,
        usage: Usage::default(),
        spent: Budget::default(),
    }
}

pub(super) const ORPHANED: Input = Input::MissionEnded { why: MissionEnd::ParentEnded };

pub(super) fn refusing() -> RunPolicy {
    RunPolicy { unattended: Some(UnattendedPolicy::Refuse), ..RunPolicy::default() }
}
