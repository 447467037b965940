//! The points at which a test lets the process die: before and after everything that must be neither lost nor done
//! twice. Every such thing is a [`FailpointOperation`], and goes through one function that has its points, so that none can be
//! without.
//!
//! They are there with the feature `failpoints`, and in builds with debug assertions only: a release build has none,
//! whatever its features. Without them [`pass`] is nothing, and nobody can watch.

use std::fmt;
use std::future::Future;

/// Whether this build has points.
pub const ARE_BUILT_IN: bool = cfg!(all(feature = "failpoints", debug_assertions));

entracte_domain::words! {
    /// Something that must be neither lost nor done twice.
    #[derive(PartialOrd, Ord)]
    pub enum FailpointOperation {
        /// The commit of a turn: sessions, log, ledger with the approval that is spent, changes of data, blobs, answers to
        /// mail.
        Commit = "commit",
        /// Mail is posted.
        PostMail = "post_mail",
        /// Mail gets its answer without a commit.
        RefuseMail = "refuse_mail",
        /// Old mail is forgotten, or mail is withdrawn.
        ForgetMail = "forget_mail",
        /// A person or a token is kept, or a token is revoked.
        KeepAccess = "keep_access",
        /// Notifications are written down, or what became of them; a target is added, changed or removed.
        KeepOutbox = "keep_outbox",
        /// A document is kept with its chunks, or removed.
        KeepKnowledge = "keep_knowledge",
        /// The tables get the shape of this version.
        Migrate = "migrate",
        /// The right to handle events is taken.
        Own = "own",
        /// A backup is written.
        Backup = "backup",
        /// A database is copied into another one.
        Copy = "copy",
        /// Deadlines are looked at, or what a dead process left.
        WakeUp = "wake_up",
        /// A model is called.
        CallModel = "call_model",
        /// A model is asked for a summary.
        Summarize = "summarize",
        /// A command runs outside.
        RunCommand = "run_command",
        /// It is asked whether a command happened.
        AskCommand = "ask_command",
        /// The other side of a task is asked how it stands, told to stop, or given an answer.
        AskTask = "ask_task",
        /// A change of the workspace's own data is planned.
        PlanCommand = "plan_command",
        /// A notification is sent.
        Notify = "notify",
    }
}

entracte_domain::words! {
    /// When, beside a operation.
    #[derive(PartialOrd, Ord)]
    pub enum FailpointMoment {
        /// Nothing was done.
        Before = "before",
        /// It is written, in a transaction that is open.
        Written = "written",
        /// Its transaction is committed, and nobody knows yet.
        Committed = "committed",
        /// It was done, and nothing followed from it.
        After = "after",
    }
}

/// A operation at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailpointSite {
    /// The operation.
    pub operation: FailpointOperation,
    /// The moment.
    pub moment: FailpointMoment,
}

impl FailpointOperation {
    /// The moments it has points at. What goes through the queue of a writer has two more, around its COMMIT.
    pub const fn moments(self) -> &'static [FailpointMoment] {
        match self {
            FailpointOperation::Commit
            | FailpointOperation::PostMail
            | FailpointOperation::RefuseMail
            | FailpointOperation::ForgetMail
            | FailpointOperation::KeepAccess
            | FailpointOperation::KeepOutbox
            | FailpointOperation::KeepKnowledge
            | FailpointOperation::Own => &[
                FailpointMoment::Before,
                FailpointMoment::Written,
                FailpointMoment::Committed,
                FailpointMoment::After,
            ],
            FailpointOperation::Migrate
            | FailpointOperation::Backup
            | FailpointOperation::Copy
            | FailpointOperation::WakeUp
            | FailpointOperation::CallModel
            | FailpointOperation::Summarize
            | FailpointOperation::RunCommand
            | FailpointOperation::AskCommand
            | FailpointOperation::AskTask
            | FailpointOperation::PlanCommand
            | FailpointOperation::Notify => &[FailpointMoment::Before, FailpointMoment::After],
        }
    }
}

impl FailpointSite {
    /// Every point.
    pub fn all() -> Vec<FailpointSite> {
        let points = |operation: FailpointOperation| {
            operation.moments().iter().map(move |moment| FailpointSite { operation, moment: *moment })
        };
        FailpointOperation::ALL.into_iter().flat_map(points).collect()
    }
}

impl fmt::Display for FailpointSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.operation.word(), self.moment.word())
    }
}

/// Does a operation, with a point before and one after it.
pub async fn run_between_failpoints<T>(operation: FailpointOperation, work: impl Future<Output = T>) -> T {
    hit_failpoint(operation, FailpointMoment::Before);
    let outcome = work.await;
    hit_failpoint(operation, FailpointMoment::After);
    outcome
}

/// Does a operation that blocks, with a point before and one after it.
pub fn run_blocking_between_failpoints<T>(operation: FailpointOperation, work: impl FnOnce() -> T) -> T {
    hit_failpoint(operation, FailpointMoment::Before);
    let outcome = work();
    hit_failpoint(operation, FailpointMoment::After);
    outcome
}

/// Passes a point: the watcher is told, and may end the process.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn hit_failpoint(operation: FailpointOperation, moment: FailpointMoment) {
    if let Some(watcher) = WATCHER.get() {
        watcher(FailpointSite { operation, moment });
    }
}

/// Passes a point: there is none.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub const fn hit_failpoint(_: FailpointOperation, _: FailpointMoment) {}

/// Lets one watcher see every point that this process passes, on the thread that passes it; gives whether it is the
/// first one, which stays.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn set_failpoint_observer(watcher: impl Fn(FailpointSite) + Send + Sync + 'static) -> bool {
    WATCHER.set(Box::new(watcher)).is_ok()
}

/// Lets nobody watch: there is nothing to see.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
pub fn set_failpoint_observer(_: impl Fn(FailpointSite) + Send + Sync + 'static) -> bool {
    false
}

#[cfg(all(feature = "failpoints", debug_assertions))]
static WATCHER: std::sync::OnceLock<Box<dyn Fn(FailpointSite) + Send + Sync>> = std::sync::OnceLock::new();
