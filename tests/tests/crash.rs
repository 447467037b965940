//! A process that is killed with -9 at any point of any scene loses nothing that was acknowledged, does nothing twice
//! and leaves nothing stuck. Real processes, and a file of SQLite for each death; `crash --kills N` does the same on
//! one database, also at random instants and on Postgres.

use std::collections::BTreeSet;
use std::path::Path;

use entracte_application::failpoints::{Moment, Operation, Point};
use entracte_tests::crash::death::Death;
use entracte_tests::crash::every::{Times, die_at_all, survey, tell};
use entracte_tests::crash::scene::Scene;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_crash"))
}

#[test]
fn every_point_of_every_scene_is_survived() {
    let (passed, found) = survey(program());
    assert!(found.is_clean(), "{found}");
    let points: BTreeSet<Point> = passed.keys().map(|(_, point)| *point).collect();
    assert_eq!(points, Point::all().into_iter().collect(), "each point is passed by a scene");
    let found = die_at_all(program(), &passed, Times::Few);
    assert!(found.is_clean(), "{found}");
    // Those that are passed only when the machine is slow are missed now and then.
    assert!(found.kills as usize > passed.len(), "{} deaths, and {} points", found.kills, passed.len());
}

/// The proof can fail: a process that begins again what a dead one left under way does it twice, and is found.
#[test]
fn an_action_that_is_begun_again_is_found() {
    let scene = Scene::named("approvals").unwrap();
    let after = |nth| Death::At(Point { operation: Operation::RunCommand, moment: Moment::After }, nth);
    // The third command is the first action outside; the two before it read.
    let found = tell(program(), scene, after(3), Some("repeated-action"));
    assert_eq!((found.kills, found.doubled), (1, 1), "{found}");
    let found = tell(program(), scene, after(3), None);
    assert!(found.is_clean(), "{found}");
}
