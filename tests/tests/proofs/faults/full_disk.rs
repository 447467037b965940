//! A full disk. SQLite is limited to a size, and other rows take the rest of it.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::StoreOutageKind;

use super::fixture::check_survives_fault;

/// Maximum size of the database: enough for a few turns.
const ROOM: u64 = 2_000_000;

fn run(path: &Path, sql: &str) {
    let mut conn = SqliteConnection::establish(path.to_str().unwrap()).unwrap();
    conn.batch_execute(&format!("PRAGMA busy_timeout = 10000; {sql}")).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn disk_full_keeps_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let options = DatabaseOptions { max_bytes: ROOM, ..DatabaseOptions::default() };
    let database = Database::open(path.to_str().unwrap(), options).unwrap();
    let fill =
        || run(&path, &format!("INSERT INTO blobs (digest, bytes) VALUES ('ballast', zeroblob({ROOM}))"));
    let make_room = || run(&path, "DELETE FROM blobs WHERE digest = 'ballast'");
    check_survives_fault(&database, StoreOutageKind::Full, fill, make_room).await;
}

#[tokio::test]
async fn full_file_opens_and_accepts_small_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let text = path.to_str().unwrap();
    drop(Database::open(text, DatabaseOptions::default()).unwrap());
    let options = DatabaseOptions { max_bytes: 1, ..DatabaseOptions::default() };
    let database = Database::open(text, options).unwrap();
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
}
