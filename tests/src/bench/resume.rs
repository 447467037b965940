//! Resume after kill -9 during a model call: the time until another process repeats the call.

use std::time::{Duration, Instant};

use super::database::BenchDatabase;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::{ms, orders};
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// Rounds after the killed call.
const AFTER: usize = 5;

/// Milliseconds from process start to the first byte of its first model call, and the number of repeated model calls.
pub fn once(bench: &BenchContext, kind: BenchDatabaseKind, messages: usize) -> (f64, f64) {
    let model = &bench.model;
    let place = BenchDatabase::make(kind).expect("there is a server");
    model.clear_stats();
    // A round adds two messages: the model's message and its result.
    let rounds = messages / 2;
    let killed = rounds + 1;
    let total = killed + AFTER;
    let orders = BenchWorkerConfig {
        calls: total,
        last: killed,
        ..orders(BenchWorkerRole::Entracte, &place, model, "resume")
    };
    let mut worker = BenchWorkerProcess::start(&orders);
    worker.hear();
    worker.ask("go");
    model.wait_for_requests("resume", killed);
    drop(worker);
    let begun = Instant::now();
    let worker = BenchWorkerProcess::start(&BenchWorkerConfig { sessions: 0, ..orders });
    model.wait_for_requests("resume", total);
    std::thread::sleep(Duration::from_millis(100));
    drop(worker);
    model.with_matching_stats("resume", |stories| {
        let story = stories[0];
        let again = story.sizes[killed..].iter().filter(|size| **size <= story.sizes[rounds]).count();
        let span = story.arrivals[killed].saturating_duration_since(begun);
        (ms(&span), again as f64)
    })
}

/// The rows `resume`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let cases = [(bench.options.size(500, 20), 10.0), (bench.options.size(2000, 40), 20.0)];
    let mut rows = Vec::new();
    for (messages, most) in cases {
        let tries: Vec<_> = (0..bench.options.size(3, 1)).map(|_| once(bench, kind, messages)).collect();
        let best = tries.iter().map(|(span, _)| *span).fold(f64::MAX, f64::min);
        let again = tries.iter().map(|(_, again)| *again).fold(0.0, f64::max);
        let mut row = BenchResultRow::new("resume", format!("{messages} messages"), kind.word());
        row = match kind {
            BenchDatabaseKind::Sqlite => row.held("ms_to_the_next_model_call", best, GoalBound::AtMost(most)),
            BenchDatabaseKind::Postgres => row.with("ms_to_the_next_model_call", best),
        };
        rows.push(
            bench.add_raw_commit_rates(
                row.held("model_calls_made_again", again, GoalBound::AtMost(1.0)),
                kind,
            ),
        );
    }
    rows
}
