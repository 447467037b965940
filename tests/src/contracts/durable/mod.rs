//! The contract suite of a store that outlives its process: its content after reopening, after a commit whose future
//! was dropped, and after a kill in the middle of a commit.
//!
//! A store is tested with two functions: `place` is an `async fn() -> StoreLocation` (or returns an `Option` of it)
//! that names the location of an empty store; `open` is an `async fn(String) -> Result<StoreFixture, StoreError>` that
//! opens the store of a location and creates it if none exists:
//!
//! ```ignore
//! entracte_tests::durable_contracts!(place, open);
//! ```
//!
//! The kill is a real one, of a child process: the same test program, which runs a single test that commits without
//! end.

pub mod child;
pub mod tables;

use std::any::Any;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use entracte_application::ports::{CommitError, OwnershipError, StoreError};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, key};
use child::KilledCommitCounts;
use tables::{commit_number, is_whole, shown};

/// Opens the store of a location.
pub type StoreOpener = fn(String) -> Pin<Box<dyn Future<Output = Result<StoreFixture, StoreError>> + Send>>;

/// The location of a store, existing or not.
pub struct StoreLocation {
    /// A path or an address that `open` accepts, also in another process.
    pub at: String,
    /// Resources that must outlive the data: a temporary directory, a database of a server.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A store that can be reopened.
pub struct DurableStoreFixture {
    /// Its location.
    pub place: StoreLocation,
    /// Opens it.
    pub open: StoreOpener,
    /// Name of the test in this program that a child process runs.
    pub child: String,
}

impl DurableStoreFixture {
    /// Opens the store. One that was dropped may hold its file for a moment: its last thread is still to end.
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a thread takes to end is a matter of the machine"
    )]
    async fn opened(&self) -> StoreFixture {
        let begun = Instant::now();
        loop {
            match (self.open)(self.place.at.clone()).await {
                Ok(stores) => return stores,
                Err(error) => assert!(begun.elapsed() < HELD_MOST, "it opens: {error}"),
            }
            tokio::task::yield_now().await;
        }
    }
}

/// The name of the child test in a module, as the test program lists it.
pub fn child_test_name(module: &str) -> String {
    let within = module.split_once("::").map_or("", |(_, within)| within);
    [within, "a_child_of_the_kit::commits_until_it_is_killed"].join("::").trim_start_matches("::").to_owned()
}

/// All committed rows and posted mail of every table are read back unchanged, also after three reopenings.
pub async fn what_was_committed_is_there_after_reopening(durable: DurableStoreFixture) {
    let mut before = None;
    for number in 1..=3 {
        let stores = durable.opened().await;
        let found = shown(&stores).await;
        assert_eq!(Some(&found), before.as_ref().or(Some(&found)), "it is as it was before it was closed");
        tables::commit_numbered(&stores, number)
            .await
            .unwrap_or_else(|error| panic!("commit {number}: {error}"));
        assert_eq!(is_whole(&stores).await, Ok(number));
        before = Some(shown(&stores).await);
    }
    let stores = durable.opened().await;
    assert_eq!(Some(shown(&stores).await), before);
}

/// The number of mail that a poster waits for is never reused, also when all mail was removed.
pub async fn numbers_of_mail_go_on_after_reopening(durable: DurableStoreFixture) {
    let stores = durable.opened().await;
    let first = stores.mail.post(&key(HOME), b"one".to_vec(), Timestamp(1)).await.expect("it is posted");
    stores.mail.withdraw(&key(HOME), first).await.expect("it leaves the list");
    drop(stores);
    let stores = durable.opened().await;
    let second = stores.mail.post(&key(HOME), b"two".to_vec(), Timestamp(2)).await.expect("it is posted");
    assert!(second > first, "{second:?} after {first:?}");
}

/// Also when the previous process did not release ownership.
pub async fn epochs_grow_after_reopening(durable: DurableStoreFixture) {
    let stores = durable.opened().await;
    let first = stores.ownership.acquire(Timestamp(1)).await.expect("nobody has it");
    stores.ownership.release(first);
    let second = stores.ownership.acquire(Timestamp(2)).await.expect("it was given back");
    drop(stores);
    let stores = durable.opened().await;
    let third = acquire_after_kill(&stores).await;
    assert!(first < second && second < third, "{first} {second} {third}");
}

/// A second opening fails or is not the owner; otherwise both processes would do the same work.
pub async fn two_owners_are_refused(durable: DurableStoreFixture) {
    let first = durable.opened().await;
    let epoch = first.ownership.acquire(Timestamp(1)).await.expect("nobody has it");
    if let Ok(second) = (durable.open)(durable.place.at.clone()).await {
        match second.ownership.acquire(Timestamp(2)).await {
            Err(OwnershipError::Owned { .. }) => {}
            Err(other) => panic!("it says who has it, and not: {other}"),
            Ok(epoch) => panic!("there are two owners, and one of epoch {epoch}"),
        }
    }
    first.ownership.renew(epoch).await.unwrap_or_else(|error| panic!("the first one has it still: {error}"));
}

/// A dropped commit is written completely or not at all, and the caller can continue.
pub async fn a_dropped_commit_is_whole_or_none(durable: DurableStoreFixture) {
    let mut number = 0;
    for polls in 0..DROPS {
        let stores = durable.opened().await;
        // A dropped commit may still be written until the next commit, which is queued behind it.
        let next = settled(&stores, number).await + 1;
        let commit = commit_number(&stores, next).await;
        let mut writing = stores.store.commit(commit);
        for _ in 0..polls {
            if poll_once(&mut writing).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(writing);
        number = settled(&stores, next - 1).await;
        assert!(number == next || number == next - 1, "{number} after {next} was dropped");
        drop(stores);
        let found = is_whole(&durable.opened().await).await;
        assert!(found == Ok(number) || found == Ok(next), "dropped after {polls} polls: {found:?}");
    }
}

/// The number of commits after a commit of another workspace was written.
async fn settled(stores: &StoreFixture, least: u64) -> u64 {
    let other = format!("eve:{least}");
    match stores.store.commit(super::rows::first(&other)).await {
        Ok(()) | Err(CommitError::Conflict(_)) => {}
        Err(error) => panic!("a commit beside it: {error}"),
    }
    let mut found = is_whole(stores).await;
    for _ in 0..READINGS {
        if found.is_ok() {
            break;
        }
        // Several reads are no snapshot, so a commit may land between them.
        tokio::task::yield_now().await;
        found = is_whole(stores).await;
    }
    found.unwrap_or_else(|parts| panic!("a part of a commit is there: {parts}"))
}

fn poll_once<T>(work: &mut Pin<Box<dyn Future<Output = T> + Send + '_>>) -> Poll<T> {
    work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// A killed process has lost no commit that was acknowledged to it, whenever it dies.
pub async fn a_kill_loses_nothing_that_was_written(durable: DurableStoreFixture) {
    for step in 0..=child::STEPS {
        let KilledCommitCounts { acknowledged, .. } = child::kill_in(&durable, step);
        let found = settled(&durable.opened().await, acknowledged).await;
        assert!(
            found >= acknowledged,
            "killed in step {step}: {acknowledged} were written, {found} are there"
        );
    }
}

/// The commit in progress is written completely or not at all, and the next process continues.
pub async fn a_killed_commit_is_whole_or_none(durable: DurableStoreFixture) {
    for step in 0..child::STEPS {
        let KilledCommitCounts { begun, .. } = child::kill_in(&durable, step);
        let stores = durable.opened().await;
        acquire_after_kill(&stores).await;
        let mut found = settled(&stores, begun).await;
        let mut next = tables::commit_numbered(&stores, found + 1).await;
        if let Err(CommitError::Conflict(_)) = next {
            // A server may complete the last request of the dead process.
            found = settled(&stores, begun + 1).await;
            next = tables::commit_numbered(&stores, found + 1).await;
        }
        assert!(found <= begun, "killed in step {step}: {begun} were begun, {found} are there");
        next.unwrap_or_else(|error| panic!("killed in step {step}, the next one goes on: {error}"));
    }
}

/// Acquires the ownership of a dead owner. A server may notice its death a moment later.
async fn acquire_after_kill(stores: &StoreFixture) -> u64 {
    let mut told = None;
    for _ in 0..READINGS {
        match stores.ownership.acquire(Timestamp(3)).await {
            Ok(epoch) => return epoch,
            Err(error) => told = Some(error),
        }
        tokio::task::yield_now().await;
    }
    panic!("who is gone owns nothing: {told:?}")
}

/// How long a dropped store may hold its file.
const HELD_MOST: Duration = Duration::from_secs(10);
/// Maximum number of polls after which a commit is dropped.
const DROPS: u32 = 6;
/// How often a value is read again that another process or a pending commit may be about to change.
const READINGS: u32 = 1000;

/// One test per behaviour of a store that outlives its process. Takes the names of an `async fn() -> StoreLocation` and
/// of an `async fn(String) -> Result<StoreFixture, StoreError>`. Use it once per module.
#[macro_export]
macro_rules! durable_contracts {
    ($place:ident, $open:ident) => {
        /// The test that a child process runs; in any other process it does nothing.
        mod a_child_of_the_kit {
            #[test]
            fn commits_until_it_is_killed() {
                $crate::contracts::time_limit::assert_passes("commits_until_it_is_killed", || {
                    $crate::contracts::durable::child::commit_until_killed(|at| Box::pin(super::$open(at)))
                });
            }
        }

        async fn durable_store_of_the_kit() -> Option<$crate::contracts::durable::DurableStoreFixture> {
            let place: Option<$crate::contracts::durable::StoreLocation> =
                $crate::contracts::opened_fixture($place().await);
            place.map(|place| $crate::contracts::durable::DurableStoreFixture {
                place,
                open: |at| Box::pin($open(at)),
                child: $crate::contracts::durable::child_test_name(module_path!()),
            })
        }

        $crate::durable_suite!(contract_cases, durable_store_of_the_kit);
    };
}

/// Passes the behaviours of a store that outlives its process to another macro.
#[macro_export]
macro_rules! durable_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            durable,
            $($open,)?
            [
                what_was_committed_is_there_after_reopening,
                numbers_of_mail_go_on_after_reopening,
                epochs_grow_after_reopening,
                two_owners_are_refused,
                a_dropped_commit_is_whole_or_none,
                a_kill_loses_nothing_that_was_written,
                a_killed_commit_is_whole_or_none,
            ]
        }
    };
}
