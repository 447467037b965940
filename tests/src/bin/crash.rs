//! `cargo run -p entracte-tests --bin crash -- --kills 200 [--seed N]`: kills a rehearsed session with -9 and
//! counts what was lost and what happened twice. Exit 1 when anything was.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for people")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use entracte_domain::id::SessionId;
use entracte_tests::crash::child::{Orders, live};
use entracte_tests::crash::parent::{Findings, run};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "child") {
        return child(&arguments[1..]);
    }
    let Some((kills, seed)) = parse(&arguments) else {
        eprintln!("usage: crash [--kills N] [--seed N]");
        return ExitCode::from(2);
    };
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("no temporary folder can be made: {error}");
            return ExitCode::FAILURE;
        }
    };
    println!("seed {seed}, {kills} kills");
    let findings = run(folder.path(), kills, seed);
    print(&findings);
    if findings.is_clean() {
        return ExitCode::SUCCESS;
    }
    let kept = folder.keep();
    println!("the database is kept: {}; again: --kills {kills} --seed {seed}", kept.display());
    ExitCode::FAILURE
}

fn child(arguments: &[String]) -> ExitCode {
    let [folder, session, place] = arguments else { return ExitCode::from(2) };
    let Ok(place) = place.parse() else { return ExitCode::from(2) };
    let folder = PathBuf::from(folder);
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
    else {
        return ExitCode::FAILURE;
    };
    let folder: &Path = &folder;
    runtime.block_on(live(&Orders { folder, session: SessionId::new(session.clone()), place }));
    ExitCode::SUCCESS
}

fn parse(arguments: &[String]) -> Option<(u32, u64)> {
    let (mut kills, mut seed) = (200, 20_261_120);
    for pair in arguments.chunks(2) {
        match pair {
            [name, value] if name == "--kills" => kills = value.parse().ok()?,
            [name, value] if name == "--seed" => seed = value.parse().ok()?,
            _ => return None,
        }
    }
    Some((kills, seed))
}

fn print(findings: &Findings) {
    let table = |title: &str, rows: &std::collections::BTreeMap<String, u32>| {
        println!("{title}");
        for (name, count) in rows {
            println!("  {count:>5}  {name}");
        }
    };
    table("a start found the session in", &findings.phases);
    table("a life ended", &findings.places);
    table("calls", &findings.calls);
    println!(
        "{} kills, {} stories: {} lost messages, {} doubled effects, {} wrongly known outcomes, {} stuck sessions",
        findings.kills,
        findings.stories,
        findings.lost_messages,
        findings.doubled,
        findings.wrongly_known,
        findings.stuck
    );
    for fault in &findings.faults {
        println!("FAULT {fault}");
    }
}
