//! `cargo run --release -p entracte-tests --bin bench`: measures the real application beside a minimal loop with the
//! same work. Prints one line of JSON per row, then a table. Exit code 1 if a goal is missed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for people")]

use std::process::ExitCode;

use entracte_tests::bench::options::{BenchOptions, USAGE};
use entracte_tests::bench::result_row::{BenchGoal, table};
use entracte_tests::bench::{child, runner};

/// The same allocator as the command line.
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
    // After a quick run the figures are not meaningful.
    if missed && !is_quick { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
