//! A clock that is changed while no workspace is in memory.

use entracte_domain::time::Millis;

use super::fixture::{IdleSessionFixture, advance_time, asks_to_send, waits_for_approval};

const MONTH: Millis = Millis::hours(30 * 24);

/// The longest interval between two checks, plus a margin.
const A_LOOK: Millis = Millis::seconds(31);

#[tokio::test(start_paused = true)]
async fn clock_jump_ends_passed_waits() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    advance_time(Millis::minutes(5)).await;
    scene.clock.jump(MONTH);
    advance_time(A_LOOK).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn clock_set_back_restarts_waits() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    advance_time(Millis::minutes(5)).await;
    scene.clock.jump(Millis(-MONTH.0));
    advance_time(A_LOOK).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    // Unloading does not wait for the clock to reach its old time again, and neither does the wait.
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    advance_time(Millis(Millis::hours(72).0 - Millis::minutes(5).0)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn small_clock_set_back_neither_ends_nor_wakes() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    advance_time(Millis::minutes(5)).await;
    scene.clock.jump(Millis::seconds(-90));
    advance_time(Millis::minutes(5)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    // The wait lasts for its full time.
    advance_time(Millis(Millis::hours(72).0 - Millis::minutes(10).0)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
}

#[tokio::test(start_paused = true)]
async fn process_with_earlier_clock_keeps_waits() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    drop(life);
    scene.clock.jump(Millis(-MONTH.0));
    let life = scene.life().await;
    advance_time(Millis::seconds(1)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    advance_time(Millis(Millis::hours(72).0 + Millis::minutes(1).0)).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
}
