//! What this process has used.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CPU time of all its threads, those that have ended included.
pub fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}

/// Resident memory, kilobytes of 1024 bytes, as Linux tells; 0 elsewhere.
pub fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// What another process has used: CPU time and resident memory, as Linux tells; nothing elsewhere.
pub fn process_usage(pid: u32) -> (Duration, u64) {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program stands in brackets, and may hold anything.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .into_iter()
        .flat_map(|rest| rest.split_whitespace().skip(1).map(|field| field.parse().unwrap_or(0)))
        .collect();
    let ticks = fields.get(10).copied().unwrap_or(0) + fields.get(11).copied().unwrap_or(0);
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    (Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND), resident)
}

/// How Linux counts the time of a process.
const TICKS_PER_SECOND: u64 = 100;
