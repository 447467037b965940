//! Several processes on one store, each with a runtime: who has a workspace handles it, and who is gone is replaced after
//! the lease. Here in memory, where time passes as a test says; `proofs::postgres` does the same on a server.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::WorkspaceOwnership;
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::RuntimeServices;
use entracte_domain::time::Millis;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::runtime_fixture::{
    RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, envelope_line, services,
};

/// A store in memory and a model that answers on permit, for several processes.
struct SharedMemoryFixture {
    memory: Arc<MemoryStore>,
    model: Arc<GatedFakeModel>,
    clock: Arc<TokioClock>,
}

impl SharedMemoryFixture {
    fn new(lines: &[&str]) -> Self {
        let model = Arc::new(GatedFakeModel::default());
        model.model.push_lines(lines.iter().map(|text| envelope_line(text)));
        Self { memory: Arc::new(MemoryStore::new()), model, clock: Arc::new(TokioClock::default()) }
    }

    /// The services of a process whose ids begin with `name`.
    fn services(&self, name: &str) -> Arc<RuntimeServices> {
        let memory = &self.memory;
        services(&ServicesFixtureParts {
            stores: StoreFixture {
                store: memory.clone(),
                log: memory.clone(),
                resources: memory.clone(),
                mail: memory.clone(),
                automations: memory.clone(),
                tasks: memory.clone(),
                ownership: memory.clone(),
                keep: Box::new(()),
            },
            provider: self.model.clone(),
            executors: Vec::new(),
            rules: RuleBook::default(),
            clock: self.clock.clone(),
            ids: Arc::new(SequentialIds::with_prefix(name)),
        })
    }

    /// A running process.
    async fn life(&self, name: &str) -> RuntimeFixture {
        RuntimeFixture::start_beside_others(self.services(name), self.memory.clone()).await
    }

    /// The number of the process that has the workspace.
    async fn holder(&self, life: &RuntimeFixture) -> Option<i64> {
        let holder = WorkspaceOwnership::holder(&*self.memory, &life.workspace).await.unwrap();
        holder.map(|record| record.id.0)
    }
}

/// Lets time pass while all tasks wait.
async fn advance_time(span: Millis) {
    tokio::time::sleep(Duration::from_millis(span.0.unsigned_abs())).await;
}

/// Input: a request to the process that does not have the workspace; expected: the other one handles it.
#[tokio::test(start_paused = true)]
async fn request_is_done_where_the_workspace_is() {
    let scene = SharedMemoryFixture::new(&["Here."]);
    scene.model.let_answer(1);
    let (one, two) = (scene.life("a").await, scene.life("b").await);
    let session = one.chat(false).await;
    two.send_and_wait(&session, "Where are you?").await;
    assert_eq!(scene.holder(&two).await, Some(1));
    assert_eq!((one.runtime.workspaces_in_memory(), two.runtime.workspaces_in_memory()), (1, 0));
    two.verify(&session).await;
}

/// Input: a process that is gone while the model answers; expected: another one asks the model again when the lease of
/// the first has ended, and not before.
#[tokio::test(start_paused = true)]
async fn dead_process_is_replaced_after_its_lease() {
    let scene = SharedMemoryFixture::new(&["too late", "Here I am."]);
    let (life, next) = (scene.life("a").await, scene.life("b").await);
    let lease = next.services.settings.lease;
    let session = life.chat(false).await;
    life.send_message(&session, "Are you there?").await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!(scene.model.asked(), 1);
    drop(life);

    advance_time(Millis(lease.0 - 3_000)).await;
    assert_eq!(scene.model.asked(), 1, "the first process may still send");
    scene.model.let_answer(2);
    advance_time(Millis::seconds(4)).await;
    assert_eq!((scene.model.asked(), next.phase(&session).await), (2, "IDLE"));
    assert_eq!(scene.holder(&next).await, Some(2));
    next.verify(&session).await;
}

/// Input: a workspace at rest for longer than it stays in memory; expected: it is given back, and the process that gets
/// the next request has it.
#[tokio::test(start_paused = true)]
async fn resting_workspace_is_given_back() {
    let scene = SharedMemoryFixture::new(&["Here.", "There."]);
    scene.model.let_answer(2);
    let (one, two) = (scene.life("a").await, scene.life("b").await);
    let session = one.chat(false).await;
    one.send_and_wait(&session, "Here?").await;
    let keep = one.services.settings.keep_in_memory;
    advance_time(Millis(keep.0 * 2 + 1_000)).await;
    assert_eq!((scene.holder(&one).await, one.runtime.workspaces_in_memory()), (None, 0));
    two.send_and_wait(&session, "There?").await;
    assert_eq!(scene.holder(&two).await, Some(2));
    two.verify(&session).await;
}

/// Input: a process alone that slept for longer than its lease; expected: nobody took its workspace, and it goes on.
#[tokio::test(start_paused = true)]
async fn late_process_alone_goes_on() {
    let scene = SharedMemoryFixture::new(&["Good morning."]);
    scene.model.let_answer(1);
    let life = scene.life("a").await;
    let session = life.chat(false).await;
    scene.clock.jump(Millis::hours(8));
    life.send_and_wait(&session, "Good night.").await;
    assert!(life.runtime.is_owner());
    assert_eq!(scene.holder(&life).await, Some(1));
    life.verify(&session).await;
}
