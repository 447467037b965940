//! Rights, budgets, starts and ends of a session's agents. Rights and budgets are computed from the caller's facts at
//! the start of an agent, and nowhere else.

use crate::agent::{
    Agent, AgentEndCause, AgentEndClass, AgentOutput, AgentReport, AgentSpawn, AgentStart, ChildAnswer,
    ChildSession, DescendantUsage, LastCallResult, MissionStatus,
};
use crate::call::{Call, CallResult, CallStatus};
use crate::command::AgentTerms;
use crate::file::append_file_lines;
use crate::id::{CallId, Digest, SessionId};
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{SystemKind, SystemMessage};
use crate::rights::{AgentStartRefusal, Budget, NameSet, Rights, RightsParts, UnattendedPolicy};
use crate::session::round::{self, RoundReason};
use crate::session::{
    CallBatch, EndCausePolicy, EndReason, Phase, RunPolicy, SessionFacts, SessionRules, TransitionContext,
};
use crate::time::{Deadline, Timestamp};
use crate::usage::Usage;
use crate::validation::AgentLink;
use crate::value::JsonValue;

/// The current rights of a session, which it may delegate to an agent: an agent's own rights, otherwise the rights of a
/// root, with the remaining budget. `acts_as` is the person whose rights the call has.
pub fn session_rights(facts: &SessionFacts, rules: &SessionRules, acts_as: Option<&str>) -> Rights {
    let rights = match &facts.agent {
        Some(agent) => agent.rights.restricted_to_principal(acts_as),
        None => Rights::for_root(RightsParts {
            gate: facts.restriction.clone(),
            workspace: facts.workspace.clone(),
            author: acts_as.map(str::to_owned),
            require_approval: facts.require_validation,
            // A person reads a chat, so actions of its agents wait for an approval.
            unattended: if facts.kind.is_run() { rules.unattended } else { UnattendedPolicy::Park },
            rules: NameSet::All,
            providers: NameSet::All,
            depth: or_no_limit(rules.agent_depth),
            budget: total_budget(facts, rules),
        }),
    };
    // The caller keeps one round to read the agent's report.
    let own = Budget { agents: 0, rounds: u32::from(facts.agent.is_some()) };
    rights.with_remaining_budget(remaining_budget(facts, rules).saturating_minus(own))
}

/// The run policy of an agent that this session calls with these rights: the policy of the root's run, with the
/// unattended policy of the rights. Plan mode applies to the caller, and the agent works within its plan.
pub fn agent_run_policy(facts: &SessionFacts, rules: &SessionRules, narrowed: &Rights) -> RunPolicy {
    RunPolicy {
        profile: facts.policy.profile,
        unattended: Some(narrowed.unattended()),
        completion: facts.kind.is_run().then_some(rules.completion_check),
        mode: None,
    }
}

/// The budget that a session and its descendants may still use up. Budget lent to running agents is excluded, so that
/// agents started together cannot exceed it in total.
pub fn remaining_budget(facts: &SessionFacts, rules: &SessionRules) -> Budget {
    let lent = facts.children.iter().fold(Budget::default(), |sum, child| sum.plus(child.lent));
    total_budget(facts, rules)
        .saturating_minus(own_rounds(facts))
        .saturating_minus(facts.below.spent)
        .saturating_minus(lent)
}

/// Reported tokens and cost of all descendants.
pub fn descendant_usage(facts: &SessionFacts) -> Usage {
    let mut usage = facts.below.usage;
    facts.children.iter().for_each(|child| usage.add(child.usage));
    usage
}

fn total_budget(facts: &SessionFacts, rules: &SessionRules) -> Budget {
    match &facts.agent {
        Some(agent) => agent.rights.budget(),
        None => Budget { agents: or_no_limit(rules.agents_in_tree), rounds: or_no_limit(rules.agent_rounds) },
    }
}

/// Rounds of the session that count against its budget. Only an agent's own rounds do; sessions that a person began
/// have their own limit.
fn own_rounds(facts: &SessionFacts) -> Budget {
    let rounds = facts.agent.as_ref().map_or(0, |_| facts.counters.rounds_total);
    Budget { agents: 0, rounds }
}

const fn or_no_limit(limit: u32) -> u32 {
    if limit == 0 { u32::MAX } else { limit }
}

/// Starts or answers an agent for a call; the commit that starts the call contains its session or the answer.
///
/// # Errors
/// The result of the call, if the agent may not start or be answered.
pub(super) fn begin_agent_call(step: &mut TransitionContext<'_>, call: &Call) -> Result<(), Box<CallResult>> {
    match call.terms.as_ref().and_then(|terms| terms.agent.as_deref()) {
        Some(terms) => create_agent_session(step, call, terms),
        None => answer_resting_child(step, call),
    }
}

fn create_agent_session(
    step: &mut TransitionContext<'_>,
    call: &Call,
    terms: &AgentTerms,
) -> Result<(), Box<CallResult>> {
    let facts = &*step.facts;
    let acts_as = call.principal();
    let at_once = usize::try_from(or_no_limit(step.rules.agents_at_once)).unwrap_or(usize::MAX);
    let room = if facts.children.len() >= at_once { Err(AgentStartRefusal::AtOnce) } else { Ok(()) };
    let narrowed = room.and_then(|()| session_rights(facts, step.rules, acts_as).delegate(&terms.wish));
    let rights =
        narrowed.map_err(|why| Box::new(agent_refusal_result(why, step.rules, &terms.name, step.now)))?;
    let budget = rights.rights().budget();
    let session = call.id.child_session_id();
    let mut chain = facts.agent.as_ref().map(|agent| agent.chain.clone()).unwrap_or_default();
    chain.push(AgentLink {
        from: facts.id.clone(),
        agent: terms.name.clone(),
        version: terms.version.clone(),
        mission: call.effective_command_id().clone(),
    });
    let mut asked_by = call.asked_by.clone();
    // A person who edited the mission counts as one who asked for it.
    if let Some(editor) = call.decision().filter(|decision| decision.edited.is_some()) {
        asked_by.add_person_if_known(&editor.author);
    }
    asked_by.acts_as = acts_as.map(str::to_owned);
    let start = AgentStart {
        name: terms.name.clone(),
        version: terms.version.clone(),
        mission: argument(call, "query"),
        from: facts.id.clone(),
        root: facts.agent.as_ref().map_or_else(|| facts.id.clone(), |agent| agent.root.clone()),
        chain,
        rights,
        limits: terms.limits,
        asked_by,
    };
    step.facts.children.push(ChildSession {
        session: session.clone(),
        agent: terms.name.clone(),
        call: call.id.clone(),
        lent: budget.plus(Budget { agents: 1, rounds: 0 }),
        usage: Usage::default(),
        rests: false,
    });
    let provider = terms.wish.provider.clone();
    step.record.births.push(AgentSpawn { call: call.id.clone(), session, provider, start });
    Ok(())
}

/// Answers a resting child. Only a child of this session can be answered, whatever id the model gives.
fn answer_resting_child(step: &mut TransitionContext<'_>, call: &Call) -> Result<(), Box<CallResult>> {
    let wanted = argument(call, "child");
    let child = step.facts.children.iter_mut().find(|child| child.rests && child.session.as_str() == wanted);
    let Some(child) = child else {
        let said = sentences::agent_not_yours(&wanted);
        let result = CallResult::new(CallStatus::Forbidden, said, step.now);
        return Err(Box::new(CallResult { code: Some(NOT_YOUR_AGENT.to_owned()), ..result }));
    };
    child.rests = false;
    child.call = call.id.clone();
    let (child, answer) = (child.session.clone(), argument(call, "answer"));
    step.record.onward.push(ChildAnswer { call: call.id.clone(), child, answer });
    Ok(())
}

/// Code of a refused answer to an agent that is not a resting child.
pub const NOT_YOUR_AGENT: &str = "NOT_YOUR_AGENT";

/// A call argument as text; other values as JSON.
fn argument(call: &Call, name: &str) -> String {
    match call.effective_command().arguments.get(name) {
        Some(JsonValue::Text(text)) => text.clone(),
        Some(other) => other.to_json(),
        None => String::new(),
    }
}

fn agent_refusal_result(
    why: AgentStartRefusal,
    rules: &SessionRules,
    agent: &str,
    at: Timestamp,
) -> CallResult {
    let (status, said) = match why {
        AgentStartRefusal::Depth => {
            (CallStatus::OverLimit, sentences::agents_too_deep(agent, rules.agent_depth))
        }
        AgentStartRefusal::AtOnce => {
            (CallStatus::OverLimit, sentences::agents_at_once(agent, rules.agents_at_once))
        }
        AgentStartRefusal::Agents => (CallStatus::OverLimit, sentences::agents_used_up(agent)),
        AgentStartRefusal::Rounds => (CallStatus::OverLimit, sentences::agent_rounds_used_up(agent)),
        AgentStartRefusal::Provider => (CallStatus::Forbidden, sentences::agent_provider(agent)),
    };
    CallResult { code: Some(why.word().to_owned()), ..CallResult::new(status, said, at) }
}

/// Initializes the agent facts of a session; its rights hold from the first round on, whatever else it was created
/// with.
pub(super) fn start_agent_session(step: &mut TransitionContext<'_>, start: AgentStart) -> Phase {
    let (agent, asked_by) = Agent::from_start(start);
    let mission = agent.mission.clone();
    let facts = &mut *step.facts;
    facts.restriction = facts.restriction.intersect(agent.rights.command_restriction());
    facts.require_validation |= agent.rights.requires_approval();
    facts.asked_by = asked_by;
    facts.record_prompt_authors([]);
    facts.exchange = facts.sequence;
    facts.agent = Some(Box::new(agent));
    append_mission_message(step, SystemKind::Mission, sentences::mission(), mission);
    round::begin_round(step, RoundReason::UserMessage)
}

/// Resumes a resting agent with an answer; it answers `call` from now on.
pub(super) fn resume_with_answer(step: &mut TransitionContext<'_>, call: CallId, answer: String) -> Phase {
    step.facts.parent = Some(call);
    if let Some(agent) = &mut step.facts.agent {
        agent.said = None;
        agent.rests_until = None;
    }
    append_mission_message(step, SystemKind::MissionAnswer, sentences::mission_answer(), answer);
    round::begin_round(step, RoundReason::Answer)
}

fn append_mission_message(
    step: &mut TransitionContext<'_>,
    kind: SystemKind,
    summary: LocalizableText,
    words: String,
) {
    step.append_system_message(SystemMessage {
        kind,
        results: Vec::new(),
        summary,
        formatted_data: Some(words.into()),
    });
}

/// Ends the agent's turn with text for its caller; it rests until answered.
pub(super) fn rest_for_answer(step: &mut TransitionContext<'_>, words: &str) -> Phase {
    let until = Deadline::after(step.now, step.rules.agent_rest);
    if let Some(agent) = &mut step.facts.agent {
        agent.said = Some(AgentOutput::Asks(words.to_owned()));
        agent.rests_until = (step.rules.agent_rest.0 > 0).then_some(until);
    }
    Phase::Idle
}

/// Ends the agent with this output.
pub(super) fn end_with_output(
    step: &mut TransitionContext<'_>,
    said: AgentOutput,
    reason: EndReason,
) -> Phase {
    if let Some(agent) = &mut step.facts.agent {
        agent.said = Some(said);
    }
    step.end_session(reason)
}

/// Stores the last text, for the report of an agent that is cut short.
pub(super) fn record_last_text(step: &mut TransitionContext<'_>, said: &str) {
    if let Some(agent) = &mut step.facts.agent {
        agent.last.set_last_text(said);
    }
}

/// Records why the agent ends without a result of its own. An agent of an earlier version has no such record.
pub(super) fn record_end_cause(
    step: &mut TransitionContext<'_>,
    class: AgentEndClass,
    text: impl Into<LocalizableText>,
) {
    match step.rules.end_cause {
        EndCausePolicy::Omits => {}
        EndCausePolicy::Records => {
            if let Some(agent) = &mut step.facts.agent {
                agent.cause = Some(AgentEndCause { class, text: text.into() });
            }
        }
    }
}

/// Stores the results of the agent's last calls.
pub(super) fn record_last_results(step: &mut TransitionContext<'_>, batch: &CallBatch) {
    let open = step.facts.tasks.iter().map(|task| task.as_str().to_owned()).collect();
    let Some(agent) = &mut step.facts.agent else { return };
    agent.last.set_last_results(batch.calls.iter().filter_map(|call| {
        let result = call.result()?;
        let mut content = result.content.as_words().map(str::to_owned).unwrap_or_default();
        append_file_lines(&mut content, &result.files);
        let status = result.status.word().to_owned();
        Some(LastCallResult { command: call.effective_command().name.clone(), status, content })
    }));
    agent.last.open = open;
}

/// Applies the report of a child: its usage counts up the tree, and the rest of its budget returns once it has ended.
pub(super) fn apply_child_report(facts: &mut SessionFacts, report: &AgentReport) {
    let Some(place) = facts.children.iter().position(|child| child.session == report.child) else { return };
    if report.status.can_be_answered() {
        let child = &mut facts.children[place];
        child.usage = report.usage;
        child.rests = true;
        return;
    }
    facts.children.remove(place);
    let DescendantUsage { usage, spent } = &mut facts.below;
    usage.add(report.usage);
    *spent = spent.plus(report.spent).plus(Budget { agents: 1, rounds: 0 });
}

/// The result of the parent's call, from the child's report.
pub(super) fn call_result_from_report(report: &AgentReport, digest: Digest, at: Timestamp) -> CallResult {
    let content = report.to_model_content().to_json();
    match report.status {
        MissionStatus::MissionCompleted | MissionStatus::TextOutput => {
            CallResult { digest: Some(digest), ..CallResult::new(CallStatus::Succeeded, content, at) }
        }
        MissionStatus::MaxTurnsReached
        | MissionStatus::NoIaAction
        | MissionStatus::Error
        | MissionStatus::Terminated => {
            let code = Some(report.status.word().to_owned());
            CallResult { code, ..CallResult::new(CallStatus::Failed, content, at) }
        }
    }
}

/// Whether the session waits for a report from the child on this call.
pub(super) fn awaits_child_report(facts: &SessionFacts, call: &CallId, report: &AgentReport) -> bool {
    facts.children.iter().any(|child| child.call == *call && child.session == report.child && !child.rests)
}

/// Whether the child with this id rests.
pub(super) fn has_resting_child(facts: &SessionFacts, child: &SessionId) -> bool {
    facts.children.iter().any(|known| known.session == *child && known.rests)
}

/// The report of an agent to its caller; `None` while it works or waits for a person.
pub fn agent_report(facts: &SessionFacts, phase: &Phase) -> Option<AgentReport> {
    let agent = facts.agent.as_deref()?;
    let ended = match phase {
        Phase::Completed { reason } => Some(*reason),
        Phase::Idle => None,
        Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => return None,
    };
    let (status, question, exit) = match (ended, &agent.said) {
        (None, Some(AgentOutput::Asks(question))) => {
            (MissionStatus::TextOutput, Some(question.clone()), None)
        }
        (None, Some(AgentOutput::Exits(_) | AgentOutput::Nothing) | None) => return None,
        (Some(_), Some(AgentOutput::Exits(exit))) => {
            (MissionStatus::MissionCompleted, None, Some(exit.clone()))
        }
        (Some(_), Some(AgentOutput::Nothing)) => (MissionStatus::NoIaAction, None, None),
        (Some(reason), Some(AgentOutput::Asks(_)) | None) => (interrupted_status(reason), None, None),
    };
    let mut usage = facts.usage;
    usage.add(descendant_usage(facts));
    let rounds = facts.counters.rounds_total;
    let open = facts.children.iter().fold(Budget::default(), |sum, child| sum.plus(child.lent));
    let cause = agent.cause.clone().filter(|_| match status {
        MissionStatus::MaxTurnsReached | MissionStatus::NoIaAction | MissionStatus::Error => true,
        MissionStatus::MissionCompleted | MissionStatus::TextOutput | MissionStatus::Terminated => false,
    });
    Some(AgentReport {
        status,
        agent: agent.name.clone(),
        child: facts.id.clone(),
        question,
        exit,
        last: agent.last.clone(),
        cause,
        rounds,
        usage,
        // Budget lent to children that still rest counts as spent: they end with the agent.
        spent: facts.below.spent.plus(Budget { agents: 0, rounds }).plus(open),
    })
}

fn interrupted_status(reason: EndReason) -> MissionStatus {
    match reason {
        EndReason::Completed => MissionStatus::MissionCompleted,
        EndReason::LimitReached | EndReason::Timeout => MissionStatus::MaxTurnsReached,
        EndReason::Cancelled => MissionStatus::Terminated,
        EndReason::Error | EndReason::Interrupted => MissionStatus::Error,
    }
}
