//! The retention policy removes what is old enough, and nothing that is held, open or still needed.

use std::sync::Arc;

use entracte_application::codec::decode_snapshot;
use entracte_application::instructions::InstructionScope;
use entracte_application::ports::FileStore as _;
use entracte_application::retention::{RemovedResult, RetentionTable, RetentionTotals};
use entracte_application::system::sha256;
use entracte_application::use_cases::{
    ChangeSettings, DeleteSession, EndSession, ForkSession, ReadDeletions, RebuildPrompt, RequestDigestCheck,
    RetentionHoldView, SendMessage, UseCaseError,
};
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::message::{Segment, UserMessage};
use entracte_domain::session::Dialect;
use entracte_tests::contracts::file_store::image;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::RuntimeFixture;
use serde_json::json;

use super::bilingual_model::{BilingualModelStep, look_step};
use super::fixture::{SessionCopyFixture, all_stores, chat, memory, stores_of};
use super::retention_fixture::{
    asked_chat, ended_chat, exists, hold, holds, later, release, run, same_stores, stage_with_limits,
};

/// Input: three ended chats, of which one is held; expected: the policy removes the others with a record each, nobody
/// deletes the held one by hand, and it goes once it is released.
#[tokio::test(start_paused = true)]
async fn held_sessions_are_kept() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s");
        let life = stage.life().await;
        let held = ended_chat(&stage, &life).await;
        let other = ended_chat(&stage, &life).await;
        later(&life).await;
        let young = ended_chat(&stage, &life).await;
        hold(&life, InstructionScope::Session(held.clone())).await;
        let holds = holds(&life).await;
        assert_eq!(holds.len(), 1);
        let RetentionHoldView { hold: stored, is_partial, .. } = &holds[0];
        assert_eq!((stored.author.as_str(), stored.scope.name(), *is_partial), ("ann", held.as_str(), false));

        run(&life).await;
        assert!(exists(&life, &held).await && exists(&life, &young).await);
        assert!(!exists(&life, &other).await);
        assert!(life.services.log.entries(&life.workspace, &other, 0, 9).await.unwrap().is_empty());
        let records = ReadDeletions::new(life.services.log.clone()).run(&life.workspace, 9).await.unwrap();
        let records: Vec<_> =
            records.iter().map(|record| (&record.session, record.author.as_str())).collect();
        assert_eq!(records, [(&other, "(retention)")]);
        let delete = DeleteSession::new(life.mail_sender.clone());
        let refused = delete.run(&life.workspace, &held, "bob".into()).await;
        let Err(UseCaseError::Conflict(why)) = refused else { panic!("{refused:?}") };
        assert!(why.ends_with("is held by ann: The auditor looks at it."), "{why}");

        hold(&life, InstructionScope::Workspace).await;
        later(&life).await;
        assert!(run(&life).await.is_empty(), "the whole workspace is held");
        release(&life, InstructionScope::Workspace).await;
        release(&life, InstructionScope::Session(held.clone())).await;
        run(&life).await;
        assert!(!exists(&life, &held).await && !exists(&life, &young).await);
    }
}

/// Input: a chat at rest whose results went; expected: nothing of them is stored, the rest reads and replays as before,
/// and a model that goes on and asks for the result is told that it is gone.
#[tokio::test(start_paused = true)]
async fn session_replays_after_result_retention() {
    for stores in all_stores() {
        for dialect in [Dialect::Tools, Dialect::Envelope] {
            let stores = same_stores(&stores);
            let stage = stage_with_limits(stores, "results=5s");
            let life = stage.life().await;
            let session = chat(&life, dialect, false).await;
            let zones = BilingualModelStep::Asks(vec![("ZONES", "zones.list", json!({}), true)]);
            stage.model.push_steps([zones, BilingualModelStep::Words("There are none.")]);
            life.send_and_wait(&session, "which zones are there?").await;
            let before = life.entries(&session).await;
            assert!(format!("{before:?}").contains(CONTENT), "{before:?}");
            later(&life).await;
            let removed = run(&life).await;
            assert!(removed.count(RetentionTable::Results).rows > 0, "{removed:?}");

            let after = life.entries(&session).await;
            let shown = format!("{after:?}");
            assert!(shown.contains(RemovedResult::CODE), "{shown}");
            assert!(!shown.contains(CONTENT), "{shown}");
            assert_eq!(after.len(), before.len());
            life.verify(&session).await;
            assert!(run(&life).await.is_empty(), "it is not looked at again");

            let call = life.services.log.calls(&life.workspace, &session).await.unwrap()[0].id.clone();
            let read = json!({ "call": call.as_str(), "from": 0 });
            let asks = BilingualModelStep::Asks(vec![("READ_RESULT", "results.read", read, true)]);
            stage.model.push_steps([asks, BilingualModelStep::Words("It is gone.")]);
            life.send_and_wait(&session, "read it again").await;
            let request = format!("{:?}", stage.model.last_request());
            assert!(request.contains(RemovedResult::CODE), "{request}");
            assert!(!request.contains(CONTENT), "{request}");
            life.verify(&session).await;
        }
    }
}

/// A part of what the query returns, as `Debug` shows it; it stands nowhere else.
const CONTENT: &str = r#"\"more\":false"#;

/// Input: ended chats beyond every limit; expected: a dry run changes nothing and says what a run then removes, each row
/// once.
#[tokio::test(start_paused = true)]
async fn retention_dry_run_reports_rows_and_bytes() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s, results=5s, ledger=5s");
        let life = stage.life().await;
        let (one, two) = (ended_chat(&stage, &life).await, ended_chat(&stage, &life).await);
        later(&life).await;
        let would = life.retention(200).preview(&life.workspace).await.unwrap();
        let sessions = would.count(RetentionTable::Sessions);
        assert_eq!(sessions.rows, 2);
        let entries = [&one, &two].map(|session| life.entries(session));
        let [first, second] = entries;
        let entries = first.await.len() + second.await.len();
        assert_eq!(would.count(RetentionTable::Entries).rows, entries as u64);
        assert_eq!(would.count(RetentionTable::Calls).rows, 2);
        assert_eq!(would.count(RetentionTable::Results).rows, 0, "they go with their sessions");
        assert!(would.iter().all(|(_, count)| count.bytes > 0), "{would:?}");
        assert!(exists(&life, &one).await && exists(&life, &two).await);
        assert_eq!(run(&life).await, would);
        assert!(!exists(&life, &one).await && !exists(&life, &two).await);
    }
}

/// Input: more limits than one, a session larger than a commit, and a process that dies after each commit in turn;
/// expected: whatever it dies after, the next one ends with the same rows, and each session leaves one record.
#[tokio::test(start_paused = true)]
async fn retention_survives_kill_at_every_step() {
    for stores in all_stores() {
        let mut commits = 0;
        let mut kills = 0;
        let stage = stage_with_limits(stores, "chats=5s, results=5s");
        while kills <= commits {
            let life = stage.life().await;
            let (large, resting) =
                (ended_chat(&stage, &life).await, chat(&life, Dialect::Tools, false).await);
            stage.model.push_steps([look_step("weight"), BilingualModelStep::Words("72.5 kg.")]);
            life.send_and_wait(&resting, "what do I weigh?").await;
            later(&life).await;
            let seen = std::cell::Cell::new(0);
            {
                let runner = life.retention(4);
                let (stop, mut stopped) = tokio::sync::mpsc::unbounded_channel();
                let counted = std::sync::atomic::AtomicU32::new(0);
                let mut tell = |_: &RetentionTotals| {
                    if counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 == kills {
                        let _ = stop.send(());
                    }
                };
                tokio::select! {
                    biased;
                    Some(()) = stopped.recv() => {}
                    ended = runner.run(&life.workspace, &mut tell) => {
                        ended.unwrap();
                    }
                }
                seen.set(counted.load(std::sync::atomic::Ordering::SeqCst));
            }
            commits = commits.max(seen.get());
            drop(life);
            let life = stage.life().await;
            // Also with some of its results gone and others there.
            life.verify(&resting).await;
            run(&life).await;
            assert!(!exists(&life, &large).await, "killed after {kills}");
            let records =
                ReadDeletions::new(life.services.log.clone()).run(&life.workspace, 99).await.unwrap();
            assert_eq!(records.iter().filter(|record| record.session == large).count(), 1);
            assert!(format!("{:?}", life.entries(&resting).await).contains(RemovedResult::CODE));
            life.verify(&resting).await;
            drop(life);
            kills += 1;
        }
        assert!(commits > 3, "a large session goes in several commits: {commits}");
    }
}

/// Input: limits that the workspace sets itself; expected: they count instead of those of the process, changing them
/// takes the right to approve, and a number keeps the latest ones.
#[tokio::test(start_paused = true)]
async fn workspace_limits_count() {
    let stage = SessionCopyFixture::with_stores(memory(), []);
    let life = stage.life().await;
    let old = ended_chat(&stage, &life).await;
    later(&life).await;
    let new = ended_chat(&stage, &life).await;
    later(&life).await;
    let change = ChangeSettings::new(life.mail_sender.clone());
    let own = vec![("retention".to_owned(), Some("chats=latest 1".to_owned()))];
    change.run(&life.workspace, "ann".into(), own).await.unwrap();
    assert_eq!(run(&life).await.count(RetentionTable::Sessions).rows, 1);
    assert!(!exists(&life, &old).await && exists(&life, &new).await);
}

/// Input: the same chats in two workspaces; expected: what goes from one leaves the rows of the other alone.
#[tokio::test(start_paused = true)]
async fn retention_leaves_other_workspaces() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s, results=5s, ledger=5s");
        let mut life = stage.life().await;
        let (ended, resting) = (ended_chat(&stage, &life).await, asked_chat(&stage, &life).await);
        let home = std::mem::replace(&mut life.workspace, WorkspaceKey::new("bob:other"));
        ended_chat(&stage, &life).await;
        asked_chat(&stage, &life).await;
        later(&life).await;
        run(&life).await;
        life.workspace = home;
        assert!(exists(&life, &ended).await);
        for session in [&ended, &resting] {
            assert!(!format!("{:?}", life.entries(session).await).contains(RemovedResult::CODE));
            assert_eq!(life.calls(session).await.len(), 1);
            life.verify(session).await;
        }
    }
}

/// Input: an ended chat and its fork, which share their rules and prompt prefixes; expected: the fork replays and goes on
/// once the original went.
#[tokio::test(start_paused = true)]
async fn fork_outlives_its_original() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "chats=5s");
        let life = stage.life().await;
        let original = asked_chat(&stage, &life).await;
        let services = &life.services;
        let fork = ForkSession::new(life.mail_sender.clone(), services.store.clone(), services.ids.clone());
        let fork = fork.run(&life.workspace, &original, "ann".into(), None, None).await.unwrap().session;
        EndSession::new(life.mail_sender.clone())
            .run(&life.workspace, &original, "ann".into())
            .await
            .unwrap();
        let calls = life.calls(&fork).await;
        later(&life).await;
        run(&life).await;
        assert!(!exists(&life, &original).await && exists(&life, &fork).await);
        life.verify(&fork).await;
        assert_eq!(life.calls(&fork).await, calls);
        stage.model.push_steps([BilingualModelStep::Words("Still here.")]);
        let turn = life.send_and_wait(&fork, "are you there?").await;
        assert_eq!(turn.reply.unwrap().text, "Still here.");
    }
}

/// Input: two ended chats with one prompt prefix, and an open one with another; expected: the prefix stays with the second
/// chat and goes with it, and a chat that begins afterwards has it again.
#[tokio::test(start_paused = true)]
async fn prefix_goes_with_its_last_session() {
    // In memory every blob stays.
    for stores in all_stores().into_iter().skip(1) {
        let stage = stage_with_limits(stores, "chats=5s");
        let life = stage.life().await;
        let (one, two) = (ended_chat(&stage, &life).await, ended_chat(&stage, &life).await);
        let open = chat(&life, Dialect::Envelope, false).await;
        let prefix = prefix_of(&life, &one).await;
        assert_eq!(prefix_of(&life, &two).await, prefix);
        assert_ne!(prefix_of(&life, &open).await, prefix);
        let extent = life.services.log.log_extent(&life.workspace, &one).await.unwrap();
        assert_eq!(extent.prefixes, 1, "the plan counts its rows");
        let is_stored =
            async || life.services.log.blob(&life.workspace, &open, &prefix).await.unwrap().is_some();

        hold(&life, InstructionScope::Session(two.clone())).await;
        later(&life).await;
        run(&life).await;
        assert!(!exists(&life, &one).await && is_stored().await);
        life.verify(&two).await;
        release(&life, InstructionScope::Session(two.clone())).await;
        run(&life).await;
        assert!(!exists(&life, &two).await && !is_stored().await);
        assert!(
            life.services
                .log
                .blob(&life.workspace, &open, &prefix_of(&life, &open).await)
                .await
                .unwrap()
                .is_some()
        );
        life.verify(&open).await;

        let again = asked_chat(&stage, &life).await;
        assert_eq!(prefix_of(&life, &again).await, prefix);
        assert!(is_stored().await, "this process had stored it before");
        life.verify(&again).await;
    }
}

async fn prefix_of(life: &RuntimeFixture, session: &SessionId) -> Digest {
    let row = life.services.store.session(&life.workspace, session).await.unwrap().unwrap();
    decode_snapshot(&row.body).unwrap().facts.prefix.clone().unwrap()
}

/// Input: a model call that read a result, which went later; expected: its request is rebuilt, and says that it has one
/// result less.
#[tokio::test(start_paused = true)]
async fn prompt_says_which_results_went() {
    let stage = stage_with_limits(memory(), "results=5s");
    let life = stage.life().await;
    let session = asked_chat(&stage, &life).await;
    let services = &life.services;
    let rebuild = RebuildPrompt::new(
        services.store.clone(),
        services.log.clone(),
        services.providers.clone(),
        services.settings.clone(),
    );
    let call = rebuild.calls(&life.workspace, &session).await.unwrap().pop().unwrap().id.to_string();
    let before = rebuild.run(&life.workspace, &call).await.unwrap();
    assert_eq!(before.removed_results, 0);
    later(&life).await;
    run(&life).await;
    let mut after = rebuild.run(&life.workspace, &call).await.unwrap();
    assert_eq!(after.removed_results, 1);
    after.call.recorded = Some(sha256(&before.body.unwrap()));
    let digests = after.digests();
    assert!(matches!(digests, Some(RequestDigestCheck::ResultsRemoved { .. })), "{digests:?}");
    assert!(String::from_utf8_lossy(&after.body.unwrap()).contains(RemovedResult::CODE));
}

/// Input: a query that brought an image, a message with another one, and a policy for results; expected: the image of the
/// result goes with it, and that of the message stays.
#[tokio::test(start_paused = true)]
async fn file_of_result_goes_with_it() {
    let memory = Arc::new(MemoryStore::new());
    let (shot, chart) = (image("shot.png", b"shot", 1), image("chart.png", b"chart", 1));
    let home = WorkspaceKey::new("ann:home");
    memory.put_file(&home, shot.clone(), b"shot".to_vec().into()).await.unwrap();
    memory.put_file(&home, chart.clone(), b"chart".to_vec().into()).await.unwrap();
    let stage =
        stage_with_limits(stores_of(&memory), "results=5s").with_result_files(vec![shot.file.clone()]);
    let life = stage.life().await;
    let session = asked_chat(&stage, &life).await;
    stage.model.push_steps([BilingualModelStep::Words("A chart.")]);
    let after = life.follow().last_entry_number(&home, &session).await.unwrap();
    let message = UserMessage { segments: vec![Segment::File(chart.file.clone())] };
    let send = SendMessage::new(life.mail_sender.clone());
    send.run(&home, &session, "ann".into(), message, None).await.unwrap();
    life.follow().run_until_idle(&home, &session, after).await.unwrap();
    assert_eq!(memory.session_files(&home, &session).await.unwrap().len(), 2);

    later(&life).await;
    assert_eq!(run(&life).await.count(RetentionTable::Results).rows, 1);
    assert_eq!(memory.file(&home, &shot.file.digest).await.unwrap(), None);
    assert_eq!(memory.file(&home, &chart.file.digest).await.unwrap(), Some(chart));
    life.verify(&session).await;
}

/// Input: a chat whose results went, which goes on, gets another result and ends; expected: that result goes, too.
#[tokio::test(start_paused = true)]
async fn later_results_go_too() {
    for stores in all_stores() {
        let stage = stage_with_limits(stores, "results=5s");
        let life = stage.life().await;
        let session = asked_chat(&stage, &life).await;
        later(&life).await;
        assert_eq!(run(&life).await.count(RetentionTable::Results).rows, 1);
        stage.model.push_steps([look_step("height"), BilingualModelStep::Words("180 cm.")]);
        life.send_and_wait(&session, "how tall am I?").await;
        EndSession::new(life.mail_sender.clone()).run(&life.workspace, &session, "ann".into()).await.unwrap();
        later(&life).await;
        assert_eq!(run(&life).await.count(RetentionTable::Results).rows, 1);
        assert!(run(&life).await.is_empty());
        life.verify(&session).await;
    }
}
