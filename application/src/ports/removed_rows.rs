//! What a commit removes by the retention policy.

use entracte_domain::id::{Digest, SessionId};

entracte_domain::words! {
    /// What retention removed from a session that stays.
    #[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
    #[derive(PartialOrd, Ord)]
    pub enum RetentionMarkKind {
        /// Results.
        Results = "results",
        /// Ledger rows.
        Ledger = "ledger",
    }
}

/// What was removed from a session that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RetentionMarkRow {
    /// The session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// What was removed.
    pub kind: RetentionMarkKind,
    /// The sequence up to which.
    pub through: u64,
}

/// The new body of a stored entry.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RewrittenEntryRow {
    /// The session of the entry.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The number of the entry in the workspace.
    pub seq: u64,
    /// The encoded entry.
    pub body: Vec<u8>,
}

/// The first part of a log that goes before the rest of its session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TrimmedLogRow {
    /// The session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The sequence up to which entries, and calls that they requested, are deleted.
    pub through: u64,
}

/// Attempts of a session that goes next, which stay among the sums of costs without it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DetachedCostsRow {
    /// The session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The number of attempts, the first ones, at least 1. The others of the last one's round go with them.
    pub attempts: u32,
}

/// The position of a ledger row that goes before its session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RemovedCallRow {
    /// The session that requested the call.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The session's sequence of the input that requested it.
    pub sequence: u64,
    /// Its index in the reply.
    pub ordinal: u32,
}

/// A file whose result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReleasedFileRow {
    /// The session that had the result.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub session: SessionId,
    /// The SHA-256 of the file's bytes.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub digest: Digest,
}

/// What a commit removes by the retention policy, besides the sessions that it deletes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "rows-serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RetentionRows {
    /// Sessions that the commit deletes, and whose attempts stay among the sums of costs, without their session.
    #[cfg_attr(feature = "rows-serde", serde(with = "super::serde_rows"))]
    pub kept_costs: Vec<SessionId>,
    /// First attempts of sessions that a later commit deletes.
    pub detached_costs: Vec<DetachedCostsRow>,
    /// Stored entries that have no results from now on.
    pub rewritten: Vec<RewrittenEntryRow>,
    /// Logs whose first part is deleted.
    pub trimmed: Vec<TrimmedLogRow>,
    /// Ledger rows to delete.
    pub calls: Vec<RemovedCallRow>,
    /// What was removed from sessions that stay; a stored mark of the session and kind is replaced.
    pub marks: Vec<RetentionMarkRow>,
    /// Files of results that go. Unless a message of the session names one too, the session names it no more, and it is
    /// deleted if no other session does.
    pub released: Vec<ReleasedFileRow>,
}

impl RetentionRows {
    /// Whether nothing is removed.
    pub fn is_empty(&self) -> bool {
        let Self { kept_costs, detached_costs, rewritten, trimmed, calls, marks, released } = self;
        kept_costs.is_empty()
            && detached_costs.is_empty()
            && rewritten.is_empty()
            && trimmed.is_empty()
            && calls.is_empty()
            && marks.is_empty()
            && released.is_empty()
    }
}
