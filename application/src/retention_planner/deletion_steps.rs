//! Splits the deletion of a large session into steps. Pure.

use super::session_size::SessionSize;
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
    let rows_of_end = size.rows_of_end(attempts);
    let trim = |span: EntrySpan, rows| {
        let step = RetentionStep::TrimSession { session: session.clone(), before, through: span.last };
        let mut removes = RetentionTotals::default();
        size.add_span(&mut removes, span);
        PlannedStep { step, rows, removes }
    };
    let (mut from, mut rows) = (size.first, 0_u32);
    for sequence in size.first..=size.last {
        let of_entry = 1 + size.calls_of(sequence);
        let is_last = sequence == size.last;
        let with_session = if is_last { rows_of_end } else { 0 };
        if rows > 0 && rows.saturating_add(of_entry).saturating_add(with_session) > budget {
            steps.push(trim(EntrySpan { first: from, last: sequence - 1 }, rows));
            (from, rows) = (sequence, 0);
        }
        rows = rows.saturating_add(of_entry);
    }
    // Costs are never added up anew for a session without its first entry: what was detached would count twice.
    if steps.is_empty() && !detached.is_empty() && size.first == 1 && size.last > 1 {
        let of_first = 1 + size.calls_of(1);
        steps.push(trim(EntrySpan { first: 1, last: 1 }, of_first));
        (from, rows) = (2, rows.saturating_sub(of_first));
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

#[cfg(test)]
mod tests {
    use entracte_domain::id::SessionId;

    use super::*;
    use crate::retention::RetentionTable;

    /// Input: a log that fits into one commit, with more attempts than may go with it; expected: its first entry goes
    /// before the attempts, unless it is gone already, and every row is counted once.
    #[test]
    fn attempts_are_detached_after_a_first_entry() {
        let session = SessionId::new("ses_1");
        for (first, expected) in
            [(1, vec!["trim through 1", "detach 12", "delete"]), (2, vec!["detach 12", "delete"])]
        {
            let size = SessionSize::of_log(session.clone(), EntrySpan { first, last: 15 }, 12);
            let planned = split_deletion(&size, 20);
            let shown: Vec<String> = planned.iter().map(|planned| shown(&planned.step)).collect();
            assert_eq!(shown, expected);
            assert!(planned.iter().all(|planned| planned.rows <= 20));
            let mut removes = RetentionTotals::default();
            planned.iter().for_each(|planned| removes.add_all(&planned.removes));
            assert_eq!(removes.count(RetentionTable::Entries).rows, 16 - first);
        }
    }

    fn shown(step: &RetentionStep) -> String {
        match step {
            RetentionStep::TrimSession { through, .. } => format!("trim through {through}"),
            RetentionStep::DetachCosts { attempts, .. } => format!("detach {attempts}"),
            RetentionStep::DeleteSession { .. } => "delete".to_owned(),
            other => format!("{other:?}"),
        }
    }
}
