//! Failpoints, at which a test can end the process: before and after every operation that must be neither lost nor
//! done twice. Every such operation is a [`FailpointOperation`], and runs through one function that has its
//! failpoints, so that none can miss them.
//!
//! They exist only with the feature `failpoints` in builds with debug assertions: a release build has none, whatever
//! its features. Without them [`hit_failpoint`] does nothing, and no observer can be set.

use std::fmt;
use std::future::Future;

/// Whether this build has failpoints.
pub const ARE_BUILT_IN: bool = cfg!(all(feature = "failpoints", debug_assertions));

entracte_domain::words! {
    /// An operation that must be neither lost nor done twice.
    #[derive(PartialOrd, Ord)]
    pub enum FailpointOperation {
        /// The commit of a workspace turn: sessions, log, ledger with used approvals, data changes, blobs, answers to
        /// mail.
        Commit = "commit",
        /// Mail is posted.
        PostMail = "post_mail",
        /// Mail is answered without a commit.
        RefuseMail = "refuse_mail",
        /// Old mail is deleted, or mail is withdrawn.
        ForgetMail = "forget_mail",
        /// A person or a token is stored, or a token is revoked.
        KeepAccess = "keep_access",
        /// Notifications or their results are stored; a target is added, changed or removed.
        KeepOutbox = "keep_outbox",
        /// A document is stored with its chunks, or removed.
        KeepKnowledge = "keep_knowledge",
        /// A file of a conversation is stored, or files that no session names are deleted.
        KeepFiles = "keep_files",
        /// The tables are migrated to this version.
        Migrate = "migrate",
        /// Ownership is acquired.
        Own = "own",
        /// Space of deleted rows is given back.
        Reclaim = "reclaim",
        /// A backup is written.
        Backup = "backup",
        /// A database is copied into another one.
        Copy = "copy",
        /// Deadlines, or work interrupted by a crash, are examined.
        WakeUp = "wake_up",
        /// A model is called.
        CallModel = "call_model",
        /// A summary is requested from a model.
        Summarize = "summarize",
        /// A command is executed by its executor.
        RunCommand = "run_command",
        /// A probe checks whether a command happened.
        AskCommand = "ask_command",
        /// The policy hook is asked about a call.
        AskPolicy = "ask_policy",
        /// The server of a task is polled, told to cancel, or sent an answer.
        AskTask = "ask_task",
        /// A change of the workspace's own data is planned.
        PlanCommand = "plan_command",
        /// A notification is sent.
        Notify = "notify",
    }
}

entracte_domain::words! {
    /// The moment of a failpoint relative to its operation.
    #[derive(PartialOrd, Ord)]
    pub enum FailpointMoment {
        /// Before the operation.
        Before = "before",
        /// The write is done in an open transaction.
        Written = "written",
        /// The transaction is committed, and its result is not reported yet.
        Committed = "committed",
        /// After the operation, before its result is used.
        After = "after",
    }
}

/// An operation at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailpointSite {
    /// The operation that is interrupted.
    pub operation: FailpointOperation,
    /// The moment relative to it.
    pub moment: FailpointMoment,
}

impl FailpointOperation {
    /// The moments at which the operation has failpoints. Operations in a writer's queue have two more, around COMMIT.
    pub const fn moments(self) -> &'static [FailpointMoment] {
        match self {
            FailpointOperation::Commit
            | FailpointOperation::PostMail
            | FailpointOperation::RefuseMail
            | FailpointOperation::ForgetMail
            | FailpointOperation::KeepAccess
            | FailpointOperation::KeepOutbox
            | FailpointOperation::KeepKnowledge
            | FailpointOperation::KeepFiles
            | FailpointOperation::Own => &[
                FailpointMoment::Before,
                FailpointMoment::Written,
                FailpointMoment::Committed,
                FailpointMoment::After,
            ],
            FailpointOperation::Migrate
            | FailpointOperation::Reclaim
            | FailpointOperation::Backup
            | FailpointOperation::Copy
            | FailpointOperation::WakeUp
            | FailpointOperation::CallModel
            | FailpointOperation::Summarize
            | FailpointOperation::RunCommand
            | FailpointOperation::AskCommand
            | FailpointOperation::AskPolicy
            | FailpointOperation::AskTask
            | FailpointOperation::PlanCommand
            | FailpointOperation::Notify => &[FailpointMoment::Before, FailpointMoment::After],
        }
    }
}

impl FailpointSite {
    /// Every failpoint.
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

/// Runs an operation, with a failpoint before and one after it.
pub async fn run_between_failpoints<T>(operation: FailpointOperation, work: impl Future<Output = T>) -> T {
    hit_failpoint(operation, FailpointMoment::Before);
    let outcome = work.await;
    hit_failpoint(operation, FailpointMoment::After);
    outcome
}

/// Runs a blocking operation, with a failpoint before and one after it.
pub fn run_blocking_between_failpoints<T>(operation: FailpointOperation, work: impl FnOnce() -> T) -> T {
    hit_failpoint(operation, FailpointMoment::Before);
    let outcome = work();
    hit_failpoint(operation, FailpointMoment::After);
    outcome
}

/// Hits a failpoint: calls the observer, which may end the process.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn hit_failpoint(operation: FailpointOperation, moment: FailpointMoment) {
    if let Some(watcher) = WATCHER.get() {
        watcher(FailpointSite { operation, moment });
    }
}

/// Does nothing: this build has no failpoints.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub const fn hit_failpoint(_: FailpointOperation, _: FailpointMoment) {}

/// Sets the observer that is called at every failpoint of this process, on the thread that hits it; returns whether it
/// is the first one, which remains set.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn set_failpoint_observer(watcher: impl Fn(FailpointSite) + Send + Sync + 'static) -> bool {
    WATCHER.set(Box::new(watcher)).is_ok()
}

/// Sets no observer: this build has no failpoints.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
pub fn set_failpoint_observer(_: impl Fn(FailpointSite) + Send + Sync + 'static) -> bool {
    false
}

#[cfg(all(feature = "failpoints", debug_assertions))]
static WATCHER: std::sync::OnceLock<Box<dyn Fn(FailpointSite) + Send + Sync>> = std::sync::OnceLock::new();
