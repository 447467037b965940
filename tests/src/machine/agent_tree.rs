//! Agents in the machine tests: their creation, the messages they get, and sessions that call them.

use entracte_domain::agent::{AgentStart, MissionEnd, MissionStatus};
use entracte_domain::call::{Call, CallOutcome};
use entracte_domain::command::AgentLimits;
use entracte_domain::id::{CallId, Digest, SessionId, WorkspaceKey};
use entracte_domain::restriction::Restriction;
use entracte_domain::rights::{Budget, NameSet, RequestedRights, Rights, RightsParts, UnattendedPolicy};
use entracte_domain::session::{Dialect, Input, RunPolicy, SessionCreation, SessionKind};
use entracte_domain::validation::{AgentLink, ExchangePrincipal};

use super::act::MachineAct;
use super::agent::{AgentReplyKind, HELPER, called, report};
use super::command_request::child;
use super::reply::{calls, text};
use super::run::MachineRun;

/// The session is created as an agent that Ann's chat calls.
pub fn agent_created_act() -> MachineAct {
    let caller = SessionId::new("ses_above");
    let rights = Rights::for_root(RightsParts {
        gate: Restriction::Open,
        workspace: WorkspaceKey::new("u:c"),
        author: Some("ann".into()),
        require_approval: false,
        unattended: UnattendedPolicy::Park,
        rules: NameSet::All,
        providers: NameSet::All,
        depth: 3,
        budget: Budget { agents: 8, rounds: 50 },
    });
    let wish = RequestedRights { budget: Budget { agents: 2, rounds: 20 }, ..RequestedRights::default() };
    let version = Digest::new("v1");
    let start = AgentStart {
        name: "Helper".into(),
        version: version.clone(),
        mission: "look".into(),
        from: caller.clone(),
        root: caller.clone(),
        chain: vec![AgentLink { from: caller, agent: "Helper".into(), version, mission: Digest::new("m") }],
        rights: rights.delegate(&wish).unwrap_or_else(|why| unreachable!("there is room: {why:?}")),
        limits: AgentLimits::default(),
        asked_by: ExchangePrincipal::for_run(["ann"], None),
    };
    let parent = Some(CallId::new("cal_above_1_0"));
    Input::SessionCreated(Box::new(SessionCreation { parent, agent: Some(Box::new(start)), ..creation() }))
        .into()
}

/// The session is created.
pub fn session_created_act() -> MachineAct {
    Input::SessionCreated(Box::new(creation())).into()
}

fn creation() -> SessionCreation {
    SessionCreation {
        name: "a session".into(),
        mode: None,
        require_validation: false,
        restriction: Restriction::Open,
        automation: None,
        scheduled_at: None,
        parent: None,
        provider: "provider".into(),
        model: "model".into(),
        dialect: Dialect::Envelope,
        prefix: Digest::new("p1"),
        told: Vec::new(),
        run: None,
        agent: None,
        policy: RunPolicy::default(),
        prompt_authors: None,
        grant: None,
    }
}

/// The caller answers the agent's question.
pub fn mission_continued_act() -> MachineAct {
    Input::MissionContinued { call: CallId::new("cal_above_2_0"), answer: "This.".into() }.into()
}

/// The caller no longer waits for the agent.
pub fn mission_halted_act() -> MachineAct {
    Input::MissionEnded { why: MissionEnd::Halted }.into()
}

/// The agent of this call reports.
pub fn reported(call: &Call, status: MissionStatus) -> MachineAct {
    let report = report(call.id.child_session_id(), status);
    let digest = Digest::new(report.to_model_content().canonical());
    let outcome = CallOutcome::Reported { report: Box::new(report), digest };
    Input::CallFinished { call: call.id.clone(), attempt: call.attempt, outcome }.into()
}

/// An agent that was just created.
pub fn new_agent_run() -> MachineRun {
    MachineRun::new(SessionKind::Agent).after_act(agent_created_act())
}

/// An agent at each point where it gets a message, and sessions that call one, each with a label.
pub fn one_of_each_mission() -> Vec<(String, MachineRun)> {
    let named = |name: &str, run: MachineRun| (name.to_owned(), run);
    let chat = || MachineRun::new(SessionKind::Chat).after_user_message().after_act(calls([child(HELPER)]));
    let rests = |run: MachineRun| {
        let reports = called(&run.phase).next().map(|call| reported(call, MissionStatus::TextOutput));
        reports.into_iter().fold(run, MachineRun::after_act)
    };
    vec![
        named("an agent at work", new_agent_run()),
        named("an agent that asked its caller", new_agent_run().after_act(text())),
        named(
            "an agent that asked the user",
            new_agent_run().after_act(text().with_agent_reply(AgentReplyKind::AsksUser)),
        ),
        named(
            "an agent that ended",
            new_agent_run().after_act(text().with_agent_reply(AgentReplyKind::Exits)),
        ),
        named("a chat whose agent works", chat()),
        named("a chat whose agent rests", rests(chat())),
    ]
}
