//! A process that freezes between the commit that marks an action as started and its send. Another process takes over
//! and finishes the scenario; then the first one thaws and must send nothing.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use std::any::Any;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::failpoints::{FailpointMoment, FailpointOperation, FailpointSite};
use entracte_application::settings::RuntimeSettings;
use entracte_application::use_cases::ReadCalls;
use entracte_domain::time::Millis;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::child::CrashChildConfig;
use super::clock::PACE;
use super::findings::CrashFindings;
use super::invariants;
use super::scenario::CrashScenario;
use super::scenario_run::{CrashScenarioRun, CrashTestSite, LIFE_MAX, workspace};
use super::trigger::CrashTrigger;

/// Maximum number of commits of the scenario that are tried.
pub(super) const COMMITS_MAX: u32 = 100;

/// The commit after which the process freezes.
pub(super) const COMMITTED: FailpointSite =
    FailpointSite { operation: FailpointOperation::Commit, moment: FailpointMoment::After };

/// The site of one run.
pub struct FreezeTestSite {
    /// Program, folder and database.
    pub place: CrashTestSite,
    /// Takes the database lock away from its owner, as a machine loses it when it is given up.
    pub take_lock: Box<dyn Fn()>,
    /// Resources that must outlive the run.
    pub keep: Box<dyn Any>,
}

/// Freezes a process after each commit that leaves another external action started, each on a site of its own. Returns
/// the commands of those actions, and the findings.
///
/// # Panics
/// If a process cannot be started or read.
pub fn freeze_after_each_start(make: impl Fn() -> FreezeTestSite) -> (BTreeSet<String>, CrashFindings) {
    let scene = CrashScenario::named("approvals").expect("it is a scene");
    let (mut seen, mut findings) = (BTreeSet::new(), CrashFindings::default());
    for nth in 1..=COMMITS_MAX {
        let ground = make();
        let mut story = CrashScenarioRun::new(scene, "ses_story");
        let Some(life) = FreezableProcess::begin_frozen(&ground.place, &story, nth) else { break };
        let started = started(&ground.place, &story);
        if started.is_subset(&seen) {
            life.end();
            continue;
        }
        (ground.take_lock)();
        story.now = story.now.plus(Millis::minutes(10));
        if !story.run_to_end(&ground.place, &mut findings, |_| CrashTrigger::Never, |_, _| {}) {
            findings.record_stuck(format!("{story}: nobody took over from a life frozen after commit {nth}"));
        }
        if !life.thaw() {
            findings.record_stuck(format!("{story}: the life frozen after commit {nth} noticed nothing"));
        }
        let database = open(&ground.place);
        invariants::at_end(&database, &ground.place.folder, &story, &mut findings);
        if !findings.is_clean() {
            findings.fault(format!("{story}: the first life froze after commit {nth} with {started:?}"));
        }
        seen.extend(started);
    }
    (seen, findings)
}

pub(super) fn open(place: &CrashTestSite) -> Database {
    Database::open(&place.location, DatabaseOptions::default()).expect("the database opens")
}

/// The external actions in progress, by command.
fn started(place: &CrashTestSite, story: &CrashScenarioRun) -> BTreeSet<String> {
    let database = open(place);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let read = ReadCalls::new(database.store(), database.log_reader());
    let (workspace, session) = (workspace(&story.session), story.session.clone());
    // Before its first commit there is no session.
    let calls =
        runtime.expect("a runtime starts").block_on(read.run(&workspace, &session)).unwrap_or_default();
    let under_way = calls.into_iter().filter(|view| view.state == "started");
    under_way.map(|view| view.call.command.name).filter(|name| name.starts_with("outside.note")).collect()
}

/// A process whose output is read and that can be stopped.
pub(super) struct FreezableProcess {
    child: Child,
    said: Receiver<String>,
    since: tokio::time::Instant,
    /// Its output lines so far.
    lines: Vec<String>,
}

impl FreezableProcess {
    /// Starts a process.
    pub(super) fn begin(place: &CrashTestSite, story: &CrashScenarioRun, death: CrashTrigger) -> Self {
        let orders = CrashChildConfig {
            folder: place.folder.clone(),
            location: place.location.clone(),
            scene: story.scene,
            session: story.session.clone(),
            now: story.now,
            death,
            max_bytes: place.max_bytes,
            is_shared: place.is_shared,
        };
        let mut child = Command::new(&place.program)
            .arg("child")
            .args(orders.arguments())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the process starts");
        let out = child.stdout.take().expect("its output is piped");
        let (say, said) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if say.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, said, since: tokio::time::Instant::now(), lines: Vec::new() }
    }

    /// Starts a process and waits until it is frozen after a commit; `None` if it finished before.
    pub(super) fn begin_frozen(place: &CrashTestSite, story: &CrashScenarioRun, nth: u32) -> Option<Self> {
        let mut life = Self::begin(place, story, CrashTrigger::Freezes(COMMITTED, nth));
        if life.wait_for_line("frozen", LIFE_MAX) != Some(true) {
            life.end();
            return None;
        }
        let stopped = waitpid(life.pid(), Some(WaitPidFlag::WUNTRACED)).expect("it is waited for");
        assert!(matches!(stopped, WaitStatus::Stopped(..)), "it is stopped: {stopped:?}");
        life.since = tokio::time::Instant::now();
        Some(life)
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("it is a number of a process"))
    }

    /// Waits for a line that starts with `word`, or for the end of the process; `None` after `span`.
    pub(super) fn wait_for_line(&mut self, word: &str, span: Duration) -> Option<bool> {
        loop {
            match self.said.recv_timeout(span) {
                Ok(line) => {
                    let is_it = line.starts_with(word);
                    self.lines.push(line);
                    if is_it {
                        return Some(true);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Some(false),
                Err(RecvTimeoutError::Timeout) => return None,
            }
        }
    }

    /// Whether this line was printed.
    pub(super) fn has_printed(&self, line: &str) -> bool {
        self.lines.iter().any(|said| said == line)
    }

    /// Resumes a frozen process.
    pub(super) fn resume_process(&self) {
        kill(self.pid(), Signal::SIGCONT).expect("it goes on");
    }

    /// Resumes it after its lease has expired, until it notices its successor; returns whether it did.
    fn thaw(mut self) -> bool {
        let lease = RuntimeSettings::default().lease.0 / PACE;
        let lease = Duration::from_millis(lease.unsigned_abs());
        std::thread::sleep(lease.saturating_sub(self.since.elapsed()));
        self.resume_process();
        // Its user posts again, or finds that everything is done.
        let noticed = self.wait_for_line("posts again", LIFE_MAX).is_some();
        self.end();
        noticed
    }

    /// Reads the process to its end; returns all its lines.
    pub(super) fn collect_to_end(mut self) -> Vec<String> {
        // A stuck process is recognized by its missing output.
        let _ended = self.wait_for_line("told", LIFE_MAX);
        let lines = std::mem::take(&mut self.lines);
        self.end();
        lines
    }

    pub(super) fn end(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
    }
}
