//! Whether a late round of a session costs more than an early one, and how many bytes each adds to the database.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::database::BenchDatabase;
use super::model_server::FakeModelServer;
use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::{ms, orders, quantile};
use super::runner::BenchContext;
use super::worker::BenchWorkerProcess;
use super::worker_protocol::{BenchWorkerConfig, BenchWorkerRole};

/// The figures of one long session.
struct GrowthMeasurement {
    /// Median overhead of the early, the later and the last rounds, in milliseconds.
    overheads: [f64; 3],
    /// Database bytes per round, in the early and in the later rounds.
    bytes: [f64; 2],
    /// CPU milliseconds per round in the first and in the last turn.
    cpu: [f64; 2],
}

/// Turns of a long session.
const TURNS: usize = 5;

fn measure(
    model: &FakeModelServer,
    kind: BenchDatabaseKind,
    role: BenchWorkerRole,
    rounds: usize,
    prompt_bytes: usize,
) -> (GrowthMeasurement, usize) {
    let place = BenchDatabase::make(kind).expect("there is a server");
    model.clear_stats();
    let orders =
        BenchWorkerConfig { calls: rounds / TURNS, prompt_bytes, ..orders(role, &place, model, "growth") };
    let turn = orders.calls;
    let mut worker = BenchWorkerProcess::start(&orders);
    let mut reports = vec![worker.hear()];
    let mut bytes = vec![place.bytes()];
    for number in 1..=TURNS {
        worker.ask("go");
        model.wait_for_requests("growth", number * turn);
        std::thread::sleep(Duration::from_millis(200));
        reports.push(worker.ask("report"));
        bytes.push(place.bytes());
    }
    let spent = |turn_number: usize| reports[turn_number].cpu_ms - reports[turn_number - 1].cpu_ms;
    let grown =
        |from: usize, to: usize| bytes[to].saturating_sub(bytes[from]) as f64 / ((to - from) * turn) as f64;
    model.with_matching_stats("growth", |stories| {
        let story = stories[0];
        let around = |rounds: RangeInclusive<usize>| {
            let mut gaps: Vec<f64> =
                rounds.filter_map(|round| story.gaps.get(round.checked_sub(2)?)?.as_ref().map(ms)).collect();
            gaps.sort_by(f64::total_cmp);
            quantile(&gaps, 50)
        };
        let last = TURNS * turn;
        let growth = GrowthMeasurement {
            overheads: [around(5..=15), around(turn - turn / 10..=turn), around(last - turn / 10..=last)],
            bytes: [grown(0, 2), grown(2, TURNS)],
            cpu: [spent(1) / turn as f64, spent(TURNS) / turn as f64],
        };
        (growth, story.sizes[0])
    })
}

/// The row `growth`.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let rounds = bench.options.size(1000, 100);
    let mut best: Option<GrowthMeasurement> = None;
    let mut reference: Option<GrowthMeasurement> = None;
    for _ in 0..bench.options.size(3, 1) {
        let (tried, prompt) = measure(&bench.model, kind, BenchWorkerRole::Entracte, rounds, 0);
        keep(&mut best, tried);
        keep(&mut reference, measure(&bench.model, kind, BenchWorkerRole::Reference, rounds, prompt).0);
    }
    let (Some(services), Some(reference)) = (best, reference) else { return Vec::new() };
    let [early, later, last] = services.overheads;
    let row = BenchResultRow::new("growth", format!("1x{rounds}"), kind.word())
        .with("overhead_ms_round_10", early)
        .with("overhead_ms_round_200", later)
        .with("overhead_ms_round_1000", last)
        .with("reference_ms_round_10", reference.overheads[0])
        .with("reference_ms_round_200", reference.overheads[1])
        .with("reference_ms_round_1000", reference.overheads[2])
        .with("reference_grows_by", reference.overheads[2] / reference.overheads[0])
        .with("cpu_ms_per_round_first_200", services.cpu[0])
        .with("cpu_ms_per_round_last_200", services.cpu[1])
        .with("bytes_per_round_first_400", services.bytes[0])
        .with("reference_bytes_per_round", reference.bytes[1])
        .held("round_1000_of_round_10", last / early, GoalBound::AtMost(1.1))
        .held("bytes_per_round", services.bytes[1], GoalBound::AtMost(900.0));
    vec![bench.add_raw_commit_rates(row, kind)]
}

/// Keeps the minimum of each figure over all tries.
fn keep(best: &mut Option<GrowthMeasurement>, tried: GrowthMeasurement) {
    match best {
        None => *best = Some(tried),
        Some(best) => {
            for (place, value) in best.overheads.iter_mut().zip(tried.overheads) {
                *place = place.min(value);
            }
            for (place, value) in best.cpu.iter_mut().zip(tried.cpu) {
                *place = place.min(value);
            }
        }
    }
}
