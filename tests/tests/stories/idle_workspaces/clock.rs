//! A clock that is set while nobody is in memory.

use entracte_domain::time::Millis;

use super::fixture::{IdleSessionFixture, advance_time, asks_to_send, waits_for_approval};

const MONTH: Millis = Millis::hours(30 * 24);

/// The longest sleep between two looks, and a moment.
const A_LOOK: Millis = Millis::seconds(31);

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_ahead_ends_the_waits_it_passed() {
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
async fn a_clock_that_is_set_back_lets_the_waits_begin_again() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    advance_time(Millis::minutes(5)).await;
    scene.clock.jump(Millis(-MONTH.0));
    advance_time(A_LOOK).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    // Memory does not wait for the clock to come back to where it was, and neither does the wait.
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    advance_time(Millis(Millis::hours(72).0 - Millis::minutes(5).0)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
    life.verify(&session).await;
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_a_little_ends_no_wait_and_keeps_nobody_awake() {
    let scene = IdleSessionFixture::new([asks_to_send()]);
    let life = scene.life().await;
    let session = waits_for_approval(&life, "ann:home").await;
    advance_time(Millis::minutes(5)).await;
    scene.clock.jump(Millis::seconds(-90));
    advance_time(Millis::minutes(5)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    assert_eq!(life.runtime.workspaces_in_memory(), 0);
    // The wait lasts for as long as it was to.
    advance_time(Millis(Millis::hours(72).0 - Millis::minutes(10).0)).await;
    assert_eq!(life.calls(&session).await[0].1, "waiting_decision");
    advance_time(Millis::minutes(3)).await;
    assert_eq!(life.calls(&session).await[0].1, "expired");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_starts_before_the_waits_began_keeps_them() {
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
