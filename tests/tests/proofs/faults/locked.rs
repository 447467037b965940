//! Another program holds the lock for longer than the wait for it.

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, SqliteConnection};
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::StoreOutageKind;
use entracte_domain::time::Millis;
use entracte_tests::postgres::TestDatabase;
use std::cell::RefCell;

use super::fixture::check_survives_fault;

fn options() -> DatabaseOptions {
    DatabaseOptions { busy_timeout: Millis(20), ..DatabaseOptions::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_file_lock_is_reported_and_awaited() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), options()).unwrap();
    let other = RefCell::new(SqliteConnection::establish(path.to_str().unwrap()).unwrap());
    let run = |sql: &str| other.borrow_mut().batch_execute(sql).unwrap();
    run("PRAGMA busy_timeout = 10000");
    check_survives_fault(&database, StoreOutageKind::Locked, || run("BEGIN IMMEDIATE"), || run("ROLLBACK"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn server_lock_is_reported_and_awaited() {
    let Some(made) = TestDatabase::make() else { return };
    let database = Database::open(&made.url(), options()).unwrap();
    let other = RefCell::new(PgConnection::establish(&made.url()).unwrap());
    let run = |sql: &str| other.borrow_mut().batch_execute(sql).unwrap();
    let lock = || run("BEGIN; LOCK TABLE workspaces, log IN EXCLUSIVE MODE");
    check_survives_fault(&database, StoreOutageKind::Locked, lock, || run("ROLLBACK")).await;
}
