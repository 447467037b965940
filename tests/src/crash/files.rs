//! Stores a file of a conversation and deletes another, the same in each process: a killed process left each change
//! complete or not at all.

#![expect(clippy::expect_used, reason = "this is a test, in a program")]

use entracte_adapters_db::Database;
use entracte_application::ports::FileRow;
use entracte_domain::id::SessionId;
use entracte_domain::time::Timestamp;

use super::scenario_run::workspace;
use crate::contracts::file_store::image;

/// The bytes of the file that stays.
const CHART: &[u8] = b"\x89PNG chart";
/// The bytes of the file that goes.
const PASSING: &[u8] = b"\x89PNG passing";

/// Stores two files, and deletes the older one, which no session names.
pub(super) async fn store_and_delete_files(database: &Database, session: &SessionId) {
    let (store, home) = (database.file_store(), workspace(session));
    let chart = image("chart.png", CHART, 50);
    let passing = image("passing.png", PASSING, 5);
    store.put_file(&home, chart.clone(), CHART.to_vec()).await.expect("the file is kept");
    store.put_file(&home, passing.clone(), PASSING.to_vec()).await.expect("the other one is kept");
    let deleted = store.delete_unnamed_files(&home, Timestamp(50)).await.expect("it is deleted");
    assert_eq!(deleted, 1, "only the old one goes");
    let row: Option<FileRow> = store.file(&home, &passing.file.digest).await.expect("files are read");
    assert_eq!(row, None);
    let bytes = store.file_bytes(&home, &chart.file.digest).await.expect("files are read");
    assert_eq!(bytes.as_deref(), Some(CHART), "the file is whole");
    assert_eq!(store.file(&home, &chart.file.digest).await.expect("files are read"), Some(chart));
}
