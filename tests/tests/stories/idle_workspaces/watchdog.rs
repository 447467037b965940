//! The watchdog of a run, on the runtime itself.

use entracte_application::ports::ModelCallLimits;
use entracte_domain::id::SessionId;
use entracte_domain::session::EndReason;
use entracte_domain::time::Millis;
use entracte_tests::runtime_fixture::{FakeModelLine, RuntimeFixture};

use super::fixture::{IdleSessionFixture, advance_time};
use super::slot::run_by_hand;

/// The end reason of a session; `None` while it is open.
async fn end(life: &RuntimeFixture, session: &SessionId) -> Option<EndReason> {
    life.services.store.session(&life.workspace, session).await.unwrap().unwrap().end_reason
}

fn limits(each: Millis) -> ModelCallLimits {
    ModelCallLimits { first_byte: each, idle: each, whole: each }
}

#[tokio::test(start_paused = true)]
async fn watchdog_spares_run_with_limited_call() {
    // Input: a model that never answers and may take 25 minutes; expected: its own limit ends each of its two attempts,
    // and the watchdog (10 minutes) ends neither.
    let scene = IdleSessionFixture::new([FakeModelLine::Hangs, FakeModelLine::Hangs]);
    scene.model.set_call_limits(limits(Millis::minutes(25)));
    let life = scene.life().await;
    let run = run_by_hand(&life).await;
    advance_time(Millis::minutes(11)).await;
    let before = scene.store.reads();
    advance_time(Millis::minutes(13)).await;
    assert_eq!(life.phase(&run).await, "CALLING_AI");
    assert!(
        scene.store.reads() - before < 300,
        "nobody looks every second: {}",
        scene.store.reads() - before
    );
    advance_time(Millis::minutes(27)).await;
    assert_eq!(end(&life, &run).await, Some(EndReason::Error));
    assert_eq!(scene.model.requests.lock().unwrap().len(), 2);
    life.verify(&run).await;
}

#[tokio::test(start_paused = true)]
async fn watchdog_ends_run_with_unlimited_call() {
    // Input: a model that never answers, with all limits switched off; expected: the watchdog ends the run.
    let scene = IdleSessionFixture::new([FakeModelLine::Hangs]);
    scene.model.set_call_limits(limits(Millis(0)));
    let life = scene.life().await;
    let run = run_by_hand(&life).await;
    advance_time(Millis::seconds(599)).await;
    assert_eq!(life.phase(&run).await, "CALLING_AI");
    advance_time(Millis::seconds(10)).await;
    assert_eq!(end(&life, &run).await, Some(EndReason::Timeout));
    let told = format!("{:?}", life.entries(&run).await);
    assert!(told.contains("did nothing for 10 min (limits.watchdog)"), "{told}");
    life.verify(&run).await;
}
