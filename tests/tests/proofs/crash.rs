//! A process that is killed with -9 at any crash point of any scenario loses no acknowledged work, repeats nothing and
//! leaves nothing stuck. Real processes, and an SQLite file for each kill; `crash --kills N` does the same on one
//! database, also at random instants and on Postgres.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::any::Any;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_adapters_db::{Database, DatabaseOptions};

use entracte_application::failpoints::{FailpointMoment, FailpointOperation, FailpointSite};
use entracte_domain::time::Timestamp;
use entracte_tests::crash::agents::{CAST, CrashAgentScript};
use entracte_tests::crash::every_point::{
    CrashPointCoverage, count_scenario_points, crash_at_points, in_memory, run_scenario, run_scenario_at,
};
use entracte_tests::crash::freeze::{FreezeTestSite, freeze_after_each_start};
use entracte_tests::crash::outages::{OutageTestSite, restart_after_commits, trouble_after_commits};
use entracte_tests::crash::random_kills::kill;
use entracte_tests::crash::scenario::{CrashScenario, SCENES};
use entracte_tests::crash::scenario_run::CrashTestSite;
use entracte_tests::crash::trigger::CrashTrigger;
use entracte_tests::postgres::TestDatabase;
use entracte_tests::test_scale;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_crash"))
}

fn place(folder: &Path, location: String) -> CrashTestSite {
    let (program, folder) = (program().to_owned(), folder.to_owned());
    CrashTestSite { program, folder, location, plant: None, max_bytes: 0, is_shared: false }
}

#[test]
fn every_point_of_every_scene_is_survived() {
    let (passed, found) = count_scenario_points(program());
    assert!(found.is_clean(), "{found}");
    let points: BTreeSet<FailpointSite> = passed.keys().map(|(_, point)| *point).collect();
    assert_eq!(points, FailpointSite::all().into_iter().collect(), "each point is passed by a scene");
    let found = crash_at_points(
        program(),
        &passed,
        test_scale::scaled(CrashPointCoverage::Once, CrashPointCoverage::Few),
    );
    assert!(found.is_clean(), "{found}");
    // Points that are passed only on a slow machine are missed now and then.
    let least = test_scale::scaled(points.len() * 3 / 4, passed.len());
    assert!(found.kills as usize > least, "{} deaths, and {least} are the least", found.kills);
}

/// The proof can fail: a process that repeats the unfinished actions of a killed one is detected.
#[test]
fn repeated_action_is_detected() {
    let scene = CrashScenario::named("approvals").unwrap();
    let after = |nth| {
        CrashTrigger::At(
            FailpointSite { operation: FailpointOperation::RunCommand, moment: FailpointMoment::After },
            nth,
        )
    };
    // The third command is the first external action; the two before it only read.
    let found = run_scenario(program(), scene, after(3), Some("repeated-action"));
    assert_eq!((found.kills, found.doubled), (1, 1), "{found}");
    let found = run_scenario(program(), scene, after(3), None);
    assert!(found.is_clean(), "{found}");
}

/// Agents that work, ask, wait for a person or end when their process is killed: none is created again, none is lost,
/// and each result is reported once. At crash points and at random instants, on both databases.
#[test]
fn agents_of_killed_process_continue() {
    let kills = test_scale::scaled(12, 200);
    let on = |location: String, folder: &Path| {
        let place = place(folder, location);
        let scene = CrashScenario::named("agents").unwrap();
        let found = kill(&place, &[scene], kills, 20_261_123).unwrap();
        assert!(found.is_clean() && found.kills == kills, "{found}");
        let done = |cast: &CrashAgentScript| {
            found.missions.contains_key(&format!("{} MISSION_COMPLETED", cast.name))
        };
        assert!(CAST.iter().all(done), "{found}");
    };
    let folder = in_memory().unwrap();
    on(folder.path().join("entracte.db").to_string_lossy().into_owned(), folder.path());
    if let Some(made) = TestDatabase::make() {
        let folder = in_memory().unwrap();
        on(made.url(), folder.path());
    }
}

/// Processes that share a database, killed at crash points and at random instants: the next one takes the workspace over
/// after the lease, and nothing is lost, repeated or stuck.
#[test]
fn workspace_of_killed_process_is_taken_over() {
    let Some(made) = TestDatabase::make() else { return };
    let folder = in_memory().unwrap();
    let place = CrashTestSite { is_shared: true, ..place(folder.path(), made.url()) };
    let scenes: Vec<&CrashScenario> = SCENES.iter().collect();
    let kills = test_scale::scaled(10, 300);
    let found = kill(&place, &scenes, kills, 20_261_201).unwrap();
    assert!(found.is_clean() && found.kills == kills, "{found}");
}

/// Input: a process that stores an image with its form for models, deletes an older file and sends the image in a message,
/// killed before, within and after each of these writes, on both databases; expected: whenever the image is there it has its
/// form, and at the end the session names both.
#[test]
fn file_survives_kill_at_every_point() {
    let scene = CrashScenario::named("approvals").unwrap();
    let at = |operation: FailpointOperation, passes: &[u32]| {
        let moments = operation.moments().iter();
        let of = |moment: &FailpointMoment| {
            let site = FailpointSite { operation, moment: *moment };
            passes.iter().map(move |pass| CrashTrigger::At(site, *pass)).collect::<Vec<_>>()
        };
        moments.flat_map(of).collect::<Vec<_>>()
    };
    // The process stores two files, deletes one, creates the chat in its first commit, and writes the message in the next.
    let files = at(FailpointOperation::KeepFiles, &[1, 2, 3]);
    let deaths =
        [files, at(FailpointOperation::Commit, test_scale::scaled(&[2][..], &[1, 2, 3][..]))].concat();
    for death in &deaths {
        let found = run_scenario(program(), scene, *death, None);
        assert!(found.is_clean() && found.kills == 1, "{death:?}: {found}");
    }
    for death in deaths {
        let (folder, Some(made)) = (in_memory().unwrap(), TestDatabase::make()) else { return };
        let found = run_scenario_at(&place(folder.path(), made.url()), scene, death);
        assert!(found.is_clean() && found.kills == 1, "{death:?}: {found}");
    }
}

/// Processes that are killed while the retention policy lets a chat go: the next one removes the rest, one record stays,
/// and a held chat is whole. At crash points and at random instants, on both databases.
#[test]
fn retention_of_killed_process_continues() {
    let kills = test_scale::scaled(12, 200);
    let on = |location: String, folder: &Path| {
        let place = place(folder, location);
        let scene = CrashScenario::named("retention").unwrap();
        let found = kill(&place, &[scene], kills, 20_261_129).unwrap();
        assert!(found.is_clean() && found.kills == kills, "{found}");
    };
    let folder = in_memory().unwrap();
    on(folder.path().join("entracte.db").to_string_lossy().into_owned(), folder.path());
    if let Some(made) = TestDatabase::make() {
        let folder = in_memory().unwrap();
        on(made.url(), folder.path());
    }
}

/// A machine that slept is replaced, wakes up and has the send still to do: whatever the effect class, the action
/// happens once. It is really stopped, and the lock is really lost: the file removed, the connection cut.
#[test]
fn process_frozen_before_send_sends_nothing() {
    let on_sqlite = || {
        let folder = in_memory().unwrap();
        let file = folder.path().join("entracte.db");
        let place = place(folder.path(), file.to_string_lossy().into_owned());
        let lock = folder.path().join("entracte.db.lock");
        FreezeTestSite {
            place,
            take_lock: Box::new(move || std::fs::remove_file(&lock).unwrap()),
            keep: Box::new(folder),
        }
    };
    let (seen, found) = freeze_after_each_start(on_sqlite);
    let classes = ["outside.note_once", "outside.note_keyed", "outside.note_probed"].map(str::to_owned);
    assert!(found.is_clean(), "{found}");
    assert_eq!(seen, BTreeSet::from(classes.clone()));
    // The short form cuts the lock of the file alone.
    if !test_scale::is_long_run() || TestDatabase::make().is_none() {
        return;
    }
    let on_postgres = || {
        let (folder, made) = (in_memory().unwrap(), Arc::new(TestDatabase::make().unwrap()));
        let cut = made.clone();
        let place = place(folder.path(), made.url());
        FreezeTestSite {
            place,
            take_lock: Box::new(move || cut.close_all_connections()),
            keep: Box::new((folder, made)),
        }
    };
    let (seen, found) = freeze_after_each_start(on_postgres);
    assert!(found.is_clean(), "{found}");
    assert_eq!(seen, BTreeSet::from(classes));
}

/// Maximum size of the file while the disk is full: enough for the scenario.
const ROOM: u64 = 3_000_000;

/// In the short form, every how many commits of a scenario are tried.
fn step() -> usize {
    test_scale::scaled(5, 1)
}

/// Each outage in the scenario with actions of every effect class: the process finishes by itself, with nothing lost
/// and nothing repeated.
fn check_survives_outage(make: impl Fn() -> OutageTestSite) {
    let (times, found) = trouble_after_commits(make, CrashScenario::named("approvals").unwrap(), step());
    assert!(found.is_clean(), "{found}");
    assert!(times > 3, "the scene has so many commits: {times}");
}

fn on_postgres(begin: fn(&Arc<TestDatabase>) -> Box<dyn Any>) -> OutageTestSite {
    let (folder, made) = (in_memory().unwrap(), Arc::new(TestDatabase::make().unwrap()));
    let database = made.clone();
    let place = place(folder.path(), made.url());
    OutageTestSite { place, begin: Box::new(move || begin(&database)), keep: Box::new((folder, made)) }
}

fn on_sqlite(max_bytes: u64, begin: fn(&Path) -> Box<dyn Any>) -> OutageTestSite {
    let folder = in_memory().unwrap();
    let file = folder.path().join("entracte.db");
    let place = CrashTestSite { max_bytes, ..place(folder.path(), file.to_string_lossy().into_owned()) };
    OutageTestSite { place, begin: Box::new(move || begin(&file)), keep: Box::new(folder) }
}

/// The lock is lost with its connection, and no other process takes it: the same epoch continues.
#[test]
fn server_continues_after_lock_is_cut() {
    if TestDatabase::make().is_some() {
        check_survives_outage(|| {
            on_postgres(|made| {
                drop(made.take_lock());
                Box::new(())
            })
        });
    }
}

/// Another process owns the database while the server is stopped, and for a moment after that.
#[test]
fn server_recovers_after_losing_its_database() {
    check_survives_outage(|| {
        on_sqlite(0, |file| {
            std::fs::remove_file(format!("{}.lock", file.display())).unwrap();
            let database = Database::open(file.to_str().unwrap(), DatabaseOptions::default()).unwrap();
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let epoch = runtime.block_on(database.ownership().acquire(Timestamp(1))).unwrap();
            Box::new(ForeignOwnershipGuard(database, epoch))
        })
    });
    if TestDatabase::make().is_some() {
        check_survives_outage(|| {
            on_postgres(|made| {
                let taken = made.take_lock();
                made.run("UPDATE owner SET epoch = epoch + 1, holder = 'process 1', pid = 1");
                Box::new(taken)
            })
        });
    }
}

struct ForeignOwnershipGuard(Database, u64);

impl Drop for ForeignOwnershipGuard {
    fn drop(&mut self) {
        self.0.ownership().release(self.1);
    }
}

/// The disk is full for a while.
#[test]
fn server_continues_after_full_disk() {
    check_survives_outage(|| {
        on_sqlite(ROOM, |file| {
            let ballast = DiskFillGuard(file.to_string_lossy().into_owned());
            ballast.run(&format!("INSERT INTO blobs (digest, bytes) VALUES ('ballast', zeroblob({ROOM}))"));
            Box::new(ballast)
        })
    });
}

/// Fills a file until it is dropped.
struct DiskFillGuard(String);

impl DiskFillGuard {
    fn run(&self, sql: &str) {
        let mut conn = SqliteConnection::establish(&self.0).unwrap();
        conn.batch_execute(&format!("PRAGMA busy_timeout = 10000; {sql}")).unwrap();
    }
}

impl Drop for DiskFillGuard {
    fn drop(&mut self) {
        self.run("DELETE FROM blobs WHERE digest = 'ballast'");
    }
}

/// A server is asked to stop at any commit, and the next one starts while it still ends.
#[test]
fn server_started_again_loses_nothing() {
    let scene = CrashScenario::named("approvals").unwrap();
    let restarts = |make: &dyn Fn() -> (CrashTestSite, Box<dyn Any>)| {
        let (times, found) = restart_after_commits(make, scene, step());
        assert!(found.is_clean(), "{found}");
        assert!(times > 3, "the scene has so many commits: {times}");
    };
    restarts(&|| {
        let folder = in_memory().unwrap();
        let file = folder.path().join("entracte.db").to_string_lossy().into_owned();
        (place(folder.path(), file), Box::new(folder))
    });
    if TestDatabase::make().is_some() {
        restarts(&|| {
            let (folder, made) = (in_memory().unwrap(), TestDatabase::make().unwrap());
            (place(folder.path(), made.url()), Box::new((folder, made)))
        });
    }
}
