//! The acts that are possible in a state.

use entracte_domain::agent::MissionStatus;
use entracte_domain::call::{Call, CallState};
use entracte_domain::command::EffectClass;
use entracte_domain::id::{CallId, Digest, TaskId};
use entracte_domain::plan::{PlanMode, PlanStepState};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::session::{
    ApprovalRecheck, Effect, Input, Phase, PhaseLabel, RulesChange, SessionKind, Slot, deadline_at, may_work,
    watchdog_at,
};
use entracte_domain::task::TaskOutcome;
use entracte_domain::time::Timestamp;
use entracte_domain::validation::PolicyDecision;

use super::super::{
    ActApprovalChoice, ActCallOutcome, AgentReplyKind, HELPER, MachineAct, MachineModelReply, called, calls,
    child, completed, decide, empty_reply, fails, falls_back, idem, local, malformed, message, message_with,
    mission_continued_act, mission_halted_act, once, outcome, policy_answers, probe, propose, query,
    question, reported, set_plan_step, text, throttled_ms,
};
use super::ExplorationConfig;
use super::explored_state::ExploredState;

/// All possible acts in this state.
pub(super) fn moves(exploration: &ExplorationConfig, world: &ExploredState) -> Vec<MachineAct> {
    if world.phase.label() == PhaseLabel::Completed {
        return Vec::new();
    }
    let mut moves = by_people(exploration, world);
    moves.extend(by_the_runtime(exploration, world));
    for effect in &world.running {
        moves.extend(outcomes(exploration, world, effect));
    }
    moves
}

fn by_people(exploration: &ExplorationConfig, world: &ExploredState) -> Vec<MachineAct> {
    let mut moves = vec![MachineAct::Interrupt, MachineAct::Stop(false)];
    // An agent works for its caller: people send it no messages.
    if world.facts.agent.is_none() {
        moves.push(message());
    }
    match exploration.kind {
        SessionKind::Chat => moves.push(MachineAct::Stop(true)),
        SessionKind::Seed | SessionKind::Automation | SessionKind::Agent => {}
    }
    match &world.phase {
        Phase::Idle | Phase::Parked(_) if world.facts.agent.is_some() => moves.push(MachineAct::Activate),
        Phase::Idle | Phase::Parked(_) => moves.extend([MachineAct::Activate, message_with(query("b"))]),
        Phase::WaitingNetworkRetry { .. } => moves.push(MachineAct::Activate),
        Phase::WaitingCommunicationResponse { .. } => moves.push(MachineAct::Answer),
        Phase::WaitingCompletionConfirmation { .. } => {
            moves.extend([MachineAct::Confirm, MachineAct::RejectCompletion])
        }
        Phase::AwaitingSessionClosure { .. } => moves.push(MachineAct::RejectCompletion),
        Phase::WaitingValidation { batch, .. } => moves.extend(decisions(&batch.calls)),
        Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => {}
    }
    moves
}

fn decisions(calls: &[Call]) -> Vec<MachineAct> {
    let open: Vec<usize> = calls
        .iter()
        .enumerate()
        .filter(|(_, call)| matches!(call.state, CallState::WaitingDecision))
        .map(|(at, _)| at)
        .collect();
    let mut acts = Vec::new();
    for at in &open {
        acts.extend(
            [
                ActApprovalChoice::Yes,
                ActApprovalChoice::Edit(2),
                ActApprovalChoice::No,
                ActApprovalChoice::NoBecause,
            ]
            .map(|how| decide(*at, how)),
        );
    }
    if open.len() > 1 {
        acts.push(MachineAct::Decide(open.into_iter().map(|at| (at, ActApprovalChoice::Yes)).collect()));
    }
    acts
}

fn by_the_runtime(exploration: &ExplorationConfig, world: &ExploredState) -> Vec<MachineAct> {
    let mut moves = vec![MachineAct::SystemError];
    if may_work(&world.facts) {
        moves.push(MachineAct::Slot(Slot::None));
        moves.push(MachineAct::Slot(Slot::Suspended(Timestamp(0))));
    } else {
        moves.push(MachineAct::Slot(Slot::Held));
        // Long enough for approvals and keys to expire.
        moves.push(MachineAct::Wait(exploration.rules.validation_expires.0));
    }
    if !world.running.is_empty() {
        moves.push(MachineAct::Restart);
    }
    if deadline_at(&world.facts, &world.phase, &exploration.rules).is_some() {
        moves.push(MachineAct::Wake);
    }
    if watchdog_at(&world.facts, &world.phase, &exploration.rules).is_some() {
        moves.push(MachineAct::Heartbeat);
    }
    if let Some(task) = world.facts.tasks.first() {
        moves.extend([MachineAct::TaskEnds, told(task, TaskOutcome::Cancelled, false)]);
    }
    if let Some(task) = world.facts.overdue.first() {
        moves.push(told(task, TaskOutcome::Completed, true));
    }
    if world.phase.label() == PhaseLabel::WaitingNetworkRetry {
        moves.push(MachineAct::NetworkBack);
    }
    moves.extend(by_the_family(world));
    moves.extend(change_of_terms(world));
    moves
}

/// Messages from the caller of an agent, and from the agents it called.
fn by_the_family(world: &ExploredState) -> Vec<MachineAct> {
    let mut moves = Vec::new();
    if let Some(agent) = &world.facts.agent {
        moves.push(mission_halted_act());
        moves.extend(agent.awaits_answer().then(mission_continued_act));
    }
    let statuses = [MissionStatus::MissionCompleted, MissionStatus::TextOutput, MissionStatus::Terminated];
    for call in called(&world.phase) {
        moves.extend(statuses.map(|status| reported(call, status)));
    }
    if world.facts.children.first().is_some_and(|child| child.rests) {
        moves.push(MachineAct::ChildEnds);
    }
    moves
}

/// A message that a task ended with this outcome.
fn told(task: &TaskId, outcome: TaskOutcome, late: bool) -> MachineAct {
    let task = task.clone();
    MachineAct::Raw(Box::new(Input::TaskFinished { task, outcome, late, content: "made".into() }))
}

/// The catalog entry of the first call that has not started changes.
fn change_of_terms(world: &ExploredState) -> Option<MachineAct> {
    let call = world.phase.batch()?.calls.iter().find(|call| match &call.state {
        CallState::Proposed | CallState::WaitingDecision | CallState::Approved(_) => true,
        CallState::Follows(_)
        | CallState::Started { .. }
        | CallState::Delayed { .. }
        | CallState::Finished { .. } => false,
    })?;
    let recheck = ApprovalRecheck {
        call: call.id.clone(),
        version: Some(Digest::new("v2")),
        reasons: super::super::reasons(true),
        now: None,
    };
    let change = RulesChange { rechecks: vec![recheck], ..RulesChange::default() };
    Some(MachineAct::Raw(Box::new(Input::RulesChanged(Box::new(change)))))
}

/// Possible outcomes of work in progress.
fn outcomes(exploration: &ExplorationConfig, world: &ExploredState, effect: &Effect) -> Vec<MachineAct> {
    let at = |id: &CallId| {
        world.phase.batch().and_then(|batch| batch.calls.iter().position(|call| call.id == *id))
    };
    let each = |id: &CallId, all: &[ActCallOutcome]| -> Vec<MachineAct> {
        at(id).map(|at| all.iter().map(|what| outcome(at, *what)).collect()).unwrap_or_default()
    };
    match effect {
        Effect::CallModel { .. } => {
            let replies = replies(exploration).into_iter().map(MachineAct::from);
            replies.chain(failures(exploration)).chain([MachineAct::TooLarge]).collect()
        }
        Effect::Compact { .. } => {
            vec![
                MachineAct::Compacted,
                MachineAct::SummaryIsFaulty,
                MachineAct::PieceIsRead,
                MachineAct::CompactionFails,
            ]
        }
        Effect::AskPolicy { call, .. } => at(call)
            .map(|at| PolicyDecision::ALL.map(|what| policy_answers(at, what)).to_vec())
            .unwrap_or_default(),
        Effect::PlanCall { call } => each(call, &[ActCallOutcome::Succeeds, ActCallOutcome::Fails]),
        Effect::AskCall { call, .. } => each(
            call,
            &[
                ActCallOutcome::Happened,
                ActCallOutcome::DidNotHappen,
                ActCallOutcome::NobodyKnows,
                ActCallOutcome::Fails,
                ActCallOutcome::Lost,
                ActCallOutcome::TimesOut,
            ],
        ),
        Effect::RunCall { call, .. } => {
            let mut acts = each(
                call,
                &[
                    ActCallOutcome::Succeeds,
                    ActCallOutcome::Fails,
                    ActCallOutcome::FailsForNow,
                    ActCallOutcome::TimesOut,
                    ActCallOutcome::Lost,
                ],
            );
            if world.facts.tasks.is_empty() && may_be_long(world, call) {
                acts.extend(each(call, &[ActCallOutcome::Accepted]));
            }
            acts
        }
    }
}

/// Actions of class `once` stand for those that start long tasks.
fn may_be_long(world: &ExploredState, id: &CallId) -> bool {
    let call = world.phase.batch().and_then(|batch| batch.call(id));
    call.is_some_and(|call| call.effect_class() == EffectClass::Once)
}

/// The kinds of failure of a model call.
fn failures(exploration: &ExplorationConfig) -> Vec<MachineAct> {
    if !exploration.fallbacks.is_empty() {
        let named = |class| exploration.fallbacks.iter().map(move |to| falls_back(class, to));
        let others = [fails(FailureClass::Unreachable), fails(FailureClass::Lost), throttled_ms(60_000)];
        return FailureClass::ALL.into_iter().flat_map(named).chain(others).collect();
    }
    if exploration.few {
        return vec![fails(FailureClass::Unreachable), fails(FailureClass::Refused)];
    }
    FailureClass::ALL.map(fails).into_iter().chain([throttled_ms(60_000)]).collect()
}

/// The kinds of reply.
fn replies(exploration: &ExplorationConfig) -> Vec<MachineModelReply> {
    if exploration.agents {
        return of_agents(exploration.kind);
    }
    if exploration.policed {
        return of_policy();
    }
    if exploration.few {
        return vec![
            text(),
            malformed("json"),
            malformed("shape"),
            calls([query("a")]),
            calls([query("b")]),
            calls([local()]).keep_control(),
            calls([local().with(2)]).keep_control(),
        ];
    }
    if exploration.tools {
        return of_tools();
    }
    if exploration.rules.mode == PlanMode::Plan {
        return of_plans();
    }
    vec![
        text(),
        completed(),
        question(),
        malformed("json"),
        malformed("shape"),
        calls([query("a")]),
        calls([query("a"), query("b")]),
        calls([query("web").guarded()]),
        calls([local()]),
        calls([local().guarded()]).keep_control(),
        calls([once()]).keep_control(),
        calls([once().guarded()]),
        calls([once(), once()]),
        calls([idem().guarded()]),
        calls([local().guarded(), once().guarded()]),
        calls([idem().independent(), probe().independent()]),
        calls([local(), once(), query("over")]),
    ]
}

/// Replies of plan mode: proposals, steps, and actions before, beside and after them.
fn of_plans() -> Vec<MachineModelReply> {
    vec![
        text(),
        calls([query("a")]),
        calls([once()]),
        calls([local().guarded()]),
        calls([propose()]),
        calls([propose(), propose().with(2)]),
        calls([once(), propose()]),
        calls([set_plan_step(1, PlanStepState::Done)]),
        calls([set_plan_step(2, PlanStepState::Skipped), idem().independent()]),
    ]
}

/// Replies with calls that the policy is asked about, alone and beside others.
fn of_policy() -> Vec<MachineModelReply> {
    vec![
        text(),
        calls([once().policed()]),
        calls([local().policed()]),
        calls([query("web").policed()]),
        calls([once().policed().guarded(), local().guarded()]),
        calls([idem().policed().independent(), query("a")]),
    ]
}

/// Replies with agents: those of an agent to its caller, and calls of one alone, beside another, and beside an action.
fn of_agents(kind: SessionKind) -> Vec<MachineModelReply> {
    let mut replies = vec![
        text(),
        empty_reply(),
        malformed("json"),
        calls([query("a")]),
        calls([once().guarded()]),
        calls([child(HELPER)]),
        calls([child(HELPER).independent(), child(HELPER).independent().with(2)]),
        calls([child("agent.continue"), local()]),
    ];
    if kind == SessionKind::Agent {
        replies.extend(
            [AgentReplyKind::Exits, AgentReplyKind::AsksCaller, AgentReplyKind::AsksUser]
                .map(|up| text().with_agent_reply(up)),
        );
    }
    replies
}

/// Replies with native tool calls: queries and actions in one reply, and automatic continuation after actions.
fn of_tools() -> Vec<MachineModelReply> {
    vec![
        text(),
        empty_reply(),
        question(),
        malformed("json"),
        calls([query("a")]),
        calls([query("a"), once().guarded()]),
        calls([query("web").guarded(), local()]),
        calls([once().guarded().of("srv"), query("a").of("srv"), query("b").of("other")]),
        calls([query("web").guarded().of("srv"), idem().of("srv"), query("web").guarded().of("srv")]),
        calls([once()]),
        calls([idem(), local().guarded()]),
    ]
}
