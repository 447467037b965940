//! `cargo run -p entracte-tests --bin crash -- --kills 1000 --store sqlite|postgres [--seed N] [--scene NAME]`: kills a
//! process with -9 in crash scenarios, and counts lost, repeated and stuck work. With `--store postgres-shared` each process
//! works beside others, and takes the workspace of the killed one over after its lease. `--every` kills it once at each crash
//! point of each scenario. Exit code 1 if a finding exists.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program for people")]

use std::path::PathBuf;
use std::process::ExitCode;

use entracte_application::failpoints;
use entracte_application::planted_bugs::{PlantedBug, set_planted_bug};
use entracte_tests::crash::child::{CHILD_ARGUMENTS, CrashChildConfig, live};
use entracte_tests::crash::every_point::{CrashPointCoverage, count_scenario_points, crash_at_points};
use entracte_tests::crash::findings::CrashFindings;
use entracte_tests::crash::random_kills::kill;
use entracte_tests::crash::scenario::{CrashScenario, SCENES};
use entracte_tests::crash::scenario_run::CrashTestSite;
use entracte_tests::postgres::TestDatabase;

const USAGE: &str =
    "usage: crash [--kills N] [--store sqlite|postgres|postgres-shared] [--seed N] [--scene NAME]
             [--plant repeated-action]
       crash --every";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "child") {
        return child(&arguments[1..]);
    }
    if !failpoints::ARE_BUILT_IN {
        eprintln!("crash: this build has no points to die at; build it without --release");
        return ExitCode::from(2);
    }
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return fail(&format!("this program has no path: {error}")),
    };
    if arguments == ["--every"] {
        let (passed, found) = count_scenario_points(&program);
        let found = found.with(crash_at_points(&program, &passed, CrashPointCoverage::All));
        println!("{found}");
        return verdict(&found);
    }
    match CrashOptions::parse(&arguments) {
        Some(options) => many(&options, program),
        None => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn child(arguments: &[String]) -> ExitCode {
    let (arguments, planted) = arguments.split_at(arguments.len().min(CHILD_ARGUMENTS));
    let Some(orders) = CrashChildConfig::parse(arguments) else { return ExitCode::from(2) };
    if planted == ["repeated-action"] {
        set_planted_bug(Some(PlantedBug::RepeatedAction));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    match runtime {
        Ok(runtime) => {
            runtime.block_on(live(&orders));
            ExitCode::SUCCESS
        }
        Err(error) => fail(&format!("no runtime: {error}")),
    }
}

struct CrashOptions {
    kills: u32,
    seed: u64,
    on_postgres: bool,
    /// Whether each process works beside others instead of owning the database.
    is_shared: bool,
    scenes: Vec<&'static CrashScenario>,
    plant: Option<String>,
}

impl CrashOptions {
    fn parse(arguments: &[String]) -> Option<Self> {
        let scenes = SCENES.iter().collect();
        let (on_postgres, is_shared) = (false, false);
        let mut options = Self { kills: 200, seed: 20_261_120, on_postgres, is_shared, scenes, plant: None };
        for pair in arguments.chunks(2) {
            let [name, value] = pair else { return None };
            match (name.as_str(), value.as_str()) {
                ("--kills", value) => options.kills = value.parse().ok()?,
                ("--seed", value) => options.seed = value.parse().ok()?,
                ("--store", "sqlite") => options.on_postgres = false,
                ("--store", "postgres") => options.on_postgres = true,
                ("--store", "postgres-shared") => (options.on_postgres, options.is_shared) = (true, true),
                ("--scene", name) => options.scenes = vec![CrashScenario::named(name)?],
                ("--plant", "repeated-action") => options.plant = Some(value.clone()),
                _ => return None,
            }
        }
        Some(options)
    }
}

fn many(options: &CrashOptions, program: PathBuf) -> ExitCode {
    let folder = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return fail(&format!("no temporary folder can be made: {error}")),
    };
    let database = if options.on_postgres { TestDatabase::make() } else { None };
    let location = match (&database, options.on_postgres) {
        (Some(database), _) => database.url(),
        (None, false) => folder.path().join("entracte.db").to_string_lossy().into_owned(),
        (None, true) => return fail("there is no server; start one: .ci/postgres start"),
    };
    let CrashOptions { kills, seed, is_shared, .. } = options;
    let store = match (options.on_postgres, is_shared) {
        (true, true) => "postgres-shared",
        (true, false) => "postgres",
        (false, _) => "sqlite",
    };
    println!("{store}, seed {seed}, {kills} kills");
    let plant = options.plant.clone();
    let place = CrashTestSite {
        program,
        folder: folder.path().to_owned(),
        location,
        plant,
        max_bytes: 0,
        is_shared: *is_shared,
    };
    let found = match kill(&place, &options.scenes, *kills, *seed) {
        Ok(found) => found,
        Err(error) => return fail(&error.to_string()),
    };
    println!("{found} on {store}");
    if !found.is_clean() {
        let kept = folder.keep();
        println!("kept: {}; again: --store {store} --kills {kills} --seed {seed}", kept.display());
    }
    verdict(&found)
}

fn verdict(found: &CrashFindings) -> ExitCode {
    if found.is_clean() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn fail(text: &str) -> ExitCode {
    eprintln!("crash: {text}");
    ExitCode::FAILURE
}
