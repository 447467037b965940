//! The cost of waiting sessions: memory, CPU, start time, and the time to list them.

use std::time::{Duration, Instant};

use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::orders;
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};

/// Creates `sessions` sessions that wait for approval, each in its own workspace.
fn prepare(bench: &BenchContext, place: &BenchDatabase, sessions: usize) {
    let orders = BenchWorkerConfig {
        sessions,
        guarded: true,
        one_story: true,
        ..orders(BenchWorkerRole::Entracte, place, &bench.model, "idle")
    };
    bench.model.clear_stats();
    let mut worker = BenchWorkerProcess::start(&orders);
    worker.hear();
    worker.ask("go");
    bench.model.wait_for_requests("idle", sessions);
    // The store may pause for a while and continue; it only matters that every session waits in the end.
    let end = Instant::now() + Duration::from_mins(10);
    loop {
        let waiting = worker.ask("waiting").value;
        if waiting >= sessions as f64 {
            break;
        }
        assert!(Instant::now() < end, "{waiting} of {sessions} sessions wait");
        std::thread::sleep(Duration::from_millis(500));
    }
    worker.end();
}

/// Starts a process on the prepared database. Returns the process, its report when ready, and its CPU milliseconds per
/// second while idle.
fn start(bench: &BenchContext, place: &BenchDatabase) -> (BenchWorkerProcess, BenchWorkerReport, f64) {
    let orders =
        BenchWorkerConfig { sessions: 0, ..orders(BenchWorkerRole::Entracte, place, &bench.model, "idle") };
    let mut worker = BenchWorkerProcess::start(&orders);
    let ready = worker.hear();
    // Longer than the longest sleep of the runtime.
    let span = Duration::from_secs(if bench.options.quick { 1 } else { 35 });
    std::thread::sleep(span);
    let later = worker.ask("report");
    (worker, BenchWorkerReport { resident_kb: ready.resident_kb.max(later.resident_kb), ..ready }, {
        (later.cpu_ms - ready.cpu_ms) / span.as_secs_f64()
    })
}

/// The rows `idle`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let mb = |kb: u64| kb as f64 / 1024.0;
    let empty = BenchDatabase::make(kind).expect("there is a server");
    // The database is created first, so that no migration is measured.
    BenchWorkerProcess::start(&BenchWorkerConfig {
        sessions: 0,
        ..orders(BenchWorkerRole::Entracte, &empty, &bench.model, "idle")
    })
    .hear();
    let (_, alone, cpu) = start(bench, &empty);
    let row = BenchResultRow::new("idle", "empty", kind.word())
        .with("start_ms", alone.value)
        .with("cpu_ms_per_s", cpu)
        .held("resident_mb", mb(alone.resident_kb), GoalBound::AtMost(15.0));
    let mut rows = vec![bench.add_raw_commit_rates(row, kind)];
    for sessions in [bench.options.size(1000, 20), bench.options.size(10_000, 50)] {
        let place = BenchDatabase::make(kind).expect("there is a server");
        prepare(bench, &place, sessions);
        let (mut worker, ready, cpu) = start(bench, &place);
        let listed = worker.ask("list");
        let more = mb(ready.resident_kb) - mb(alone.resident_kb);
        let row = BenchResultRow::new("idle", format!("{sessions} waiting"), kind.word())
            .with("start_ms", ready.value)
            .with("settled_ms", ready.second)
            .held("list_waiting_ms", listed.value, GoalBound::AtMost(10.0))
            .held("list_open_ms", listed.second, GoalBound::AtMost(10.0))
            .held("more_resident_mb", more, GoalBound::AtMost(60.0))
            // A process without sessions also polls its mail; a hundredth of a core counts as none.
            .held("cpu_ms_per_s", cpu, GoalBound::AtMost(10.0));
        rows.push(bench.add_raw_commit_rates(row, kind));
    }
    rows
}
