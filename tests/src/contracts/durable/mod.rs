//! The suite of a store that outlives its process: what is there after it was opened again, after a commit that nobody waited
//! for, and after a kill in the midst of one.
//!
//! A store proves itself with two functions: `place` is an `async fn() -> StoreLocation` (or gives an `Option` of it), where an empty
//! store is to be; `open` is an `async fn(String) -> Result<StoreFixture, StoreError>`, which opens what is at a place and makes it
//! when nothing is:
//!
//! ```ignore
//! entracte_tests::durable_contracts!(place, open);
//! ```
//!
//! The kill is a real one, of a child process: the same test program, told to run one test that commits without end.

pub mod child;
pub mod tables;

use std::any::Any;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use entracte_application::ports::{CommitError, OwnershipError, StoreError};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::rows::{HOME, key};
use child::KilledCommitCounts;
use tables::{commit_number, is_whole, shown};

/// Opens what is at a place.
pub type StoreOpener = fn(String) -> Pin<Box<dyn Future<Output = Result<StoreFixture, StoreError>> + Send>>;

/// Where a store is, or is to be.
pub struct StoreLocation {
    /// A path, or an address: whatever `open` takes, also in another process.
    pub at: String,
    /// Whatever must live as long as the data: a temporary directory, a database of a server.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A store that can be opened again.
pub struct DurableStoreFixture {
    /// Where it is.
    pub place: StoreLocation,
    /// Opens it.
    pub open: StoreOpener,
    /// The test of this program that a child process runs.
    pub child: String,
}

impl DurableStoreFixture {
    async fn opened(&self) -> StoreFixture {
        (self.open)(self.place.at.clone()).await.unwrap_or_else(|error| panic!("it opens: {error}"))
    }
}

/// The name of the test of a child in a module, as a test program knows it.
pub fn child_test_name(module: &str) -> String {
    let within = module.split_once("::").map_or("", |(_, within)| within);
    [within, "a_child_of_the_kit::commits_until_it_is_killed"].join("::").trim_start_matches("::").to_owned()
}

/// All that was committed and posted, in every table, as it was; also when it was opened three times.
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

/// A number that somebody waits for is never that of other mail, also when all mail is gone.
pub async fn numbers_of_mail_go_on_after_reopening(durable: DurableStoreFixture) {
    let stores = durable.opened().await;
    let first = stores.mail.post(&key(HOME), b"one".to_vec(), Timestamp(1)).await.expect("it is posted");
    stores.mail.withdraw(&key(HOME), first).await.expect("it leaves the list");
    drop(stores);
    let stores = durable.opened().await;
    let second = stores.mail.post(&key(HOME), b"two".to_vec(), Timestamp(2)).await.expect("it is posted");
    assert!(second > first, "{second:?} after {first:?}");
}

/// Also when the process before gave nothing back.
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

/// Opened twice: the second one cannot be opened, or is not the owner. Both or none would do what is asked twice.
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

/// Whoever stops waiting in the midst of a commit finds all of it or nothing, and can go on.
pub async fn a_dropped_commit_is_whole_or_none(durable: DurableStoreFixture) {
    let mut number = 0;
    for polls in 0..DROPS {
        let stores = durable.opened().await;
        // What was dropped may land until the next commit, which waits its turn.
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

/// How many commits are there, once a commit of another workspace was written.
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
        // Read in the midst: several reads are not one.
        tokio::task::yield_now().await;
        found = is_whole(stores).await;
    }
    found.unwrap_or_else(|parts| panic!("a part of a commit is there: {parts}"))
}

fn poll_once<T>(work: &mut Pin<Box<dyn Future<Output = T> + Send + '_>>) -> Poll<T> {
    work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

/// A process that is killed has lost nothing that it was told is written, whenever it dies.
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

/// What was being written is there whole, or not at all; and the next process goes on.
pub async fn a_killed_commit_is_whole_or_none(durable: DurableStoreFixture) {
    for step in 0..child::STEPS {
        let KilledCommitCounts { begun, .. } = child::kill_in(&durable, step);
        let stores = durable.opened().await;
        acquire_after_kill(&stores).await;
        let mut found = settled(&stores, begun).await;
        let mut next = tables::commit_numbered(&stores, found + 1).await;
        if let Err(CommitError::Conflict(_)) = next {
            // A server may end by itself what the process that died had asked it for.
            found = settled(&stores, begun + 1).await;
            next = tables::commit_numbered(&stores, found + 1).await;
        }
        assert!(found <= begun, "killed in step {step}: {begun} were begun, {found} are there");
        next.unwrap_or_else(|error| panic!("killed in step {step}, the next one goes on: {error}"));
    }
}

/// Takes the right of an owner that is gone. A server may notice that a moment later.
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

/// After how many polls, at most, a commit is dropped.
const DROPS: u32 = 6;
/// How often something is looked at again that another process, or a commit on its way, may be about to change.
const READINGS: u32 = 1000;

/// One test per behaviour of a store that outlives its process. Takes the names of an `async fn() -> StoreLocation`, and of an
/// `async fn(String) -> Result<StoreFixture, StoreError>`. One in each module.
#[macro_export]
macro_rules! durable_contracts {
    ($place:ident, $open:ident) => {
        /// What a child process runs; in any other it does nothing.
        mod a_child_of_the_kit {
            #[tokio::test]
            async fn commits_until_it_is_killed() {
                $crate::contracts::durable::child::commit_until_killed(|at| Box::pin(super::$open(at))).await;
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

/// The behaviours of a store that outlives its process, given to another macro.
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
