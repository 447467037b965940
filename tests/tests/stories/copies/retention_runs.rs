//! A run of retention removes only what its owner agrees to, and counts only that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use entracte_application::instructions::InstructionScope;
use entracte_application::mail::{
    ApplyRetentionRequest, Mail, MailAnswer, MailRequest, RefusalCode, WorkspaceRequest,
};
use entracte_application::ports::{CallRow, MailPostError, MailSender, WorkspaceCommit};
use entracte_application::retention::{RemovedResult, RetentionTable, RetentionTotals};
use entracte_application::retention_planner::{RetentionPlanner, RetentionPlannerPorts};
use entracte_application::use_cases::{ChangeSettings, RunRetention, SendMessage, UseCaseError};
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;
use entracte_tests::runtime_fixture::retention_settings;

use super::bilingual_model::BilingualModelStep;
use super::fixture::{all_stores, memory};
use super::retention_fixture::{
    asked_chat, ended_chat, exists, hold, holds, later, run as run_all, same_stores, stage_with_limits,
};

/// Input: steps that were planned before a person held one chat and wrote in the other; expected: neither loses
/// anything, and the planner knows that its plan is old.
#[tokio::test(start_paused = true)]
async fn stale_plan_removes_nothing() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s, results=5s");
        let life = stage.life().await;
        let (ended, resting) = (ended_chat(&stage, &life).await, asked_chat(&stage, &life).await);
        later(&life).await;
        let ports = RetentionPlannerPorts { store: &*life.services.store, log: &*life.services.log };
        let (limits, now) = (&life.services.settings.retention, life.services.clock.now());
        let mut planner = RetentionPlanner::open(ports, &life.workspace, limits, now).await.unwrap().unwrap();
        let batch = planner.next_batch(ports).await.unwrap().unwrap();
        assert_eq!(batch.steps().len(), 2, "{batch:?}");
        assert!(planner.is_current(ports).await.unwrap());

        hold(&life, InstructionScope::Session(ended.clone())).await;
        stage.model.push_steps([BilingualModelStep::Words("Yes.")]);
        life.send_and_wait(&resting, "are you there?").await;
        assert!(!planner.is_current(ports).await.unwrap());
        let request =
            MailRequest::workspace(ApplyRetentionRequest { steps: batch.steps(), limits: planner.limits() });
        let answer = life.mail_sender.post(&life.workspace, Mail::from_request(request)).await.unwrap();
        assert_eq!(answer, MailAnswer::Applied { steps: Vec::new() });
        assert!(exists(&life, &ended).await);
        assert!(!format!("{:?}", life.entries(&resting).await).contains(RemovedResult::CODE));
    }
}

/// Input: steps that were planned before the workspace set limits of its own; expected: nothing goes.
#[tokio::test(start_paused = true)]
async fn plan_under_former_limits_removes_nothing() {
    let stage = stage_with_limits(memory(), "chats=5s");
    let life = stage.life().await;
    let ended = ended_chat(&stage, &life).await;
    later(&life).await;
    let ports = RetentionPlannerPorts { store: &*life.services.store, log: &*life.services.log };
    let (limits, now) = (&life.services.settings.retention, life.services.clock.now());
    let mut planner = RetentionPlanner::open(ports, &life.workspace, limits, now).await.unwrap().unwrap();
    let steps = planner.next_batch(ports).await.unwrap().unwrap().steps();
    let change = ChangeSettings::new(life.mail_sender.clone());
    let own = vec![("retention".to_owned(), Some("chats=forever".to_owned()))];
    change.run(&life.workspace, "ann".into(), own).await.unwrap();
    let request = MailRequest::workspace(ApplyRetentionRequest { steps, limits: planner.limits() });
    let answer = life.mail_sender.post(&life.workspace, Mail::from_request(request)).await.unwrap();
    let MailAnswer::Refused { code: RefusalCode::Conflict, text, .. } = answer else { panic!("{answer:?}") };
    assert!(text.starts_with("nothing was removed: the retention limits changed meanwhile"), "{text}");
    assert!(exists(&life, &ended).await);
}

/// Input: a run by a process that reads another configuration than the owner of the database; expected: it is refused, and
/// nothing goes.
#[tokio::test(start_paused = true)]
async fn run_under_other_limits_than_the_owners_is_refused() {
    let stage = stage_with_limits(memory(), "chats=forever, results=5s");
    let life = stage.life().await;
    let ended = ended_chat(&stage, &life).await;
    later(&life).await;
    let services = &life.services;
    let run = RunRetention::new(
        services.store.clone(),
        services.log.clone(),
        life.mail_sender.clone(),
        services.clock.clone(),
        retention_settings("chats=5s, results=5s"),
        None,
    );
    let before = life.entries(&ended).await;
    let refused = run.run(&life.workspace, &mut |_| {}).await;
    let Err(UseCaseError::Conflict(text)) = refused else { panic!("{refused:?}") };
    assert!(text.contains("reads a configuration with other ones"), "{text}");
    assert_eq!(life.entries(&ended).await, before);
}

/// Input: ended chats, and runs of one commit each; expected: each says whether more goes, and together they remove what
/// one run would.
#[tokio::test(start_paused = true)]
async fn run_of_few_commits_says_whether_more_goes() {
    let stage = stage_with_limits(memory(), "chats=5s");
    let life = stage.life().await;
    let chats = [ended_chat(&stage, &life).await, ended_chat(&stage, &life).await];
    later(&life).await;
    let runner = life.retention(4);
    let would = runner.preview(&life.workspace).await.unwrap();
    let mut removed = RetentionTotals::default();
    let mut runs = 0;
    loop {
        let run = runner.run_commits(&life.workspace, 1, &mut |_| {}).await.unwrap();
        removed.add_all(&run.removed);
        runs += 1;
        if run.is_complete {
            break;
        }
    }
    assert!(runs > 2, "{runs}");
    assert_eq!(removed.rows(), would.rows());
    for chat in &chats {
        assert!(!exists(&life, chat).await);
    }
}

/// Input: a hold on a chat of which a commit removed the first part; expected: the rest stays, and both the answer and the
/// list of holds say that the first part is gone.
#[tokio::test(start_paused = true)]
async fn hold_of_a_going_session_says_what_is_gone() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s");
        let life = stage.life().await;
        let (going, whole) = (ended_chat(&stage, &life).await, ended_chat(&stage, &life).await);
        later(&life).await;
        let run = life.retention(4).run_commits(&life.workspace, 1, &mut |_| {}).await.unwrap();
        assert!(!run.is_complete, "a chat goes in several commits: {run:?}");
        assert!(hold(&life, InstructionScope::Session(going.clone())).await);
        assert!(!hold(&life, InstructionScope::Session(whole)).await);
        assert!(!hold(&life, InstructionScope::Workspace).await, "that is not looked through");
        let partial: Vec<bool> = holds(&life).await.iter().map(|hold| hold.is_partial).collect();
        assert_eq!(partial, [true, false, false]);
        let left = life.entries(&going).await;
        assert!(run_all(&life).await.is_empty());
        assert_eq!(life.entries(&going).await, left);
    }
}

/// Input: ended chats, of which one has a ledger row that cannot be read; expected: it stays whole, and the others go.
#[tokio::test(start_paused = true)]
async fn damaged_ledger_row_stops_no_other_session() {
    for stores in all_stores() {
        let stage = stage_with_limits(same_stores(&stores), "chats=5s, results=5s, ledger=5s");
        let life = stage.life().await;
        let (damaged, sound) = (ended_chat(&stage, &life).await, ended_chat(&stage, &life).await);
        later(&life).await;
        let (key, log) = (life.workspace.clone(), stores.log.clone());
        let call = log.calls(&key, &damaged).await.unwrap().remove(0);
        let call = CallRow { finished_at: None, body: vec![0xff], ..call };
        let workspace = stores.store.workspace(&key).await.unwrap().unwrap();
        let expected_seq = Some(workspace.seq);
        let commit =
            WorkspaceCommit { expected_seq, calls: vec![call], ..WorkspaceCommit::for_workspace(workspace) };
        // While this process has the right to.
        stores.store.commit(commit).await.unwrap();
        drop(life);

        let life = stage.life().await;
        let before = life.entries(&damaged).await;
        for _ in 0..2 {
            run_all(&life).await;
            assert!(exists(&life, &damaged).await && !exists(&life, &sound).await);
            assert_eq!(life.entries(&damaged).await, before);
        }
    }
}

/// Lets a person write in a chat before it passes the first steps of retention on.
struct WriterBeforeRetention {
    owner: Arc<dyn MailSender>,
    chat: SessionId,
    has_written: AtomicBool,
}

#[async_trait]
impl MailSender for WriterBeforeRetention {
    async fn post(&self, workspace: &WorkspaceKey, mail: Mail) -> Result<MailAnswer, MailPostError> {
        let is_retention =
            matches!(mail.request, MailRequest::Workspace(WorkspaceRequest::ApplyRetention(_)));
        if is_retention && !self.has_written.swap(true, Ordering::SeqCst) {
            let send = SendMessage::new(self.owner.clone());
            let message = UserMessage::text("are you there?");
            send.run(workspace, &self.chat, "ann".into(), message, None).await.unwrap();
        }
        self.owner.post(workspace, mail).await
    }
}

/// Input: two chats whose results are too old, and a person who writes in one of them after the steps were planned;
/// expected: only what went is counted, at the end and after each commit.
#[tokio::test(start_paused = true)]
async fn only_what_went_is_counted() {
    let stage = stage_with_limits(memory(), "results=5s");
    let life = stage.life().await;
    let (going, busy) = (asked_chat(&stage, &life).await, asked_chat(&stage, &life).await);
    later(&life).await;
    stage.model.push_steps([BilingualModelStep::Words("Yes.")]);
    let services = &life.services;
    let (owner, chat) = (life.mail_sender.clone(), busy.clone());
    let mail_sender = WriterBeforeRetention { owner, chat, has_written: AtomicBool::new(false) };
    let run = RunRetention::new(
        services.store.clone(),
        services.log.clone(),
        Arc::new(mail_sender),
        services.clock.clone(),
        services.settings.retention.clone(),
        None,
    );
    let would = run.preview(&life.workspace).await.unwrap().count(RetentionTable::Results);
    let mut told = Vec::new();
    let mut tell = |removed: &RetentionTotals| told.push(removed.count(RetentionTable::Results).rows);
    let removed = run.run(&life.workspace, &mut tell).await.unwrap().count(RetentionTable::Results);
    assert_eq!((would.rows, removed.rows, removed.bytes), (2, 1, would.bytes / 2));
    assert_eq!(told, [1]);
    let shown = async |session: &SessionId| format!("{:?}", life.entries(session).await);
    assert!(shown(&going).await.contains(RemovedResult::CODE));
    assert!(!shown(&busy).await.contains(RemovedResult::CODE));
}

/// Input: limits that change while retention runs; expected: what goes under the new ones goes, and nothing else.
#[tokio::test(start_paused = true)]
async fn changed_limit_stops_a_run() {
    let stage = stage_with_limits(memory(), "chats=5s");
    let life = stage.life().await;
    let (old, new) = (ended_chat(&stage, &life).await, ended_chat(&stage, &life).await);
    later(&life).await;
    let runner = life.retention(4);
    let change = ChangeSettings::new(life.mail_sender.clone());
    let own = vec![("retention".to_owned(), Some("chats=forever".to_owned()))];
    let (sent, mut committed) = tokio::sync::mpsc::unbounded_channel();
    let mut tell = move |_: &RetentionTotals| {
        let _ = sent.send(());
    };
    let changing = async {
        committed.recv().await;
        change.run(&life.workspace, "ann".into(), own).await.unwrap();
        while committed.recv().await.is_some() {}
    };
    let running = async {
        runner.run(&life.workspace, &mut tell).await.unwrap();
        drop(tell);
    };
    tokio::join!(running, changing);
    assert!(exists(&life, &old).await || exists(&life, &new).await, "the run went on");
}
