//! The ways in which a store may deviate.

use std::time::Duration;

use entracte_application::ports::{CommitError, WorkspaceCommit};

/// A deviation of a store. Methods are named as in their port.
#[derive(Clone, Copy)]
pub(crate) enum StoreDeviation {
    /// There is none.
    Sound,
    /// Another commit is written than was given.
    Writes(fn(&mut WorkspaceCommit)),
    /// A part of a commit moves from the first argument to the second, which is written in a second transaction.
    WritesLater(fn(&mut WorkspaceCommit, &mut WorkspaceCommit)),
    /// The versions that a commit expects of this table are not compared.
    TrustsVersions(&'static str),
    /// A commit reports another result.
    Reports(fn(Result<(), CommitError>) -> Result<(), CommitError>),
    /// A list comes in the opposite order.
    Reversed(&'static str),
    /// A list that is ordered by numbers is ordered by their digits.
    SortsAsText(&'static str),
    /// Every row of a list comes twice.
    Doubled(&'static str),
    /// A list ignores its limit.
    Unlimited(&'static str),
    /// A bound that belongs outside is inside.
    Inclusive(&'static str),
    /// What is due at an instant counts a moment later.
    Late(&'static str),
    /// Nothing is found.
    Blind(&'static str),
    /// The rows of the home workspace are found from every workspace.
    WithoutWalls(&'static str),
    /// The method does nothing, and says that it did.
    Ignores(&'static str),
    /// A call that is dropped keeps its place, and there is one for all.
    KeepsPlacesOfDropped,
    /// No method answers.
    Hangs,
    /// Every method keeps its thread for this long.
    Blocks(Duration),
}

/// What a mutant does, its deviation, and the check that finds it.
pub(crate) type StoreMutant = (&'static str, StoreDeviation, &'static str);
