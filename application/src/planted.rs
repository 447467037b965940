//! Bugs that a test may plant, to see that the simulator finds them. Without the feature `test-helpers` there are none.

/// A bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// An occurrence that is skipped leaves no row.
    LostOccurrence = 1,
    /// What a dead process left under way is begun again.
    RepeatedAction = 2,
    /// A yes counts for whatever is asked now, and not for the card that was shown.
    AnyCard = 3,
}

/// Whether the bug is planted in this process.
#[cfg(feature = "test-helpers")]
pub fn is_planted(bug: Bug) -> bool {
    PLANTED.load(std::sync::atomic::Ordering::Relaxed) == bug as u8
}

/// Whether the bug is planted in this process: never.
#[cfg(not(feature = "test-helpers"))]
pub const fn is_planted(_: Bug) -> bool {
    false
}

/// Plants a bug in this process, or takes it out.
#[cfg(feature = "test-helpers")]
pub fn plant(bug: Option<Bug>) {
    PLANTED.store(bug.map_or(0, |bug| bug as u8), std::sync::atomic::Ordering::Relaxed);
}

#[cfg(feature = "test-helpers")]
static PLANTED: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);
