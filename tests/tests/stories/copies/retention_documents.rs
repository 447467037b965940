//! Documents that nobody uses go, whatever else does not.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::mail::{Mail, MailAnswer, MailRequest, WorkspaceRequest};
use entracte_application::ports::{
    KnowledgeDocument, MailPostError, MailSender, MockKnowledgeStore, StoreError, UnreadRemovalOutcome,
};
use entracte_application::samples;
use entracte_application::use_cases::{ChangeSettings, RunRetention, UseCaseError};
use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Timestamp;
use entracte_tests::runtime_fixture::RuntimeFixture;

use super::fixture::memory;
use super::retention_fixture::{asked_chat, ended_chat, later, stage_with_limits};

/// A store with the documents `doc_1` and `doc_2`, which nobody ever used, and the ids that are to be removed from it. Of
/// `doc_1` that fails.
fn documents() -> (MockKnowledgeStore, Arc<Mutex<Vec<String>>>) {
    let document = |id: &str| KnowledgeDocument {
        id: id.to_owned(),
        name: id.to_owned(),
        changed_at: Timestamp(1),
        ..samples::document()
    };
    let mut store = MockKnowledgeStore::new();
    store.expect_documents().returning(move |_, after, _| {
        Ok(if after.is_none() { vec![document("doc_1"), document("doc_2")] } else { Vec::new() })
    });
    let tried = Arc::new(Mutex::new(Vec::new()));
    store.expect_remove_unread().returning({
        let tried = tried.clone();
        move |_, id, _| {
            tried.lock().unwrap().push(id.to_owned());
            match id {
                "doc_1" => Err(StoreError::Inconsistent("documents, doc_1".to_owned())),
                _ => Ok(UnreadRemovalOutcome::Removed),
            }
        }
    });
    (store, tried)
}

fn run_with(
    life: &RuntimeFixture,
    mail_sender: Arc<dyn MailSender>,
    knowledge: MockKnowledgeStore,
) -> RunRetention {
    let services = &life.services;
    let settings = services.settings.retention.clone();
    let (store, log, clock) = (services.store.clone(), services.log.clone(), services.clock.clone());
    RunRetention::new(store, log, mail_sender, clock, settings, Some(Arc::new(knowledge)))
}

/// Input: a document that cannot be removed, before another one; expected: the other one goes, and the run says what
/// failed.
#[tokio::test(start_paused = true)]
async fn document_that_cannot_be_removed_stops_no_other() {
    let stage = stage_with_limits(memory(), "documents=24h");
    let life = stage.life().await;
    asked_chat(&stage, &life).await;
    let (store, tried) = documents();
    let run = run_with(&life, life.mail_sender.clone(), store);
    let mut told = 0;
    let failed = run.run(&life.workspace, &mut |removed| told = removed.rows()).await;
    let Err(failed) = failed else { panic!("it says nothing of the failure") };
    assert!(failed.to_string().contains("doc_1"), "{failed}");
    assert_eq!((*tried.lock().unwrap()).clone(), ["doc_1", "doc_2"]);
    assert_eq!(told, 1);
}

/// Does something to a request of retention before the owner gets it.
struct RetentionMailSender {
    owner: Arc<dyn MailSender>,
    /// Whether steps on sessions fail; otherwise the limits change before the first request.
    refuses_steps: bool,
    has_changed: AtomicBool,
}

#[async_trait]
impl MailSender for RetentionMailSender {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let steps = match &mail.request {
            MailRequest::Workspace(WorkspaceRequest::ApplyRetention(request)) => Some(request.steps.len()),
            _ => None,
        };
        if self.refuses_steps && steps.is_some_and(|steps| steps > 0) {
            return Err(MailPostError::NotTaken { seconds: 1 });
        }
        if !self.refuses_steps && steps.is_some() && !self.has_changed.swap(true, Ordering::SeqCst) {
            let change = ChangeSettings::new(self.owner.clone());
            let own = vec![("retention".to_owned(), Some("documents=forever".to_owned()))];
            change.run(workspace, "ann".into(), own).await.unwrap();
        }
        self.owner.post(workspace, mail).await
    }
}

fn mail_sender(life: &RuntimeFixture, refuses_steps: bool) -> Arc<dyn MailSender> {
    let (owner, has_changed) = (life.mail_sender.clone(), AtomicBool::new(false));
    Arc::new(RetentionMailSender { owner, refuses_steps, has_changed })
}

/// Input: sessions that cannot be removed now; expected: documents go nevertheless, and the run says what failed first.
#[tokio::test(start_paused = true)]
async fn failure_of_sessions_stops_no_document() {
    let stage = stage_with_limits(memory(), "chats=5s, documents=24h");
    let life = stage.life().await;
    ended_chat(&stage, &life).await;
    later(&life).await;
    let (store, tried) = documents();
    let run = run_with(&life, mail_sender(&life, true), store);
    let failed = run.run(&life.workspace, &mut |_| {}).await;
    let Err(failed) = failed else { panic!("it says nothing of the failure") };
    assert!(failed.to_string().contains("did not answer"), "{failed}");
    assert_eq!((*tried.lock().unwrap()).clone(), ["doc_1", "doc_2"]);
}

/// Input: limits that change after the documents that go were listed; expected: they are read again, and nothing goes.
#[tokio::test(start_paused = true)]
async fn changed_limit_keeps_documents() {
    let stage = stage_with_limits(memory(), "documents=24h");
    let life = stage.life().await;
    asked_chat(&stage, &life).await;
    let (store, tried) = documents();
    let run = run_with(&life, mail_sender(&life, false), store);
    let removed: Result<_, UseCaseError> = run.run(&life.workspace, &mut |_| {}).await;
    assert!(removed.unwrap().is_empty());
    assert!(tried.lock().unwrap().is_empty());
}

/// Input: a workspace in which something happens while its documents go; expected: its row is read again for each try.
#[tokio::test(start_paused = true)]
async fn busy_workspace_is_read_again() {
    let stage = stage_with_limits(memory(), "documents=24h");
    let life = stage.life().await;
    asked_chat(&stage, &life).await;
    let seq = life.services.store.workspace(&life.workspace).await.unwrap().unwrap().seq;
    let document = KnowledgeDocument { changed_at: Timestamp(1), ..samples::document() };
    let mut store = MockKnowledgeStore::new();
    store
        .expect_documents()
        .returning(move |_, after, _| Ok(if after.is_none() { vec![document.clone()] } else { Vec::new() }));
    let tries = Arc::new(Mutex::new(0));
    store.expect_remove_unread().times(3).returning(move |_, _, condition| {
        assert_eq!(condition.workspace_seq, Some(seq));
        let mut tries = tries.lock().unwrap();
        *tries += 1;
        let is_last = *tries == 3;
        Ok(if is_last { UnreadRemovalOutcome::Removed } else { UnreadRemovalOutcome::WorkspaceChanged })
    });
    let run = run_with(&life, life.mail_sender.clone(), store);
    assert_eq!(run.run(&life.workspace, &mut |_| {}).await.unwrap().rows(), 1);
}
