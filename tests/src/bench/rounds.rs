//! The durable tool loop, and the minimal reference loop.

use std::time::Duration;

use super::database::BenchDatabase;
use super::model_server::{FakeModelServer, ModelTrafficStats};
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchSpending, BenchWorkerConfig, BenchWorkerReport, BenchWorkerRole};

/// Number of sessions, and of rounds in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundBenchSize {
    /// Concurrent sessions, each in a workspace of its own.
    pub sessions: usize,
    /// Rounds of each session.
    pub rounds: usize,
}

impl RoundBenchSize {
    /// Its name, for example `1x50`.
    pub fn name(self) -> String {
        format!("{}x{}", self.sessions, self.rounds)
    }
}

/// The figures of one loop.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundBenchFigures {
    /// Rounds per second, from the first request to the last reply.
    pub rounds_per_s: f64,
    /// Commits per round.
    pub commits: f64,
    /// Transactions (each is one sync) per round.
    pub syncs: f64,
    /// CPU milliseconds per round.
    pub cpu_ms: f64,
    /// Median time between a reply and the next request, in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile of the same time, in milliseconds.
    pub p99_ms: f64,
    /// Bytes of the first request.
    pub prompt_bytes: usize,
}

/// Creates the configuration of a loop.
pub fn orders(
    role: BenchWorkerRole,
    place: &BenchDatabase,
    model: &FakeModelServer,
    story: &str,
) -> BenchWorkerConfig {
    BenchWorkerConfig {
        role,
        database: place.location(),
        model: model.address().to_owned(),
        story: story.to_owned(),
        calls: 1_000_000,
        last: 0,
        sessions: 1,
        guarded: false,
        one_story: false,
        prompt_bytes: 0,
        amount: 0,
        spending: BenchSpending::Unpriced,
        images: 0,
    }
}

/// Measures one case of the application, or of the loop that `change` configures instead, once.
pub fn measure_once(
    model: &FakeModelServer,
    kind: BenchDatabaseKind,
    case: RoundBenchSize,
    change: impl FnOnce(BenchWorkerConfig) -> BenchWorkerConfig,
) -> RoundBenchFigures {
    let place = BenchDatabase::make(kind).expect("there is a server");
    model.clear_stats();
    let orders = change(BenchWorkerConfig {
        sessions: case.sessions,
        calls: case.rounds,
        ..orders(BenchWorkerRole::Entracte, &place, model, "rounds")
    });
    let mut worker = BenchWorkerProcess::start(&orders);
    let before = worker.hear();
    worker.ask("go");
    model.wait_for_requests("rounds", case.sessions * case.rounds);
    // Gives the commits that follow the last reply time to finish.
    std::thread::sleep(Duration::from_millis(200));
    let after = worker.ask("report");
    model.with_matching_stats("rounds", |stories| figures_from_stats(stories, before, after))
}

/// Computes the figures from the traffic of the model.
fn figures_from_stats(
    stories: &[&ModelTrafficStats],
    before: BenchWorkerReport,
    after: BenchWorkerReport,
) -> RoundBenchFigures {
    let rounds = stories.iter().map(|story| story.requests).sum::<usize>() as f64;
    let first = stories.iter().filter_map(|story| story.first).min();
    let last = stories.iter().filter_map(|story| story.last_reply).max();
    let span = first.zip(last).map_or(Duration::ZERO, |(first, last)| last - first);
    let mut gaps: Vec<f64> = stories.iter().flat_map(|story| &story.gaps).flatten().map(ms).collect();
    gaps.sort_by(f64::total_cmp);
    RoundBenchFigures {
        rounds_per_s: rounds / span.as_secs_f64(),
        commits: (after.works - before.works) as f64 / rounds,
        syncs: (after.transactions - before.transactions) as f64 / rounds,
        cpu_ms: (after.cpu_ms - before.cpu_ms) / rounds,
        p50_ms: quantile(&gaps, 50),
        p99_ms: quantile(&gaps, 99),
        prompt_bytes: stories.first().and_then(|story| story.sizes.first().copied()).unwrap_or(0),
    }
}

/// Converts to milliseconds.
pub fn ms(span: &Duration) -> f64 {
    span.as_secs_f64() * 1000.0
}

/// The quantile of sorted values.
pub fn quantile(sorted: &[f64], percent: usize) -> f64 {
    sorted.get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// Both loops and their ratio.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundBenchComparison {
    /// The fastest try of the application.
    pub services: RoundBenchFigures,
    /// The fastest try of the reference loop.
    pub reference: RoundBenchFigures,
    /// Median over all tries of the ratio of rounds per second.
    pub middle: f64,
}

/// Measures both loops alternately; keeps the fastest of several tries of each, because the machine also does other
/// work, and the median of their ratios.
pub fn both(bench: &BenchContext, kind: BenchDatabaseKind, case: RoundBenchSize) -> RoundBenchComparison {
    let (mut pair, mut ratios) = (RoundBenchComparison::default(), Vec::new());
    for _ in 0..bench.options.tries() {
        let services = measure_once(&bench.model, kind, case, |orders| orders);
        let reference = measure_once(&bench.model, kind, case, |orders| BenchWorkerConfig {
            role: BenchWorkerRole::Reference,
            prompt_bytes: services.prompt_bytes,
            ..orders
        });
        ratios.push(services.rounds_per_s / reference.rounds_per_s);
        if services.rounds_per_s > pair.services.rounds_per_s {
            pair.services = services;
        }
        if reference.rounds_per_s > pair.reference.rounds_per_s {
            pair.reference = reference;
        }
    }
    ratios.sort_by(f64::total_cmp);
    pair.middle = quantile(&ratios, 50);
    pair
}

/// The measured cases.
pub fn cases(bench: &BenchContext) -> [RoundBenchSize; 2] {
    [
        RoundBenchSize { sessions: 1, rounds: bench.options.size(50, 10) },
        RoundBenchSize { sessions: bench.options.size(100, 5), rounds: bench.options.size(20, 4) },
    ]
}

/// The rows `rounds` and `reference`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let mut rows = Vec::new();
    for case in cases(bench) {
        let RoundBenchComparison { services, reference, middle } = both(bench, kind, case);
        let figures = |row: BenchResultRow, measured: RoundBenchFigures| {
            row.with("rounds_per_s", measured.rounds_per_s)
                .with("syncs_per_round", measured.syncs)
                .with("overhead_p50_ms", measured.p50_ms)
                .with("overhead_p99_ms", measured.p99_ms)
                .with("cpu_ms_per_round", measured.cpu_ms)
        };
        if bench.wants("reference") {
            let row = figures(BenchResultRow::new("reference", case.name(), kind.word()), reference);
            rows.push(bench.add_raw_commit_rates(row.with("commits_per_round", reference.commits), kind));
        }
        if bench.wants("rounds") {
            let ratio = services.rounds_per_s / reference.rounds_per_s;
            let (alone, server) = (case.sessions == 1, kind == BenchDatabaseKind::Postgres);
            let least = if alone && !server { 0.8 } else { 0.5 };
            let mut row = figures(BenchResultRow::new("rounds", case.name(), kind.word()), services)
                .with("prompt_bytes", services.prompt_bytes as f64)
                .with("of_the_reference_middle", middle)
                .held("of_the_reference", ratio, GoalBound::AtLeast(least));
            row = row.held("commits_per_round", services.commits, GoalBound::AtMost(2.0));
            if alone && !server {
                row = row.held(
                    "cpu_of_the_reference",
                    services.cpu_ms / reference.cpu_ms,
                    GoalBound::AtMost(1.3),
                );
            }
            rows.push(bench.add_raw_commit_rates(row, kind));
        }
    }
    rows
}
