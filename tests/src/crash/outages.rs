//! Processes that meet an outage and continue, or are restarted while they still end: the lock is cut, another process
//! owns the database for a while, the disk is full for a while, the server is restarted.

use std::any::Any;
use std::time::Duration;

use entracte_domain::time::Millis;

use super::findings::CrashFindings;
use super::freeze::{COMMITS_MAX, COMMITTED, FreezableProcess, open};
use super::invariants;
use super::scenario::CrashScenario;
use super::scenario_run::{CrashScenarioRun, CrashTestSite, LIFE_MAX};
use super::trigger::CrashTrigger;

/// Duration of an outage, unless the process reports earlier that it noticed it.
const LASTS: Duration = Duration::from_millis(300);

/// The site of one run, and its outage.
pub struct OutageTestSite {
    /// Program, folder and database.
    pub place: CrashTestSite,
    /// Starts the outage; dropping the returned value ends it.
    pub begin: Box<dyn Fn() -> Box<dyn Any>>,
    /// Resources that must outlive the run.
    pub keep: Box<dyn Any>,
}

/// Plays the scenario repeatedly. Each time the outage starts while the process is frozen after another commit (every
/// `step`-th), and ends while it continues; the process must finish by itself. Returns the number of runs, and the
/// findings.
///
/// # Panics
/// If a process cannot be started or read.
pub fn trouble_after_commits(
    make: impl Fn() -> OutageTestSite,
    scene: &'static CrashScenario,
    step: usize,
) -> (u32, CrashFindings) {
    let (mut times, mut findings) = (0, CrashFindings::default());
    for nth in (1..=COMMITS_MAX).step_by(step.max(1)) {
        let troubled = make();
        let mut story = CrashScenarioRun::new(scene, "ses_story");
        let Some(mut life) = FreezableProcess::begin_frozen(&troubled.place, &story, nth) else { break };
        times += 1;
        let trouble = (troubled.begin)();
        life.resume_process();
        let _noticed = life.wait_for_line("posts again", LASTS);
        drop(trouble);
        if !story.apply_final_output(life.collect_to_end(), &mut findings) {
            findings.record_stuck(format!(
                "{story}: the life in trouble after commit {nth} did not come to its end"
            ));
        }
        end(&troubled.place, &story, nth, &mut findings);
    }
    (times, findings)
}

/// Plays the scenario repeatedly. Each time the process is asked to shut down after another commit (every `step`-th),
/// and the next one starts at once. Returns the number of runs, and the findings.
///
/// # Panics
/// If a process cannot be started or read.
pub fn restart_after_commits(
    make: impl Fn() -> (CrashTestSite, Box<dyn Any>),
    scene: &'static CrashScenario,
    step: usize,
) -> (u32, CrashFindings) {
    let (mut times, mut findings) = (0, CrashFindings::default());
    for nth in (1..=COMMITS_MAX).step_by(step.max(1)) {
        let (place, _keep) = make();
        let mut story = CrashScenarioRun::new(scene, "ses_story");
        let mut life = FreezableProcess::begin(&place, &story, CrashTrigger::Stops(COMMITTED, nth));
        if life.wait_for_line("stops", LIFE_MAX) != Some(true) {
            life.end();
            break;
        }
        times += 1;
        // The ending process still has the database. A restart sets no clock back.
        story.now = story.now.plus(Millis::minutes(10));
        let next = FreezableProcess::begin(&place, &story, CrashTrigger::Never);
        if life.wait_for_line("left", LIFE_MAX) != Some(true) && !life.has_printed("told") {
            findings
                .record_stuck(format!("{story}: the life that was told to end after commit {nth} did not"));
        }
        life.end();
        if !story.apply_final_output(next.collect_to_end(), &mut findings) {
            findings.record_stuck(format!(
                "{story}: the life started after commit {nth} did not come to its end"
            ));
        }
        end(&place, &story, nth, &mut findings);
    }
    (times, findings)
}

fn end(place: &CrashTestSite, story: &CrashScenarioRun, nth: u32, findings: &mut CrashFindings) {
    let database = open(place);
    invariants::at_end(&database, &place.folder, story, findings);
    match database.check() {
        Ok(faults) => faults.into_iter().for_each(|fault| findings.fault(format!("{story}: {fault}"))),
        Err(error) => findings.fault(format!("{story}: {error}")),
    }
    if !findings.is_clean() {
        findings.fault(format!("{story}: the trouble was after commit {nth}"));
    }
}
