//! A child process that commits without end until it is killed. The parent kills it in the middle of a commit: the
//! child finds the instant by counting how long its commits take, so the steps are spread over one commit however fast
//! the store is.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::tables::{commit_number, is_whole};
use super::{DurableStoreFixture, StoreOpener, acquire_after_kill};

/// Number of instants within a commit at which a process is killed.
pub const STEPS: u64 = 12;

/// Commits of a killed process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KilledCommitCounts {
    /// The last commit that was acknowledged to it.
    pub acknowledged: u64,
    /// The last commit that it started.
    pub begun: u64,
}

const PLACE: &str = "ENTRACTE_KIT_PLACE";
const STEP: &str = "ENTRACTE_KIT_STEP";
/// Prefix of the child's messages, which separates them from other output of the test program on the same line.
const SAYS: &str = "<kit>";
/// The message by which a child requests its kill.
const NOW: &str = "now";
/// Commits by which a child measures their duration.
const MEASURED: u64 = 3;

/// Starts a process that commits, and kills it in this step of a commit.
pub fn kill_in(durable: &DurableStoreFixture, step: u64) -> KilledCommitCounts {
    let program = std::env::current_exe().expect("a program knows where it is");
    let mut child = Command::new(program)
        .args([&durable.child, "--exact", "--nocapture", "--test-threads=1"])
        .env(PLACE, &durable.place.at)
        .env(STEP, step.to_string())
        // The child ends when its parent does.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the test program starts again");
    let out = BufReader::new(child.stdout.take().expect("it was asked for"));
    let mut killed = KilledCommitCounts::default();
    let mut is_killed = false;
    // Its output before the kill is read to the end.
    for line in out.lines().map_while(Result::ok) {
        let Some((_, said)) = line.split_once(SAYS) else { continue };
        match said.trim().split_once(' ') {
            Some(("begin", number)) => killed.begun = number.parse().expect("a number"),
            Some(("done", number)) => killed.acknowledged = number.parse().expect("a number"),
            None if said.trim() == NOW => {
                child.kill().expect("it is ours to kill");
                is_killed = true;
            }
            Some(_) | None => panic!("a child does not say this: {line}"),
        }
    }
    let ended = child.wait_with_output().expect("it has ended");
    assert!(is_killed, "the child ended by itself: {}", String::from_utf8_lossy(&ended.stderr));
    killed
}

/// Runs the commits of a child process. Returns at once in any other process.
#[expect(clippy::disallowed_methods, reason = "a parent tells its child by variables where the store is")]
pub async fn commit_until_killed(open: StoreOpener) {
    let (Ok(place), Ok(step)) = (std::env::var(PLACE), std::env::var(STEP)) else { return };
    let step: u64 = step.parse().expect("the parent says which step");
    let stores = open(place).await.unwrap_or_else(|error| panic!("it opens: {error}"));
    // Ownership as in a process that handles events; it is never released.
    acquire_after_kill(&stores).await;
    let first = is_whole(&stores).await.unwrap_or_else(|parts| panic!("there is a part: {parts}")) + 1;
    let mut shortest = u64::MAX;
    for number in first.. {
        let commit = commit_number(&stores, number).await;
        if !say(&format!("begin {number}")) {
            // The parent is gone, so no kill will come.
            return;
        }
        let is_last = number >= first + MEASURED;
        let dies_at = (is_last && step < STEPS).then_some(shortest / STEPS * step);
        let counter = KillDelayCounter::start(dies_at);
        let written = stores.store.commit(commit).await;
        shortest = shortest.min(counter.stop());
        written.unwrap_or_else(|error| panic!("commit {number}: {error}"));
        if !say(&format!("done {number}")) {
            return;
        }
        if is_last {
            // In the last step it is killed after it reported the commit as done.
            if step == STEPS && !say(NOW) {
                return;
            }
            // A child that is still alive is killed at rest: commits it reported as done must exist. A further commit
            // would write data that this one left for later.
            std::io::stdin().read_exact(&mut [0]).expect_err("nothing is written to it");
            return;
        }
    }
}

/// Counts until it is stopped. With a count to die at, the process requests its kill at that count, or when it is
/// stopped.
struct KillDelayCounter {
    is_over: Arc<AtomicBool>,
    counts: JoinHandle<u64>,
}

impl KillDelayCounter {
    fn start(dies_at: Option<u64>) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&is_over);
        let counts = std::thread::spawn(move || {
            let mut count = 0;
            while !seen.load(Ordering::Relaxed) && dies_at.is_none_or(|dies_at| count < dies_at) {
                count += 1;
                std::hint::spin_loop();
            }
            if dies_at.is_some() {
                say(NOW);
            }
            count
        });
        Self { is_over, counts }
    }

    fn stop(self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        self.counts.join().expect("it only counts")
    }
}

/// Sends a message to the parent; `false` if the parent is gone.
fn say(words: &str) -> bool {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{SAYS} {words}").and_then(|()| out.flush()).is_ok()
}
