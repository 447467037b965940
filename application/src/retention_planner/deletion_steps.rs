//! Splits the deletion of a large session into steps. Pure.

use super::session_size::{SessionSize, rows_of_end};
use crate::retention::{EntrySpan, RetentionStep, RetentionTotals};

/// A step with its size.
pub(super) struct PlannedStep {
    pub(super) step: RetentionStep,
    pub(super) rows: u32,
    pub(super) removes: RetentionTotals,
}

/// Plans the deletion of a session in several commits of at most so many rows: first entries and calls, then attempts, then
/// the rest.
pub(super) fn split_deletion(size: &SessionSize, budget: u32) -> Vec<PlannedStep> {
    let (mut steps, before) = (Vec::new(), size.before);
    let session = size.session.clone();
    let mut detached = Vec::new();
    let mut attempts = size.attempts;
    while attempts > budget / 2 {
        let part = attempts.min(budget);
        detached.push(part);
        attempts -= part;
    }
    let rows_of_end = rows_of_end(attempts);
    let (mut from, mut rows) = (size.first, 0_u32);
    for sequence in size.first..=size.last {
        let of_entry = 1 + size.calls_of(sequence);
        let is_last = sequence == size.last;
        let with_session = if is_last { rows_of_end } else { 0 };
        if rows > 0 && rows.saturating_add(of_entry).saturating_add(with_session) > budget {
            let through = sequence - 1;
            let step = RetentionStep::TrimSession { session: session.clone(), before, through };
            let mut removes = RetentionTotals::default();
            size.add_span(&mut removes, EntrySpan { first: from, last: through });
            steps.push(PlannedStep { step, rows, removes });
            (from, rows) = (sequence, 0);
        }
        rows = rows.saturating_add(of_entry);
    }
    for attempts in detached {
        let step = RetentionStep::DetachCosts { session: session.clone(), before, attempts };
        steps.push(PlannedStep { step, rows: attempts, removes: RetentionTotals::default() });
    }
    let mut removes = RetentionTotals::default();
    size.add_to(&mut removes, from);
    let step = RetentionStep::DeleteSession { session, before };
    steps.push(PlannedStep { step, rows: rows.saturating_add(rows_of_end), removes });
    steps
}
