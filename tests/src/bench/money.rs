//! What caps cost: rounds of a session whose calls reserve their worst case, beside rounds without a cap.

use super::options::BenchDatabaseKind;
use super::result_row::{BenchResultRow, GoalBound};
use super::rounds::{RoundBenchFigures, RoundBenchSize, measure_once, quantile};
use super::runner::BenchContext;
use super::worker_protocol::{BenchSpending, BenchWorkerConfig};

/// Pairs of runs with and without caps.
const PAIRS: usize = 7;

/// The row `money`: the median over all pairs of the ratio of CPU, and the fewest commits of each.
pub fn rows(bench: &BenchContext, kind: BenchDatabaseKind) -> Vec<BenchResultRow> {
    let case = RoundBenchSize { sessions: 1, rounds: bench.options.size(400, 20) };
    let measure =
        |spending| measure_once(&bench.model, kind, case, |orders| BenchWorkerConfig { spending, ..orders });
    let (mut capped, mut priced): (Vec<RoundBenchFigures>, Vec<RoundBenchFigures>) = Default::default();
    for pair in 0..bench.options.tries.unwrap_or(bench.options.size(PAIRS, 1)) {
        // Each is first in every other pair, so that neither always follows the other.
        if pair % 2 == 0 {
            priced.push(measure(BenchSpending::Priced));
            capped.push(measure(BenchSpending::Capped));
        } else {
            capped.push(measure(BenchSpending::Capped));
            priced.push(measure(BenchSpending::Priced));
        }
    }
    let mut ratios: Vec<f64> =
        capped.iter().zip(&priced).map(|(capped, priced)| capped.cpu_ms / priced.cpu_ms).collect();
    ratios.sort_by(f64::total_cmp);
    let least = |all: &[RoundBenchFigures], figure: fn(&RoundBenchFigures) -> f64| {
        all.iter().map(figure).fold(f64::MAX, f64::min)
    };
    let of_cpu: fn(&RoundBenchFigures) -> f64 = |run| run.cpu_ms;
    let of_commits: fn(&RoundBenchFigures) -> f64 = |run| run.commits;
    let (cpu, cpu_without) = (least(&capped, of_cpu), least(&priced, of_cpu));
    let (commits, commits_without) = (least(&capped, of_commits), least(&priced, of_commits));
    let row = BenchResultRow::new("money", case.name(), kind.word())
        .with("cpu_ms_per_round", cpu)
        .with("cpu_ms_per_round_without", cpu_without)
        .with("of_the_least_cpu_without", cpu / cpu_without)
        .with("commits_per_round", commits)
        .with("commits_per_round_without", commits_without)
        .held("of_the_cpu_without", quantile(&ratios, 50), GoalBound::AtMost(1.03))
        // A commit that belongs to no round, as the heartbeat, is a small part of a round.
        .held("more_commits_per_round", commits - commits_without, GoalBound::AtMost(0.01));
    vec![bench.add_raw_commit_rates(row, kind)]
}
