//! Invariants after every step.

use std::collections::{BTreeMap, BTreeSet};

use entracte_application::codec::decode_snapshot;
use entracte_application::journal::OccurrenceOutcome;
use entracte_application::ports::LogReader;
use entracte_application::use_cases::VerifySession;
use entracte_domain::automation::RunCause;
use entracte_domain::call::Call;
use entracte_domain::id::AutomationId;
use entracte_domain::session::{Phase, SessionFacts, SessionKind, SessionRules, Slot, watchdog_at};
use entracte_domain::time::Timestamp;
use entracte_domain::workspace::SlotRules;

use super::task_invariants::SessionStateMap;
use super::workspace::SimulatedWorkspace;
use crate::virtual_workspace::home;

impl SimulatedWorkspace {
    /// The first violated invariant.
    pub(super) async fn check(&mut self) -> Result<(), String> {
        if self.doomed {
            return Err("the process dies at every start".into());
        }
        if !self.world.is_up() {
            // The leftovers of a crashed process are checked once another one serves; the order of its slots is not
            // known.
            self.before.clear();
            return Ok(());
        }
        let rows = self.world.sessions().await;
        let mut states = Vec::new();
        for row in &rows {
            let snapshot = decode_snapshot(&row.body).unwrap();
            states.push((row, snapshot.facts, snapshot.phase));
        }
        // A tree of agents uses one slot, that of its root.
        let holds = |facts: &SessionFacts| facts.slot == Slot::Held && facts.agent.is_none();
        let held = states.iter().filter(|(_, facts, _)| holds(facts)).count();
        if held > self.slots {
            return Err(format!("{held} sessions are active in {} slots", self.slots));
        }
        let mut under_way = self.world.effects_under_way();
        under_way.extend(self.world.undelivered_outcomes());
        for (row, facts, phase) in &states {
            let runs = under_way.iter().any(|(session, _)| *session == row.id);
            stuck(facts, phase, runs, row.wake_at)?;
            within_limits(facts)?;
        }
        self.no_run_starves(states.iter().map(|(_, facts, _)| facts))?;
        self.occurrences_are_whole().await?;
        self.view_open_cards().await;
        self.no_effect_twice()?;
        self.check_only_approved_ran()?;
        if self.is_helped {
            let each = states.into_iter().map(|(row, facts, phase)| (row.id.clone(), (facts, phase)));
            let states: SessionStateMap = each.collect();
            self.deliveries_hold(&states).await?;
            self.families_hold(&states).await?;
        }
        Ok(())
    }

    /// The invariants at the end: every acknowledged message exists, and every journal reproduces its state.
    pub(super) async fn check_at_end(&self) -> Result<(), String> {
        for (session, message) in &self.kept {
            let entries = self.world.store.entries(&home(), session, 0, u32::MAX).await.unwrap();
            let found = entries.iter().any(|row| session.message_id(row.sequence, 0) == *message);
            if !found {
                return Err(format!("the acknowledged message {message} is gone"));
            }
        }
        self.nobody_approved_for_himself().await?;
        let verify = VerifySession::new(self.world.services.store.clone(), self.world.services.log.clone());
        for row in self.world.sessions().await {
            if let Some(mismatch) = verify.run(&row.workspace, &row.id).await.unwrap() {
                return Err(format!("{} is not what its journal gives: {mismatch:?}", row.id));
            }
        }
        Ok(())
    }

    /// A run that gets a slot was queued before one that had waited too long. The order is that of log numbers, because
    /// the clock may have been set back in between.
    fn no_run_starves<'a>(&mut self, sessions: impl Iterator<Item = &'a SessionFacts>) -> Result<(), String> {
        let ageing = SlotRules::default().ageing;
        let now = self.world.now();
        let mut slots = BTreeMap::new();
        let mut starving: Option<(u64, String)> = None;
        let mut seated = Vec::new();
        for facts in sessions {
            slots.insert(facts.id.clone(), (facts.slot, facts.lined_up));
            if facts.kind != SessionKind::Automation {
                continue;
            }
            let before = self.before.get(&facts.id).copied();
            let waited = before.and_then(|(slot, lined_up)| Some((slot.waiting_since()?, lined_up)));
            match (waited, facts.slot.waiting_since()) {
                (Some((since, lined_up)), Some(still)) if since == still && now.since(since) >= ageing => {
                    let earlier = starving.take().filter(|(earliest, _)| *earliest <= lined_up);
                    starving = Some(earlier.unwrap_or_else(|| (lined_up, facts.id.to_string())));
                }
                (waited, None)
                    if facts.slot == Slot::Held && before.is_none_or(|(slot, _)| slot != Slot::Held) =>
                {
                    seated.push((waited.map_or(u64::MAX, |(_, lined_up)| lined_up), facts.id.to_string()));
                }
                _ => {}
            }
        }
        if std::mem::replace(&mut self.before, slots).is_empty() {
            return Ok(());
        }
        if let Some((number, starved)) = starving
            && let Some((_, favoured)) = seated.into_iter().find(|(lined_up, _)| *lined_up > number)
        {
            return Err(format!("{favoured} got a slot before {starved}, which lined up by entry {number}"));
        }
        Ok(())
    }

    /// The scheduled occurrences that have rows.
    pub(super) async fn decided(&self, id: &AutomationId) -> BTreeSet<Timestamp> {
        let history = self.world.history(id).await;
        let scheduled = history.into_iter().filter(|occurrence| occurrence.cause == RunCause::Scheduled);
        scheduled.map(|occurrence| occurrence.at).collect()
    }

    /// Each instant of a period, from its first to the last decided one, has one row; each run is a session.
    async fn occurrences_are_whole(&self) -> Result<(), String> {
        for expected in &self.automations {
            let history = self.world.history(&expected.id).await;
            let mut seen = BTreeSet::new();
            for occurrence in &history {
                if !seen.insert(occurrence.at) {
                    return Err(format!("{} has two rows for {}", expected.id, occurrence.at.0));
                }
                if let OccurrenceOutcome::Run(run) = &occurrence.outcome
                    && self.world.services.store.session(&home(), run).await.unwrap().is_none()
                {
                    return Err(format!("{run} of {} is gone", expected.id));
                }
            }
            let decided = self.decided(&expected.id).await;
            let stretch: Vec<Timestamp> =
                decided.into_iter().filter(|at| !expected.closed.contains(at)).collect();
            let mut next = expected.first;
            for at in stretch {
                while expected.closed.contains(&next) {
                    next = next.plus(expected.interval);
                }
                if at != next {
                    return Err(format!("{} has a row for {} where {} is due", expected.id, at.0, next.0));
                }
                next = next.plus(expected.interval);
            }
        }
        Ok(())
    }

    /// An external action that must not be repeated happened once for its call.
    fn no_effect_twice(&self) -> Result<(), String> {
        let mut keys = BTreeSet::new();
        for effect in self.outside.recorded_effects() {
            if effect.command == "outside.send" && !keys.insert(effect.key.clone()) {
                return Err(format!("the effect {} happened twice", effect.key));
            }
        }
        Ok(())
    }
}

/// A session that has not ended rests, works, or waits for a person, a slot, or a time.
pub(crate) fn stuck(
    facts: &SessionFacts,
    phase: &Phase,
    runs: bool,
    wake_at: Option<Timestamp>,
) -> Result<(), String> {
    let waits_for_slot = matches!(facts.slot, Slot::Queued(_) | Slot::Suspended(_));
    let rests = match (facts.kind, phase) {
        (SessionKind::Seed, _) | (SessionKind::Chat, Phase::Idle) => true,
        // An agent that asked its caller.
        (SessionKind::Agent, Phase::Idle)
            if facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer()) =>
        {
            true
        }
        (_, Phase::Completed { .. } | Phase::WaitingTask) => true,
        (_, Phase::Parked(_)) => true,
        (_, Phase::WaitingValidation { .. } | Phase::WaitingCommunicationResponse { .. }) => true,
        _ => false,
    };
    // The watchdog is the last resort: a session that waits for nothing else is stuck until it fires.
    let profile = facts.policy.profile.unwrap_or(entracte_domain::session::LimitProfile::Autonomous);
    let watchdog = watchdog_at(facts, phase, &SessionRules::new(facts.kind, profile));
    let wakes = wake_at.is_some_and(|at| watchdog != Some(at));
    let is_of_child = |call: &Call| call.is_started() && call.is_answered_by_agent();
    let waits_for_agents = phase.batch().is_some_and(|batch| batch.calls.iter().any(is_of_child));
    if rests || runs || waits_for_slot || waits_for_agents || wakes {
        return Ok(());
    }
    Err(format!("{} is stuck in {} ({:?})", facts.id, phase.label().word(), facts.slot))
}

fn within_limits(facts: &SessionFacts) -> Result<(), String> {
    let profile = facts.policy.profile.unwrap_or(entracte_domain::session::LimitProfile::Autonomous);
    let limit = SessionRules::new(facts.kind, profile).rounds;
    let rounds = facts.counters.rounds_since_human;
    // The closing call of a chat or a run is beyond the limit by definition.
    let makes_closing_call = matches!(facts.kind, SessionKind::Chat | SessionKind::Automation);
    let most = limit + u32::from(makes_closing_call);
    if rounds > most {
        return Err(format!("{} made {rounds} rounds of {limit}", facts.id));
    }
    Ok(())
}
