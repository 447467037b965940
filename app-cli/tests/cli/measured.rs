//! The benchmark of the streams, with so little work that only its running counts.

use std::path::Path;

use entracte_tests::bench::options::Kind;
use entracte_tests::bench::place::Place;
use entracte_tests::bench::streams::{Sizes, measure};

#[test]
fn the_streams_can_be_measured() {
    let place = Place::make(Kind::Sqlite).unwrap();
    let rows = measure(Path::new(env!("CARGO_BIN_EXE_entracte")), &place, Kind::Sqlite, Sizes::QUICK, false);
    let [speaking, idle] = rows.as_slice() else { panic!("two rows") };
    let figure =
        |name: &str| speaking.figures.iter().find(|(found, _)| *found == name).map(|(_, value)| *value);
    let pieces = Sizes::QUICK.sessions * Sizes::QUICK.pieces;
    assert_eq!(figure("pieces"), Some(pieces as f64), "every piece comes to its client, once");
    assert!(figure("p50_ms").is_some_and(|span| span > 0.0));
    assert_eq!(idle.case, format!("{} idle", Sizes::QUICK.idle));
}
