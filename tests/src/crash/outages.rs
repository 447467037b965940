//! Lives that run into trouble and go on in the same process, or are started again while they still end: the lock is cut, another
//! process owns the database for a while, the disk is full for a while, the server is restarted.

use std::any::Any;
use std::time::Duration;

use entracte_domain::time::Millis;

use super::findings::CrashFindings;
use super::freeze::{COMMITS_MAX, COMMITTED, FreezableProcess, open};
use super::invariants;
use super::scenario::CrashScenario;
use super::scenario_run::{CrashScenarioRun, CrashTestSite, LIFE_MAX};
use super::trigger::CrashTrigger;

/// How long a trouble lasts, unless the life says sooner that it noticed it.
const LASTS: Duration = Duration::from_millis(300);

/// Where one story is played, and the trouble that comes.
pub struct OutageTestSite {
    /// Program, folder and database.
    pub place: CrashTestSite,
    /// Begins the trouble; what it gives ends it when it is dropped.
    pub begin: Box<dyn Fn() -> Box<dyn Any>>,
    /// Whatever must live as long.
    pub keep: Box<dyn Any>,
}

/// Plays the scene again and again. Each time the trouble begins while the life stands still after another commit, every
/// `step`-th of them, and ends while it goes on; the life must come to its end by itself. Gives how often, and what was found.
///
/// # Panics
/// When a process cannot be started or heard.
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

/// Plays the scene again and again. Each time the life is told to end in order after another commit, every `step`-th of them,
/// and the next one is started at once. Gives how often, and what was found.
///
/// # Panics
/// When a process cannot be started or heard.
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
        // The one that ends still has the database. No clock goes back by a restart.
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
