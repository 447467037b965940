//! Visits every state that a session can reach under small rules, with the real `transition`, and checks the invariants
//! at each step.
//!
//! States that differ only in values no decision reads (ids, absolute times, displayed totals) count as one: see
//! `state`. `moves` lists what can happen, `checks` and `deadlock` hold the invariants, `variant` the wrong machines
//! that the explorer must detect.

mod call_order;
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

/// The configuration of an exploration.
#[derive(Clone, Debug)]
pub struct ExplorationConfig {
    /// The kind of session.
    pub kind: SessionKind,
    /// The rules, with small limits.
    pub rules: SessionRules,
    /// Whether calls are native tool calls.
    pub tools: bool,
    /// Whether only a few kinds of reply are tried.
    pub few: bool,
    /// Whether agents take part: the session is one, or calls them.
    pub agents: bool,
    /// Whether a policy hook is asked about calls.
    pub policed: bool,
    /// Names of the fallback providers.
    pub fallbacks: &'static [&'static str],
    /// The machine: the real one, or one that is known to be wrong.
    pub variant: MachineVariant,
    /// Maximum number of visited states.
    pub most_states: usize,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default)]
pub struct ExplorationReport {
    /// Number of distinct states.
    pub states: usize,
    /// Number of states per phase.
    pub phases: BTreeMap<&'static str, usize>,
    /// Number of inputs fed, ignored ones included.
    pub steps: usize,
    /// Whether every reachable state was visited.
    pub exhausted: bool,
    /// The longest of the shortest paths.
    pub depth: u32,
    /// Observed pairs of phase and input, with the resulting phases or the reasons why they were ignored.
    pub pairs: BTreeMap<(&'static str, &'static str), BTreeMap<&'static str, usize>>,
    /// The first violated invariant, with its path.
    pub violation: Option<InvariantViolation>,
}

/// A violated invariant, and the path to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantViolation {
    /// Name of the invariant.
    pub name: &'static str,
    /// The state or call that violates it.
    pub what: String,
    /// The acts from the initial state on.
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
            policed: false,
            fallbacks: &[],
            variant: MachineVariant::Real,
            most_states: 400_000,
        }
    }

    /// Uses native tool calls: the limit of relaunches is reached before that of rounds.
    pub fn with_native_tools(mut self) -> Self {
        self.tools = true;
        self.rules.relaunches = 1;
        self
    }

    /// Uses mode `plan`.
    pub fn planning(mut self) -> Self {
        self.rules.mode = PlanMode::Plan;
        self
    }

    /// Replaces the other limits by the loop guards, with few kinds of reply.
    pub fn with_loop_guards(mut self) -> Self {
        self.few = true;
        self.rules.equal_failures = 2;
        self.rules.without_progress = 2;
        self.rules.query_rounds = 0;
        self.rules.failed_action_rounds = 0;
        self.rules.format_errors = 0;
        self
    }

    /// Adds fallback providers, with few kinds of reply.
    pub fn falling_back(mut self) -> Self {
        self.few = true;
        self.fallbacks = &["b", "c"];
        self
    }

    /// Adds a policy hook, with few kinds of failure.
    pub fn with_policy(mut self) -> Self {
        self.few = true;
        self.policed = true;
        self
    }

    /// Adds agents: the session is an agent with a caller, or calls agents. Few kinds of reply.
    pub fn with_agents(mut self) -> Self {
        self.few = true;
        self.agents = true;
        self.rules.agents_at_once = 1;
        self.rules.agents_in_tree = 2;
        self.rules.agent_rounds = 6;
        self
    }

    /// Sets the limit of rounds.
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rules.rounds = rounds;
        self
    }

    /// Maximum number of rounds of one exchange, without the closing call.
    fn most_rounds(&self) -> u32 {
        if self.tools { self.rules.rounds.min(self.rules.relaunches + 1) } else { self.rules.rounds }
    }

    /// Uses a machine that is known to be wrong.
    pub fn variant(mut self, variant: MachineVariant) -> Self {
        self.variant = variant;
        self
    }

    /// Visits the states in breadth-first order, and stops at the first violation.
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

/// A violated invariant before its path is known.
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

/// The visited states, each with its predecessor.
#[derive(Default)]
struct StatePredecessors {
    known: HashMap<StateHash, u32>,
    from: Vec<Option<(u32, super::MachineAct)>>,
}

impl StatePredecessors {
    fn states(&self) -> usize {
        self.from.len()
    }

    /// Inserts a state; returns its number if it is new.
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
    /// Records the result of an input.
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

/// Rules in which every limit exists but is small.
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
