//! `cargo run -p entracte-tests --bin simulate -- --seeds 10000`: tells so many stories and says what did not hold.
//! With `--seed N` it tells one again.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::process::ExitCode;

use entracte_application::planted::{Bug, plant};
use entracte_tests::simulate::{Plan, tell};

const USAGE: &str = "usage: simulate [--seeds N | --seed N] [--from N] [--steps N] [--plant lost-occurrence|repeated-action|any-card]";

fn main() -> ExitCode {
    let mut seeds = 1000;
    let mut from = 1;
    let mut steps = 150;
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let Some(value) = arguments.next() else { return usage(&name) };
        let number = value.parse::<u64>();
        match (name.as_str(), number) {
            ("--seeds", Ok(number)) => seeds = number,
            ("--from", Ok(number)) => from = number,
            ("--seed", Ok(number)) => (from, seeds) = (number, 1),
            ("--steps", Ok(number)) => steps = u32::try_from(number).unwrap_or(u32::MAX),
            ("--plant", _) if value == "lost-occurrence" => plant(Some(Bug::LostOccurrence)),
            ("--plant", _) if value == "repeated-action" => plant(Some(Bug::RepeatedAction)),
            ("--plant", _) if value == "any-card" => plant(Some(Bug::AnyCard)),
            _ => return usage(&format!("{name} {value}")),
        }
    }
    run(from, seeds, steps)
}

fn usage(what: &str) -> ExitCode {
    eprintln!("simulate: {what} is not understood\n{USAGE}");
    ExitCode::from(2)
}

fn run(from: u64, seeds: u64, steps: u32) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("simulate: no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    let (mut sessions, mut occurrences, mut effects, mut deaths) = (0, 0, 0, 0);
    for seed in from..from.saturating_add(seeds) {
        match runtime.block_on(tell(Plan { seed, steps })) {
            Ok(told) => {
                sessions += told.sessions;
                occurrences += told.occurrences;
                effects += told.effects;
                deaths += told.deaths;
                if seeds == 1 {
                    println!("seed {seed}: digest {:016x}", told.digest);
                }
            }
            Err(broken) => {
                println!("{broken}");
                println!(
                    "tell it again: cargo run -p entracte-tests --bin simulate -- --seed {seed} --steps {steps}"
                );
                return ExitCode::FAILURE;
            }
        }
    }
    println!(
        "{seeds} stories: {sessions} sessions, {occurrences} occurrences, {effects} effects, {deaths} deaths: all held"
    );
    ExitCode::SUCCESS
}
