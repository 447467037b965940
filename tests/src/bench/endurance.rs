//! Endurance: very many rounds in one database, in workspaces that all work at once, session after session; then one
//! very long session.

use std::time::{Duration, Instant};

use super::database::BenchDatabase;
use super::model_server::FakeModelServer;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::resume;
use super::rounds::orders;
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// Rounds of a session before the next one starts in its workspace.
const ROUNDS: usize = 50;

/// The figures of one endurance run.
struct EnduranceMeasurement {
    /// Rounds per second in the first and in the last session of all workspaces.
    rounds_per_s: [f64; 2],
    /// CPU milliseconds per round in the same sessions.
    cpu_ms: [f64; 2],
    /// Bytes of the database: total, and per round.
    bytes: [f64; 2],
    /// Resident memory at the end, in kilobytes.
    resident_kb: u64,
    /// Milliseconds to list all open sessions at the end.
    list_ms: f64,
}

/// Runs `lives` consecutive sessions in each workspace and measures them.
fn measure(
    model: &FakeModelServer,
    kind: BenchDatabaseKind,
    workspaces: usize,
    lives: usize,
) -> Option<EnduranceMeasurement> {
    let place = BenchDatabase::make(kind)?;
    model.clear_stats();
    let orders = BenchWorkerConfig {
        sessions: workspaces,
        calls: ROUNDS,
        ..orders(BenchWorkerRole::Entracte, &place, model, "life")
    };
    let mut worker = BenchWorkerProcess::start(&orders);
    let mut reports = vec![(worker.hear(), Duration::ZERO)];
    for number in 1..=lives {
        let begun = Instant::now();
        worker.ask(if number == 1 { "go" } else { "anew" });
        model.wait_for_requests("life", number * workspaces * ROUNDS);
        let span = begun.elapsed();
        // Gives the commits that follow the last reply time to finish.
        std::thread::sleep(Duration::from_millis(200));
        reports.push((worker.ask("report"), span));
    }
    let all = (workspaces * ROUNDS) as f64;
    let of = |number: usize| {
        let (report, span) = reports[number];
        (all / span.as_secs_f64(), (report.cpu_ms - reports[number - 1].0.cpu_ms) / all)
    };
    let ((first, cpu_first), (last, cpu_last)) = (of(1), of(lives));
    let bytes = place.bytes() as f64;
    Some(EnduranceMeasurement {
        rounds_per_s: [first, last],
        cpu_ms: [cpu_first, cpu_last],
        bytes: [bytes, bytes / (all * lives as f64)],
        resident_kb: worker.ask("report").resident_kb,
        list_ms: worker.ask("list").second,
    })
}

/// The rows `life`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let workspaces = bench.options.size(1000, 20);
    let rounds = if bench.options.quick { 2 * workspaces * ROUNDS } else { bench.options.rounds };
    let lives = rounds.div_ceil(workspaces * ROUNDS).max(2);
    let Some(life) = measure(&bench.model, kind, workspaces, lives) else { return Vec::new() };
    // A million rounds in a file of 1.2 GB, or 3 GB on a server.
    let most = match kind {
        BenchDatabaseKind::Sqlite => 1200.0,
        BenchDatabaseKind::Postgres => 3000.0,
    };
    let many = BenchResultRow::new("life", format!("{workspaces}x{ROUNDS}x{lives}"), kind.word())
        .with("rounds", (workspaces * ROUNDS * lives) as f64)
        .with("rounds_per_s_first", life.rounds_per_s[0])
        .with("rounds_per_s_last", life.rounds_per_s[1])
        .with("cpu_ms_per_round_first", life.cpu_ms[0])
        .with("cpu_ms_per_round_last", life.cpu_ms[1])
        .with("bytes", life.bytes[0])
        .with("resident_mb", life.resident_kb as f64 / 1000.0)
        .with("list_of_all_ms", life.list_ms)
        .held("bytes_per_round", life.bytes[1], GoalBound::AtMost(most));
    let messages = bench.options.size(20_000, 200);
    let (span, again) = resume::once(bench, kind, messages);
    let long = BenchResultRow::new("life", format!("{messages} messages"), kind.word())
        .with("ms_to_the_next_model_call", span)
        .held("model_calls_made_again", again, GoalBound::AtMost(1.0));
    vec![bench.add_raw_commit_rates(many, kind), bench.add_raw_commit_rates(long, kind)]
}
