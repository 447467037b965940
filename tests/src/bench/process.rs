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
