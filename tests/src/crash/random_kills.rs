//! Kills a given number of processes, at crash points and at random instants, over as many runs as that needs.

use std::time::Duration;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::failpoints::FailpointSite;

use super::findings::CrashFindings;
use super::invariants;
use super::scenario::CrashScenario;
use super::scenario_run::{CrashScenarioRun, CrashTestSite};
use super::trigger::CrashTrigger;

/// Random numbers that a seed reproduces (SplitMix64).
#[derive(Debug)]
pub struct CrashRng(pub u64);

impl CrashRng {
    /// A number from 1 to `most`.
    pub fn roll(&mut self, most: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        u32::try_from(z % u64::from(most.max(1))).unwrap_or(0) + 1
    }

    /// A random trigger: the n-th crash point, a named one, or a random instant.
    fn death(&mut self) -> CrashTrigger {
        match self.roll(3) {
            1 => CrashTrigger::Nth(self.roll(50)),
            2 => {
                let points = FailpointSite::all();
                let which = self.roll(u32::try_from(points.len()).unwrap_or(1)) as usize - 1;
                CrashTrigger::At(points[which], self.roll(2))
            }
            _ => CrashTrigger::After(Duration::from_micros(u64::from(self.roll(LONGEST_US)))),
        }
    }
}

/// Typical duration of a process, in microseconds.
const LONGEST_US: u32 = 250_000;

/// Kills `wanted` processes of these scenarios, which take turns.
///
/// # Errors
/// If the database cannot be opened.
pub fn kill(
    place: &CrashTestSite,
    scenes: &[&'static CrashScenario],
    wanted: u32,
    seed: u64,
) -> Result<CrashFindings, entracte_adapters_db::OpenError> {
    let mut findings = CrashFindings::default();
    let mut dice = CrashRng(seed);
    let database = Database::open(&place.location, DatabaseOptions::default())?;
    let mut number = 0;
    while findings.kills < wanted {
        let scene = scenes[number % scenes.len()];
        let mut story = CrashScenarioRun::new(scene, &format!("ses_story{number:04}"));
        let told = story.run_to_end(
            place,
            &mut findings,
            |findings| if findings.kills < wanted { dice.death() } else { CrashTrigger::Never },
            |story, findings| invariants::after_death(&database, story, findings),
        );
        if !told {
            findings.record_stuck(format!("{story} did not come to its end"));
        }
        invariants::at_end(&database, &place.folder, &story, &mut findings);
        number += 1;
    }
    for fault in database.check().unwrap_or_else(|error| vec![error.to_string()]) {
        findings.fault(format!("the database: {fault}"));
    }
    Ok(findings)
}
