//! Which files can be opened as databases.

use std::cell::RefCell;
use std::path::Path;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_domain::time::Millis;

use super::{begun, open, place, refusal};
use crate::{Database, DatabaseOptions, OpenError, location::LocationError};

fn run(path: &Path, sql: &str) {
    let url = path.to_str().expect("a path of text");
    SqliteConnection::establish(url).expect("it opens").batch_execute(sql).expect("it runs");
}

/// The migrations that a new file gets.
const ALL: [&str; 39] = [
    "20261120000001",
    "20261121000001",
    "20261121000002",
    "20261122000025",
    "20261122000036",
    "20261122000043",
    "20261122000045",
    "20261122000046",
    "20261122000047",
    "20261122000049",
    "20261122000058",
    "20261122000060",
    "20261123000061",
    "20261123000062",
    "20261123000063",
    "20261123000066",
    "20261123000067",
    "20261123000069",
    "20261125000072",
    "20261125000075",
    "20261127000120",
    "20261127000150",
    "20261128000046",
    "20261128000145",
    "20261129000049",
    "20261129000050",
    "20261129000051",
    "20261130000052",
    "20261130000053",
    "20261130000054",
    "20261130000055",
    "20261130000060",
    "20261130000065",
    "20261130000070",
    "20261201000010",
    "20261201000020",
    "20261201000040",
    "20261201000050",
    "20261201000060",
];

#[tokio::test]
async fn missing_file_is_created_with_its_directories() {
    let (directory, _) = place();
    let path = directory.path().join("a b/c%d/entracte.db");
    let database = open(&path);
    assert_eq!(database.applied_migrations(), ALL);
    database.store().commit(begun("a")).await.expect("it is written");
    assert!(path.is_file());
}

/// Input: a file that another process opens, and releases when the wait is reported; expected: one report, then the
/// lock.
#[test]
fn wait_for_another_process_is_reported() {
    let (_directory, path) = place();
    let wait = |waits: &dyn Fn()| {
        crate::private_file::acquire_opening_lock(&path, Duration::ZERO, waits).expect("a turn")
    };
    let other = RefCell::new(Some(wait(&|| panic!("nobody else is there"))));
    let told = RefCell::new(0);
    wait(&|| {
        *told.borrow_mut() += 1;
        drop(other.take());
    });
    assert_eq!(told.take(), 1);
}

/// Input: a refused process that cleans up while another one waits for the lock; expected: the other one gets the lock
/// and makes a third one wait.
#[cfg(unix)]
#[test]
fn removed_opening_lock_still_blocks_other_processes() {
    let (directory, path) = place();
    let wait = |waits: &dyn Fn()| {
        crate::private_file::acquire_opening_lock(&path, Duration::ZERO, waits).expect("a turn")
    };
    let first = RefCell::new(Some(wait(&|| panic!("nobody else is there"))));
    let second = wait(&|| {
        let first = first.take().expect("it is told once");
        first.remove_leftovers();
        assert_eq!(std::fs::read_dir(directory.path()).expect("it is read").count(), 0);
    });
    let (second, told) = (RefCell::new(Some(second)), RefCell::new(0));
    wait(&|| {
        *told.borrow_mut() += 1;
        drop(second.take());
    });
    assert_eq!(told.take(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn new_database_is_readable_by_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, path) = place();
    let database = open(&path);
    database.store().commit(begun("a")).await.expect("it is written");
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("{}{suffix}", path.display());
        let mode = std::fs::metadata(&file).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
}

#[tokio::test]
async fn a_database_opened_again_has_what_was_committed() {
    let (_directory, path) = place();
    open(&path).store().commit(begun("a")).await.expect("it is written");
    let database = open(&path);
    assert_eq!(database.applied_migrations(), Vec::<String>::new());
    let commit = begun("a");
    let found =
        database.store().session(&commit.workspace.key, &commit.sessions[0].0.id).await.expect("it is read");
    assert_eq!(found, Some(commit.sessions[0].0.clone()));
}

/// Input: a file that a process writes, which another one opens and reads; expected: the write-ahead log stays as it is.
#[tokio::test]
async fn opening_beside_a_writer_leaves_its_log_alone() {
    let (_directory, path) = place();
    let writer = open(&path);
    writer.store().commit(begun("a")).await.expect("it is written");
    let log = || std::fs::read(format!("{}-wal", path.display())).expect("it is there");
    let before = log();
    assert!(!before.is_empty());
    for _ in 0..3 {
        let other = open(&path);
        assert_eq!(other.applied_migrations(), Vec::<String>::new());
        assert_eq!(other.store().workspaces().await.expect("they are read").len(), 1);
        drop(other);
        assert!(log() == before, "{} bytes became {}", before.len(), log().len());
    }
    assert_eq!(writer.store().workspaces().await.expect("they are read").len(), 1);
}

#[tokio::test]
async fn emptied_database_is_reported_and_not_recreated() {
    let (_directory, path) = place();
    open(&path).store().commit(begun("a")).await.expect("it is written");
    std::fs::write(&path, "").expect("it is emptied");
    let expected = format!(
        "the database {} is empty (0 bytes); restore a backup, or remove it to begin a new one",
        path.display()
    );
    assert_eq!(refusal(&path), expected);
    assert_eq!(std::fs::metadata(&path).expect("it is there").len(), 0, "it was not touched");
    // A leftover log does not make the file a database.
    std::fs::write(format!("{}-wal", path.display()), "x").expect("it is written");
    assert_eq!(refusal(&path), expected);
    std::fs::remove_file(&path).expect("it is removed");
    std::fs::remove_file(format!("{}-wal", path.display())).expect("it is removed");
    assert_eq!(open(&path).applied_migrations().len(), ALL.len(), "a new one begins");
}

#[test]
fn interrupted_creation_is_completed() {
    let (_directory, path) = place();
    crate::private_file::acquire_opening_lock(&path, Duration::ZERO, || ())
        .expect("a turn")
        .mark_creating()
        .expect("it is noted");
    std::fs::write(&path, "").expect("it is written");
    assert_eq!(open(&path).applied_migrations().len(), ALL.len());
    assert!(std::fs::metadata(&path).expect("it is there").len() > 0, "it is never empty from here on");
}

#[test]
fn a_newer_database_is_refused_and_not_changed() {
    let (_directory, path) = place();
    drop(open(&path));
    run(&path, "INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000')");
    // Closed again, so that the file contains everything.
    run(&path, "PRAGMA journal_mode = DELETE");
    let before = std::fs::read(&path).expect("it is read");
    let text = refusal(&path);
    assert!(text.contains("entracte.db was written by a newer Entracte"), "{text}");
    assert!(text.contains("unknown migration 29990101000000"), "{text}");
    assert_eq!(std::fs::read(&path).expect("it is read"), before);
}

#[test]
fn old_owned_database_is_not_migrated() {
    let (_directory, path) = place();
    let database = open(&path);
    let _owned = database.try_own().expect("nobody owns it");
    run(&path, "DELETE FROM __diesel_schema_migrations");
    let text = refusal(&path);
    assert!(
        text.starts_with(
            "the database must be migrated first, which is not possible now; migrate it when nobody works with it: "
        ),
        "{text}"
    );
    assert!(text.ends_with(&format!("is owned by process {}", std::process::id())), "{text}");
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let (_directory, path) = place();
    std::fs::write(&path, "Dear diary, ".repeat(1000)).expect("it is written");
    let text = refusal(&path);
    assert!(text.contains("entracte.db cannot be opened: file is not a database"), "{text}");
    is_alone(&path);
}

/// Asserts that no file of ours is left beside a file.
fn is_alone(path: &Path) {
    let beside = std::fs::read_dir(path.parent().expect("it has a folder")).expect("it is read");
    let names: Vec<_> = beside.map(|entry| entry.expect("it is read").file_name()).collect();
    assert_eq!(names, [path.file_name().expect("it has a name")]);
}

#[test]
fn the_database_of_another_program_is_refused() {
    let (_directory, path) = place();
    run(&path, "CREATE TABLE songs (title TEXT)");
    let text = refusal(&path);
    assert!(text.contains("entracte.db is a database of another program; give the path of one"), "{text}");
    is_alone(&path);
}

#[test]
fn a_directory_is_refused() {
    let (directory, _) = place();
    assert!(refusal(directory.path()).ends_with("is a directory, not a database; give the path of a file"));
}

#[test]
fn path_below_a_file_is_refused_with_cause() {
    let (directory, _) = place();
    std::fs::write(directory.path().join("file"), "").expect("it is written");
    let text = refusal(&directory.path().join("file/entracte.db"));
    assert!(text.contains("file/entracte.db cannot be opened: "), "{text}");
}

#[test]
fn read_only_file_is_refused_with_fix() {
    let (_directory, path) = place();
    drop(open(&path));
    let mut permissions = std::fs::metadata(&path).expect("it is there").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).expect("they are set");
    assert!(refusal(&path).ends_with("entracte.db is read-only; make it writable: chmod u+w"));
}

#[test]
fn a_url_of_another_database_is_refused() {
    let error = Database::open("mysql://localhost/entracte", DatabaseOptions::default());
    let Err(OpenError::Location(LocationError::Unsupported { scheme })) = error else {
        panic!("it is refused by its name")
    };
    assert_eq!(scheme, "mysql");
}

#[tokio::test]
async fn vanished_file_is_reported_with_its_path() {
    let (_directory, path) = place();
    let options = DatabaseOptions { busy_timeout: Millis(50), ..DatabaseOptions::default() };
    let database = Database::open_at(path.clone().into(), options).expect("it opens");
    std::fs::remove_file(&path).expect("it is removed");
    let error = database.store().workspaces().await.expect_err("there is nothing to read");
    assert!(error.to_string().starts_with("the database cannot be used: "), "{error}");
    assert!(error.to_string().contains("entracte.db: "), "{error}");
}

#[tokio::test]
async fn crashed_database_keeps_committed_data() {
    let (_directory, path) = place();
    let database = open(&path);
    database.store().commit(begun("a")).await.expect("it is written");
    // The state after a crash: the file and its log, never closed.
    let (_elsewhere, left) = place();
    for suffix in ["", "-wal"] {
        let file = |path: &Path| format!("{}{suffix}", path.display());
        std::fs::copy(file(&path), file(&left)).expect("it is copied");
    }
    let found = open(&left).store().workspaces().await.expect("they are read");
    assert_eq!(found, vec![begun("a").workspace]);
}

#[test]
fn many_processes_open_a_new_database_simultaneously() {
    for _ in 0..5 {
        let (_directory, path) = place();
        let opened: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| open(&path))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it opens")).collect()
        });
        let made = opened.iter().filter(|database| !database.applied_migrations().is_empty()).count();
        assert_eq!(made, 1, "one makes it, the others find it");
    }
}
