use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::ConnectivityWatcher;
use entracte_application::use_cases::ReadCalls;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture, envelope_line};
use tokio::sync::Notify;

use super::fixture::{IdleSessionFixture, advance_time, asks_to_send, waits_for_approval};

/// Longer than a resting workspace stays in memory.
const A_WHILE: Millis = Millis::minutes(3);

#[tokio::test(start_paused = true)]
async fn waiting_session_is_unloaded_and_woken_at_deadline() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    assert_eq!(life.runtime.workspaces_in_memory(), 1);
    advance_time(A_WHILE).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);

    advance_time(Millis(Millis::hours(72).0 - A_WHILE.0 - 5_000)).await;
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "waiting_decision".to_owned())]);
    advance_time(Millis::seconds(6)).await;
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "expired".to_owned())]);
    advance_time(A_WHILE).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_workspace_that_works_stays_in_memory() {
    let scene = IdleSessionFixture::new([FakeModelLine::Hangs]);
    let life = scene.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "Hello").await;
    // Longer than a resting workspace stays in memory, and within the time limit of a silent model.
    advance_time(Millis::seconds(110)).await;
    assert_eq!((life.runtime.workspaces_in_memory(), life.phase(&session).await), (1, "CALLING_AI"));
}

#[tokio::test(start_paused = true)]
async fn resting_session_unloads_while_neighbour_works() {
    let scene = IdleSessionFixture::new((0..60).map(|_| envelope_line("Yes.")));
    let life = scene.life().await;
    let (resting, busy) = (life.chat(false).await, life.chat(false).await);
    let reads = async |session: &SessionId| {
        let before = scene.store.sessions_read();
        life.send_and_wait(session, "Are you there?").await;
        scene.store.sessions_read() - before
    };
    let in_memory = reads(&resting).await;
    // It gets a message before the next check of deadlines.
    for _ in 0..50 {
        assert_eq!(reads(&busy).await, in_memory);
        advance_time(Millis::seconds(5)).await;
    }
    assert!(reads(&resting).await > in_memory, "it is read again");
    assert_eq!(reads(&resting).await, in_memory, "and stays while it is in use");
}

#[tokio::test(start_paused = true)]
async fn one_read_serves_all_waiting_workspaces() {
    let scene = IdleSessionFixture::new((0..50).map(|_| asks_to_send()));
    let life = scene.life().await;
    for number in 0..50 {
        waits_for_approval(&life, &format!("ann:{number}")).await;
    }
    advance_time(A_WHILE).await;
    let before = scene.store.reads();
    advance_time(Millis::hours(1)).await;
    // One read per longest sleep, and one of retention, whatever the number of workspaces.
    let reads = scene.store.reads() - before;
    assert!((120..=122).contains(&reads), "{reads}");

    // A starting process does not load them.
    drop(life);
    let life = scene.life().await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
}

#[tokio::test(start_paused = true)]
async fn who_wakes_at_once_with_many_wakes_all_of_them() {
    let scene = IdleSessionFixture::new((0..50).map(|_| asks_to_send()));
    let life = scene.life().await;
    let mut sessions = Vec::new();
    for number in 0..50 {
        let workspace = format!("ann:{number}");
        let session = waits_for_approval(&life, &workspace).await;
        sessions.push((WorkspaceKey::new(workspace), session));
    }
    advance_time(Millis::hours(73)).await;
    let read = ReadCalls::new(life.services.store.clone(), life.services.log.clone());
    for (workspace, session) in &sessions {
        let states: Vec<String> =
            read.run(workspace, session).await.unwrap().into_iter().map(|view| view.state).collect();
        assert_eq!(states, ["expired"]);
    }
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
}

/// Eight people write all the time into a workspace whose task ends after every turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mail_during_task_end_is_taken_once() {
    const WRITERS: usize = 8;
    const CHATS: usize = 40;
    let scene =
        IdleSessionFixture::new([]).with_services(|services| services.settings.keep_in_memory = Millis(0));
    let life = Arc::new(scene.life().await);
    let mut writers = tokio::task::JoinSet::new();
    for _ in 0..WRITERS {
        let life: Arc<RuntimeFixture> = life.clone();
        writers.spawn(async move {
            for _ in 0..CHATS {
                life.chat(false).await;
                tokio::task::yield_now().await;
            }
        });
    }
    while let Some(written) = writers.join_next().await {
        written.expect("every request is answered");
    }
    let sessions = life.services.log.sessions(&Default::default()).await.unwrap().rows;
    assert_eq!(sessions.len(), WRITERS * CHATS);
    let row = life.services.store.workspace(&life.workspace).await.unwrap().unwrap();
    assert_eq!(row.seq, sessions.iter().map(|row| row.sequence).sum::<u64>());
    // Each started task read the row of its workspace.
    assert!(scene.store.reads() > 50, "{}", scene.store.reads());
}

/// A network that is back when the test says so.
struct ManualConnectivity(Arc<Notify>);

#[async_trait]
impl ConnectivityWatcher for ManualConnectivity {
    async fn wait_until_reachable(&self, _provider: &str) {
        self.0.notified().await;
    }
}

#[tokio::test(start_paused = true)]
async fn returning_network_wakes_resting_sessions() {
    let plugged = Arc::new(Notify::new());
    let cable = Arc::new(ManualConnectivity(plugged.clone()));
    let scene = IdleSessionFixture::new([
        FakeModelLine::Fails(FailureClass::Unreachable),
        envelope_line("There you are."),
    ])
    .with_services(|services| {
        services.settings.keep_in_memory = Millis(0);
        services.connectivity = Some(cable);
    });
    let life = scene.life().await;
    let run = super::slot::run_by_hand(&life).await;
    advance_time(Millis::seconds(3)).await;
    assert_eq!(life.phase(&run).await, "WAITING_NETWORK_RETRY");
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    assert_eq!(scene.model.requests.lock().unwrap().len(), 1);
    plugged.notify_one();
    advance_time(Millis::seconds(1)).await;
    assert!(scene.model.requests.lock().unwrap().len() >= 2, "before it would have tried again");
    life.verify(&run).await;
}
