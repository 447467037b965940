use std::collections::BTreeMap;

use entracte_domain::id::{CallId, SessionId};
use entracte_domain::time::Timestamp;

entracte_domain::words! {
    /// Where something goes.
    #[derive(PartialOrd, Ord)]
    pub enum RetentionTable {
        /// Sessions.
        Sessions = "sessions",
        /// Log entries.
        Entries = "entries",
        /// Ledger rows.
        Calls = "calls",
        /// Contents of results; their entries stay.
        Results = "results",
        /// Documents, with their chunks.
        Documents = "documents",
    }
}

/// How much goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionCount {
    /// The number of rows, or of results.
    pub rows: u64,
    /// Their bytes, without columns and indexes.
    pub bytes: u64,
}

/// How much goes, by table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionTotals(BTreeMap<RetentionTable, RetentionCount>);

impl RetentionTotals {
    /// Adds rows of a table.
    pub fn add(&mut self, table: RetentionTable, count: RetentionCount) {
        let sum = self.0.entry(table).or_default();
        sum.rows += count.rows;
        sum.bytes += count.bytes;
    }

    /// Adds all of these.
    pub fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|(table, count)| self.add(*table, *count));
    }

    /// What goes of a table.
    pub fn count(&self, table: RetentionTable) -> RetentionCount {
        self.0.get(&table).copied().unwrap_or_default()
    }

    /// Each table of which something goes.
    pub fn iter(&self) -> impl Iterator<Item = (RetentionTable, RetentionCount)> {
        self.0.iter().map(|(table, count)| (*table, *count))
    }

    /// Whether nothing goes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of all tables.
    pub fn bytes(&self) -> u64 {
        self.0.values().map(|count| count.bytes).sum()
    }

    /// The rows of all tables.
    pub fn rows(&self) -> u64 {
        self.0.values().map(|count| count.rows).sum()
    }
}

/// One thing to remove, small enough for one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RetentionStep {
    /// Deletes a session with its agents.
    DeleteSession {
        /// The session.
        session: SessionId,
        /// Its last input must be older.
        before: Timestamp,
    },
    /// Deletes the first entries and calls of a session that is too large for one commit and goes next.
    TrimSession {
        /// The session.
        session: SessionId,
        /// Its last input must be older.
        before: Timestamp,
        /// The sequence of the last entry to delete.
        through: u64,
    },
    /// Detaches the first attempts of a session that is too large for one commit and goes next: they stay among the sums
    /// of costs without it.
    DetachCosts {
        /// The session.
        session: SessionId,
        /// Its last input must be older.
        before: Timestamp,
        /// The number of attempts, at least 1.
        attempts: u32,
    },
    /// Removes results from entries of a session.
    RemoveResults {
        /// The session.
        session: SessionId,
        /// Its last input must be older.
        before: Timestamp,
        /// The first entry, and the last one: all of them have no results afterwards.
        entries: EntrySpan,
    },
    /// Notes that the results of a session cannot be removed, because its state depends on them.
    KeepResults {
        /// The session.
        session: SessionId,
        /// The sequence of its last entry.
        through: u64,
    },
    /// Deletes ledger rows of a session.
    RemoveCalls {
        /// The session.
        session: SessionId,
        /// Its last input must be older.
        before: Timestamp,
        /// The calls, all of them finished.
        calls: Vec<CallId>,
        /// The sequence of the session, if these are its last ones.
        last_at: Option<u64>,
    },
}

/// Entries of a session from one sequence to another, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntrySpan {
    /// The sequence of the first entry.
    pub first: u64,
    /// The sequence of the last entry.
    pub last: u64,
}

impl RetentionStep {
    /// The session that it changes.
    pub const fn session(&self) -> &SessionId {
        match self {
            Self::DeleteSession { session, .. }
            | Self::TrimSession { session, .. }
            | Self::DetachCosts { session, .. }
            | Self::RemoveResults { session, .. }
            | Self::KeepResults { session, .. }
            | Self::RemoveCalls { session, .. } => session,
        }
    }
}

/// A step, with what it removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedRetentionStep {
    /// The step.
    pub step: RetentionStep,
    /// What goes if it is applied.
    pub removes: RetentionTotals,
}

/// The steps of one commit, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionBatch(pub Vec<SizedRetentionStep>);

impl RetentionBatch {
    /// The steps without their sizes.
    pub fn steps(&self) -> Vec<RetentionStep> {
        self.0.iter().map(|sized| sized.step.clone()).collect()
    }

    /// What all of them remove.
    pub fn removes(&self) -> RetentionTotals {
        sum(self.0.iter())
    }

    /// What those at these positions remove.
    pub fn removes_at(&self, positions: &[u32]) -> RetentionTotals {
        sum(positions.iter().filter_map(|position| self.0.get(usize::try_from(*position).ok()?)))
    }
}

fn sum<'a>(steps: impl Iterator<Item = &'a SizedRetentionStep>) -> RetentionTotals {
    let mut totals = RetentionTotals::default();
    steps.for_each(|sized| totals.add_all(&sized.removes));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_out_steps_are_not_counted() {
        let sized = |id: &str, bytes| {
            let step = RetentionStep::KeepResults { session: SessionId::new(id), through: 1 };
            let mut removes = RetentionTotals::default();
            removes.add(RetentionTable::Results, RetentionCount { rows: 1, bytes });
            SizedRetentionStep { step, removes }
        };
        let batch = RetentionBatch(vec![sized("ses_1", 1), sized("ses_2", 20), sized("ses_3", 300)]);
        assert_eq!(batch.removes().bytes(), 321);
        assert_eq!(batch.removes_at(&[0, 2]).bytes(), 301);
        assert!(batch.removes_at(&[]).is_empty());
        assert!(
            batch.removes_at(&[7]).is_empty(),
            "an owner of another version names a step that is not there"
        );
    }
}
