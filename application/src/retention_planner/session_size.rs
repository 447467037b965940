use entracte_domain::id::SessionId;
use entracte_domain::time::Timestamp;

use super::planner_ports::RetentionPlannerPorts;
use crate::ports::{CallRow, CostFilter, CostSumBy, SessionRow, StoreError};
use crate::retention::{EntrySpan, RetentionCount, RetentionTable, RetentionTotals};

/// Rows besides entries, calls, attempts and prefixes that the deletion of a session writes: its own, its record and its
/// change.
const ROWS_OF_DELETION: u32 = 3;

/// Rows that the deletion of a session writes for a prefix that it names: the note of it, and the prefix if no other
/// session names it.
const ROWS_OF_PREFIX: u32 = 2;

/// One row of so many bytes.
pub(super) fn count_of(bytes: usize) -> RetentionCount {
    RetentionCount { rows: 1, bytes: bytes as u64 }
}

/// What goes with a session.
pub(super) struct SessionSize {
    pub(super) session: SessionId,
    /// The time before which its last input must have come.
    pub(super) before: Timestamp,
    /// The bytes of its row.
    bytes: usize,
    pub(super) first: u64,
    pub(super) last: u64,
    /// The bytes of all its entries.
    entry_bytes: u64,
    /// The sequence and the bytes of each call, by sequence.
    calls: Vec<(u64, usize)>,
    /// Its attempts of model calls: their rows stay, without the session.
    pub(super) attempts: u32,
    /// The prefixes that it names.
    prefixes: u32,
}

impl SessionSize {
    pub(super) async fn read(
        ports: RetentionPlannerPorts<'_>,
        row: &SessionRow,
        before: Timestamp,
        calls: &[CallRow],
    ) -> Result<Self, StoreError> {
        let extent = ports.log.log_extent(&row.workspace, &row.id).await?;
        let all = CostFilter::new(row.workspace.clone(), CostSumBy::Everything, 1);
        let costs = ports.log.cost_sums(&CostFilter { session: Some(row.id.clone()), ..all }).await?;
        let attempts = costs.sums.first().map_or(0, |sum| sum.attempts);
        Ok(Self {
            session: row.id.clone(),
            before,
            bytes: row.body.len(),
            first: extent.first,
            last: extent.last,
            entry_bytes: extent.bytes,
            calls: calls.iter().map(|call| (call.sequence, call.body.len())).collect(),
            attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
            prefixes: u32::try_from(extent.prefixes).unwrap_or(u32::MAX),
        })
    }

    /// A session with these entries and so many attempts, without calls.
    #[cfg(test)]
    pub(super) fn of_log(session: SessionId, entries: EntrySpan, attempts: u32) -> Self {
        let (before, calls) = (Timestamp(0), Vec::new());
        let EntrySpan { first, last } = entries;
        Self { session, before, bytes: 1, first, last, entry_bytes: 100, calls, attempts, prefixes: 0 }
    }

    /// The number of its entries.
    fn entries(&self) -> u64 {
        if self.last == 0 { 0 } else { self.last - self.first + 1 }
    }

    /// The rows that its deletion touches.
    pub(super) fn rows(&self) -> u32 {
        let entries = u32::try_from(self.entries()).unwrap_or(u32::MAX);
        let calls = u32::try_from(self.calls.len()).unwrap_or(u32::MAX);
        entries.saturating_add(calls).saturating_add(self.rows_of_end(self.attempts))
    }

    /// The rows that the last commit of its deletion touches besides entries and calls, with so many attempts left.
    pub(super) fn rows_of_end(&self, attempts: u32) -> u32 {
        ROWS_OF_DELETION.saturating_add(attempts).saturating_add(self.prefixes.saturating_mul(ROWS_OF_PREFIX))
    }

    /// The number of calls that one entry requested.
    pub(super) fn calls_of(&self, sequence: u64) -> u32 {
        let before = |end: u64| self.calls.partition_point(|(of, _)| *of < end);
        u32::try_from(before(sequence + 1) - before(sequence)).unwrap_or(u32::MAX)
    }

    /// Adds the session, with its entries and calls from a sequence on.
    pub(super) fn add_to(&self, removes: &mut RetentionTotals, from: u64) {
        removes.add(RetentionTable::Sessions, count_of(self.bytes));
        self.add_span(removes, EntrySpan { first: from.max(self.first), last: self.last });
    }

    /// Adds entries and their calls; the bytes of entries are those of all, in proportion.
    pub(super) fn add_span(&self, removes: &mut RetentionTotals, span: EntrySpan) {
        let entries = self.entries();
        if entries == 0 || span.last < span.first {
            return;
        }
        let before = |sequence: u64| self.entry_bytes * (sequence - self.first) / entries;
        let bytes = before(span.last + 1) - before(span.first);
        let rows = span.last - span.first + 1;
        removes.add(RetentionTable::Entries, RetentionCount { rows, bytes });
        for (sequence, bytes) in &self.calls {
            if (span.first..=span.last).contains(sequence) {
                removes.add(RetentionTable::Calls, count_of(*bytes));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: a session with 4 entries, 5 attempts and 2 prefixes; expected: each of them, the notes of the prefixes, and
    /// the three rows of the deletion itself.
    #[test]
    fn rows_of_prefixes_are_counted() {
        let entries = EntrySpan { first: 1, last: 4 };
        let size = SessionSize::of_log(SessionId::new("ses_1"), entries, 5);
        let size = SessionSize { prefixes: 2, ..size };
        assert_eq!((size.rows(), size.rows_of_end(0)), (4 + 5 + 4 + 3, 4 + 3));
    }
}
