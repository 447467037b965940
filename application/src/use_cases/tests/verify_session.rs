use std::sync::Arc;

use crate::kit::{CREATE, MachineSessionFixture, session, unavailable, workspace};
use crate::ports::{LogRow, MockLogReader, MockWorkspaceStore, SessionRow, StoreError};
use crate::system::sha256;
use crate::use_cases::*;

/// Verifies a session with this row and this log, under these rules.
async fn verify(
    row: Option<SessionRow>,
    log: Vec<LogRow>,
    rules: Option<Vec<u8>>,
) -> Result<Option<ReplayMismatch>, UseCaseError> {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().return_once(|_, _| Ok(row));
    let mut reader = MockLogReader::new();
    reader
        .expect_entries()
        .returning(move |_, _, after, _| Ok(log.iter().filter(|row| row.seq > after).cloned().collect()));
    reader
        .expect_blob()
        .returning(move |_, _, digest| Ok(rules.clone().filter(|bytes| sha256(bytes) == *digest)));
    VerifySession::new(Arc::new(store), Arc::new(reader)).run(&workspace(), &session()).await
}

fn story() -> MachineSessionFixture {
    MachineSessionFixture::chat().with_model_called().with_approval_requests(&[CREATE])
}

#[tokio::test]
async fn a_journal_gives_the_stored_state() {
    let story = story();
    let found = verify(Some(story.row()), story.log(), Some(story.rules_bytes())).await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn session_continuing_between_reads_is_no_mismatch() {
    let (before, after) = (MachineSessionFixture::chat().with_model_called(), story());
    let found = verify(Some(before.row()), after.log(), Some(after.rules_bytes())).await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn mismatch_contains_both_states() {
    let mut story = story();
    story.facts.name = "changed by hand".into();
    let found = verify(Some(story.row()), story.log(), Some(story.rules_bytes())).await;
    let mismatch = found.unwrap().unwrap();
    assert_eq!(mismatch.session, session());
    assert!(mismatch.stored.contains("changed by hand"), "{}", mismatch.stored);
    assert!(!mismatch.replayed.contains("changed by hand"), "{}", mismatch.replayed);
}

#[tokio::test]
async fn an_unknown_session_is_not_found() {
    let error = verify(None, Vec::new(), None).await.unwrap_err();
    assert!(matches!(error, UseCaseError::NotFound(_)), "{error:?}");
}

#[tokio::test]
async fn missing_rules_are_damage() {
    let story = story();
    let no_rules = verify(Some(story.row()), story.log(), None).await.unwrap_err();
    assert!(matches!(no_rules, UseCaseError::Store(StoreError::Inconsistent(_))), "{no_rules:?}");
}

#[tokio::test]
async fn errors_of_the_store_are_passed_on() {
    let mut store = MockWorkspaceStore::new();
    store.expect_session().return_once(|_, _| Err(unavailable()));
    let verify = VerifySession::new(Arc::new(store), Arc::new(MockLogReader::new()));
    let error = verify.run(&workspace(), &session()).await.unwrap_err();
    assert!(matches!(error, UseCaseError::Store(StoreError::Unavailable(_))), "{error:?}");
}
