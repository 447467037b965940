//! `cargo run -p entracte-tests --bin simulate -- --seeds 10000`: runs this many simulations and reports every violated
//! invariant. With `--seed N` it replays one of them.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use entracte_application::planted_bugs::{PlantedBug, set_planted_bug};
use entracte_tests::simulate::{SimulationConfig, run_simulation};

const USAGE: &str = "usage: simulate [--seeds N | --seed N] [--from N] [--steps N] [--step N] [--plant BUG]
[--rights store|workspaces]
--step 5 --from 3: only stories with tasks and agents. BUG: lost-occurrence, repeated-action, any-card, unread-task,
any-callback, any-command, forgotten-child, endless-tree, lost-usage, lost-report";

const BUGS: [(&str, PlantedBug); 10] = [
    ("lost-occurrence", PlantedBug::LostOccurrence),
    ("repeated-action", PlantedBug::RepeatedAction),
    ("any-card", PlantedBug::AnyCard),
    ("unread-task", PlantedBug::UnreadTask),
    ("any-callback", PlantedBug::AnyCallback),
    ("any-command", PlantedBug::AnyCommand),
    ("forgotten-child", PlantedBug::ForgottenChild),
    ("endless-tree", PlantedBug::EndlessTree),
    ("lost-usage", PlantedBug::LostUsage),
    ("lost-report", PlantedBug::LostReport),
];

fn main() -> ExitCode {
    let mut seeds = 1000;
    let mut from = 1;
    let mut steps = 150;
    let mut step = 1;
    let mut is_shared = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let Some(value) = arguments.next() else { return usage(&name) };
        let number = value.parse::<u64>();
        match (name.as_str(), number) {
            ("--seeds", Ok(number)) => seeds = number,
            ("--from", Ok(number)) => from = number,
            ("--seed", Ok(number)) => (from, seeds) = (number, 1),
            ("--steps", Ok(number)) => steps = u32::try_from(number).unwrap_or(u32::MAX),
            ("--step", Ok(number)) => step = usize::try_from(number).unwrap_or(1).max(1),
            ("--rights", _) if value == "workspaces" => is_shared = true,
            ("--rights", _) if value == "store" => is_shared = false,
            ("--plant", _) => match BUGS.iter().find(|(name, _)| *name == value) {
                Some((_, bug)) => set_planted_bug(Some(*bug)),
                None => return usage(&value),
            },
            _ => return usage(&format!("{name} {value}")),
        }
    }
    run(from, (seeds, step), SimulationSteps { steps, is_shared })
}

fn usage(what: &str) -> ExitCode {
    eprintln!("simulate: {what} is not understood\n{USAGE}");
    ExitCode::from(2)
}

/// What all simulations of a run have in common.
struct SimulationSteps {
    steps: u32,
    /// Whether each process works beside others instead of owning the store.
    is_shared: bool,
}

fn run(from: u64, (seeds, step): (u64, usize), each: SimulationSteps) -> ExitCode {
    let SimulationSteps { steps, is_shared } = each;
    let runtime = match tokio::runtime::Builder::new_current_thread().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("simulate: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (mut sessions, mut occurrences, mut effects, mut deaths) = (0, 0, 0, 0);
    let (mut tasks, mut agents) = (0, 0);
    for seed in (from..).step_by(step).take(usize::try_from(seeds).unwrap_or(usize::MAX)) {
        match runtime.block_on(run_simulation(SimulationConfig { seed, steps, is_shared })) {
            Ok(told) => {
                sessions += told.sessions;
                occurrences += told.occurrences;
                effects += told.effects;
                deaths += told.deaths;
                tasks += told.tasks;
                agents += told.agents;
                if seeds == 1 {
                    println!("seed {seed}: digest {:016x}", told.digest);
                }
            }
            Err(broken) => {
                println!("{broken}");
                let rights = if is_shared { "workspaces" } else { "store" };
                println!(
                    "tell it again: cargo run -p entracte-tests --bin simulate -- --seed {seed} --steps {steps} --rights {rights}"
                );
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{seeds} stories: {sessions} sessions, {occurrences} occurrences, {effects} effects, {tasks} tasks, {agents} agents, {deaths} deaths: all held"
    );
    ExitCode::SUCCESS
}
