//! Resource usage of a process.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CPU time of all threads of this process, including ended ones.
pub fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Resident memory in units of 1024 bytes, as Linux reports it; 0 on other systems.
pub fn resident_kb() -> u64 {
    status_kb("self", "VmRSS:")
}

/// The most resident memory so far, in units of 1024 bytes, as Linux reports it; 0 on other systems.
pub fn most_resident_kb() -> u64 {
    status_kb("self", "VmHWM:")
}

/// A number in the status of a process, in units of 1024 bytes.
fn status_kb(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// CPU time and resident memory (kilobytes) of another process, as Linux reports them; zero on other systems.
pub fn process_usage(pid: u32) -> (Duration, u64) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The program name is in parentheses and may contain any character.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .into_iter()
        .flat_map(|rest| rest.split_whitespace().skip(1).map(|field| field.parse().unwrap_or(0)))
        .collect();
    let ticks = fields.get(10).copied().unwrap_or(0) + fields.get(11).copied().unwrap_or(0);
    (Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND), status_kb(&pid.to_string(), "VmRSS:"))
}

/// Resident memory (kilobytes) of another process that is mapped from no file, as Linux reports it; zero on other systems.
pub fn anonymous_kb(pid: u32) -> u64 {
    status_kb(&pid.to_string(), "RssAnon:")
}

/// The unit in which Linux counts CPU time.
const TICKS_PER_SECOND: u64 = 100;
