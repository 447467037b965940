//! Time limits of checks: an adapter that hangs fails its check instead of hanging the run, and one that blocks the
//! runtime is found by the time that a poll of it takes.
//!
//! Each check runs on a thread of its own, with a runtime of its own, and the clock of the machine bounds it: a check
//! may pause the clock of its runtime, and no timer of a runtime fires while an adapter blocks it.

use std::any::Any;
use std::cell::Cell;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The variable that sets [`CheckLimits::whole`], in seconds.
pub const WHOLE_VARIABLE: &str = "ENTRACTE_KIT_CHECK_SECONDS";
/// The variable that sets [`CheckLimits::poll`], in milliseconds.
pub const POLL_VARIABLE: &str = "ENTRACTE_KIT_POLL_MILLISECONDS";

/// How long a check and the adapter in it may take. The whole must exceed every limit of the adapter itself, such as
/// that of a call to its server: otherwise a sound adapter fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckLimits {
    /// For a whole check, with the opening of its adapter.
    pub whole: Duration,
    /// For one poll of a future of the adapter.
    pub poll: Duration,
}

impl CheckLimits {
    /// Five minutes for a check, five seconds for a poll.
    pub const DEFAULT: Self = Self { whole: Duration::from_secs(300), poll: Duration::from_secs(5) };

    /// The limits that the environment sets; the default where it sets none.
    ///
    /// # Panics
    /// When a variable is set to something else than a number from 1.
    pub fn from_environment() -> Self {
        Self {
            whole: number(WHOLE_VARIABLE).map_or(Self::DEFAULT.whole, Duration::from_secs),
            poll: number(POLL_VARIABLE).map_or(Self::DEFAULT.poll, Duration::from_millis),
        }
    }
}

impl Default for CheckLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn number(variable: &str) -> Option<u64> {
    let (_, value) = std::env::vars_os().find(|(name, _)| name.to_str() == Some(variable))?;
    let number = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|number| *number > 0);
    Some(number.unwrap_or_else(|| panic!("{variable} is {value:?}; set it to a number from 1")))
}

/// Why a check did not pass.
#[derive(Debug)]
pub enum CheckFailure {
    /// The check panicked with this payload: the adapter breaks the contract.
    Violated(Box<dyn Any + Send>),
    /// The check did not end within this limit.
    TimedOut(Duration),
}

thread_local! {
    /// The limit of a poll in the check that runs on this thread.
    static POLL_LIMIT: Cell<Duration> = const { Cell::new(CheckLimits::DEFAULT.poll) };
}

/// Runs a check within these limits. A check that is still pending at its limit is dropped; one that blocks its thread
/// leaves the thread behind.
///
/// # Errors
/// Why the check did not pass.
pub fn run_within<F: Future<Output = ()> + 'static>(
    name: &str,
    limits: CheckLimits,
    check: impl FnOnce() -> F + Send + 'static,
) -> Result<(), CheckFailure> {
    let (running, ended) = channel::<()>();
    let (cancel, cancelled) = tokio::sync::oneshot::channel::<()>();
    let work = move || {
        // Dropped when the thread ends, however it does.
        let _running = running;
        POLL_LIMIT.set(limits.poll);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime starts");
        runtime.block_on(async {
            tokio::select! {
                () = check() => {}
                _ = cancelled => {}
            }
        });
    };
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work).expect("a thread starts");
    match ended.recv_timeout(limits.whole) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => thread.join().map_err(CheckFailure::Violated),
        Err(RecvTimeoutError::Timeout) => {
            drop(cancel);
            Err(CheckFailure::TimedOut(limits.whole))
        }
    }
}

/// Runs a check within the limits of the environment, as a test.
///
/// # Panics
/// When the check does not pass.
pub fn assert_passes<F: Future<Output = ()> + 'static>(
    name: &str,
    check: impl FnOnce() -> F + Send + 'static,
) {
    match run_within(name, CheckLimits::from_environment(), check) {
        Ok(()) => {}
        Err(CheckFailure::Violated(panic)) => std::panic::resume_unwind(panic),
        Err(CheckFailure::TimedOut(limit)) => {
            panic!("{name} did not end within {limit:?}; {WHOLE_VARIABLE} sets another limit")
        }
    }
}

/// Awaits work of an adapter, and fails when one poll of it takes longer than [`CheckLimits::poll`]: nothing else of
/// the process runs meanwhile on that thread.
#[expect(
    clippy::disallowed_methods,
    reason = "what blocks a runtime is seen by the clock of the machine only"
)]
pub async fn unblocked<T>(what: &str, work: impl Future<Output = T>) -> T {
    let most = POLL_LIMIT.get();
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| {
        let begun = Instant::now();
        let polled = work.as_mut().poll(context);
        let took = begun.elapsed();
        assert!(took <= most, "{what} blocked the runtime for {took:?}, and may for {most:?}");
        polled
    })
    .await
}
