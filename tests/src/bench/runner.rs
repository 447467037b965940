//! The benchmark program: measures row after row and reports each as soon as it is complete.

use super::database::{BenchDatabase, has_server};
use super::model_server::FakeModelServer;
use super::options::{BenchDatabaseKind, BenchOptions};
use super::result_row::BenchResultRow;
use super::rounds::orders;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchSpending, BenchWorkerConfig, BenchWorkerRole};
use super::{
    endurance, files, growth, idle, money, program, prompt_prefix, resume, retention, rounds, schedule_tick,
    streams, syscalls,
};

/// The context that all rows share.
pub struct BenchContext {
    /// The fake model server.
    pub model: FakeModelServer,
    /// The parsed options.
    pub options: BenchOptions,
    raw: Vec<(BenchDatabaseKind, RawCommitRate)>,
}

/// Commits per second of one store alone.
#[derive(Clone, Copy, Debug)]
struct RawCommitRate {
    one: f64,
    many: f64,
}

impl BenchContext {
    /// Whether the options request this row.
    pub fn wants(&self, row: &str) -> bool {
        self.options.rows.iter().any(|wanted| wanted == row)
    }

    /// Adds the raw commit rates of the row's store.
    pub fn add_raw_commit_rates(&self, row: BenchResultRow, kind: BenchDatabaseKind) -> BenchResultRow {
        match self.raw.iter().find(|(found, _)| *found == kind) {
            Some((_, raw)) => row
                .with("raw_commits_per_s_1_writer", raw.one)
                .with("raw_commits_per_s_100_writers", raw.many),
            None => row,
        }
    }
}

/// Measures the rows of one name.
type BenchFunction = fn(&BenchContext, BenchDatabaseKind) -> Vec<BenchResultRow>;

/// Measures all requested rows; calls `say` with each row and returns them all.
pub fn run(options: BenchOptions, mut say: impl FnMut(&BenchResultRow)) -> Vec<BenchResultRow> {
    let mut stores = options.stores.clone();
    if stores.is_empty() {
        stores.push(BenchDatabaseKind::Sqlite);
        stores.extend(has_server().then_some(BenchDatabaseKind::Postgres));
    }
    let mut bench = BenchContext { model: FakeModelServer::start(), options, raw: Vec::new() };
    let mut rows = Vec::new();
    let mut take = |new: Vec<BenchResultRow>, rows: &mut Vec<BenchResultRow>| {
        new.iter().for_each(&mut say);
        rows.extend(new);
    };
    take(vec![model_alone(&bench)], &mut rows);
    for kind in stores {
        let Some(place) = BenchDatabase::make(kind) else { continue };
        let row = raw(&mut bench, kind, &place);
        drop(place);
        take(vec![row], &mut rows);
        if bench.wants("rounds") || bench.wants("reference") {
            take(rounds::rows(&bench, kind), &mut rows);
        }
        let others: [(&str, BenchFunction); 15] = [
            ("syscalls", syscalls::rows),
            ("growth", growth::rows),
            ("resume", resume::rows),
            ("idle", idle::rows),
            ("tick", schedule_tick::rows),
            ("prefix", prompt_prefix::rows),
            ("streams", streams::rows),
            ("money", money::rows),
            ("files", files::rows),
            ("start", program::start_rows),
            ("http", program::http_rows),
            ("weight", program::weight_rows),
            ("life", endurance::rows),
            ("retention", retention::rows),
            ("large", program::large_rows),
        ];
        for (name, measure) in others {
            if bench.wants(name) {
                take(measure(&bench, kind), &mut rows);
            }
        }
    }
    rows
}

/// Throughput of the model server alone.
fn model_alone(bench: &BenchContext) -> BenchResultRow {
    let nowhere = BenchWorkerConfig {
        role: BenchWorkerRole::Hammer,
        database: String::new(),
        model: bench.model.address().to_owned(),
        story: String::new(),
        calls: 0,
        last: 0,
        sessions: 0,
        guarded: false,
        one_story: true,
        prompt_bytes: 0,
        amount: bench.options.size(20_000, 1000),
        spending: BenchSpending::Unpriced,
        images: 0,
    };
    let found = BenchWorkerProcess::start(&nowhere).hear();
    BenchResultRow::new("model", "alone", "none")
        .with("replies_per_s_1_connection", found.value)
        .with("replies_per_s_100_connections", found.second)
}

fn raw(bench: &mut BenchContext, kind: BenchDatabaseKind, place: &BenchDatabase) -> BenchResultRow {
    let orders = BenchWorkerConfig {
        amount: bench.options.size(1500, 200),
        ..orders(BenchWorkerRole::Raw, place, &bench.model, "raw")
    };
    let found = BenchWorkerProcess::start(&orders).hear();
    bench.raw.push((kind, RawCommitRate { one: found.value, many: found.second }));
    let row = BenchResultRow::new("raw", "commits", kind.word())
        .with("synced", f64::from(u8::from(place.is_synced())));
    bench.add_raw_commit_rates(row, kind)
}
