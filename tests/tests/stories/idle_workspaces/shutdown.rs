//! Orderly shutdown: running work completes or is cut, nothing new starts, and the next process continues.

use std::sync::Arc;

use entracte_application::ports::CommandExecutor;
use entracte_application::rule_book::RuleBook;
use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::fakes::gated_model::GatedFakeModel;
use entracte_tests::fakes::memory_store::MemoryStore;
use entracte_tests::fakes::recording_executor::RecordingExecutor;
use entracte_tests::runtime_fixture::{
    FakeModelLine, RuntimeFixture, SequentialIds, ServicesFixtureParts, TokioClock, envelope_line, services,
};

use super::fixture::{advance_time, asks_to_send};

const GRACE: Millis = Millis::seconds(15);

/// A model that answers on permit, and a recording executor, over consecutive processes.
struct ShutdownFixture {
    model: Arc<GatedFakeModel>,
    outside: Arc<RecordingExecutor>,
    parts: ServicesFixtureParts,
}

impl ShutdownFixture {
    fn new(lines: impl IntoIterator<Item = FakeModelLine>) -> Self {
        let (memory, model) = (Arc::new(MemoryStore::new()), Arc::new(GatedFakeModel::default()));
        model.model.push_lines(lines);
        let outside = Arc::new(RecordingExecutor::default());
        let executors: Vec<Arc<dyn CommandExecutor>> = vec![outside.clone()];
        let stores = StoreFixture {
            store: memory.clone(),
            log: memory.clone(),
            resources: memory.clone(),
            mail: memory.clone(),
            automations: memory.clone(),
            tasks: memory.clone(),
            ownership: memory,
            keep: Box::new(()),
        };
        let (clock, ids) = (Arc::new(TokioClock::default()), Arc::new(SequentialIds::default()));
        let provider = model.clone();
        Self {
            model,
            outside,
            parts: ServicesFixtureParts {
                stores,
                provider,
                executors,
                rules: RuleBook::default(),
                clock,
                ids,
            },
        }
    }

    async fn life(&self) -> RuntimeFixture {
        RuntimeFixture::start_runtime(services(&self.parts)).await
    }
}

/// A process with an open model call.
async fn at_work(scene: &ShutdownFixture) -> (RuntimeFixture, SessionId) {
    let life = scene.life().await;
    let session = life.chat(false).await;
    life.send_message(&session, "send it").await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!((life.phase(&session).await, scene.model.asked()), ("CALLING_AI", 1));
    (life, session)
}

#[tokio::test(start_paused = true)]
async fn shutdown_completes_call_and_defers_its_requests() {
    let scene = ShutdownFixture::new([asks_to_send(), envelope_line("It is sent.")]);
    let (life, session) = at_work(&scene).await;
    let (ended, ()) = tokio::join!(life.runtime.shutdown(GRACE), async {
        advance_time(Millis::seconds(2)).await;
        scene.model.let_answer(1);
    });
    assert!(ended, "everything came to its end within the grace");
    assert!(!life.runtime.is_owner());
    assert_eq!(life.calls(&session).await, [("outside.send".into(), "proposed".to_owned())]);
    assert_eq!(scene.outside.recorded_effects(), [], "nothing new starts");
    life.verify(&session).await;

    drop(life);
    scene.model.let_answer(1);
    let next = scene.life().await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!(scene.outside.recorded_effects().len(), 1);
    assert_eq!(next.calls(&session).await, [("outside.send".into(), "succeeded".to_owned())]);
    next.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn call_beyond_grace_is_cut_and_repeated() {
    let scene = ShutdownFixture::new([envelope_line("too late"), envelope_line("Here I am.")]);
    let (life, session) = at_work(&scene).await;
    let begun = tokio::time::Instant::now();
    assert!(!life.runtime.shutdown(GRACE).await, "the model never answered");
    assert_eq!(begun.elapsed().as_secs(), 15);
    drop(life);

    scene.model.let_answer(2);
    let next = scene.life().await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!((next.phase(&session).await, scene.model.asked()), ("IDLE", 2));
    next.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn message_during_shutdown_is_stored_for_next_process() {
    let scene = ShutdownFixture::new([envelope_line("first"), envelope_line("second")]);
    let (life, session) = at_work(&scene).await;
    let other = life.chat(false).await;
    let (ended, ()) = tokio::join!(life.runtime.shutdown(GRACE), async {
        advance_time(Millis::seconds(1)).await;
        life.send_message(&other, "And me?").await;
        scene.model.let_answer(1);
    });
    assert!(ended);
    assert_eq!(scene.model.asked(), 1, "nobody asked it for the message");
    drop(life);

    scene.model.let_answer(1);
    let next = scene.life().await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!(scene.model.asked(), 2);
    assert!(scene.model.heard("And me?"));
    next.verify(&session).await;
    next.verify(&other).await;
}
