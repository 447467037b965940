//! The contract suite of [`Ownership`](entracte_application::ports::Ownership) with a runtime on it: exclusive
//! ownership, commits of a replaced owner, and sends of a frozen owner.

mod fixture;

use std::sync::atomic::Ordering;

use entracte_application::ports::{CommitError, MailPostError, MailSender, OwnershipError};
use entracte_application::runtime::{EffectOutcome, LocalRuntime, TurnError, WorkspaceInput};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::EffectClass;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::Effect;
use entracte_domain::time::{Millis, Timestamp};

use super::StoreFixture;
use super::rows::{HOME, first, key, next};
use super::store::commit;
use fixture::{OwnershipContractFixture, SETTLE, TIMEOUT, requests};

const NOW: Timestamp = Timestamp(7);

/// A runtime cannot start without ownership, and only one process has it.
pub async fn second_owner_is_refused(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    let services = scene.services();
    let owner = services.acquire_ownership().await.unwrap();
    let runtime = LocalRuntime::start(services.clone(), owner).await.unwrap();
    let refused = scene.services().acquire_ownership().await.err().expect("there is an owner");
    assert!(matches!(&refused, OwnershipError::Owned { .. }), "{refused}");
    assert!(refused.to_string().contains(" is owned by "), "{refused}");
    assert!(runtime.is_owner());
    drop(runtime);
    // Ownership was released with the runtime.
    let owner = services.acquire_ownership().await.unwrap();
    assert_eq!(owner.epoch(), 2);
}

/// Each owner has a higher epoch than the one before, and a refused one does not count.
pub async fn epochs_grow(stores: StoreFixture) {
    let ownership = &stores.ownership;
    for expected in 1..4 {
        let epoch = ownership.acquire(NOW).await.unwrap();
        assert_eq!(epoch, expected);
        assert!(ownership.acquire(NOW).await.is_err());
        ownership.renew(epoch).await.unwrap();
        ownership.release(epoch);
    }
}

/// A replaced owner can neither verify its ownership nor release that of its successor.
pub async fn an_owner_that_was_followed_has_lost_for_good(stores: StoreFixture) {
    let ownership = &stores.ownership;
    let one = ownership.acquire(NOW).await.unwrap();
    ownership.release(one);
    assert!(matches!(ownership.renew(one).await, Err(OwnershipError::Lost { .. })));
    let two = ownership.acquire(NOW).await.unwrap();
    ownership.release(one);
    assert!(matches!(ownership.renew(one).await, Err(OwnershipError::Lost { epoch, .. }) if epoch == one));
    ownership.renew(two).await.unwrap();
    assert!(
        matches!(ownership.acquire(NOW).await, Err(OwnershipError::Owned { .. })),
        "it is still that of two"
    );
}

/// The request may be repeated, changes nothing of the ownership, and ends with the next owner.
pub async fn a_release_is_requested_until_there_is_a_new_owner(stores: StoreFixture) {
    let ownership = &stores.ownership;
    let one = ownership.acquire(NOW).await.unwrap();
    for _ in 0..2 {
        ownership.request_release("another process").await.unwrap();
    }
    ownership.renew(one).await.unwrap();
    if let Some(record) = ownership.holder().await.unwrap() {
        assert_eq!((record.epoch, record.wanted_by.is_some()), (one, true), "{record:?}");
    }
    ownership.release(one);
    let two = ownership.acquire(NOW).await.unwrap();
    if let Some(record) = ownership.holder().await.unwrap() {
        assert_eq!((record.epoch, record.wanted_by), (two, None));
    }
}

/// The epoch is compared in addition to `seq`, which is correct here.
pub async fn a_commit_of_an_earlier_epoch_is_refused_and_writes_nothing(stores: StoreFixture) {
    let by = |epoch: u64, seq: Option<u64>| {
        let mut commit = seq.map_or_else(|| first(HOME), |seq| next(HOME, seq));
        commit.workspace.epoch = epoch;
        commit
    };
    commit(&stores, by(3, None)).await;
    let before = stores.store.workspace(&key(HOME)).await.unwrap();
    let mut late = by(2, Some(0));
    late.workspace.body = b"late".to_vec();
    let refused = stores.store.commit(late).await.unwrap_err();
    assert!(matches!(&refused, CommitError::NotOwner(_)), "{refused}");
    assert!(refused.to_string().contains("epoch 3") && refused.to_string().contains("epoch 2"), "{refused}");
    assert_eq!(stores.store.workspace(&key(HOME)).await.unwrap(), before);
    commit(&stores, by(3, Some(0))).await;
    commit(&stores, by(4, Some(0))).await;
}

/// The epoch is written with the row and read back with it.
pub async fn a_workspace_has_the_epoch_of_who_wrote_it_last(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    for expected in 1..3 {
        let mut process = scene.begin().await;
        for mail in requests() {
            process.hand_in(WorkspaceInput::Request { mail, reply: None, row: None }).await;
        }
        let row = process.services.store.workspace(&WorkspaceKey::new(HOME)).await.unwrap().unwrap();
        assert_eq!((row.epoch, process.owner.epoch()), (expected, expected));
    }
}

/// A runtime whose workspace another process took over refuses requests and does nothing further.
pub async fn a_lost_owner_commits_nothing_and_stops(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    let (services, home) = (scene.services(), WorkspaceKey::new(HOME));
    let owner = services.acquire_ownership().await.unwrap();
    let epoch = owner.epoch();
    let runtime = LocalRuntime::start(services.clone(), owner).await.unwrap();
    let [start, send] = requests();
    runtime.post(&home, start).await.unwrap();
    scene.ownership.release(epoch);
    let mut other = scene.begin().await;
    other.hand_in(WorkspaceInput::Request { mail: send.clone(), reply: None, row: None }).await;
    let before = services.store.workspace(&home).await.unwrap();

    assert_eq!(runtime.post(&home, send.clone()).await.unwrap_err(), MailPostError::NotOwner);
    assert!(!runtime.is_owner());
    assert_eq!(runtime.post(&home, send).await.unwrap_err(), MailPostError::NotOwner);
    assert_eq!(services.store.workspace(&home).await.unwrap(), before);
    assert_eq!(scene.sent(), 0);
    drop(runtime);
    assert!(
        scene.ownership.renew(other.owner.epoch()).await.is_ok(),
        "the right of the other one is its own"
    );
}

/// An action is committed as started, and its process freezes before the send. Another process takes over. When the
/// first one thaws, its lease has expired: it sends nothing.
pub async fn frozen_owner_sends_nothing(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    let mut frozen = scene.begin().await;
    frozen.start_action().await;
    scene.clock.pass(frozen.services.settings.lease);
    scene.revoke_ownership(&frozen);
    let successor = scene.begin().await;
    assert!(successor.effect().is_none_or(|(_, effect)| matches!(effect, Effect::CallModel { .. })));

    assert!(frozen.perform().await.is_none());
    assert_eq!(scene.sent(), 0);
    assert!(frozen.owner.is_lost());
    let told = frozen.workspace.handle(&mut vec![requests_item()]).await;
    assert!(matches!(&told, Err(TurnError::NotOwner(_))), "{told:?}");
    // The same for a pending model call.
    let asked = scene.clerk.asked.load(Ordering::SeqCst);
    let mut frozen = successor;
    scene.clock.pass(frozen.services.settings.lease);
    scene.revoke_ownership(&frozen);
    let _successor = scene.begin().await;
    if frozen.effect().is_some() {
        assert!(frozen.perform().await.is_none());
    }
    assert_eq!(scene.clerk.asked.load(Ordering::SeqCst), asked);
}

fn requests_item() -> WorkspaceInput {
    let [_, mail] = requests();
    WorkspaceInput::Request { mail, reply: None, row: None }
}

/// Frozen longer than its lease, like a closed laptop: ownership is verified, and the work continues.
pub async fn an_owner_that_was_frozen_and_not_followed_goes_on(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    let mut process = scene.begin().await;
    process.ask_model().await;
    scene.clock.pass(Millis::hours(8));
    process.finish().await;
    process.finish().await;
    assert_eq!((scene.clerk.asked.load(Ordering::SeqCst), scene.sent()), (1, 1));
}

/// A successor counts from the moment a call was marked as started, so nothing is sent after its time limit, even under
/// a valid lease. The call is recorded as not done.
pub async fn a_call_whose_time_is_over_is_not_sent(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Once);
    let mut process = scene.begin().await;
    process.start_action().await;
    scene.clock.pass(TIMEOUT);
    let (_, outcome) = process.perform().await.unwrap();
    let EffectOutcome::Call { outcome: CallOutcome::Failed(failure), .. } = &outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(failure.code, "NOT_SENT");
    assert_eq!(scene.sent(), 0);
}

/// Two owners, one action of class `probe`: a send of the first owner must land before the second one queries its
/// outcome.
pub async fn a_successor_asks_only_when_the_old_call_can_land_no_more(stores: StoreFixture) {
    let scene = OwnershipContractFixture::new(stores, EffectClass::Probe);
    let mut frozen = scene.begin().await;
    frozen.start_action().await;
    let started = frozen.services.clock.now();
    scene.clock.pass(Millis::seconds(1));
    scene.revoke_ownership(&frozen);
    let mut successor = scene.begin().await;
    let asks_at = started.plus(Millis(TIMEOUT.0 + SETTLE.0));
    assert_eq!(successor.effect(), None, "it waits");
    assert_eq!(successor.turn.wake_at, Some(asks_at));

    // The first owner thaws under a valid lease, after the time limit of its call.
    scene.clock.pass(TIMEOUT);
    frozen.perform().await;
    assert_eq!(scene.sent(), 0);
    successor.hand_in(WorkspaceInput::Wake).await;
    assert_eq!((successor.effect(), scene.asked()), (None, 0), "it may still show");

    scene.clock.pass(asks_at.since(successor.services.clock.now()));
    successor.hand_in(WorkspaceInput::Wake).await;
    assert!(matches!(successor.effect(), Some((_, Effect::AskCall { .. }))), "{:?}", successor.turn.touched);
    successor.finish().await;
    assert_eq!((scene.asked(), scene.sent()), (1, 0));
    successor.finish().await;
    assert_eq!((scene.asked(), scene.sent()), (1, 1), "one approval, one effect");
}
