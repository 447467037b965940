//! Bugs that a test may plant, to verify that the simulator finds them. Without the feature `test-helpers` there are
//! none.

/// A plantable bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedBug {
    /// A skipped occurrence leaves no row.
    LostOccurrence = 1,
    /// Work interrupted by a crash is executed again.
    RepeatedAction = 2,
    /// A decision applies to the current card, not to the card that was shown.
    AnyCard = 3,
    /// The end of a task counts as read, although its session did not receive it.
    UnreadTask = 4,
    /// Callbacks of a task are accepted without verification.
    AnyCallback = 5,
    /// An agent may request every command.
    AnyCommand = 6,
    /// An agent is not informed that its caller has ended.
    ForgottenChild = 7,
    /// A tree of agents has no limits.
    EndlessTree = 8,
    /// The usage of an agent is not reported to its caller.
    LostUsage = 9,
    /// The caller is not informed that its agent has ended.
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

/// Plants a bug in this process, or removes the planted one.
#[cfg(feature = "test-helpers")]
pub fn set_planted_bug(bug: Option<PlantedBug>) {
    PLANTED.store(bug.map_or(0, |bug| bug as u8), std::sync::atomic::Ordering::Relaxed);
}

#[cfg(feature = "test-helpers")]
static PLANTED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
