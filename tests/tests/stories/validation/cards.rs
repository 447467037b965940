//! An approval is bound to the shown card: after any change, approving the old card runs nothing, and another card with
//! another id is shown. On both databases.

#![expect(clippy::unwrap_used, reason = "these are the helpers of tests")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_application::ports::{ResourceFilter, ResourceReader, ResourceRow, StoreError};
use entracte_application::use_cases::{ReadApprovals, UseCaseError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::message::{MessageBody, SystemKind};
use entracte_tests::postgres::{self, stores_of_database};
use entracte_tests::runtime_fixture::command_request_line;
use entracte_tests::test_scale::{is_long_run, scaled};
use serde_json::json;

use super::card_fixture::{
    ApprovalCardChange, ApprovalCommandFactory, ApprovalProcessFixture, StaleApprovalOutcome,
    ToolServerConfig,
};
use super::card_table::{adds, corrects, raises, removes, removes_all, sends, table};
use super::fixture::waiting_approvals;

/// Runs the check on a new database of each kind.
async fn on_both(mut look: impl AsyncFnMut(ApprovalProcessFixture, &str)) {
    on_sqlite(&mut look).await;
    on_postgres(&mut look).await;
}

/// Runs the check on one database per row of a table, in turns; in the long form on both.
async fn on_one_or_both(turn: usize, mut look: impl AsyncFnMut(ApprovalProcessFixture, &str)) {
    let has_server = turn % 2 == 1 && postgres::is_there();
    if is_long_run() || !has_server {
        on_sqlite(&mut look).await;
    }
    if is_long_run() || has_server {
        on_postgres(&mut look).await;
    }
}

async fn on_sqlite(look: &mut impl AsyncFnMut(ApprovalProcessFixture, &str)) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("entracte.db");
    let database = Database::open(path.to_str().unwrap(), DatabaseOptions::default()).unwrap();
    look(ApprovalProcessFixture::new(stores_of_database(&database, Box::new(())), folder), "SQLite").await;
}

async fn on_postgres(look: &mut impl AsyncFnMut(ApprovalProcessFixture, &str)) {
    if let Some(stores) = postgres::stores() {
        look(ApprovalProcessFixture::new(stores, tempfile::tempdir().unwrap()), "Postgres").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_bound_to_what_was_shown() {
    let table = table();
    assert!(table.len() >= 30);
    // The short form takes every third row.
    for (turn, (what, ask, change, then)) in table.iter().step_by(scaled(3, 1)).enumerate() {
        on_one_or_both(turn, async |mut stage, on| {
            let config = ToolServerConfig::new();
            let scene = stage.scene(&config).await;
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            assert!(card.digest.is_some() && !card.is_changed, "{what} on {on}");
            let scene = stage.apply_change(scene, &config, &session, change).await;
            let before = scene.rows().await;

            let late = scene.decide(&session, &card).await;
            assert!(matches!(late, Err(UseCaseError::Conflict(_))), "{what} on {on}: {late:?}");
            assert_eq!(stage.ran.load(Ordering::SeqCst), 0, "{what} on {on}: it ran");
            assert_eq!(scene.rows().await, before, "{what} on {on}: it was done");

            let open = scene.open_approvals(&session).await;
            let state = scene.state(&session).await;
            match then {
                StaleApprovalOutcome::Asked => {
                    assert_eq!(state, "waiting_decision", "{what} on {on}");
                    assert_ne!((&open[0].id, &open[0].digest), (&card.id, &card.digest), "{what} on {on}");
                    assert_ne!(open[0].id, card.id, "{what} on {on}: another card has another id");
                    assert!(!open[0].is_changed, "{what} on {on}: it is the card of now");
                    assert_eq!(
                        scene.withdrawn_approval_count(&session).await,
                        1,
                        "{what} on {on}: the trace"
                    );
                }
                StaleApprovalOutcome::Ends(end) => {
                    assert_eq!((state.as_str(), open.len()), (*end, 0), "{what} on {on}");
                }
            }
            scene.life.verify(&session).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unchanged_card_is_approved_and_runs() {
    on_both(async |mut stage, on| {
        let config = ToolServerConfig::new();
        let scene = stage.scene(&config).await;
        for (ask, runs) in [(sends as ApprovalCommandFactory, 1), (adds, 2), (raises, 2)] {
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            scene.decide(&session, &card).await.unwrap();
            scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
            assert_eq!(scene.state(&session).await, "succeeded", "on {on}");
            assert_eq!(stage.ran.load(Ordering::SeqCst), runs, "on {on}");
            scene.life.verify(&session).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_language_change_withdraws_nothing() {
    // Other language, time zone, requester's name and model text: all of them are only words.
    let words = [
        ApprovalCardChange::Set("language", "fr"),
        ApprovalCardChange::Set("zone", "Europe/Paris"),
        ApprovalCardChange::Act("UPDATE_ZONE", |at| json!({ "zone_id": at.zone, "name": "Santé" })),
        ApprovalCardChange::Http(|tool| tool["doc"] = "Sends a note to a book.".into()),
        ApprovalCardChange::Http(|tool| tool["timeout_seconds"] = 3.into()),
        ApprovalCardChange::Hours(1),
    ];
    let asked = [sends as ApprovalCommandFactory, raises, corrects, removes];
    for (turn, ask) in asked.into_iter().enumerate() {
        on_one_or_both(turn, async |mut stage, on| {
            let config = ToolServerConfig::new();
            let mut scene = stage.scene(&config).await;
            let flag = json!({ "zone_id": scene.zone, "require_validation": true });
            stage.run_action(&scene, "UPDATE_ZONE", flag).await;
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            for change in &words {
                scene = stage.apply_change(scene, &config, &session, change).await;
                let open = scene.open_approvals(&session).await;
                assert_eq!((&open[0].id, &open[0].digest), (&card.id, &card.digest), "on {on}");
                assert!(!open[0].is_changed, "on {on}");
            }
            scene.decide(&session, &card).await.unwrap();
            scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
            assert_eq!(scene.state(&session).await, "succeeded", "on {on}");
            assert_eq!(scene.withdrawn_approval_count(&session).await, 0, "on {on}");
            scene.life.verify(&session).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cleared_action_starts_while_others_are_undecided() {
    on_both(async |mut stage, on| {
        let mut config = ToolServerConfig::new();
        config.http.as_mut().unwrap()["independent"] = true.into();
        let scene = stage.scene(&config).await;
        let note = |text: &str| ("NOTES_SEND", json!({ "book": "trip", "text": text }));
        let session = scene.life.chat(true).await;
        stage
            .model
            .push_lines([command_request_line("actions", &[note("one"), raises(&scene), note("two")])]);
        let turn = scene.life.send_and_wait(&session, "do it").await;
        let cards = waiting_approvals(&turn).to_vec();
        let calls: Vec<_> = cards.iter().map(|card| card.call.id.clone()).collect();
        assert_eq!(cards.iter().map(|card| card.starts_after.len()).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(
            cards[1].starts_after,
            calls[..1],
            "on {on}: an ordered one waits for what stands before it"
        );

        scene.decide(&session, &cards[2]).await.unwrap();
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(stage.ran.load(Ordering::SeqCst), 1, "on {on}: the independent one ran");
        let before = scene.rows().await;
        scene.decide(&session, &cards[1]).await.unwrap();
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(scene.rows().await, before, "on {on}: the ordered one waits for the first");
        assert_eq!(scene.open_approvals(&session).await.len(), 1);

        scene.decide(&session, &cards[0]).await.unwrap();
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        assert_eq!(stage.ran.load(Ordering::SeqCst), 2, "on {on}");
        assert_ne!(scene.rows().await, before, "on {on}");
        let states: Vec<String> =
            scene.life.calls(&session).await.into_iter().map(|(_, state)| state).collect();
        assert_eq!(states, ["succeeded", "succeeded", "succeeded"], "on {on}");
        scene.life.verify(&session).await;
    })
    .await;
}

/// A successful call is not reported as cancelled, also if a message replaces the other decisions.
#[tokio::test(flavor = "multi_thread")]
async fn successful_call_is_not_reported_as_cancelled() {
    on_both(async |mut stage, on| {
        let mut config = ToolServerConfig::new();
        config.http.as_mut().unwrap()["independent"] = true.into();
        let scene = stage.scene(&config).await;
        let note = |text: &str| ("NOTES_SEND", json!({ "book": "trip", "text": text }));
        let session = scene.life.chat(true).await;
        stage.model.push_lines([command_request_line("actions", &[note("one"), note("two")])]);
        let turn = scene.life.send_and_wait(&session, "do it").await;
        scene.decide(&session, &waiting_approvals(&turn)[1]).await.unwrap();
        scene.life.follow().run_until_idle(&scene.life.workspace, &session, 0).await.unwrap();
        scene.life.send_and_wait(&session, "leave it").await;
        let entries = scene.life.entries(&session).await;
        let told: Vec<(SystemKind, String)> = entries
            .iter()
            .flat_map(entracte_application::journal::JournalEntry::messages)
            .filter_map(|message| match message.body {
                MessageBody::System(system) => Some(system),
                _ => None,
            })
            .flat_map(|system| {
                let kind = system.kind;
                system.results.into_iter().map(move |result| (kind, result.status.word().to_owned()))
            })
            .collect();
        let expected = [
            (SystemKind::ValidationCancelled, "cancelled".to_owned()),
            (SystemKind::ActionsExecuted, "succeeded".to_owned()),
        ];
        assert_eq!(told, expected, "on {on}");
        scene.life.verify(&session).await;
    })
    .await;
}

/// A reader whose tool gets another entry as soon as its entries were read.
struct ChangingRowsReader {
    rows: Arc<dyn ResourceReader>,
    is_changed: AtomicBool,
}

#[async_trait]
impl ResourceReader for ChangingRowsReader {
    async fn resource(
        &self,
        at: &WorkspaceKey,
        kind: &str,
        id: &str,
    ) -> Result<Option<ResourceRow>, StoreError> {
        self.rows.resource(at, kind, id).await
    }

    async fn resources(
        &self,
        at: &WorkspaceKey,
        of: &ResourceFilter,
    ) -> Result<Vec<ResourceRow>, StoreError> {
        self.rows.resources(at, of).await
    }

    async fn versions(
        &self,
        at: &WorkspaceKey,
        of: &ResourceFilter,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let mut versions = self.rows.versions(at, of).await?;
        if self.is_changed.swap(true, Ordering::SeqCst) {
            versions.push(("ent_late".to_owned(), 1));
        }
        Ok(versions)
    }
}

/// Input: the card of a deletion, read while an entry is added to the data to delete; expected: the text of the card
/// and the approved content come from the same read, so the number of shown entries is the approved one.
#[tokio::test(flavor = "multi_thread")]
async fn card_text_and_digest_come_from_one_read() {
    on_both(async |mut stage, on| {
        let scene = stage.scene(&ToolServerConfig::new()).await;
        for ask in [removes as ApprovalCommandFactory, removes_all] {
            let (session, card) = stage.card(&scene, ask(&scene)).await;
            let services = &scene.life.services;
            let restless =
                ChangingRowsReader { rows: services.rows.clone(), is_changed: AtomicBool::new(false) };
            let read = ReadApprovals::new(
                services.store.clone(),
                services.log.clone(),
                Arc::new(restless),
                services.catalog.get(),
                services.clock.clone(),
            );
            let shown = read.run(&scene.life.workspace, &session).await.unwrap().remove(0);
            assert_eq!((shown.digest, shown.is_changed), (card.digest, false), "on {on}");
            assert_eq!(shown.description, card.description, "on {on}");
        }
    })
    .await;
}
