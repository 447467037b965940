//! The same histories on SQLite and on Postgres end in the same rows, and a copy from one to the other is the complete
//! database and can continue.

#![expect(clippy::unwrap_used, reason = "these are tests")]

pub(crate) mod scenario;
mod typed_rows;

use entracte_adapters_db::{Database, DatabaseCopyError, DatabaseOptions};
use entracte_application::instructions::InstructionScope;
use entracte_application::ports::{
    AccessReach, AssignmentRow, ChunkQuery, DocumentChunk, FileUseRow, NewChunkVector, OutboxWriteBatch,
    OwnerDescription, QuantizedVector, RetentionMarkKind, RetentionMarkRow, RetentionRows, SessionFilter,
    SnoozeRow, TaskRow, TriageChange, WorkerProcessDescription, WorkspaceCommit, WorkspaceRow,
};
use entracte_application::system::sha256;
use entracte_application::use_cases::VerifySession;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::task::TaskState;
use entracte_domain::time::{Millis, Timestamp};
use entracte_tests::contracts::access_store::{person, stream_ticket, token};
use entracte_tests::contracts::file_store::{image, naming};
use entracte_tests::contracts::inbox_triage::{assignment, snooze};
use entracte_tests::contracts::instructions::version;
use entracte_tests::contracts::knowledge_store::document;
use entracte_tests::contracts::outbox_store::{link, row, target};
use entracte_tests::contracts::receipts::receipt;
use entracte_tests::contracts::rows::first;
use entracte_tests::contracts::task_reader::{arrival, task};
use entracte_tests::postgres::TestDatabase;

/// A new SQLite database, and the folder that must outlive it.
fn sqlite() -> (Database, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    (Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap(), folder)
}

/// Replays every session; returns their number.
async fn replay(database: &Database) -> usize {
    let rows = database.log_reader().sessions(&SessionFilter::default()).await.unwrap().rows;
    for row in &rows {
        let verify = VerifySession::new(database.store(), database.log_reader());
        let mismatch = verify.run(&row.workspace, &row.id).await.unwrap();
        assert!(mismatch.is_none(), "{} in {}: {mismatch:?}", row.id, database.location());
    }
    rows.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn backends_end_in_identical_rows() {
    let Some(made) = TestDatabase::make() else { return };
    let (sqlite, _folder) = sqlite();
    let postgres = made.open();
    for database in [&sqlite, &postgres] {
        scenario::play(database).await;
        assert_eq!(database.check().unwrap(), Vec::<String>::new());
        assert_eq!(replay(database).await, 5);
    }
    forget_timeline(&made);
    assert_eq!(sqlite.differences(&postgres).unwrap(), Vec::<&str>::new());
    // The comparison detects a difference: one more message makes them unequal.
    scenario::go_on(&postgres).await;
    assert_eq!(sqlite.differences(&postgres).unwrap(), ["workspaces", "sessions", "log", "costs", "owner"]);
}

/// Only a server has a timeline, so the row of an owner on a file has none.
fn forget_timeline(made: &TestDatabase) {
    made.run("UPDATE owner SET timeline = NULL");
}

/// Rows that the scenario does not write: a receipt, instructions, a task and its message, a target, its notification,
/// a link, a document that was read, what retention removed, what people noted about an item of their inbox, a file that a
/// session names, and a worker process.
async fn write_other_tables(database: &Database) {
    let (store, outbox) = (database.store(), database.outbox_store());
    let ownership = database.ownership_as(OwnerDescription::default());
    let epoch = ownership.acquire(Timestamp(9)).await.unwrap();
    let home = WorkspaceRow { epoch, ..store.workspaces().await.unwrap().remove(0) };
    let name = home.key.to_string();
    let sessions = database.log_reader().sessions(&SessionFilter::default()).await.unwrap().rows;
    let session = sessions.into_iter().find(|row| row.workspace == home.key).unwrap().id;
    let triage = vec![
        TriageChange::Snooze(SnoozeRow { session: session.clone(), ..snooze("a", "ann", 9) }),
        TriageChange::Assign(AssignmentRow { session: session.clone(), ..assignment("a", "bob") }),
    ];
    let named = vec![FileUseRow { session: session.clone(), ..naming("a", b"png") }];
    let png = b"png".to_vec().into();
    database.file_store().put_file(&home.key, image("chart.png", b"png", 7), png).await.unwrap();
    let mark = RetentionMarkRow { session, kind: RetentionMarkKind::Results, through: 1 };
    let kept = vec![(receipt("k1", 5), Timestamp(0))];
    let instructions = vec![(version(&InstructionScope::Workspace, 1), 0)];
    let commit = WorkspaceCommit {
        expected_seq: Some(home.seq),
        workspace: home,
        receipts: kept,
        instructions,
        tasks: vec![TaskRow {
            workspace: WorkspaceKey::new(name.as_str()),
            ..task("tsk_1", TaskState::Completed, None)
        }],
        arrivals: vec![arrival("tsk_1", "msg_1", 7)],
        retention: RetentionRows { marks: vec![mark], ..RetentionRows::default() },
        triage,
        files: named,
        ..first(&name)
    };
    store.commit(commit).await.unwrap();
    ownership.release(epoch);
    // Its lease has ended, so that the next owner removes it.
    let process = WorkerProcessDescription::default();
    database.workspace_ownership().enter(&process, Millis(0), Timestamp(9)).await.unwrap();
    let phone = target(&name, "phone");
    outbox.add_target(phone.clone(), 9).await.unwrap();
    let (new, links) = (vec![row("ntf_1", &phone, "question:a", 7)], vec![link("h1", &phone)]);
    outbox.write(OutboxWriteBatch { new, links, ..OutboxWriteBatch::default() }).await.unwrap();
    let guide = document("doc_1", "guide.md", &["train ticket", "hotel"]);
    let (knowledge, home) = (database.knowledge_store(), WorkspaceKey::new(name));
    knowledge.write_document(&home, guide, 9).await.unwrap();
    knowledge.note_reads(&home, &["doc_1".to_owned()], Timestamp(7)).await.unwrap();
}

/// Stores a vector for every chunk.
async fn keep_meaning(database: &Database) {
    let home = database.store().workspaces().await.unwrap().remove(0).key;
    let chunks = database.knowledge_store().chunks_after(&home, 0, 100).await.unwrap();
    let new = |chunk: DocumentChunk| NewChunkVector {
        chunk: chunk.number,
        digest: sha256(chunk.text.as_bytes()),
        vector: QuantizedVector { scale: 0.5, bytes: vec![1, 2, 255] },
    };
    let kept =
        database.vector_store().write_vectors(&home, "model@3", chunks.into_iter().map(new).collect()).await;
    assert!(kept.unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn database_copy_replays_identically() {
    let Some(made) = TestDatabase::make() else { return };
    let ((source, _one), postgres, (second, _two)) = (sqlite(), made.open(), sqlite());
    scenario::play(&source).await;
    let ann = person(AccessReach::Everywhere, "ann");
    let access = source.access_store();
    access.add_token(token("t1", &access.add_person(ann).await.unwrap(), 1)).await.unwrap();
    access.add_stream_ticket(stream_ticket(1, "t1", 1..9)).await.unwrap();
    write_other_tables(&source).await;
    keep_meaning(&source).await;
    let rows = source.copy_into(&postgres).unwrap();
    assert_eq!(postgres.copy_into(&second).unwrap(), rows);
    // Only a migration leaves sessions whose costs are not added up, and nothing waits for a person.
    let mut written = rows.iter().filter(|(table, _)| !["uncounted_sessions", "inbox_items"].contains(table));
    assert!(written.all(|(_, rows)| *rows > 0), "every table has rows: {rows:?}");
    for copy in [&postgres, &second] {
        assert_eq!(source.differences(copy).unwrap(), Vec::<&str>::new());
        // The index is no table of the copy: writing the chunks recreates it.
        let home = copy.store().workspaces().await.unwrap().remove(0).key;
        let wanted = ChunkQuery::All(vec![vec!["travel".into()], vec!["hotel".into()]]);
        let found = copy.knowledge_store().search_chunks(&home, &wanted, 9).await.unwrap();
        assert_eq!(found.into_iter().map(|found| found.chunk.text).collect::<Vec<_>>(), ["hotel"]);
        assert_eq!(copy.check().unwrap(), Vec::<String>::new());
        assert_eq!(replay(copy).await, 5);
        scenario::go_on(copy).await;
    }
    forget_timeline(&made);
    assert_eq!(postgres.differences(&second).unwrap(), Vec::<&str>::new(), "all go on in the same way");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_overwrites_nothing() {
    let Some(made) = TestDatabase::make() else { return };
    let ((sqlite, _folder), postgres) = (sqlite(), made.open());
    scenario::play(&sqlite).await;
    sqlite.copy_into(&postgres).unwrap();
    let again = sqlite.copy_into(&postgres);
    assert!(matches!(again, Err(DatabaseCopyError::NotEmpty { table: "workspaces", .. })), "{again:?}");
    let owned = postgres.try_own().unwrap();
    let in_use = sqlite.copy_into(&postgres);
    assert!(matches!(in_use, Err(DatabaseCopyError::InUse(_))), "{in_use:?}");
    drop(owned);
    assert!(matches!(sqlite.copy_into(&sqlite), Err(DatabaseCopyError::Same { .. })));
    assert_eq!(sqlite.differences(&postgres).unwrap(), Vec::<&str>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_backup_is_sqlite_database() {
    let Some(made) = TestDatabase::make() else { return };
    let (postgres, folder) = (made.open(), tempfile::tempdir().unwrap());
    scenario::play(&postgres).await;
    let file = folder.path().join("backup.db");
    postgres.backup(&file).unwrap();
    let there: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(there, ["backup.db"], "one file, and nothing beside it");
    let backup = Database::open(file.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    assert_eq!(backup.differences(&postgres).unwrap(), Vec::<&str>::new());
    assert!(postgres.backup(&file).is_err(), "it overwrites nothing");
}
