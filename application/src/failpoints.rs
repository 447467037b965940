//! The points at which a test lets the process die: before and after everything that must be neither lost nor done
//! twice. Every such thing is a [`Deed`], and goes through one function that has its points, so that none can be
//! without.
//!
//! They are there with the feature `failpoints`, and in builds with debug assertions only: a release build has none,
//! whatever its features. Without them [`pass`] is nothing, and nobody can watch.

use std::fmt;
use std::future::Future;

/// Whether this build has points.
pub const ARE_BUILT_IN: bool = cfg!(all(feature = "failpoints", debug_assertions));

/// Something that must be neither lost nor done twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deed {
    /// The commit of a turn: sessions, log, ledger with the leave that is spent, changes of data, blobs, answers to
    /// mail.
    Commit,
    /// Mail is posted.
    PostMail,
    /// Mail gets its answer without a commit.
    RefuseMail,
    /// Old mail is forgotten, or mail is taken back.
    ForgetMail,
    /// The tables get the shape of this version.
    Migrate,
    /// The right to handle events is taken.
    Own,
    /// A backup is written.
    Backup,
    /// A database is copied into another one.
    Copy,
    /// Deadlines are looked at, or what a dead process left.
    WakeUp,
    /// A model is called.
    CallModel,
    /// A model is asked for a summary.
    Summarize,
    /// A command runs outside.
    RunCommand,
    /// It is asked whether a command happened.
    AskCommand,
    /// A change of the workspace's own data is planned.
    PlanCommand,
}

/// When, beside a deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// Nothing was done.
    Before,
    /// It is written, in a transaction that is open.
    Written,
    /// Its transaction is committed, and nobody knows yet.
    Committed,
    /// It was done, and nothing followed from it.
    After,
}

/// A deed at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// The deed.
    pub deed: Deed,
    /// The moment.
    pub moment: Moment,
}

impl Deed {
    /// Every deed.
    pub const ALL: [Deed; 14] = [
        Deed::Commit,
        Deed::PostMail,
        Deed::RefuseMail,
        Deed::ForgetMail,
        Deed::Migrate,
        Deed::Own,
        Deed::Backup,
        Deed::Copy,
        Deed::WakeUp,
        Deed::CallModel,
        Deed::Summarize,
        Deed::RunCommand,
        Deed::AskCommand,
        Deed::PlanCommand,
    ];

    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Deed::Commit => "commit",
            Deed::PostMail => "post_mail",
            Deed::RefuseMail => "refuse_mail",
            Deed::ForgetMail => "forget_mail",
            Deed::Migrate => "migrate",
            Deed::Own => "own",
            Deed::Backup => "backup",
            Deed::Copy => "copy",
            Deed::WakeUp => "wake_up",
            Deed::CallModel => "call_model",
            Deed::Summarize => "summarize",
            Deed::RunCommand => "run_command",
            Deed::AskCommand => "ask_command",
            Deed::PlanCommand => "plan_command",
        }
    }

    /// The moments it has points at. What goes through the queue of a writer has two more, around its COMMIT.
    pub const fn moments(self) -> &'static [Moment] {
        match self {
            Deed::Commit | Deed::PostMail | Deed::RefuseMail | Deed::ForgetMail => {
                &[Moment::Before, Moment::Written, Moment::Committed, Moment::After]
            }
            Deed::Migrate
            | Deed::Own
            | Deed::Backup
            | Deed::Copy
            | Deed::WakeUp
            | Deed::CallModel
            | Deed::Summarize
            | Deed::RunCommand
            | Deed::AskCommand
            | Deed::PlanCommand => &[Moment::Before, Moment::After],
        }
    }
}

impl Moment {
    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            Moment::Before => "before",
            Moment::Written => "written",
            Moment::Committed => "committed",
            Moment::After => "after",
        }
    }
}

impl Point {
    /// Every point.
    pub fn all() -> Vec<Point> {
        let points = |deed: Deed| deed.moments().iter().map(move |moment| Point { deed, moment: *moment });
        Deed::ALL.into_iter().flat_map(points).collect()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.deed.word(), self.moment.word())
    }
}

/// Does a deed, with a point before and one after it.
pub async fn around<T>(deed: Deed, work: impl Future<Output = T>) -> T {
    pass(deed, Moment::Before);
    let outcome = work.await;
    pass(deed, Moment::After);
    outcome
}

/// Does a deed that blocks, with a point before and one after it.
pub fn around_blocking<T>(deed: Deed, work: impl FnOnce() -> T) -> T {
    pass(deed, Moment::Before);
    let outcome = work();
    pass(deed, Moment::After);
    outcome
}

/// Passes a point: whoever watches is told, and may end the process.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn pass(deed: Deed, moment: Moment) {
    if let Some(watcher) = WATCHER.get() {
        watcher(Point { deed, moment });
    }
}

/// Passes a point: there is none.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
#[inline(always)]
pub const fn pass(_: Deed, _: Moment) {}

/// Lets one watcher see every point that this process passes, on the thread that passes it; gives whether it is the
/// first one, which stays.
#[cfg(all(feature = "failpoints", debug_assertions))]
pub fn watch(watcher: impl Fn(Point) + Send + Sync + 'static) -> bool {
    WATCHER.set(Box::new(watcher)).is_ok()
}

/// Lets nobody watch: there is nothing to see.
#[cfg(not(all(feature = "failpoints", debug_assertions)))]
pub fn watch(_: impl Fn(Point) + Send + Sync + 'static) -> bool {
    false
}

#[cfg(all(feature = "failpoints", debug_assertions))]
static WATCHER: std::sync::OnceLock<Box<dyn Fn(Point) + Send + Sync>> = std::sync::OnceLock::new();
