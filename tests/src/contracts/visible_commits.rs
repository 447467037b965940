//! Contract of commits that others see and wait for: no reader finds a part of one, and none keeps the runtime.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use entracte_application::ports::{CommitError, ResourceFilter};
use entracte_domain::time::Timestamp;

use super::StoreFixture;
use super::durable::tables::{commit_number, commit_numbered, is_whole};
use super::rows::{HOME, begun, key, session_id};
use super::time_limit::unblocked;

/// Maximum number of steps of a commit between which everything is read.
const STEPS: u32 = 50;
/// How often everything is read again while a commit may land by itself.
const READINGS: u32 = 1000;
/// How often a read may be pending before the commit, which it may wait for, goes on.
const PENDING_MOST: u32 = 1000;

/// How often each read is dropped: more than a store has connections.
const DROPS: u32 = 64;

/// A commit that goes on only when it is told to, unless a thread of its own carries it.
struct SteppedCommit<'a> {
    work: Pin<Box<dyn Future<Output = Result<(), CommitError>> + Send + 'a>>,
    ended: Option<Result<(), CommitError>>,
}

impl SteppedCommit<'_> {
    fn step(&mut self) {
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.work.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        {
            self.ended = Some(ended);
        }
    }

    /// Reads while the commit stands still. A read that waits for the commit lets it go on.
    async fn beside<T>(&mut self, reading: impl Future<Output = T>) -> T {
        let mut reading = std::pin::pin!(reading);
        let mut pending = 0_u32;
        std::future::poll_fn(|context| {
            let read = reading.as_mut().poll(context);
            if read.is_pending() {
                pending += 1;
                if pending.is_multiple_of(PENDING_MOST) {
                    self.step();
                }
                context.waker().wake_by_ref();
            }
            read
        })
        .await
    }
}

/// Whatever instant a reader chooses, every table has all of a commit or nothing of it.
pub async fn a_reader_sees_no_half_of_a_commit(stores: StoreFixture) {
    commit_numbered(&stores, 1).await.unwrap_or_else(|error| panic!("the first commit: {error}"));
    let second = commit_number(&stores, 2).await;
    let mut writing = SteppedCommit { work: stores.store.commit(second), ended: None };
    for step in 0..STEPS {
        writing.step();
        let mut found = writing.beside(is_whole(&stores)).await;
        for _ in 0..READINGS {
            if found.is_ok() {
                break;
            }
            // Several reads are no snapshot, so a commit of another thread may land between them.
            tokio::task::yield_now().await;
            found = writing.beside(is_whole(&stores)).await;
        }
        assert!(found == Ok(1) || found == Ok(2), "after step {step} there is a part of a commit: {found:?}");
        if writing.ended.is_some() {
            break;
        }
        tokio::task::yield_now().await;
    }
    let SteppedCommit { work, ended } = writing;
    let ended = match ended {
        Some(ended) => ended,
        None => work.await,
    };
    ended.unwrap_or_else(|error| panic!("the second commit: {error}"));
    assert_eq!(is_whole(&stores).await, Ok(2), "a read after the commit sees it");
}

/// Nothing that a store is asked keeps the thread of the runtime, on which everything else of the process runs.
pub async fn calls_of_a_store_block_no_other_task(stores: StoreFixture) {
    let (home, a) = (key(HOME), session_id("a"));
    let committed = unblocked("a commit", stores.store.commit(begun(HOME, "a"))).await;
    committed.unwrap_or_else(|error| panic!("the commit is written: {error}"));
    unblocked("a read of a session", stores.store.session(&home, &a)).await.expect("it is read");
    unblocked("a read of entries", stores.log.entries(&home, &a, 0, 9)).await.expect("they are read");
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    unblocked("a read of resources", stores.resources.resources(&home, &zones)).await.expect("they are read");
    unblocked("a read of automations", stores.automations.automations(&home)).await.expect("they are read");
    unblocked("a read of tasks", stores.tasks.next_task(&home)).await.expect("it is read");
    unblocked("a post", stores.mail.post(&home, b"one".to_vec(), Timestamp(1))).await.expect("it is posted");
    unblocked("an acquisition", stores.ownership.acquire(Timestamp(1))).await.expect("nobody has it");
}

/// Begins work, and drops it while it waits; work that does not wait is done.
fn drop_begun<T>(mut work: Pin<Box<dyn Future<Output = T> + Send + '_>>) {
    let _ = work.as_mut().poll(&mut Context::from_waker(Waker::noop()));
}

/// A read whose future is dropped, before it began or while it waits, holds nothing that a later call needs.
pub async fn a_dropped_read_leaves_nothing_behind(stores: StoreFixture) {
    commit_numbered(&stores, 1).await.unwrap_or_else(|error| panic!("the first commit: {error}"));
    let (home, a) = (key(HOME), session_id("a"));
    let zones = ResourceFilter { kind: "zone".to_owned(), ..ResourceFilter::default() };
    for _ in 0..DROPS {
        drop(stores.store.session(&home, &a));
        drop_begun(stores.store.session(&home, &a));
        drop_begun(stores.store.workspaces());
        drop_begun(stores.log.entries(&home, &a, 0, 9));
        drop_begun(stores.log.calls(&home, &a));
        drop_begun(stores.resources.resources(&home, &zones));
        drop_begun(stores.automations.automations(&home));
        drop_begun(stores.tasks.next_task(&home));
        drop_begun(stores.mail.unanswered());
        tokio::task::yield_now().await;
    }
    assert_eq!(is_whole(&stores).await, Ok(1));
    commit_numbered(&stores, 2).await.unwrap_or_else(|error| panic!("the second commit: {error}"));
}
