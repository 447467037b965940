//! Visits every state that small rules allow, with the real machine: no path exceeds a limit, no state is stuck, every
//! run can end, no action of class `once` starts twice, every call has exactly one result. Two machines that are known
//! to be wrong are detected by the name of the broken invariant.
#![expect(clippy::print_stdout, reason = "the pairs that were met and the figures are for people to read")]

use entracte_domain::session::SessionKind;
use entracte_tests::machine::explorer::{ExplorationConfig, ExplorationReport, MachineVariant};
use entracte_tests::test_scale::{self, is_long_run};

/// Explores all states and prints the observed pairs.
#[track_caller]
fn explore(exploration: &ExplorationConfig) -> ExplorationReport {
    let report = exploration.run();
    println!("{}{:?}", report.table(), report.phases);
    println!(
        "{} states, {} steps, {} pairs, depth {}, all: {}",
        report.states,
        report.steps,
        report.pairs.len(),
        report.depth,
        report.exhausted
    );
    report
}

/// Maximum number of states in the short form, in breadth-first order. The long form visits all states.
const STATES_SHORT: usize = 5_000;

/// No invariant is violated, and at least this many states exist.
#[track_caller]
fn holds(exploration: &ExplorationConfig, states: usize) {
    let mut bounded = exploration.clone();
    bounded.most_states = STATES_SHORT;
    let report = explore(test_scale::scaled(&bounded, exploration));
    assert_eq!(report.violation, None);
    assert!(report.exhausted || !is_long_run(), "every state was visited");
    let least = test_scale::scaled(states.min(STATES_SHORT), states);
    assert!(report.states >= least, "{} states", report.states);
}

#[test]
fn a_chat() {
    holds(&ExplorationConfig::for_kind(SessionKind::Chat), 100_000);
}

#[test]
fn a_chat_of_tools() {
    holds(&ExplorationConfig::for_kind(SessionKind::Chat).with_native_tools(), 20_000);
}

#[test]
fn a_run_of_an_automation() {
    holds(&ExplorationConfig::for_kind(SessionKind::Automation), 100_000);
}

#[test]
fn an_agent() {
    holds(&ExplorationConfig::for_kind(SessionKind::Agent).rounds(2), 50_000);
}

#[test]
fn agent_with_caller() {
    holds(&ExplorationConfig::for_kind(SessionKind::Agent).rounds(2).with_agents(), 1_000);
}

#[test]
fn a_session_that_calls_agents() {
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        holds(&ExplorationConfig::for_kind(kind).rounds(2).with_agents(), 1_000);
    }
}

#[test]
fn calls_under_a_policy() {
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        holds(&ExplorationConfig::for_kind(kind).rounds(2).with_policy(), 300);
    }
}

#[test]
fn equal_failures_and_rounds_without_progress() {
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        holds(&ExplorationConfig::for_kind(kind).with_loop_guards(), 10_000);
    }
}

#[test]
fn a_fallback_is_tried_once_a_round() {
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        holds(&ExplorationConfig::for_kind(kind).falling_back(), 1_000);
    }
}

#[test]
fn a_plan_comes_first() {
    for kind in [SessionKind::Chat, SessionKind::Automation] {
        holds(&ExplorationConfig::for_kind(kind).planning(), 2_000);
    }
}

#[test]
fn limit_read_on_one_path_only() {
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent] {
        let report = ExplorationConfig::for_kind(kind).variant(MachineVariant::LimitReadOnOnePathOnly).run();
        let name = report.violation.map(|violation| violation.name);
        assert_eq!(name, Some("no_path_goes_beyond_a_limit"));
    }
}

#[test]
fn rerun_on_resume() {
    for kind in [SessionKind::Chat, SessionKind::Automation, SessionKind::Agent] {
        let report = ExplorationConfig::for_kind(kind).variant(MachineVariant::RerunOnResume).run();
        let name = report.violation.map(|violation| violation.name);
        assert_eq!(name, Some("once_is_never_started_twice"));
    }
}
