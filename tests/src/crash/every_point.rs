//! Kills a process at every crash point of every scenario, each time on a new file, and lets the next process finish
//! the scenario.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::failpoints::FailpointSite;

use super::findings::CrashFindings;
use super::invariants;
use super::scenario::{CrashScenario, SCENES};
use super::scenario_run::{CrashScenarioRun, CrashTestSite};
use super::trigger::CrashTrigger;

/// Which of the passes of a crash point are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPointCoverage {
    /// All of them.
    All,
    /// The first and the last.
    Few,
    /// The last, in one scenario per point; the points take turns over the scenarios.
    Once,
}

/// How often each scenario passes each crash point without a kill.
///
/// # Panics
/// If a scenario does not finish.
pub fn count_scenario_points(
    program: &Path,
) -> (BTreeMap<(&'static str, FailpointSite), u32>, CrashFindings) {
    let each = in_parallel(SCENES.iter().collect(), |scene| {
        let findings = run_scenario(program, scene, CrashTrigger::Never, None);
        assert!(findings.is_clean(), "{}: {findings}", scene.name);
        (scene.name, findings)
    });
    let (mut passed, mut all) = (BTreeMap::new(), CrashFindings::default());
    for (scene, findings) in each {
        for point in FailpointSite::all() {
            if let Some(count) = findings.passed.get(&point.to_string()) {
                passed.insert((scene, point), *count);
            }
        }
        all = all.with(findings);
    }
    (passed, all)
}

/// Kills processes at these points of these scenarios, and returns the findings.
pub fn crash_at_points(
    program: &Path,
    passed: &BTreeMap<(&'static str, FailpointSite), u32>,
    times: CrashPointCoverage,
) -> CrashFindings {
    let scenes = one_scene_each(passed);
    let deaths = passed.iter().flat_map(|((scene, point), count)| {
        let chosen: Vec<u32> = match times {
            CrashPointCoverage::All => (1..=*count).collect(),
            CrashPointCoverage::Few => {
                let mut few = vec![1, *count];
                few.dedup();
                few
            }
            CrashPointCoverage::Once if scenes.get(point) == Some(scene) => vec![*count],
            CrashPointCoverage::Once => Vec::new(),
        };
        chosen.into_iter().map(move |nth| (*scene, CrashTrigger::At(*point, nth)))
    });
    let all = in_parallel(deaths.collect(), |(scene, death)| {
        let scene = CrashScenario::named(scene).expect("it is a scene");
        run_scenario(program, scene, death, None)
    });
    all.into_iter().fold(CrashFindings::default(), CrashFindings::with)
}

/// One scenario that passes each point; if there are several, they take turns.
fn one_scene_each(
    passed: &BTreeMap<(&'static str, FailpointSite), u32>,
) -> BTreeMap<FailpointSite, &'static str> {
    let mut all: BTreeMap<FailpointSite, Vec<&'static str>> = BTreeMap::new();
    for (scene, point) in passed.keys() {
        all.entry(*point).or_default().push(scene);
    }
    let turns = all.into_iter().enumerate();
    turns.map(|(turn, (point, scenes))| (point, scenes[turn % scenes.len()])).collect()
}

/// One run in a file of its own, whose first process ends at this trigger.
pub fn run_scenario(
    program: &Path,
    scene: &'static CrashScenario,
    death: CrashTrigger,
    plant: Option<&str>,
) -> CrashFindings {
    let folder = in_memory().expect("a folder is made");
    let file = folder.path().join("entracte.db");
    let place = CrashTestSite {
        is_shared: false,
        program: program.to_owned(),
        folder: folder.path().to_owned(),
        location: file.to_string_lossy().into_owned(),
        plant: plant.map(str::to_owned),
        max_bytes: 0,
    };
    run_scenario_at(&place, scene, death)
}

/// One run on an empty database, whose first process ends at this trigger.
pub fn run_scenario_at(
    place: &CrashTestSite,
    scene: &'static CrashScenario,
    death: CrashTrigger,
) -> CrashFindings {
    let open = || Database::open(&place.location, DatabaseOptions::default()).expect("the database opens");
    let mut findings = CrashFindings::default();
    let mut story = CrashScenarioRun::new(scene, "ses_story");
    let mut deaths = std::iter::once(death);
    let told = story.run_to_end(
        place,
        &mut findings,
        |_| deaths.next().unwrap_or(CrashTrigger::Never),
        |story, findings| invariants::after_death(&open(), story, findings),
    );
    if !told {
        findings.record_stuck(format!("{story} did not come to its end after {death:?}"));
    }
    let database = open();
    invariants::at_end(&database, &place.folder, &story, &mut findings);
    for fault in database.check().expect("it is checked") {
        findings.fault(format!("{story}: {fault}"));
    }
    if !findings.is_clean() {
        findings.fault(format!("{story}: the first life was to end {death:?}"));
    }
    findings
}

/// A temporary folder in memory, if the system offers one: a killed process loses nothing that it has written to the
/// system, so the tests need not wait for a disk.
///
/// # Errors
/// If no folder can be created on the disk either.
pub fn in_memory() -> std::io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

/// Calls `each` in parallel, with one thread more than there are processors, because each waits for the disk now and
/// then. Returns the results in the same order.
fn in_parallel<T: Send + Sync + Copy, A: Send>(all: Vec<T>, each: impl Fn(T) -> A + Sync) -> Vec<A> {
    let next = AtomicUsize::new(0);
    let answers: Vec<Mutex<Option<A>>> = all.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        let take = || {
            let number = next.fetch_add(1, Ordering::SeqCst);
            all.get(number).zip(answers.get(number))
        };
        while let Some((one, answer)) = take() {
            let given = each(*one);
            *answer.lock().expect("nobody panicked here") = Some(given);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..=std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let answers = answers.into_iter().map(|answer| answer.into_inner().expect("nobody panicked here"));
    answers.map(|answer| answer.expect("each was done")).collect()
}
