//! System calls per round. Counts vary little even on a busy machine; their cost is not measured, because `strace`
//! makes each of them expensive. A page in the journal of SQLite is two `pwrite64`, one of them for its header.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::database::BenchDatabase;
use super::model_server::FakeModelServer;
use super::options::BenchDatabaseKind;
use super::result_row::BenchResultRow;
use super::rounds::orders;
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// The program that counts system calls.
const COUNTER: &str = "strace";

/// The reported system calls; a process makes many others.
const TOLD: [&str; 10] = [
    "futex",
    "epoll_wait",
    "write",
    "writev",
    "recvfrom",
    "pwrite64",
    "pread64",
    "fcntl",
    "fsync",
    "fdatasync",
];

/// Whether the counting program is installed.
pub fn can_count() -> bool {
    Command::new(COUNTER).arg("-V").output().is_ok_and(|said| said.status.success())
}

/// The row for the application and for the reference loop; empty if nothing can count.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    if !can_count() {
        return Vec::new();
    }
    let rounds = bench.options.size(200, 20);
    let of = |name, role, prompt| {
        let (counts, prompt) = per_round(&bench.model, kind, role, rounds, prompt);
        let mut row = BenchResultRow::new(name, format!("1x{rounds}"), kind.word());
        for told in TOLD {
            row = row.with(told, counts.get(told).copied().unwrap_or(0.0));
        }
        (row, prompt)
    };
    let (services, prompt) = of("syscalls", BenchWorkerRole::Entracte, 0);
    let (reference, _) = of("reference_syscalls", BenchWorkerRole::Reference, prompt);
    vec![services, reference]
}

/// System calls per round by name, and the bytes of the first request. A second run without rounds measures start and
/// end, which are subtracted.
fn per_round(
    model: &FakeModelServer,
    kind: BenchDatabaseKind,
    role: BenchWorkerRole,
    rounds: usize,
    prompt_bytes: usize,
) -> (BTreeMap<String, f64>, usize) {
    let (few, _) = counted(model, kind, role, 2, prompt_bytes);
    let (many, prompt) = counted(model, kind, role, 2 + rounds, prompt_bytes);
    let of = |(name, calls): (String, u64)| {
        let before = few.get(&name).copied().unwrap_or(0);
        (name, calls.saturating_sub(before) as f64 / rounds as f64)
    };
    (many.into_iter().map(of).collect(), prompt)
}

fn counted(
    model: &FakeModelServer,
    kind: BenchDatabaseKind,
    role: BenchWorkerRole,
    rounds: usize,
    prompt_bytes: usize,
) -> (BTreeMap<String, u64>, usize) {
    let place = BenchDatabase::make(kind).expect("there is a server");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let told = folder.path().join("counts");
    model.clear_stats();
    let orders = BenchWorkerConfig { calls: rounds, prompt_bytes, ..orders(role, &place, model, "syscalls") };
    let mut worker = BenchWorkerProcess::start_under(&counter(&told), &orders);
    worker.hear();
    worker.ask("go");
    model.wait_for_requests("syscalls", rounds);
    // Gives the commits that follow the last reply time to finish.
    std::thread::sleep(std::time::Duration::from_millis(300));
    worker.ask("report");
    worker.end();
    let prompt =
        model.with_matching_stats("syscalls", |stories| stories[0].sizes.first().copied().unwrap_or(0));
    (read(&std::fs::read_to_string(told).expect("it counted")), prompt)
}

fn counter(into: &Path) -> Vec<String> {
    let into = into.to_string_lossy().into_owned();
    [COUNTER, "-f", "-c", "-o", &into].map(str::to_owned).to_vec()
}

/// Parses the table: percent, seconds, microseconds, calls, possibly errors, name.
fn read(table: &str) -> BTreeMap<String, u64> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (calls, name) = (words.get(3)?.parse().ok()?, words.last()?);
        (*name != "total").then(|| ((*name).to_owned(), calls))
    };
    table.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strace_table_is_parsed_by_name() {
        let table = "% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 61.20    0.003000           3      1000         7 futex
 30.00    0.001000           2       500           pwrite64
------ ----------- ----------- --------- --------- ----------------
100.00    0.004000           2      1500         7 total
";
        let expected = BTreeMap::from([("futex".to_owned(), 1000), ("pwrite64".to_owned(), 500)]);
        assert_eq!(read(table), expected);
    }
}
