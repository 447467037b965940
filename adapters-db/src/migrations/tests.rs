//! Migration of older databases to the current schema, including interrupted ones.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource};
use diesel::prelude::*;
use diesel::result::Error::RollbackTransaction;
use diesel::sql_types::{BigInt, Binary};
use diesel::sqlite::Sqlite;
use diesel_migrations::MigrationHarness;
use entracte_application::attempt_costs::AttemptCostCollector;
use entracte_application::codec::decode_entry;
use entracte_application::ports::{CostFilter, CostSum, CostSumBy, CostSumKey, LogRow, WorkspaceCommit};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::usage::Usage;

use super::sqlite::MIGRATIONS;
use crate::tests::{open, place};
use crate::{Database, DatabaseLocation, DatabaseOptions, OpeningStep};

/// The database of the first release, and its number of migrations.
const RELEASED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/v0.1.0/entracte.db");
const OF_RELEASED: usize = 2;

fn migrations() -> Vec<Box<dyn Migration<Sqlite>>> {
    let mut all = MigrationSource::<Sqlite>::migrations(&MIGRATIONS).expect("they are built in");
    all.sort_by_key(|migration| migration.name().version().to_string());
    all
}

fn connect(path: &Path) -> SqliteConnection {
    let mut conn = SqliteConnection::establish(path.to_str().expect("a path of text")).expect("it opens");
    // A small cache, so that uncommitted pages are in the file's log too.
    conn.batch_execute("PRAGMA journal_mode = WAL; PRAGMA cache_size = 4").expect("it is set");
    conn
}

/// The database of the first release, migrated to the first `count` migrations.
fn database_of(path: &Path, count: usize) {
    std::fs::write(path, std::fs::read(RELEASED).expect("the fixture")).expect("it is written");
    let mut conn = connect(path);
    for migration in &migrations()[OF_RELEASED..count] {
        conn.run_migration(migration.as_ref()).expect("it is applied");
    }
}

/// Number and body of each entry, by a statement valid for every schema version.
fn bodies(path: &Path) -> Vec<(u64, Vec<u8>)> {
    #[derive(QueryableByName)]
    struct LogBodyRow {
        #[diesel(sql_type = BigInt)]
        seq: i64,
        #[diesel(sql_type = Binary)]
        body: Vec<u8>,
    }
    let query = diesel::sql_query("SELECT seq, body FROM log ORDER BY seq");
    let rows: Vec<LogBodyRow> = query.load(&mut connect(path)).expect("they are read");
    rows.into_iter().map(|row| (row.seq.cast_unsigned(), row.body)).collect()
}

/// The file and log left by a process killed after `steps` of the missing migrations.
fn killed_after(path: &Path, count: usize, steps: usize, left: &Path) {
    let mut conn = connect(path);
    let killed = conn.immediate_transaction(|conn| {
        for migration in &migrations()[count..count + steps] {
            conn.run_migration(migration.as_ref()).expect("it is applied");
        }
        for suffix in ["", "-wal"] {
            let file = |path: &Path| format!("{}{suffix}", path.display());
            std::fs::copy(file(path), file(left)).expect("it is copied");
        }
        Err::<(), _>(RollbackTransaction)
    });
    assert_eq!(killed, Err(RollbackTransaction), "nothing of it was committed");
}

/// Input: the database of the first release, in its schema and each later one, whose migration is killed; expected: the
/// next start completes it, every entry reads as before, and the session continues. That of the first release is killed
/// after each step, the others before the first one, after the last one, and after one between, each after another.
#[tokio::test]
async fn v1_databases_migrate_in_place() {
    migrate_in_place(|count, missing| {
        let is_tried = |steps: &usize| count == OF_RELEASED || [0, count % missing, missing].contains(steps);
        (0..=missing).filter(is_tried).collect()
    })
    .await;
}

/// The same, and each is killed after each step.
#[tokio::test]
#[ignore = "takes a minute; `.ci/long` runs it"]
async fn v1_databases_migrate_in_place_after_each_step() {
    migrate_in_place(|_, missing| (0..=missing).collect()).await;
}

/// `killed` names, for a number of migrations and that of the missing ones, the steps after which it is killed.
async fn migrate_in_place(killed: impl Fn(usize, usize) -> Vec<usize>) {
    let (key, session) = (WorkspaceKey::new("ann:home"), SessionId::new("ses_k1"));
    let known = migrations().len();
    for count in OF_RELEASED..known {
        let (_directory, path) = place();
        database_of(&path, count);
        let before = bodies(&path);
        assert_eq!(before.len(), 28);
        for steps in killed(count, known - count) {
            let case = format!("a form of {count} migrations, killed after {steps} more");
            let (_elsewhere, left) = place();
            killed_after(&path, count, steps, &left);
            let database = open(&left);
            assert_eq!(database.applied_migrations().len(), known - count, "{case}: all are applied");
            assert_eq!(database.check().expect("it is read"), Vec::<String>::new(), "{case}");
            let (log, store) = (database.log_reader(), database.store());
            let found = log.entries_of_all(&key, 0, u32::MAX).await.expect("they are read");
            let after: Vec<_> = found.iter().map(|row| (row.seq, row.body.clone())).collect();
            assert_eq!(after, before, "{case}");
            for by in SUMS {
                let sums = sums_of(&database, &key, by).await;
                assert_eq!(sums, costs_of(&found, &key, by), "{case}: costs are added up");
            }
            for row in &found {
                decode_entry(row).unwrap_or_else(|error| panic!("{case}: entry {}: {error}", row.seq));
            }

            let mut workspace = store.workspace(&key).await.expect("it is read").expect("it is there");
            let mut row = store.session(&key, &session).await.expect("it is read").expect("it is there");
            let (seq, sequence) = (workspace.seq, row.sequence);
            (workspace.seq, row.sequence) = (seq + 1, sequence + 1);
            let last = found.iter().rfind(|row| row.session == session).expect("it has entries");
            let next = LogRow { seq: seq + 1, sequence: sequence + 1, client_key: None, ..last.clone() };
            let commit = WorkspaceCommit {
                expected_seq: Some(seq),
                sessions: vec![(row, Some(sequence))],
                log: vec![next.clone()],
                ..WorkspaceCommit::for_workspace(workspace)
            };
            store.commit(commit).await.unwrap_or_else(|error| panic!("{case}: {error}"));
            let added = log.entries(&key, &session, seq, 9).await.expect("they are read");
            assert_eq!(added, [next], "{case}");
        }
    }
}

/// The sums that show whether attempts are stored, with whom and what they are for.
const SUMS: [CostSumBy; 3] = [CostSumBy::Attempt, CostSumBy::Initiator, CostSumBy::CommandSet];

/// The sums of the attempts that these entries record.
fn costs_of(entries: &[LogRow], key: &WorkspaceKey, by: CostSumBy) -> Vec<(CostSumKey, Usage)> {
    let mut sessions: BTreeMap<SessionId, AttemptCostCollector> = BTreeMap::new();
    for row in entries {
        let collector = sessions.entry(row.session.clone());
        let collector = collector.or_insert_with(|| AttemptCostCollector::new(row.session.clone()));
        collector.add(&decode_entry(row).expect("it is an entry"));
    }
    let filter = CostFilter::new(key.clone(), by, 999);
    let mut sums: BTreeMap<CostSumKey, Usage> = BTreeMap::new();
    for row in sessions.into_values().flat_map(AttemptCostCollector::into_rows) {
        row.sum_keys(&filter).into_iter().for_each(|key| sums.entry(key).or_default().add(row.usage));
    }
    assert!(!sums.is_empty(), "the fixture has model calls");
    sums.into_iter().collect()
}

/// The stored attempts.
async fn stored_costs(database: &Database, key: &WorkspaceKey) -> Vec<(CostSumKey, Usage)> {
    sums_of(database, key, CostSumBy::Attempt).await
}

/// The stored sums.
async fn sums_of(database: &Database, key: &WorkspaceKey, by: CostSumBy) -> Vec<(CostSumKey, Usage)> {
    let filter = CostFilter::new(key.clone(), by, 999);
    let page = database.log_reader().cost_sums(&filter).await.expect("they are read");
    let mut found: Vec<_> = page.sums.into_iter().map(|sum| (sum.key, sum.usage)).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

/// Input: a process that was killed after the migration, before it added up the costs of any session, or while it added
/// them up anew; expected: the next start adds them up.
#[tokio::test]
async fn interrupted_cost_count_is_continued() {
    let key = WorkspaceKey::new("ann:home");
    let (_directory, path) = place();
    database_of(&path, OF_RELEASED);
    let expected = stored_costs(&open(&path), &key).await;
    let people = sums_of(&open(&path), &key, CostSumBy::Initiator).await;
    let killed_at = [
        "DELETE FROM costs",
        "UPDATE costs SET output = output + 1",
        "UPDATE costs SET person = '', commands = ''",
        "SELECT 1",
    ];
    for killed in killed_at {
        let all = "INSERT INTO uncounted_sessions SELECT session_id, workspace_id, 0 FROM sessions";
        connect(&path).batch_execute(&format!("{all}; {killed}")).expect("it is written");
        let database = open(&path);
        assert_eq!(stored_costs(&database, &key).await, expected, "{killed}");
        assert_eq!(sums_of(&database, &key, CostSumBy::Initiator).await, people, "{killed}");
        assert_eq!(database.log_reader().uncounted_sessions(&key).await.expect("it is read"), 0);
    }
}

/// The sum of all attempts.
async fn total(database: &Database, key: &WorkspaceKey) -> CostSum {
    let filter = CostFilter::new(key.clone(), CostSumBy::Everything, 1);
    let page = database.log_reader().cost_sums(&filter).await.expect("it is read");
    page.sums.into_iter().next().expect("there are attempts")
}

/// Input: attempts with reservations, one of them a stopped summary, which no entry tells of, when all costs are added up
/// anew; expected: what is reserved, uncertain and beyond reservations is as before.
#[tokio::test]
async fn recount_keeps_reservations() {
    let key = WorkspaceKey::new("ann:home");
    let (_directory, path) = place();
    database_of(&path, OF_RELEASED);
    let database = open(&path);
    let reserve = "UPDATE costs SET hold = CASE WHEN unknown_attempts = 0 THEN 3 ELSE 2 END, held_tokens = 1; \
                   INSERT INTO costs (workspace_id, session_id, round, attempt, at, provider, model, person, commands, \
                   input, cache_read, cache_write, output, unknown_attempts, micros, rest, priced, \
                   hold, held_tokens, held_micros, held_rest) \
                   SELECT workspace_id, session_id, 900, 1, at, provider, model, person, '', \
                   0, 0, 0, 0, 1, 0, 0, 0, 2, 50, 6, 7 FROM costs LIMIT 1";
    connect(&path).batch_execute(reserve).expect("it is written");
    let before = total(&database, &key).await;
    assert!(
        before.reservations.uncertain.tokens >= 50 && before.reservations.overrun.tokens > 0,
        "{before:?}"
    );
    database.recount_costs(&|_| {}).expect("they are added up");
    assert_eq!(total(&database, &key).await, before);
}

/// Input: a session with an entry that cannot be read, when all costs are added up anew; expected: it keeps its costs and
/// is reported, until its log is repaired and costs are added up again.
#[tokio::test]
async fn sessions_with_unreadable_logs_stay_uncounted() {
    let key = WorkspaceKey::new("ann:home");
    let (_directory, path) = place();
    database_of(&path, OF_RELEASED);
    let database = open(&path);
    let (log, expected) = (database.log_reader(), stored_costs(&database, &key).await);
    let counted = database.recount_costs(&|_| {}).expect("they are added up");
    assert_eq!(counted.unreadable, 0);
    let break_it = "CREATE TABLE kept AS SELECT place, body FROM log WHERE seq = 5; \
                    UPDATE log SET body = x'7b' WHERE seq = 5";
    connect(&path).batch_execute(break_it).expect("it is written");
    let broken = database.recount_costs(&|_| {}).expect("they are added up");
    assert_eq!((broken.counted, broken.unreadable), (counted.counted - 1, 1));
    assert_eq!(log.uncounted_sessions(&key).await.expect("it is read"), 1);
    assert_eq!(stored_costs(&database, &key).await, expected);
    assert_eq!(open(&path).log_reader().uncounted_sessions(&key).await.expect("it is read"), 1);
    let repair = "UPDATE log SET body = kept.body FROM kept WHERE kept.place = log.place; DROP TABLE kept";
    connect(&path).batch_execute(repair).expect("it is written");
    assert_eq!(database.recount_costs(&|_| {}).expect("they are added up"), counted);
    assert_eq!(log.uncounted_sessions(&key).await.expect("it is read"), 0);
}

/// Input: a database of the first release, then the same again, and a new one; expected: each missing migration is
/// reported as it begins, with its position; afterwards none.
#[test]
fn upgrade_reports_each_migration() {
    let steps_of = |path: &Path| {
        let steps = RefCell::new(Vec::new());
        let tell = |step: OpeningStep<'_>| match step {
            OpeningStep::Waits => panic!("nobody else is there"),
            OpeningStep::AddsUpCosts { .. } | OpeningStep::ListsInbox { .. } => {}
            OpeningStep::Migrates { migration, number, count } => {
                steps.borrow_mut().push((migration.to_owned(), number, count));
            }
        };
        let location = DatabaseLocation::from(path.to_owned());
        Database::open_with_progress(location, DatabaseOptions::default(), &tell).expect("it opens");
        steps.take()
    };
    let (_directory, old) = place();
    database_of(&old, OF_RELEASED);
    let names: Vec<String> = migrations().iter().map(|migration| migration.name().to_string()).collect();
    let count = names.len() - OF_RELEASED;
    let expected: Vec<_> =
        names[OF_RELEASED..].iter().zip(1..).map(|(name, number)| (name.clone(), number, count)).collect();
    assert_eq!(steps_of(&old), expected);
    assert_eq!(steps_of(&old), []);
    let (_directory, new) = place();
    assert_eq!(steps_of(&new), []);
}
