//! The benchmark of the program, with a minimal amount of work, to check that it runs.

use std::path::Path;

use entracte_tests::bench::database::BenchDatabase;
use entracte_tests::bench::options::BenchDatabaseKind;
use entracte_tests::bench::program::{ProgramBenchSizes, measure_http, measure_start, measure_weight};
use entracte_tests::bench::streams::{StreamBenchSizes, measure};

#[test]
fn the_streams_can_be_measured() {
    let place = BenchDatabase::make(BenchDatabaseKind::Sqlite).unwrap();
    let rows = measure(
        Path::new(env!("CARGO_BIN_EXE_entracte")),
        &place,
        BenchDatabaseKind::Sqlite,
        StreamBenchSizes::QUICK,
        false,
    );
    let [speaking, idle] = rows.as_slice() else { panic!("two rows") };
    let figure =
        |name: &str| speaking.figures.iter().find(|(found, _)| *found == name).map(|(_, value)| *value);
    let pieces = StreamBenchSizes::QUICK.sessions * StreamBenchSizes::QUICK.pieces;
    assert_eq!(figure("pieces"), Some(pieces as f64), "every piece comes to its client, once");
    assert!(figure("p50_ms").is_some_and(|span| span > 0.0));
    assert_eq!(idle.case, format!("{} idle", StreamBenchSizes::QUICK.idle));
}

/// Input: the program on an empty database; expected: figures of its start, of each route and of its rest.
#[test]
fn start_requests_and_rest_can_be_measured() {
    let (kind, sizes) = (BenchDatabaseKind::Sqlite, ProgramBenchSizes::QUICK);
    let place = BenchDatabase::make(kind).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_entracte"));
    let start = measure_start(program, &place, kind, sizes);
    assert!(start.figures.iter().all(|(_, value)| *value > 0.0), "{:?}", start.figures);
    let cases: Vec<String> =
        measure_http(program, &place, kind, sizes).into_iter().map(|row| row.case).collect();
    assert_eq!(cases, ["inbox", "sessions", "session"]);
    let weight = measure_weight(program, &place, kind, sizes);
    assert!(weight.goals.iter().any(|goal| goal.what == "program_mb" && goal.value > 0.0));
}
