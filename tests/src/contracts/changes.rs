//! Contract of changes that belong to no session.

use entracte_application::ports::ChangeKind;
use entracte_application::ports::{ResourceChangeRow, WorkspaceCommit};

use super::StoreFixture;
use super::rows::{HOME, begun, key, next, workspace};
use super::store::{commit, conflict, refused};

/// Changes are numbered after the log; a reader resumes after any of them. The oldest are removed and leave a mark.
pub async fn changes_are_numbered_with_the_log_and_the_latest_are_kept(stores: StoreFixture) {
    let row = |seq: u64, id: &str| ResourceChangeRow {
        seq,
        kind: ChangeKind::Resource("zone".to_owned()),
        id: id.to_owned(),
        revision: seq.is_multiple_of(2).then_some(seq),
        gone: !seq.is_multiple_of(2),
    };
    let with = |commit: WorkspaceCommit, rows: Vec<ResourceChangeRow>, keep: u32| {
        let workspace = workspace(commit.workspace.key.as_str(), commit.workspace.seq + rows.len() as u64);
        WorkspaceCommit { workspace, changes: rows.into_iter().map(|row| (row, keep)).collect(), ..commit }
    };
    commit(&stores, with(begun("eve:other", "b"), vec![row(2, "theirs")], 1)).await;
    commit(&stores, with(begun(HOME, "a"), vec![row(2, "b"), row(3, "c")], 0)).await;
    commit(&stores, with(next(HOME, 3), vec![row(4, "d")], 0)).await;
    let home = key(HOME);
    let after = |seq, limit| stores.log.changes(&home, seq, limit);
    assert_eq!(after(0, 9).await.unwrap(), [row(2, "b"), row(3, "c"), row(4, "d")]);
    assert_eq!(after(2, 1).await.unwrap(), [row(3, "c")]);
    assert_eq!(after(4, 9).await.unwrap(), []);
    refused(&stores, with(next(HOME, 4), vec![row(6, "e")], 0)).await;
    refused(&stores, WorkspaceCommit { changes: vec![(row(5, "e"), 0)], ..next(HOME, 4) }).await;
    conflict(&stores, with(next(HOME, 3), vec![row(4, "e")], 1)).await;
    assert_eq!(after(0, 9).await.unwrap().len(), 3, "what is refused forgets nothing");
    commit(&stores, with(next(HOME, 4), vec![row(5, "e")], 2)).await;
    assert_eq!(after(0, 9).await.unwrap(), [ResourceChangeRow::pruned_marker(3), row(4, "d"), row(5, "e")]);
    commit(&stores, with(next(HOME, 5), vec![row(6, "f")], 2)).await;
    assert_eq!(after(0, 9).await.unwrap(), [ResourceChangeRow::pruned_marker(4), row(5, "e"), row(6, "f")]);
    assert_eq!(stores.log.changes(&key("eve:other"), 0, 9).await.unwrap(), [row(2, "theirs")]);
    assert_eq!(stores.log.changes(&key("eve:never-committed-to"), 0, 9).await.unwrap(), []);
}
