//! When a life ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use entracte_application::failpoints::{FailpointSite, set_failpoint_observer};
use tokio::sync::Notify;

/// When a life ends before its story is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashTrigger {
    /// It does not.
    Never,
    /// At so many points, whichever they are, from 1.
    Nth(u32),
    /// At one point, when it is passed for the so-many-th time, from 1.
    At(FailpointSite, u32),
    /// It is stopped at one point, when that is passed for the so-many-th time, and goes on when the parent says so.
    Freezes(FailpointSite, u32),
    /// It is told to end in order at one point, when that is passed for the so-many-th time.
    Stops(FailpointSite, u32),
    /// When the parent ends it, so long after its start.
    After(Duration),
}

impl CrashTrigger {
    /// As an argument of the process.
    pub fn argument(self) -> String {
        match self {
            // A parent needs no help.
            CrashTrigger::Never | CrashTrigger::After(_) => "never".to_owned(),
            CrashTrigger::Nth(nth) => format!("{nth}"),
            CrashTrigger::At(point, nth) => format!("{point}:{nth}"),
            CrashTrigger::Freezes(point, nth) => format!("{FREEZES}{point}:{nth}"),
            CrashTrigger::Stops(point, nth) => format!("{STOPS}{point}:{nth}"),
        }
    }

    /// Of an argument; none when it is none.
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

/// Makes the end at a point of it.
type CrashTriggerBuilder = fn(FailpointSite, u32) -> CrashTrigger;

/// Before the point of a life that is stopped.
const FREEZES: &str = "freezes:";

/// Before the point of a life that is told to end.
const STOPS: &str = "stops:";

/// Told when this life is to end in order.
static STOPPED: Notify = Notify::const_new();

/// Returns when this life is told to end in order.
pub async fn wait_for_shutdown_signal() {
    STOPPED.notified().await;
}

/// The points that this life has passed.
static PASSED: Mutex<BTreeMap<FailpointSite, u32>> = Mutex::new(BTreeMap::new());

/// Lets this process die when it is due.
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
            // All of its threads stop, and nothing is told to anybody.
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGSTOP);
        } else if due && matches!(death, CrashTrigger::Stops(..)) {
            print_line(&format!("stops {point}"));
            STOPPED.notify_one();
        } else if due {
            print_line(&format!("dies {point}"));
            // SIGKILL to oneself: nothing is flushed, no destructor runs, as in any kill -9.
            let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
            loop {
                std::thread::park();
            }
        }
    });
    assert!(watching, "this program must be built with failpoints, without --release");
}

/// Tells the parent which points were passed, and how often.
pub fn print_passed_points() {
    for (point, count) in PASSED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        print_line(&format!("passed {point} {count}"));
    }
}

/// One line to the parent.
pub fn print_line(line: &str) {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}
