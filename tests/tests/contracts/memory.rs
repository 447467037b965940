//! The memory store fulfils the contracts of the store ports.

use std::sync::Arc;

use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::access_store::AccessStoreFixture;
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

entracte_tests::store_contracts!(open);
entracte_tests::access_contracts!(open_access);

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
