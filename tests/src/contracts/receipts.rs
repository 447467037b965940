//! Contract of receipts.

use entracte_application::mail::ReceiptKey;
use entracte_application::ports::{ReceiptRow, WorkspaceCommit};
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, first, key, next, session_id};
use super::store::{commit, conflict};

/// A receipt of Ann's.
pub fn receipt(key: &str, at: i64) -> ReceiptRow {
    ReceiptRow {
        key: ReceiptKey { person: "per_ann".to_owned(), key: key.to_owned() },
        fingerprint: Digest::new(format!("of {key}")),
        answer: key.as_bytes().to_vec(),
        created_at: Timestamp(at),
    }
}

/// One receipt per person and key, committed atomically; the next stored receipt removes old ones.
pub async fn a_receipt_is_kept_once_until_it_is_forgotten(stores: StoreFixture) {
    let done = |key: &str, at: i64, before: i64| WorkspaceCommit {
        receipts: vec![(receipt(key, at), Timestamp(before))],
        ..next(HOME, 0)
    };
    let (home, other) = (key(HOME), key("eve:other"));
    let keys: Vec<ReceiptKey> = ["k1", "k2", "k3"].map(|key| receipt(key, 0).key).to_vec();
    let all = |workspace| stores.store.receipts(workspace, &keys);
    commit(&stores, first("eve:other")).await;
    commit(&stores, WorkspaceCommit { receipts: done("k1", 1, 0).receipts, ..next("eve:other", 0) }).await;
    commit(&stores, first(HOME)).await;
    assert_eq!(all(&home).await.unwrap(), []);
    commit(&stores, done("k1", 5, 0)).await;
    commit(&stores, done("k2", 6, 0)).await;
    assert_eq!(all(&home).await.unwrap(), [receipt("k1", 5), receipt("k2", 6)]);
    let noe = ReceiptKey { person: "per_noe".to_owned(), key: "k1".to_owned() };
    assert_eq!(stores.store.receipts(&home, &[noe]).await.unwrap(), []);

    conflict(&stores, done("k1", 7, 5)).await;
    let refused = WorkspaceCommit { deleted: vec![(session_id("none"), 1)], ..done("k3", 7, 0) };
    conflict(&stores, refused).await;
    assert_eq!(all(&home).await.unwrap(), [receipt("k1", 5), receipt("k2", 6)]);

    commit(&stores, done("k1", 9, 6)).await;
    assert_eq!(all(&home).await.unwrap(), [receipt("k1", 9), receipt("k2", 6)]);
    assert_eq!(all(&other).await.unwrap(), [receipt("k1", 1)], "those of others stay");
}
