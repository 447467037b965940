//! Opening a server database, and the reasons to refuse it.

use entracte_adapters_db::{Database, DatabaseOptions, OpenError};
use entracte_application::ports::{ResourceChange, ResourceRow, StoreError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::postgres::TestDatabase;

use super::begun;

fn refusal(url: &str) -> String {
    let options = DatabaseOptions { connect_timeout: Millis::seconds(2), ..DatabaseOptions::default() };
    Database::open(url, options).unwrap_err().to_string()
}

#[test]
fn empty_database_gets_tables_and_reopens() {
    let Some(made) = TestDatabase::make() else { return };
    assert_eq!(
        made.open().applied_migrations(),
        [
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
            "20261201000050"
        ]
    );
    assert_eq!(made.open().applied_migrations(), Vec::<String>::new());
}

/// Input: a server that records the statement time-out of each schema change, and a limit of 30 s; expected: no
/// migration has a time-out.
#[test]
fn migration_has_no_statement_timeout() {
    let Some(made) = TestDatabase::make() else { return };
    made.run(
        "CREATE SCHEMA watch;
         CREATE TABLE watch.seen (span TEXT);
         CREATE FUNCTION watch.note() RETURNS event_trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO watch.seen VALUES (current_setting('statement_timeout')); END $$;
         CREATE EVENT TRIGGER note ON ddl_command_start EXECUTE FUNCTION watch.note()",
    );
    drop(made.open());
    made.run(
        "DO $$ BEGIN
            IF (SELECT array_agg(DISTINCT span) FROM watch.seen) IS DISTINCT FROM ARRAY['0'] THEN
                RAISE EXCEPTION 'limits: %', (SELECT array_agg(DISTINCT span) FROM watch.seen);
            END IF;
         END $$",
    );
}

#[test]
fn many_may_open_an_empty_database_at_once() {
    let Some(made) = TestDatabase::make() else { return };
    let opened: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| made.open())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let migrated = opened.iter().filter(|database| !database.applied_migrations().is_empty()).count();
    assert_eq!(migrated, 1, "one makes the tables, the others find them");
}

#[test]
fn foreign_database_is_refused_unchanged() {
    let Some(made) = TestDatabase::make() else { return };
    made.run("CREATE TABLE songs (title TEXT)");
    let says = refusal(&made.url());
    assert!(says.contains("is a database of another program; give Entracte a database of its own"), "{says}");
    // A schema of its own in that database is accepted.
    made.run("CREATE SCHEMA entracte");
    let apart = format!("{}&options=-csearch_path%3Dentracte", made.url());
    assert_eq!(
        Database::open(&apart, DatabaseOptions::default()).unwrap().check().unwrap(),
        Vec::<String>::new()
    );
    let nowhere = format!("{}&options=-csearch_path%3Dnowhere", made.url());
    assert!(matches!(Database::open(&nowhere, DatabaseOptions::default()), Err(OpenError::NoSchema { .. })));
}

#[test]
fn a_newer_database_is_refused() {
    let Some(made) = TestDatabase::make() else { return };
    drop(made.open());
    made.run("INSERT INTO __diesel_schema_migrations (version) VALUES ('29990101000000')");
    let says = refusal(&made.url());
    assert!(says.contains("was written by a newer Entracte (unknown migration 29990101000000)"), "{says}");
}

#[test]
fn owned_old_server_database_is_not_migrated() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let _owned = database.try_own().unwrap();
    made.run("DELETE FROM __diesel_schema_migrations");
    let error = Database::open(&made.url(), DatabaseOptions::default()).unwrap_err();
    assert!(matches!(error, OpenError::InUse(_)), "{error}");
}

#[test]
fn unreachable_server_error_has_cause_without_password() {
    let says = refusal("postgres://ann:s3cret@127.0.0.1:1/entracte");
    assert!(says.starts_with("postgres://ann@127.0.0.1:1/entracte cannot be opened: "), "{says}");
    assert!(says.contains("refused"), "{says}");
    assert!(!says.contains("s3cret") && !says.contains('\n'), "{says}");
}

#[test]
fn missing_database_error_has_remedy() {
    let Some(made) = TestDatabase::make() else { return };
    let (url, missing) = (made.url(), "no_such_database");
    let (before, after) = url.split_once("/test_").unwrap();
    let query = after.split_once('?').unwrap().1;
    let says = refusal(&format!("{before}/{missing}?{query}"));
    assert!(says.ends_with("does not exist; create it: createdb no_such_database"), "{says}");
}

#[test]
fn a_check_names_rows_without_their_parents() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    assert_eq!(database.check().unwrap(), Vec::<String>::new());
    made.run(
        "SET session_replication_role = replica;
         INSERT INTO log VALUES (7, 1, 9, 1, 1, 'x', NULL, '', 7 * 68719476736 + 1)",
    );
    assert_eq!(
        database.check().unwrap(),
        [
            "1 row of log refers to a missing row of sessions",
            "1 row of log refers to a missing row of workspaces"
        ]
    );
}

#[tokio::test]
async fn unstorable_text_is_refused_alone() {
    let Some(made) = TestDatabase::make() else { return };
    let database = made.open();
    let mut commit = begun("a");
    commit.resources = vec![ResourceChange::Create(ResourceRow {
        kind: "zone".to_owned(),
        id: "z1".to_owned(),
        parent: None,
        parent_kind: None,
        name: "a\0b".to_owned(),
        at: None,
        version: 1,
        body: "{}".to_owned(),
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    })];
    let refused = database.store().commit(commit).await.unwrap_err();
    let entracte_application::ports::CommitError::Store(StoreError::Inconsistent(says)) = refused else {
        unreachable!("the work is wrong, not the database: {refused}")
    };
    assert!(says.contains("0x00"), "{says}");
    database.store().commit(begun("a")).await.unwrap();
    let found = database.store().workspace(&WorkspaceKey::new("ann:a")).await.unwrap();
    assert_eq!(found, Some(begun("a").workspace));
}
