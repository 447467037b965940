//! Visits every state that a session can reach under small rules, over the real `transition`, and looks at each
//! step for what must never happen.
//!
//! States that differ only in what no decision reads (ids, absolute times, totals that are only shown) count as
//! one: see `state`. `moves` says what can happen, `checks` and `stuck` what must hold, `variant` which wrong
//! machines the explorer has to catch.

mod checks;
mod deadlock;
mod explored_state;
mod moves;
mod state;
mod termination;
mod variant;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{SessionKind, SessionRules};
use entracte_domain::time::Millis;

use explored_state::ExploredState;
use moves::moves;
use state::StateHash;
use termination::TerminationSearch;
pub use variant::MachineVariant;

/// What to explore.
#[derive(Clone, Debug)]
pub struct ExplorationConfig {
    /// The kind of session.
    pub kind: SessionKind,
    /// The rules, small.
    pub rules: SessionRules,
    /// Native tool calls.
    pub tools: bool,
    /// Few kinds of reply.
    pub few: bool,
    /// An agent that was born, or a session that calls agents.
    pub agents: bool,
    /// Providers that go on where one fails.
    pub fallbacks: &'static [&'static str],
    /// The machine: the real one, or one that is known to be wrong.
    pub variant: MachineVariant,
    /// No more states than this are visited.
    pub most_states: usize,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct ExplorationReport {
    /// Distinct states.
    pub states: usize,
    /// States in each phase.
    pub phases: BTreeMap<&'static str, usize>,
    /// Inputs fed, ignored ones included.
    pub steps: usize,
    /// Every state that can be reached was visited.
    pub exhausted: bool,
    /// The longest of the shortest paths.
    pub depth: u32,
    /// Pairs of phase and input that were met, with where they led or why they changed nothing.
    pub pairs: BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, usize>>,
    /// What must never happen, and how it came to it.
    pub violation: Option<InvariantViolation>,
}

/// What must never happen, and how it came to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantViolation {
    /// The rule that was broken.
    pub name: &'static str,
    /// The state or call it was broken in.
    pub what: String,
    /// From the beginning.
    pub path: Vec<String>,
}

impl ExplorationConfig {
    /// All moves of one kind of session under small rules.
    pub fn for_kind(kind: SessionKind) -> Self {
        let rules = small_rules(kind);
        Self {
            kind,
            rules,
            tools: false,
            few: false,
            agents: false,
            fallbacks: &[],
            variant: MachineVariant::Real,
            most_states: 400_000,
        }
    }

    /// With native tool calls: the limit on relaunches comes before the one on rounds.
    pub fn with_native_tools(mut self) -> Self {
        self.tools = true;
        self.rules.relaunches = 1;
        self
    }

    /// In mode `plan`.
    pub fn planning(mut self) -> Self {
        self.rules.mode = PlanMode::Plan;
        self
    }

    /// With the guards against loops in the place of the other limits, and few kinds of reply.
    pub fn with_loop_guards(mut self) -> Self {
        self.few = true;
        self.rules.equal_failures = 2;
        self.rules.without_progress = 2;
        self.rules.query_rounds = 0;
        self.rules.failed_action_rounds = 0;
        self.rules.format_errors = 0;
        self
    }

    /// With providers to fall back to, and few kinds of reply.
    pub fn falling_back(mut self) -> Self {
        self.few = true;
        self.fallbacks = &["b", "c"];
        self
    }

    /// With agents: one that was born and works for somebody, or a session that calls them. Few kinds of reply.
    pub fn with_agents(mut self) -> Self {
        self.few = true;
        self.agents = true;
        self.rules.agents_at_once = 1;
        self.rules.agents_in_tree = 2;
        self.rules.agent_rounds = 6;
        self
    }

    /// With this limit of rounds.
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rules.rounds = rounds;
        self
    }

    /// The most rounds of one exchange, the closing call apart.
    fn most_rounds(&self) -> u32 {
        if self.tools { self.rules.rounds.min(self.rules.relaunches + 1) } else { self.rules.rounds }
    }

    /// With a machine that is known to be wrong.
    pub fn variant(mut self, variant: MachineVariant) -> Self {
        self.variant = variant;
        self
    }

    /// Visits the states, nearest first, and stops at the first thing that must never happen.
    pub fn run(&self) -> ExplorationReport {
        let mut report = ExplorationReport::default();
        let mut trail = StatePredecessors::default();
        let mut good = TerminationSearch::new(self);
        let first = ExploredState::new(self);
        trail.insert_state(first.key(&self.rules), None);
        let mut waiting = VecDeque::from([(first, 0, 0)]);
        while let Some((world, index, depth)) = waiting.pop_front() {
            report.depth = depth;
            *report.phases.entry(world.phase.label().word()).or_default() += 1;
            if let Err(broken) = self.check_state(&world, &mut good, &mut report) {
                report.violation = Some(trail.violation(broken, index, None));
                break;
            }
            for act in moves(self, &world) {
                let next = match world.state_after(self, &act, &mut report) {
                    Ok(Some(next)) => next,
                    Ok(None) => continue,
                    Err(broken) => {
                        report.violation = Some(trail.violation(broken, index, Some(&act)));
                        report.states = trail.states();
                        return report;
                    }
                };
                let met = trail.insert_state(next.key(&self.rules), Some((index, &act)));
                if let Some(number) = met.filter(|_| trail.states() <= self.most_states) {
                    waiting.push_back((next, number, depth + 1));
                }
            }
        }
        report.states = trail.states();
        report.exhausted = report.violation.is_none() && report.states <= self.most_states;
        report
    }

    fn check_state(
        &self,
        world: &ExploredState,
        good: &mut TerminationSearch,
        report: &mut ExplorationReport,
    ) -> Result<(), BrokenInvariant> {
        deadlock::stuck(self, world)?;
        checks::check_late_outcomes_ignored(self, world, report)?;
        good.check_termination(self, world)
    }
}

/// A rule that was broken, before its path is known.
#[derive(Clone, Debug)]
pub(crate) struct BrokenInvariant {
    name: &'static str,
    what: String,
}

impl BrokenInvariant {
    pub(crate) fn new(name: &'static str, what: impl Into<String>) -> Self {
        Self { name, what: what.into() }
    }
}

/// The states met, each with how it was come to.
#[derive(Default)]
struct StatePredecessors {
    known: HashMap<StateHash, u32>,
    from: Vec<Option<(u32, super::MachineAct)>>,
}

impl StatePredecessors {
    fn states(&self) -> usize {
        self.from.len()
    }

    /// The number of a state that was not known.
    fn insert_state(&mut self, key: StateHash, from: Option<(u32, &super::MachineAct)>) -> Option<u32> {
        let number = u32::try_from(self.from.len()).unwrap_or(u32::MAX);
        if self.known.contains_key(&key) {
            return None;
        }
        self.known.insert(key, number);
        self.from.push(from.map(|(index, act)| (index, act.clone())));
        Some(number)
    }

    fn violation(
        &self,
        broken: BrokenInvariant,
        at: u32,
        last: Option<&super::MachineAct>,
    ) -> InvariantViolation {
        let mut path: Vec<String> = last.iter().map(|act| format!("{act:?}")).collect();
        let mut at = at;
        while let Some(Some((before, act))) = self.from.get(at as usize) {
            path.push(format!("{act:?}"));
            at = *before;
        }
        path.reverse();
        InvariantViolation { name: broken.name, what: broken.what, path }
    }
}

impl ExplorationReport {
    /// Notes what an input led to.
    pub(crate) fn record_transition(
        &mut self,
        phase: &'static str,
        input: &'static str,
        led_to: &'static str,
    ) {
        self.steps += 1;
        *self.pairs.entry((phase, input)).or_default().entry(led_to).or_default() += 1;
    }

    /// The pairs as a table.
    pub fn table(&self) -> String {
        let mut table = String::new();
        for ((phase, input), led_to) in &self.pairs {
            let led_to: Vec<String> = led_to.iter().map(|(to, count)| format!("{to} ({count})")).collect();
            // Writing to a String cannot fail.
            let _ = writeln!(table, "{phase} + {input}: {}", led_to.join(", "));
        }
        table
    }
}

/// Rules under which everything is small but still there.
fn small_rules(kind: SessionKind) -> SessionRules {
    let strict = SessionRules::new(kind, entracte_domain::session::LimitProfile::Strict);
    SessionRules {
        rounds: 3,
        query_rounds: 1,
        failed_action_rounds: 2,
        format_errors: 2,
        equal_failures: 0,
        without_progress: 0,
        relaunches: 2,
        run_duration: Millis(0),
        calls_per_reply: 2,
        call_retries: 1,
        call_retry_delay: Millis(super::SETTLE_MS),
        queries_parallel: 1,
        message_queue: 1,
        completion_delay: Millis::seconds(5),
        closing_delay: Millis::seconds(5),
        validation_expires: Millis::hours(1),
        question_expires: Millis::hours(1),
        network_retry: Millis::seconds(30),
        chat_waits: 1,
        quarantine_after: 2,
        ..strict
    }
}
