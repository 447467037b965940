//! `cargo run --release -p entracte-tests --bin bench`: measures the real application beside the least loop that could
//! do its work. One line of JSON for each row on the standard output, then a table. Exit 1 when a goal is missed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for people")]

use std::process::ExitCode;

use entracte_tests::bench::options::{BenchOptions, USAGE};
use entracte_tests::bench::result_row::{BenchGoal, table};
use entracte_tests::bench::{child, runner};

/// As the command line has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, orders] = arguments.as_slice()
        && role == "child"
    {
        child::live(orders);
        return ExitCode::SUCCESS;
    }
    let options = match BenchOptions::parse(&arguments) {
        Ok(options) => options,
        Err(fault) => {
            eprintln!("{fault}; {USAGE}");
            return ExitCode::from(2);
        }
    };
    let is_quick = options.quick;
    let rows = runner::run(options, |row| println!("{}", row.json()));
    eprintln!("{}", table(&rows));
    let missed = rows.iter().flat_map(|row| &row.goals).any(|goal| !BenchGoal::is_met(goal));
    // With so little work the figures say nothing.
    if missed && !is_quick { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
