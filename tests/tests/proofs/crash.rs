//! A process that is killed with -9 at any point of any scene loses nothing that was acknowledged, does nothing twice
//! and leaves nothing stuck. Real processes, and a file of SQLite for each death; `crash --kills N` does the same on
//! one database, also at random instants and on Postgres.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use entracte_application::failpoints::{Moment, Operation, Point};
use entracte_tests::crash::agents::{CAST, Cast};
use entracte_tests::crash::death::Death;
use entracte_tests::crash::every::{Times, die_at_all, in_memory, survey, tell};
use entracte_tests::crash::frozen::{Ground, at_every_start};
use entracte_tests::crash::many::kill;
use entracte_tests::crash::scene::Scene;
use entracte_tests::crash::story::Place;
use entracte_tests::length;
use entracte_tests::postgres::TestDatabase;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_crash"))
}

#[test]
fn every_point_of_every_scene_is_survived() {
    let (passed, found) = survey(program());
    assert!(found.is_clean(), "{found}");
    let points: BTreeSet<Point> = passed.keys().map(|(_, point)| *point).collect();
    assert_eq!(points, Point::all().into_iter().collect(), "each point is passed by a scene");
    let found = die_at_all(program(), &passed, length::of(Times::Once, Times::Few));
    assert!(found.is_clean(), "{found}");
    // Those that are passed only when the machine is slow are missed now and then.
    let least = length::of(points.len() * 3 / 4, passed.len());
    assert!(found.kills as usize > least, "{} deaths, and {least} are the least", found.kills);
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

/// Agents that are at work, ask, wait for a person or end when their process dies: none begins again, none is lost, and what
/// each brought goes up once. At points and at random instants, on both databases.
#[test]
fn agents_of_a_dead_process_go_on() {
    let kills = length::of(12, 200);
    let on = |location: String, folder: &Path| {
        let place = Place { program: program().to_owned(), folder: folder.to_owned(), location, plant: None };
        let scene = Scene::named("agents").unwrap();
        let found = kill(&place, &[scene], kills, 20_261_123).unwrap();
        assert!(found.is_clean() && found.kills == kills, "{found}");
        let done = |cast: &Cast| found.missions.contains_key(&format!("{} MISSION_COMPLETED", cast.name));
        assert!(CAST.iter().all(done), "{found}");
    };
    let folder = in_memory().unwrap();
    on(folder.path().join("entracte.db").to_string_lossy().into_owned(), folder.path());
    if let Some(made) = TestDatabase::make() {
        let folder = in_memory().unwrap();
        on(made.url(), folder.path());
    }
}

/// A machine that slept is followed, wakes up and has the send before it: whatever the effect class, the action happens
/// once. It is really stopped, and the lock is really lost: the file removed, the connection cut.
#[test]
fn a_process_that_was_frozen_before_the_send_sends_nothing() {
    let place = |folder: &Path, location: String| Place {
        program: program().to_owned(),
        folder: folder.to_owned(),
        location,
        plant: None,
    };
    let on_sqlite = || {
        let folder = in_memory().unwrap();
        let file = folder.path().join("entracte.db");
        let place = place(folder.path(), file.to_string_lossy().into_owned());
        let lock = folder.path().join("entracte.db.lock");
        Ground {
            place,
            take_lock: Box::new(move || std::fs::remove_file(&lock).unwrap()),
            keep: Box::new(folder),
        }
    };
    let (seen, found) = at_every_start(on_sqlite);
    let classes = ["outside.note_once", "outside.note_keyed", "outside.note_probed"].map(str::to_owned);
    assert!(found.is_clean(), "{found}");
    assert_eq!(seen, BTreeSet::from(classes.clone()));
    if TestDatabase::make().is_none() {
        return;
    }
    let on_postgres = || {
        let (folder, made) = (in_memory().unwrap(), Arc::new(TestDatabase::make().unwrap()));
        let cut = made.clone();
        let place = place(folder.path(), made.url());
        Ground { place, take_lock: Box::new(move || cut.cut()), keep: Box::new((folder, made)) }
    };
    let (seen, found) = at_every_start(on_postgres);
    assert!(found.is_clean(), "{found}");
    assert_eq!(seen, BTreeSet::from(classes));
}
