//! Bugs that a test may plant, to see that the simulator finds them. Without the feature `test-helpers` there are none.

/// A bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// An occurrence that is skipped leaves no row.
    LostOccurrence = 1,
    /// What a dead process left under way is begun again.
    RepeatedAction = 2,
    /// A yes counts for whatever is asked now, and not for the card that was shown.
    AnyCard = 3,
    /// The end of a task counts as read, and its session was not told.
    UnreadTask = 4,
    /// What anybody says of a task counts, proved or not.
    AnyCallback = 5,
    /// An agent may ask for every command.
    AnyCommand = 6,
    /// Nobody tells an agent that whoever called it has ended.
    ForgottenChild = 7,
    /// A tree of agents has no limits.
    EndlessTree = 8,
    /// What an agent used is not told to whoever called it.
    LostUsage = 9,
    /// Nobody tells who called an agent that it has ended.
    LostReport = 10,
}

/// Whether the bug is planted in this process.
#[cfg(feature = "test-helpers")]
pub fn is_planted(bug: PlantedBug) -> bool {
    PLANTED.load(std::sync::atomic::Ordering::Relaxed) == bug as u8
}

/// Whether the bug is planted in this process: never.
#[cfg(not(feature = "test-helpers"))]
pub const fn is_planted(_: PlantedBug) -> bool {
    false
}

/// Plants a bug in this process, or takes it out.
#[cfg(feature = "test-helpers")]
pub fn set_planted_bug(bug: Option<PlantedBug>) {
    PLANTED.store(bug.map_or(0, |bug| bug as u8), std::sync::atomic::Ordering::Relaxed);
}

#[cfg(feature = "test-helpers")]
static PLANTED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
