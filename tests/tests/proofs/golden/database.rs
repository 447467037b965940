//! A whole database of a release: it is opened and migrated, every row can be read, every session replays to its state,
//! and one continues.

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::codec::{WorkspaceBody, decode_automation, decode_call, decode_occurrence};
use entracte_application::ports::SessionFilter;
use entracte_application::use_cases::VerifySession;
use entracte_domain::id::WorkspaceKey;

use super::{releases, scenario};

/// Every session equals the replay of its journal; returns the number of sessions and of calls.
async fn verify(database: &Database) -> (usize, usize) {
    let (store, log) = (database.store(), database.log_reader());
    let sessions = log.sessions(&SessionFilter::default()).await.unwrap().rows;
    let mut calls = 0;
    for row in &sessions {
        let mismatch =
            VerifySession::new(store.clone(), log.clone()).run(&row.workspace, &row.id).await.unwrap();
        assert_eq!(mismatch, None, "{}", row.id);
        for call in log.calls(&row.workspace, &row.id).await.unwrap() {
            decode_call(&call).unwrap();
            calls += 1;
        }
    }
    (sessions.len(), calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn database_of_every_release_is_read_and_continues() {
    for release in releases() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("entracte.db");
        std::fs::copy(release.join("entracte.db"), &path).unwrap();
        let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
        assert_eq!(database.check().unwrap(), Vec::<String>::new());
        let (sessions, calls) = verify(&database).await;
        assert!(sessions >= 5 && calls >= 4, "{sessions} sessions, {calls} calls");
        let key = WorkspaceKey::new("ann:home");
        WorkspaceBody::load(&*database.store(), &key).await.unwrap();
        for row in database.automation_reader().automations(&key).await.unwrap() {
            let automation = decode_automation(&row).unwrap();
            for row in
                database.automation_reader().occurrences(&key, &automation.id, None, 100).await.unwrap()
            {
                decode_occurrence(&row).unwrap();
            }
        }
        scenario::go_on(&database).await;
        assert_eq!(verify(&database).await, (sessions, calls));
    }
}
