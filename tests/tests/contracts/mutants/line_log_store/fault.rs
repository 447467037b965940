//! What may be wrong with a store: each breaks it in one place.

/// What is wrong with a store.
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
    /// All of them, so that a child process finds the one it is told of.
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

    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| format!("{fault:?}") == name)
    }
}
