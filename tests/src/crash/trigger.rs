//! When a child process ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use entracte_application::failpoints::{FailpointSite, set_failpoint_observer};
use tokio::sync::Notify;

/// When a child process ends before the scenario is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashTrigger {
    /// Never.
    Never,
    /// At the n-th crash point of any kind, from 1.
    Nth(u32),
    /// At the n-th pass of one crash point, from 1.
    At(FailpointSite, u32),
    /// Freezes at the n-th pass of one crash point, until the parent resumes it.
    Freezes(FailpointSite, u32),
    /// Shuts down in order at the n-th pass of one crash point.
    Stops(FailpointSite, u32),
    /// The parent kills it this long after its start.
    After(Duration),
}

impl CrashTrigger {
    /// Encodes it as a process argument.
    pub fn argument(self) -> String {
        match self {
            // The parent acts alone.
            CrashTrigger::Never | CrashTrigger::After(_) => "never".to_owned(),
            CrashTrigger::Nth(nth) => format!("{nth}"),
            CrashTrigger::At(point, nth) => format!("{point}:{nth}"),
            CrashTrigger::Freezes(point, nth) => format!("{FREEZES}{point}:{nth}"),
            CrashTrigger::Stops(point, nth) => format!("{STOPS}{point}:{nth}"),
        }
    }

    /// Parses a process argument; `None` if it is invalid.
    pub fn parse(argument: &str) -> Option<Self> {
        if argument == "never" {
            return Some(CrashTrigger::Never);
        }
        let frozen =
            argument.strip_prefix(FREEZES).map(|rest| (rest, CrashTrigger::Freezes as CrashTriggerBuilder));
        let told =
            argument.strip_prefix(STOPS).map(|rest| (rest, CrashTrigger::Stops as CrashTriggerBuilder));
        let (argument, at) = frozen.or(told).unwrap_or((argument, CrashTrigger::At as CrashTriggerBuilder));
        match argument.split_once(':') {
            None => argument.parse().ok().map(CrashTrigger::Nth),
            Some((name, nth)) => {
                let point = FailpointSite::all().into_iter().find(|point| point.to_string() == name)?;
                Some(at(point, nth.parse().ok()?))
            }
        }
    }
}

/// Builds a trigger for a crash point and its pass.
type CrashTriggerBuilder = fn(FailpointSite, u32) -> CrashTrigger;

/// Prefix of the crash point of a freeze.
const FREEZES: &str = "freezes:";

/// Prefix of the crash point of a shutdown.
const STOPS: &str = "stops:";

/// Notified when this process must shut down in order.
static STOPPED: Notify = Notify::const_new();

/// Returns when this process must shut down in order.
pub async fn wait_for_shutdown_signal() {
    STOPPED.notified().await;
}

/// The crash points that this process has passed.
static PASSED: Mutex<BTreeMap<FailpointSite, u32>> = Mutex::new(BTreeMap::new());

/// Installs the trigger in this process.
pub fn install_trigger(death: CrashTrigger) {
    let watching = set_failpoint_observer(move |point| {
        let mut passed = PASSED.lock().unwrap_or_else(PoisonError::into_inner);
        let count = passed.entry(point).or_default();
        *count += 1;
        let due = match death {
            CrashTrigger::Never | CrashTrigger::After(_) => false,
            CrashTrigger::At(at, nth) | CrashTrigger::Freezes(at, nth) | CrashTrigger::Stops(at, nth) => {
                at == point && *count == nth
            }
            CrashTrigger::Nth(nth) => passed.values().sum::<u32>() == nth,
        };
        drop(passed);
        if due && matches!(death, CrashTrigger::Freezes(..)) {
            print_line(&format!("frozen {point}"));
            // All of its threads stop, without any notice.
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
        } else if due && matches!(death, CrashTrigger::Stops(..)) {
            print_line(&format!("stops {point}"));
            STOPPED.notify_one();
        } else if due {
            print_line(&format!("dies {point}"));
            // SIGKILL to itself: nothing is flushed, no destructor runs, as in any kill -9.
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
            loop {
                std::thread::park();
            }
        }
    });
    assert!(watching, "this program must be built with failpoints, without --release");
}

/// Prints the passed crash points and their counts for the parent.
pub fn print_passed_points() {
    for (point, count) in PASSED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        print_line(&format!("passed {point} {count}"));
    }
}

/// Prints one line for the parent.
pub fn print_line(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}
