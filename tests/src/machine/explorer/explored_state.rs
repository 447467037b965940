//! A session and its running effects.

use entracte_domain::id::{CallId, SessionId, WorkspaceKey};
use entracte_domain::session::{
    Dialect, Effect, Input, Phase, SessionFacts, SessionKind, Slot, deadline_at, desired_effects, watchdog_at,
};
use entracte_domain::time::{Millis, Timestamp};

use super::super::{MachineAct, agent_created_act, inputs};
use super::checks::{self, ExploredTransition, JournaledCounters};
use super::{BrokenInvariant, ExplorationConfig, ExplorationReport, MachineVariant};

/// A session, its running effects, and the explorer's own counters.
#[derive(Clone, Debug)]
pub(super) struct ExploredState {
    pub(super) facts: SessionFacts,
    pub(super) phase: Phase,
    pub(super) now: Timestamp,
    /// Effects in progress.
    pub(super) running: Vec<Effect>,
    /// How often each call of the batch was executed.
    pub(super) runs: Vec<(CallId, u32)>,
    /// Counters computed from the journal, independent of the machine's own counters.
    pub(super) counts: JournaledCounters,
}

impl ExploredState {
    /// A session that was just created and holds a slot.
    pub(super) fn new(exploration: &ExplorationConfig) -> Self {
        let now = Timestamp(1_000_000_000_000);
        let id = SessionId::new("ses_x");
        let mut facts = SessionFacts::new(id, WorkspaceKey::new("u:c"), exploration.kind, now);
        facts.slot = Slot::Held;
        facts.dialect = if exploration.tools { Dialect::Tools } else { Dialect::Envelope };
        let mut world = Self {
            facts,
            phase: Phase::Idle,
            now,
            running: Vec::new(),
            runs: Vec::new(),
            counts: JournaledCounters::default(),
        };
        if exploration.agents && exploration.kind == SessionKind::Agent {
            world.create_as_agent(exploration);
        }
        world
    }

    /// The first input of an agent session makes it an agent.
    fn create_as_agent(&mut self, exploration: &ExplorationConfig) {
        for input in inputs(&self.facts, &self.phase, self.now, &agent_created_act()) {
            let before = self.clone();
            let taken = self.feed(exploration, &before, input, &mut ExplorationReport::default());
            debug_assert!(taken.is_ok_and(|taken| taken), "an agent is born");
        }
    }

    /// The state after an act; `None` if the act changed nothing.
    pub(super) fn state_after(
        &self,
        exploration: &ExplorationConfig,
        act: &MachineAct,
        report: &mut ExplorationReport,
    ) -> Result<Option<Self>, BrokenInvariant> {
        let mut next = self.clone();
        match act {
            MachineAct::Wait(span) => {
                next.now = next.now.plus(Millis(*span));
                return Ok(Some(next));
            }
            MachineAct::Wake => {
                let wake = deadline_at(&next.facts, &next.phase, &exploration.rules);
                next.now = wake.unwrap_or(next.now).max(next.now);
            }
            MachineAct::Heartbeat => {
                let look = watchdog_at(&next.facts, &next.phase, &exploration.rules);
                next.now = look.unwrap_or(next.now).max(next.now);
            }
            _ => {}
        }
        let mut inputs = inputs(&next.facts, &next.phase, next.now, act);
        if *act == MachineAct::Restart && exploration.variant == MachineVariant::RerunOnResume {
            inputs.clear();
            next.running.clear();
            next.perform()?;
            return Ok(Some(next));
        }
        let mut changed = false;
        for (number, input) in inputs.into_iter().enumerate() {
            // This state is the one before the first input; few acts have more.
            let between = (number > 0).then(|| next.clone());
            changed |= next.feed(exploration, between.as_ref().unwrap_or(self), input, report)?;
        }
        Ok(changed.then_some(next))
    }

    /// Feeds one input and checks the invariants. `before` has the session as it is now.
    pub(super) fn feed(
        &mut self,
        exploration: &ExplorationConfig,
        before: &Self,
        input: Input,
        report: &mut ExplorationReport,
    ) -> Result<bool, BrokenInvariant> {
        let kept = input.clone();
        let (facts, phase) = (&mut self.facts, &mut self.phase);
        let taken = exploration.variant.transition(facts, phase, input, self.now, &exploration.rules);
        let word = before.phase.label().word();
        let record = match taken {
            Ok(record) => record,
            Err(why) => {
                let now = (&self.facts, &self.phase);
                checks::check_unchanged(now, (&before.facts, &before.phase), kept.label())?;
                report.record_transition(word, kept.label(), checks::ignored_reason(why));
                return Ok(false);
            }
        };
        self.counts.count_input(self.facts.kind, &kept, &record);
        report.record_transition(word, kept.label(), self.phase.label().word());
        let taken = ExploredTransition { facts: &before.facts, phase: &before.phase, input: &kept, record };
        checks::check_step(exploration, &taken, self)?;
        let ran = self.running.clone();
        self.perform()?;
        checks::has_slot(self, &ran)?;
        if checks::must_not_count_twice(&kept) {
            checks::are_ignored(exploration, self, [kept], report)?;
        }
        Ok(true)
    }

    /// Starts desired effects that are not running, and drops running ones that are no longer desired.
    pub(super) fn perform(&mut self) -> Result<(), BrokenInvariant> {
        let desired = desired_effects(&self.facts, &self.phase, self.now);
        self.running.retain(|effect| desired.contains(effect));
        let batch = self.phase.batch();
        self.runs.retain(|(id, _)| batch.is_some_and(|batch| batch.call(id).is_some()));
        for effect in desired {
            if self.running.contains(&effect) {
                continue;
            }
            if let Effect::RunCall { call, .. } = &effect {
                match self.runs.iter_mut().find(|(id, _)| id == call) {
                    Some((_, times)) => *times += 1,
                    None => self.runs.push((call.clone(), 1)),
                }
            }
            self.running.push(effect);
        }
        checks::once_at_most(self)
    }
}
