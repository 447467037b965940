use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use entracte_domain::time::Millis;
use tokio::sync::{mpsc, oneshot};

use crate::codec::decode_mail_answer;
use crate::kit::{NOON, services, session, workspace};
use crate::mail::{ChangeSettingsRequest, InterruptRoundRequest, Mail, MailAnswer, MailRequest, RefusalCode};
use crate::ports::{
    CommitError, MailId, MailPostError, MailRow, MockEventFeed, MockLogReader, MockMailStore,
    MockWorkspaceStore,
};
use crate::runtime::RuntimeServices;
use crate::runtime::local_runtime::{SharedRuntimeState, deliver_mail};
use crate::runtime::workspace_input::WorkspaceInput;
use crate::settings::RuntimeSettings;

/// The shared state of a process whose workspaces leave memory after their first turn; nothing is stored.
async fn shared() -> Arc<SharedRuntimeState> {
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    store.expect_sessions_with_slot_demand().returning(|_| Ok(Vec::new()));
    store.expect_next_wake().returning(|_| Ok(None));
    store.expect_due_sessions_in().returning(|_, _| Ok(Vec::new()));
    store.expect_session().returning(|_, _| Ok(None));
    let settings = RuntimeSettings { keep_in_memory: Millis(0), ..RuntimeSettings::default() };
    let services = RuntimeServices { store: Arc::new(store), settings, ..services() };
    let owner = services.acquire_ownership().await.unwrap();
    Arc::new(SharedRuntimeState::new(Arc::new(services), owner, None))
}

/// Sends a request about a missing session; returns the receiver of the refusal.
async fn ask(sender: &mpsc::Sender<WorkspaceInput>) -> oneshot::Receiver<Result<MailAnswer, MailPostError>> {
    let (reply, answer) = oneshot::channel();
    let mail =
        Mail::from_request(MailRequest::session(session(), InterruptRoundRequest { author: "ann".into() }));
    sender.send(WorkspaceInput::Request { mail, reply: Some(reply), row: None }).await.unwrap();
    answer
}

async fn a_minute() {
    tokio::time::sleep(Duration::from_mins(1)).await;
}

#[tokio::test(start_paused = true)]
async fn worker_stays_while_mail_is_in_transit() {
    let shared = shared().await;
    let sender = shared.sender(&workspace());
    ask(&sender).await.await.unwrap().unwrap();
    a_minute().await;
    // The holder of the sender may still write: nothing shows that it did not.
    assert_eq!(shared.loaded_workspace_count(), 1);
    let answer = ask(&sender).await;
    drop(sender);
    assert!(matches!(answer.await, Ok(Ok(MailAnswer::Refused { .. }))));
    a_minute().await;
    assert_eq!(shared.loaded_workspace_count(), 0);
}

#[tokio::test(start_paused = true)]
async fn worker_with_queued_mail_stays() {
    let shared = shared().await;
    let (sender, incoming) = mpsc::channel(9);
    let _answer = ask(&sender).await;
    assert!(!shared.retire_worker(&workspace(), &incoming, None, false));
}

#[tokio::test(start_paused = true)]
async fn mail_after_retirement_starts_another_worker() {
    let shared = shared().await;
    for _ in 0..3 {
        let sender = shared.sender(&workspace());
        let answer = ask(&sender).await;
        drop(sender);
        assert!(matches!(answer.await, Ok(Ok(MailAnswer::Refused { .. }))));
        a_minute().await;
        assert_eq!(shared.loaded_workspace_count(), 0);
    }
}

/// Otherwise its sender would wait, and the mail would be looked at again with every poll.
#[tokio::test(start_paused = true)]
async fn mail_without_its_session_is_refused() {
    let mut mail_store = MockMailStore::new();
    let is_refusal = |answer: &MailAnswer| matches!(answer, MailAnswer::Refused { code: RefusalCode::Invalid, text, .. } if text.ends_with("it names none"));
    mail_store
        .expect_answer_refused()
        .withf(move |_, id, answer| *id == MailId(7) && is_refusal(&decode_mail_answer(answer).unwrap()))
        .once()
        .returning(|_, _, _| Ok(()));
    let services = RuntimeServices { mail_store: Arc::new(mail_store), ..services() };
    let owner = services.acquire_ownership().await.unwrap();
    let shared = Arc::new(SharedRuntimeState::new(Arc::new(services), owner, None));
    let body = br#"{"v":1,"request":{"resume":{"author":"ann"}}}"#.to_vec();
    deliver_mail(&shared, MailRow { id: MailId(7), workspace: workspace(), body, posted_at: NOON }).await;
    assert_eq!(shared.loaded_workspace_count(), 0);
}

/// Input: a request, and a workspace whose rows change before each of seven commits, as they do when other processes
/// withdraw their mail; expected: it is done by the eighth, and not refused as if the database had failed.
#[tokio::test(start_paused = true)]
async fn request_outlasts_commits_of_others() {
    let commits = Arc::new(AtomicU32::new(0));
    let counted = commits.clone();
    let mut store = MockWorkspaceStore::new();
    store.expect_workspace().returning(|_| Ok(None));
    store.expect_sessions_with_slot_demand().returning(|_| Ok(Vec::new()));
    store.expect_next_wake().returning(|_| Ok(None));
    store.expect_due_sessions_in().returning(|_, _| Ok(Vec::new()));
    store.expect_commit().returning(move |_| match counted.fetch_add(1, Ordering::Relaxed) {
        0..7 => Err(CommitError::Conflict("mail 7 (withdrawn or already answered)".into())),
        _ => Ok(()),
    });
    let mut log = MockLogReader::new();
    log.expect_session_list().returning(|_| Ok(Vec::new()));
    let mut feed = MockEventFeed::new();
    feed.expect_publish().returning(|_| ());
    let mut mail_store = MockMailStore::new();
    mail_store.expect_unanswered().returning(|| Ok(Vec::new()));
    let (store, mail_store) = (Arc::new(store), Arc::new(mail_store));
    let (log, feed) = (Arc::new(log), Arc::new(feed));
    let services = RuntimeServices { store, mail_store, log, feed, ..services() };
    let owner = services.acquire_ownership().await.unwrap();
    let shared = Arc::new(SharedRuntimeState::new(Arc::new(services), owner, None));
    let changes = vec![("day_start".to_owned(), Some("6".to_owned()))];
    let request = ChangeSettingsRequest { author: "ann".to_owned(), changes };
    let mail = Mail::from_request(MailRequest::workspace(request));
    let (reply, answer) = oneshot::channel();
    let sender = shared.sender(&workspace());
    sender.send(WorkspaceInput::Request { mail, reply: Some(reply), row: None }).await.unwrap();
    assert!(matches!(answer.await, Ok(Ok(MailAnswer::Done))));
    assert_eq!(commits.load(Ordering::Relaxed), 8);
}
