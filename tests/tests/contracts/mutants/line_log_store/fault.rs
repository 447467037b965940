//! The possible faults of a store: each breaks it in one place.

/// A fault of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreFault {
    LeavesOutBlobs,
    LooksAtNoEpoch,
    WritesInTwo,
    SaysThatItIsWritten,
    TakesConflictsForDamage,
    SaysNotWhatChanged,
    ListsInNoOrder,
    HasNoWalls,
    WakesNobody,
    SortsMailByNothing,
    HasManyOwners,
    KeepsLater,
    ForgetsReceipts,
    ForgetsMail,
    CountsEpochsAnew,
    OpensForEverybody,
}

impl StoreFault {
    /// All faults, by which a child process finds the requested one.
    pub(crate) const ALL: [Self; 16] = [
        Self::LeavesOutBlobs,
        Self::LooksAtNoEpoch,
        Self::WritesInTwo,
        Self::SaysThatItIsWritten,
        Self::TakesConflictsForDamage,
        Self::SaysNotWhatChanged,
        Self::ListsInNoOrder,
        Self::HasNoWalls,
        Self::WakesNobody,
        Self::SortsMailByNothing,
        Self::HasManyOwners,
        Self::KeepsLater,
        Self::ForgetsReceipts,
        Self::ForgetsMail,
        Self::CountsEpochsAnew,
        Self::OpensForEverybody,
    ];

    /// The fault of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| format!("{fault:?}") == name)
    }
}
