//! The program itself: what a start, a request over HTTP and its rest cost. The real program runs, as in `streams`.

use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::process;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::quantile;
use super::runner::BenchContext;
use super::streams::program;
use super::streams::servers::{EntracteRunOptions, EntracteStreamServer};

/// The command whose start is measured: it reads one list.
const COMMAND: [&str; 2] = ["zone", "list"];

/// An address without a model: nothing here calls one.
const NO_MODEL: &str = "127.0.0.1:9";

/// The amount of work.
#[derive(Clone, Copy, Debug)]
pub struct ProgramBenchSizes {
    /// Starts of a command, of which the cheapest counts.
    pub starts: usize,
    /// Whether the instructions of a start are counted, which takes fifty times as long.
    pub counts_instructions: bool,
    /// Sessions of the workspace that is read over HTTP.
    pub sessions: usize,
    /// Requests to each route.
    pub requests: usize,
    /// How long a server rests before its memory is read.
    pub rest: Duration,
}

impl ProgramBenchSizes {
    /// The full measurement.
    pub const FULL: Self = Self {
        starts: 20,
        counts_instructions: true,
        sessions: 100,
        requests: 2000,
        rest: Duration::from_secs(10),
    };
    /// A check that it runs; the figures are not meaningful.
    pub const QUICK: Self = Self {
        starts: 1,
        counts_instructions: false,
        sessions: 2,
        requests: 5,
        rest: Duration::from_millis(100),
    };

    /// The measurement of a large workspace.
    pub const LARGE: Self = Self { sessions: 50_000, requests: 200, ..Self::FULL };

    fn of(bench: &BenchContext) -> Self {
        if bench.options.quick { Self::QUICK } else { Self::FULL }
    }
}

/// The row `start`.
pub fn start_rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let place = BenchDatabase::make(kind).expect("there is a server");
    vec![measure_start(&program(), &place, kind, ProgramBenchSizes::of(bench))]
}

/// The rows `http`.
pub fn http_rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let place = BenchDatabase::make(kind).expect("there is a server");
    measure_http(&program(), &place, kind, ProgramBenchSizes::of(bench))
}

/// The rows `large`: the same requests to a workspace with many sessions.
pub fn large_rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let place = BenchDatabase::make(kind).expect("there is a server");
    let sizes = if bench.options.quick { ProgramBenchSizes::QUICK } else { ProgramBenchSizes::LARGE };
    let row = |row: BenchResultRow| BenchResultRow { row: "large", ..row };
    measure_http(&program(), &place, kind, sizes).into_iter().map(row).collect()
}

/// The row `weight`.
pub fn weight_rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let place = BenchDatabase::make(kind).expect("there is a server");
    vec![measure_weight(&program(), &place, kind, ProgramBenchSizes::of(bench))]
}

/// Measures the start of a command: CPU and page faults of the cheapest run, and its instructions where `valgrind` counts
/// them.
pub fn measure_start(
    program: &Path,
    place: &BenchDatabase,
    kind: BenchDatabaseKind,
    sizes: ProgramBenchSizes,
) -> BenchResultRow {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = EntracteRunOptions::new(program, folder.path(), place);
    // The database is created first: a command that reads makes none.
    run.run_to_end(&["workspace", "settings", "set", "slots=1"]);
    let (mut cpu_ms, mut page_faults) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..sizes.starts {
        let (cpu_before, faults_before) = children_usage();
        run.run_to_end(&COMMAND);
        let (cpu_after, faults_after) = children_usage();
        cpu_ms = cpu_ms.min(cpu_after - cpu_before);
        page_faults = page_faults.min(faults_after - faults_before);
    }
    let row = BenchResultRow::new("start", COMMAND.join(" "), kind.word())
        .with("cpu_ms", cpu_ms)
        .with("page_faults", page_faults);
    let into = folder.path().join("callgrind.out");
    match sizes.counts_instructions.then(|| count_instructions(&run, &into)).flatten() {
        Some(instructions) => row.with("instructions", instructions),
        None => row,
    }
}

/// CPU milliseconds and page faults without a read of all ended children.
fn children_usage() -> (f64, f64) {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("this system counts them");
    let milliseconds = [usage.user_time(), usage.system_time()]
        .map(|time| time.tv_sec() as f64 * 1000.0 + time.tv_usec() as f64 / 1000.0);
    (milliseconds.iter().sum(), usage.minor_page_faults() as f64)
}

/// The instructions of the command in all its threads; `None` without `valgrind`.
fn count_instructions(run: &EntracteRunOptions, into: &Path) -> Option<f64> {
    let told = format!("--callgrind-out-file={}", into.display());
    let counter = ["valgrind", "--tool=callgrind", told.as_str()];
    let done = run.command_under(&counter, &COMMAND).output().ok()?;
    if !done.status.success() {
        return None;
    }
    read_total(&std::fs::read_to_string(into).ok()?)
}

/// The total of a file of callgrind.
fn read_total(counted: &str) -> Option<f64> {
    counted.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok())
}

/// Measures requests over HTTP, one after the other on one connection.
pub fn measure_http(
    program: &Path,
    place: &BenchDatabase,
    kind: BenchDatabaseKind,
    sizes: ProgramBenchSizes,
) -> Vec<BenchResultRow> {
    with_server(program, place, sizes.sessions, async |served: EntracteStreamServer| {
        let mut rows = Vec::new();
        let session = format!("sessions/{}", served.session(0));
        for (case, path) in [("inbox", "inbox"), ("sessions", "sessions"), ("session", session.as_str())] {
            // The first one prepares its statements.
            served.get(path).await;
            let mut spans = Vec::with_capacity(sizes.requests);
            let (before, _) = process::process_usage(served.process_id());
            for _ in 0..sizes.requests {
                let begun = Instant::now();
                served.get(path).await;
                spans.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
            let (after, resident_kb) = process::process_usage(served.process_id());
            spans.sort_by(f64::total_cmp);
            let cpu = after.saturating_sub(before).as_secs_f64() * 1_000_000.0;
            let row = BenchResultRow::new("http", case, kind.word())
                .with("cpu_us_per_request", cpu / sizes.requests.max(1) as f64)
                .with("p50_ms", quantile(&spans, 50))
                .with("p99_ms", quantile(&spans, 99))
                .held("resident_mb", resident_kb as f64 / 1024.0, GoalBound::AtMost(150.0));
            rows.push(row);
        }
        rows
    })
}

/// Measures the size of the program, and the memory of a server that rests.
pub fn measure_weight(
    program: &Path,
    place: &BenchDatabase,
    kind: BenchDatabaseKind,
    sizes: ProgramBenchSizes,
) -> BenchResultRow {
    let bytes = std::fs::metadata(program).expect("the program is a file").len();
    with_server(program, place, 0, async |served: EntracteStreamServer| {
        tokio::time::sleep(sizes.rest).await;
        let (_, resident_kb) = process::process_usage(served.process_id());
        let anonymous_kb = process::anonymous_kb(served.process_id());
        BenchResultRow::new("weight", "serve at rest", kind.word())
            .with("resident_mb", resident_kb as f64 / 1024.0)
            .held("anonymous_mb", anonymous_kb as f64 / 1024.0, GoalBound::AtMost(8.0))
            .held("program_mb", bytes as f64 / 1_000_000.0, GoalBound::AtMost(46.0))
    })
}

/// Runs work on a server of the program with these sessions.
fn with_server<T>(
    program: &Path,
    place: &BenchDatabase,
    sessions: usize,
    work: impl AsyncFnOnce(EntracteStreamServer) -> T,
) -> T {
    // On a second call one is installed already; nothing here uses TLS.
    let _there_is_one = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let served = EntracteStreamServer::start(program, place, NO_MODEL, sessions).await;
        work(served).await
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_of_callgrind_is_read() {
        let counted = "events: Ir\nsummary: 1234567\n\nfn=(1) main\n0 7\ntotals: 1234567\n";
        assert_eq!(read_total(counted), Some(1_234_567.0));
    }
}
