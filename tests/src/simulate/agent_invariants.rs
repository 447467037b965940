//! Invariants of agents after every step: no agent works without a caller, and no caller waits without an agent; no
//! agent has more rights than its caller; a tree stays within its limits; and usage adds up.

use std::collections::BTreeMap;

use entracte_application::codec::decode_call;
use entracte_application::ports::LogReader;
use entracte_domain::agent::Agent;
use entracte_domain::call::CallState;
use entracte_domain::id::SessionId;
use entracte_domain::plan::PlanCommand;
use entracte_domain::rights::Budget;
use entracte_domain::session::{
    Phase, SessionFacts, SessionKind, SessionRules, Slot, descendant_usage, session_rights,
};
use entracte_domain::usage::Usage;

use super::task_invariants::SessionStateMap;
use super::workspace::SimulatedWorkspace;
use crate::virtual_workspace::home;

impl SimulatedWorkspace {
    /// The violated invariant of agents and their callers, if any.
    pub(super) async fn families_hold(&mut self, states: &SessionStateMap) -> Result<(), String> {
        for (facts, phase) in states.values() {
            let rules = self.world.services.rules.rules_for_session(facts);
            waits_for_somebody(facts, phase, states)?;
            is_within_its_limits(facts, rules)?;
            usage_adds_up(facts, phase, states)?;
            if let Some(agent) = &facts.agent {
                works_for_somebody(facts, phase, agent, states)?;
                self.may_no_more_than_its_caller(facts, agent, states)?;
                self.did_what_it_may(facts, agent).await?;
                self.is_reported_once(facts, phase, agent, states).await?;
            }
        }
        trees_are_small(states, |facts| self.world.services.rules.rules_for_session(facts).agents_in_tree)
    }

    /// Its rights are within those of its caller, and its chain continues that of its caller.
    fn may_no_more_than_its_caller(
        &self,
        facts: &SessionFacts,
        agent: &Agent,
        states: &SessionStateMap,
    ) -> Result<(), String> {
        let Some((above, _)) = states.get(&agent.from) else { return Ok(()) };
        let wider = match &above.agent {
            Some(parent) => parent.rights.clone(),
            None => session_rights(
                above,
                self.world.services.rules.rules_for_session(above),
                agent.rights.principal(),
            ),
        };
        // The remaining budget of its caller changes with what was lent; that is summed separately.
        let nothing = Budget::default();
        if !agent.rights.with_remaining_budget(nothing).is_within(&wider.with_remaining_budget(nothing)) {
            return Err(format!("{} may do more than {}, which called it", facts.id, agent.from));
        }
        if agent.chain.last().is_none_or(|link| link.from != agent.from) {
            return Err(format!("the chain of {} does not end with {}", facts.id, agent.from));
        }
        Ok(())
    }

    /// Every call that an agent made is permitted to it.
    async fn did_what_it_may(&self, facts: &SessionFacts, agent: &Agent) -> Result<(), String> {
        for row in self.world.store.calls(&home(), &facts.id).await.unwrap() {
            let call = decode_call(&row).unwrap();
            let has_run = match &call.state {
                CallState::Started { .. } | CallState::Delayed { .. } => true,
                CallState::Finished { .. } => call.attempt > 0,
                CallState::Proposed
                | CallState::Follows(_)
                | CallState::WaitingDecision
                | CallState::Approved(_) => false,
            };
            let name = &call.effective_command().name;
            if has_run && !agent.rights.allows_command(name) && PlanCommand::from_word(name).is_none() {
                return Err(format!("{} did {name}, which it may not", facts.id));
            }
        }
        Ok(())
    }

    /// Its caller got one report of its end, not before the end; none only if the caller had ended.
    async fn is_reported_once(
        &mut self,
        facts: &SessionFacts,
        phase: &Phase,
        agent: &Agent,
        states: &SessionStateMap,
    ) -> Result<(), String> {
        self.journal.read_new_entries(&*self.world.store, &agent.from).await;
        let told = self.journal.reports_of(&agent.from, &facts.id);
        let (id, from) = (&facts.id, &agent.from);
        match (has_ended(phase), told) {
            (_, 2..) => Err(format!("{from} was told {told} times that {id} ended")),
            (false, 1) => Err(format!("{from} was told that {id} ended, which works")),
            (true, 0) if !states.get(from).is_some_and(|(_, phase)| has_ended(phase)) => {
                Err(format!("nobody told {from} that {id} ended"))
            }
            (true | false, _) => Ok(()),
        }
    }
}

fn has_ended(phase: &Phase) -> bool {
    matches!(phase, Phase::Completed { .. })
}

/// Each call that an agent answers has an agent that works on it.
fn waits_for_somebody(facts: &SessionFacts, phase: &Phase, states: &SessionStateMap) -> Result<(), String> {
    let calls = phase.batch().into_iter().flat_map(|batch| &batch.calls);
    for call in calls.filter(|call| call.is_started() && call.is_answered_by_agent()) {
        let child = facts.children.iter().find(|child| child.call == call.id && !child.rests);
        let works = child.and_then(|child| states.get(&child.session));
        if works.is_none_or(|(_, phase)| has_ended(phase)) {
            return Err(format!("{} waits for {}, and nobody works on it", facts.id, call.id));
        }
    }
    Ok(())
}

/// An agent that has not ended has a caller that has not ended, knows it, and lets it work in its slot.
fn works_for_somebody(
    facts: &SessionFacts,
    phase: &Phase,
    agent: &Agent,
    states: &SessionStateMap,
) -> Result<(), String> {
    if has_ended(phase) {
        return Ok(());
    }
    let (id, from) = (&facts.id, &agent.from);
    let Some((above, at)) = states.get(from) else {
        return Err(format!("{id} works for {from}, which is gone"));
    };
    if has_ended(at) {
        return Err(format!("{id} works for {from}, which has ended"));
    }
    let Some(known) = above.children.iter().find(|child| child.session == *id) else {
        return Err(format!("{id} works for {from}, which does not know it"));
    };
    let is_halted = |phase: &Phase| phase.batch().is_some_and(|batch| batch.halt.is_some());
    let call = at.batch().and_then(|batch| batch.call(&known.call));
    if is_halted(at) && call.is_some_and(|call| call.is_started()) && !is_halted(phase) {
        return Err(format!("{id} works for {from}, which was halted"));
    }
    let holds = |id: &SessionId| states.get(id).is_some_and(|(facts, _)| facts.slot == Slot::Held);
    if holds(id) && !holds(&agent.root) {
        return Err(format!("{id} has a slot, and {} has none", agent.root));
    }
    Ok(())
}

/// Its depth, the number of its concurrent agents, and the budget of all of them.
fn is_within_its_limits(facts: &SessionFacts, rules: &SessionRules) -> Result<(), String> {
    let id = &facts.id;
    let depth = facts.agent.as_ref().map_or(0, |agent| agent.depth());
    if depth > rules.agent_depth as usize {
        return Err(format!("{id} is {depth} levels deep"));
    }
    if facts.children.len() > rules.agents_at_once as usize {
        return Err(format!("{} agents work for {id} at once", facts.children.len()));
    }
    let lent = facts.children.iter().fold(Budget::default(), |sum, child| sum.plus(child.lent));
    let used = lent.plus(facts.below.spent);
    let most = match &facts.agent {
        Some(agent) => agent.rights.budget().agents,
        None => rules.agents_in_tree,
    };
    if used.agents > most {
        return Err(format!("{} agents were lent or used by {id}, of {most}", used.agents));
    }
    Ok(())
}

/// The usage of its ended agents is recorded with their caller.
fn usage_adds_up(facts: &SessionFacts, phase: &Phase, states: &SessionStateMap) -> Result<(), String> {
    if has_ended(phase) {
        return Ok(());
    }
    let of_it = |child: &SessionFacts| child.agent.as_ref().is_some_and(|agent| agent.from == facts.id);
    let mut used = Usage::default();
    for (child, at) in states.values() {
        if of_it(child) && has_ended(at) {
            used.add(child.usage);
            used.add(descendant_usage(child));
        }
    }
    if used != facts.below.usage {
        return Err(format!("the agents of {} used {used:?}, and it has {:?}", facts.id, facts.below.usage));
    }
    Ok(())
}

/// A run has no more agents below it than a tree may have. (A chat may have as many again after each message.)
fn trees_are_small(states: &SessionStateMap, most: impl Fn(&SessionFacts) -> u32) -> Result<(), String> {
    let mut below: BTreeMap<&SessionId, usize> = BTreeMap::new();
    for agent in states.values().filter_map(|(facts, _)| facts.agent.as_ref()) {
        *below.entry(&agent.root).or_default() += 1;
    }
    for (root, count) in below {
        let Some((facts, _)) = states.get(root) else { continue };
        if facts.kind == SessionKind::Automation && count > most(facts) as usize {
            return Err(format!("{count} agents are below {root}"));
        }
    }
    Ok(())
}
