//! A scenario run: the processes that play a scenario to its end, and their results.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use entracte_domain::id::{AutomationId, SessionId, WorkspaceKey};
use entracte_domain::time::{Millis, Timestamp};

use super::child::CrashChildConfig;
use super::findings::CrashFindings;
use super::scenario::CrashScenario;
use super::trigger::CrashTrigger;
use crate::runtime_fixture::NOON;

/// Maximum number of processes of one run.
const LIVES_MAX: u32 = 400;

/// A process that takes longer is stuck.
pub(super) const LIFE_MAX: Duration = Duration::from_secs(60);

/// Time between the starts of two processes, on their clock.
const BETWEEN: Millis = Millis::minutes(10);

/// The site of scenario runs.
#[derive(Clone, Debug)]
pub struct CrashTestSite {
    /// The program of a child process.
    pub program: PathBuf,
    /// The folder of external effects.
    pub folder: PathBuf,
    /// Path or URL of the database.
    pub location: String,
    /// A bug that is planted in every process, to check that it is found.
    pub plant: Option<String>,
    /// Maximum size of the database in bytes; 0: no limit.
    pub max_bytes: u64,
    /// Whether each process works beside others instead of owning the database.
    pub is_shared: bool,
}

/// A scenario run.
#[derive(Debug)]
pub struct CrashScenarioRun {
    /// The scenario.
    pub scene: &'static CrashScenario,
    /// The chat; all other names derive from it.
    pub session: SessionId,
    /// When its next process starts.
    pub now: Timestamp,
    /// Numbers of the acknowledged messages.
    pub acknowledged: BTreeSet<usize>,
}

/// The workspace of a run: each has its own, so that its content can be counted.
pub fn workspace(session: &SessionId) -> WorkspaceKey {
    WorkspaceKey::new(format!("crash:{session}"))
}

/// The automation of a run.
pub fn automation(session: &SessionId) -> AutomationId {
    AutomationId::new(format!("aut_{session}"))
}

/// The file of external effects of a run.
pub fn outside(folder: &Path, session: &SessionId) -> PathBuf {
    folder.join(format!("{session}.jsonl"))
}

/// The folder of the tasks that the task server accepted in a run.
pub fn task_folder(folder: &Path, session: &SessionId) -> PathBuf {
    folder.join(format!("{session}.tasks"))
}

/// Output and end of a child process.
struct ChildProcessOutput {
    lines: Vec<String>,
    was_killed: bool,
}

impl CrashScenarioRun {
    /// A run that has not started.
    pub fn new(scene: &'static CrashScenario, session: &str) -> Self {
        Self { scene, session: SessionId::new(session), now: NOON, acknowledged: BTreeSet::new() }
    }

    /// Plays the scenario; returns whether it finished. `death` returns the trigger of each process, and `after_death`
    /// inspects the database after each kill.
    pub fn run_to_end(
        &mut self,
        place: &CrashTestSite,
        findings: &mut CrashFindings,
        mut death: impl FnMut(&CrashFindings) -> CrashTrigger,
        mut after_death: impl FnMut(&CrashScenarioRun, &mut CrashFindings),
    ) -> bool {
        for _ in 0..LIVES_MAX {
            let chosen = death(findings);
            let life = self.run_child_process(place, chosen);
            if self.apply_output(&life, findings) {
                return true;
            }
            if !life.was_killed {
                findings.fault(format!("{self} ended a life by itself: {:?}", life.lines));
                return false;
            }
            after_death(self, findings);
        }
        false
    }

    /// Applies the output of a process that was not killed; returns whether it was the last.
    pub(super) fn apply_final_output(&mut self, lines: Vec<String>, findings: &mut CrashFindings) -> bool {
        self.apply_output(&ChildProcessOutput { lines, was_killed: false }, findings)
    }

    /// Applies the output of a process; returns whether it was the last.
    fn apply_output(&mut self, life: &ChildProcessOutput, findings: &mut CrashFindings) -> bool {
        for line in &life.lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "acknowledged" => self.acknowledged.extend(rest.parse::<usize>()),
                "dies" => *findings.points.entry(rest.to_owned()).or_default() += 1,
                "passed" => {
                    let (point, count) = rest.split_once(' ').unwrap_or((rest, "1"));
                    findings.passed.insert(point.to_owned(), count.parse().unwrap_or(1));
                }
                "clock" => self.now = self.now.max(Timestamp(rest.parse().unwrap_or(0))),
                _ => {}
            }
        }
        self.now = self.now.plus(BETWEEN);
        let is_told = life.lines.last().is_some_and(|line| line == "told");
        if life.was_killed && !is_told {
            findings.kills += 1;
            if !life.lines.last().is_some_and(|line| line.starts_with("dies ")) {
                *findings.points.entry("at a random instant".to_owned()).or_default() += 1;
            }
        }
        is_told
    }

    /// Runs one child process.
    fn run_child_process(&self, place: &CrashTestSite, death: CrashTrigger) -> ChildProcessOutput {
        let orders = CrashChildConfig {
            folder: place.folder.clone(),
            location: place.location.clone(),
            scene: self.scene,
            session: self.session.clone(),
            now: self.now,
            death,
            max_bytes: place.max_bytes,
            is_shared: place.is_shared,
        };
        let mut child = Command::new(&place.program)
            .arg("child")
            .args(orders.arguments())
            .args(&place.plant)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the process starts");
        let out = child.stdout.take().expect("its output is piped");
        let (ended, wait) = channel();
        let hearing = std::thread::spawn(move || {
            let lines: Vec<String> = BufReader::new(out).lines().map_while(Result::ok).collect();
            let _ = ended.send(());
            lines
        });
        let mut was_stuck = false;
        if let CrashTrigger::After(span) = death
            && wait.recv_timeout(span) == Err(RecvTimeoutError::Timeout)
        {
            // SIGKILL, as kill -9.
            child.kill().expect("it is killed");
        } else if wait.recv_timeout(LIFE_MAX) == Err(RecvTimeoutError::Timeout) {
            was_stuck = true;
            child.kill().expect("it is killed");
        }
        let status = child.wait().expect("it ends");
        let mut lines = hearing.join().expect("it is heard");
        if was_stuck {
            lines.push("it is stuck".to_owned());
        }
        ChildProcessOutput { lines, was_killed: status.signal() == Some(9) && !was_stuck }
    }
}

impl std::fmt::Display for CrashScenarioRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.session, self.scene.name)
    }
}
