//! The memory store fulfils the contracts of the store ports.

use std::sync::Arc;

use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::access_store::AccessStoreFixture;
use entracte_tests::contracts::file_store::FileStoreFixture;
use entracte_tests::contracts::workspace_ownership::WorkspaceOwnershipFixture;
use entracte_tests::fakes::memory_access_store::MemoryAccessStore;
use entracte_tests::fakes::memory_store::MemoryStore;

async fn open() -> StoreFixture {
    let store = Arc::new(MemoryStore::new());
    StoreFixture {
        store: Arc::clone(&store) as _,
        log: Arc::clone(&store) as _,
        resources: Arc::clone(&store) as _,
        mail: store.clone(),
        automations: store.clone(),
        tasks: store.clone(),
        ownership: store,
        keep: Box::new(()),
    }
}

async fn open_access() -> AccessStoreFixture {
    AccessStoreFixture { store: Arc::new(MemoryAccessStore::default()), keep: Box::new(()) }
}

async fn open_files() -> FileStoreFixture {
    let store = Arc::new(MemoryStore::new());
    FileStoreFixture { store: store.clone(), commits: store.clone(), mail: store, keep: Box::new(()) }
}

async fn open_workspace_ownership() -> WorkspaceOwnershipFixture {
    let store = Arc::new(MemoryStore::new());
    WorkspaceOwnershipFixture {
        rights: store.clone(),
        ownership: store.clone(),
        commits: store,
        keep: Box::new(()),
    }
}

entracte_tests::store_contracts!(open);
entracte_tests::file_contracts!(open_files);
entracte_tests::access_contracts!(open_access);
entracte_tests::workspace_ownership_contracts!(open_workspace_ownership);

/// Input: instructions and tasks, read for saving and loaded anew; expected: the tables answer as before, and go on where
/// they were.
#[test]
fn instructions_and_tasks_are_loaded_back() {
    use entracte_application::instructions::InstructionScope;
    use entracte_application::ports::{MemoryInstructionTable, MemoryTaskTable};
    use entracte_domain::id::TaskId;
    use entracte_domain::task::TaskState;
    use entracte_domain::time::Timestamp;
    use entracte_tests::contracts::instructions::version;
    use entracte_tests::contracts::rows::{HOME, key};
    use entracte_tests::contracts::task_reader::{arrival, task};

    let (home, scope) = (key(HOME), InstructionScope::Workspace);
    let mut rows = MemoryInstructionTable::default();
    rows.append_version(&home, version(&scope, 1), 0).unwrap();
    rows.append_version(&home, version(&scope, 2), 0).unwrap();
    let mut loaded = MemoryInstructionTable::load(rows.rows().map(|(of, row)| (of.clone(), row.clone())));
    assert_eq!(loaded.versions(&home, &scope, None, 9), [version(&scope, 2), version(&scope, 1)]);
    loaded.append_version(&home, version(&scope, 3), 0).unwrap();

    let mut rows = MemoryTaskTable::default();
    rows.upsert_task(task("tsk_1", TaskState::Running, Some(7))).unwrap();
    rows.record_arrival(arrival("tsk_1", "msg_1", 1)).unwrap();
    let loaded = MemoryTaskTable::load(rows.task_rows().cloned(), rows.arrival_rows().to_vec());
    let id = TaskId::new("tsk_1");
    assert_eq!(loaded.locate(&id), rows.locate(&id));
    assert_eq!(loaded.arrivals(&home, &id), rows.arrivals(&home, &id));
    assert_eq!(loaded.next(&home), Some(Timestamp(7)));
}

/// Input: a commit with costs, marks of retention and notes about the inbox, whose tables are read for saving and loaded
/// anew; expected: they answer as before.
#[test]
fn costs_marks_and_notes_are_loaded_back() {
    use entracte_application::ports::{
        AttemptCostRow, AttemptReservation, CostFilter, CostSum, CostSumBy, MemoryCostTable,
        MemoryRetentionTable, MemoryTriageTable, RetentionMarkKind, RetentionMarkRow, TriageChange,
        WorkspaceCommit,
    };
    use entracte_domain::id::RoundAttempt;
    use entracte_domain::spending::SpendingAmount;
    use entracte_domain::time::Timestamp;
    use entracte_domain::usage::Usage;
    use entracte_tests::contracts::inbox_triage::{assignment, snooze};
    use entracte_tests::contracts::rows::{HOME, begun, key, session_id};

    let (home, session, kind) = (key(HOME), session_id("a"), RetentionMarkKind::Results);
    let attempt = AttemptCostRow {
        session: session.clone(),
        number: RoundAttempt { round: 1, attempt: 1 },
        at: Timestamp(1),
        automation: None,
        provider: "claude".to_owned(),
        model: "large".to_owned(),
        person: "ann".to_owned(),
        commands: String::new(),
        usage: Usage { input: 7, ..Usage::default() },
        reservation: Some(AttemptReservation::new(SpendingAmount { tokens: 9, ..SpendingAmount::ZERO })),
    };
    let triage =
        vec![TriageChange::Snooze(snooze("a", "ann", 10)), TriageChange::Assign(assignment("a", "bob"))];
    let mut commit = WorkspaceCommit { costs: vec![attempt], triage, ..begun(HOME, "a") };
    commit.retention.marks = vec![RetentionMarkRow { session: session.clone(), kind, through: 3 }];

    let mut rows = MemoryCostTable::default();
    rows.apply(&commit);
    let loaded = MemoryCostTable::load(rows.rows().map(|(of, row)| (of.clone(), row.clone())));
    let page = loaded.sums(&CostFilter::new(home.clone(), CostSumBy::Everything, 9), |_| None).unwrap();
    let sum = |sum: &CostSum| (sum.attempts, sum.usage.input, sum.reservations.reserved.tokens);
    assert_eq!(page.sums.iter().map(sum).collect::<Vec<_>>(), [(1, 7, 9)]);

    let mut rows = MemoryRetentionTable::default();
    rows.apply(&commit);
    assert_eq!(MemoryRetentionTable::load(rows.rows()).removed(&session, kind), 3);

    let mut rows = MemoryTriageTable::default();
    rows.apply(&commit, |_| true).unwrap();
    let loaded = MemoryTriageTable::load(rows.all_rows().map(|(of, row)| (of.clone(), row.clone())));
    let noted = loaded.rows(&home);
    assert_eq!((noted.snoozes.len(), noted.assignments.len()), (1, 1));
    assert_eq!(noted, rows.rows(&home));
}

/// Input: a file that a session names and one that none does, read for saving and loaded anew; expected: the table answers
/// as before, and deletes only the second.
#[test]
fn files_are_loaded_back() {
    use entracte_application::ports::{MemoryFileTable, WorkspaceCommit};
    use entracte_application::system::sha256;
    use entracte_domain::time::Timestamp;
    use entracte_tests::contracts::file_store::{image, naming};
    use entracte_tests::contracts::rows::{HOME, begun, key, session_id};

    let (home, session) = (key(HOME), session_id("a"));
    let mut rows = MemoryFileTable::default();
    rows.put(&home, image("chart.png", b"named", 1), b"named".to_vec().into());
    rows.put(&home, image("photo.png", b"other", 1), b"other".to_vec().into());
    rows.apply(&WorkspaceCommit { files: vec![naming("a", b"named")], ..begun(HOME, "a") });

    let files = rows.file_rows().map(|(of, row, bytes)| (of.clone(), row.clone(), bytes.clone()));
    let mut loaded = MemoryFileTable::load(files, rows.use_rows().map(|(of, row)| (of.clone(), row.clone())));
    let digest = sha256(b"named");
    assert_eq!(loaded.row(&home, &digest), rows.row(&home, &digest));
    assert_eq!(loaded.bytes(&home, &digest), Some(b"named".to_vec()));
    assert_eq!(loaded.session_files(&home, &session), rows.session_files(&home, &session));
    assert_eq!(loaded.delete_unnamed(&home, Timestamp(2)), 1);
    assert_eq!(loaded.unnamed_bytes(&home), 0);
}

/// A store that writes whole rows with serde reads them back without loss.
#[test]
fn rows_are_loaded_back_as_they_were() {
    use entracte_application::ports::{
        MailId, MemoryAutomationTable, MemoryMailTable, MemoryReceiptTable, WorkspaceCommit,
    };
    use entracte_domain::time::Timestamp;
    use entracte_tests::contracts::durable::tables::every_table;
    use entracte_tests::contracts::rows::{HOME, key};

    let commit = every_table(2, MailId(7));
    let text = serde_json::to_string(&commit).unwrap();
    assert_eq!(serde_json::from_str::<WorkspaceCommit>(&text).unwrap(), commit);

    let mut mail = MemoryMailTable::default();
    let first = mail.post(key(HOME), b"one".to_vec(), Timestamp(1));
    let second = mail.post(key(HOME), b"two".to_vec(), Timestamp(2));
    mail.record_answer(&key(HOME), first, b"done".to_vec()).unwrap();
    mail.withdraw(&key(HOME), second);
    let kept = mail.rows().map(|(row, answer)| (row.clone(), answer.map(<[u8]>::to_vec)));
    let mut loaded = MemoryMailTable::load(kept, mail.last());
    assert_eq!(loaded.answer(&key(HOME), first), Some(b"done".to_vec()));
    assert!(loaded.post(key(HOME), Vec::new(), Timestamp(3)) > second, "no number is given twice");

    let WorkspaceCommit { automations, occurrences, receipts, .. } = commit;
    let mut rows = MemoryAutomationTable::default();
    rows.apply(&key(HOME), automations, occurrences, Vec::new()).unwrap();
    let loaded = MemoryAutomationTable::load(rows.automations().to_vec(), rows.occurrence_rows().cloned());
    assert_eq!(loaded.automations_in(&key(HOME)), rows.automations_in(&key(HOME)));
    let id = rows.automations()[0].id.clone();
    assert_eq!(loaded.occurrences(&key(HOME), &id, None, 9), rows.occurrences(&key(HOME), &id, None, 9));

    let (receipt, before) = receipts[0].clone();
    let mut rows = MemoryReceiptTable::default();
    rows.insert_receipt(&key(HOME), receipt.clone(), before).unwrap();
    let loaded = MemoryReceiptTable::load(rows.rows().map(|(of, row)| (of.clone(), row.clone())));
    assert_eq!(loaded.find_receipts(&key(HOME), std::slice::from_ref(&receipt.key)), [receipt]);
}
