//! Decides whether a due occurrence runs, waits or is skipped.

use crate::time::{Millis, Timestamp};

use super::{AutomationPolicies, OverlapPolicy};

/// A due occurrence, with the data looked up for its decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueOccurrence {
    /// Instant of the occurrence.
    pub at: Timestamp,
    /// Instant of the next occurrence, if there is one.
    pub following: Option<Timestamp>,
    /// When the oldest unfinished run of the automation was created, if there is one.
    pub running_since: Option<Timestamp>,
}

/// The decision on a due occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OccurrenceDecision {
    /// It never runs.
    Skip(SkipReason),
    /// It waits for the unfinished run of the same automation.
    Wait,
    /// It runs as soon as a slot is free.
    Run,
}

crate::words! {
    /// Why an occurrence did not run.
    pub enum SkipReason {
        /// It would have begun later than the window allows.
        TooLate = "too_late",
        /// A later one is due too, and only the latest runs.
        Superseded = "superseded",
        /// It became due while a run of the same automation was unfinished.
        Overlap = "overlap",
        /// Its seed was deleted or can no longer start a run.
        Unusable = "unusable",
        /// The automation was switched off while it waited.
        SwitchedOff = "switched_off",
        /// The automation was deleted while it waited.
        Deleted = "deleted",
        /// The automation got another schedule while it waited.
        Rescheduled = "rescheduled",
    }
}

/// Decides an occurrence that is due at `now`.
pub fn decide_occurrence(
    policies: &AutomationPolicies,
    due: DueOccurrence,
    now: Timestamp,
) -> OccurrenceDecision {
    let late = |window: Millis| now.since(due.at) > window;
    if policies.catch_up.window.is_some_and(late) {
        return OccurrenceDecision::Skip(SkipReason::TooLate);
    }
    if policies.catch_up.latest_only && due.following.is_some_and(|following| following <= now) {
        return OccurrenceDecision::Skip(SkipReason::Superseded);
    }
    match (due.running_since, policies.overlap) {
        (None, OverlapPolicy::Skip | OverlapPolicy::Queue) => OccurrenceDecision::Run,
        // An occurrence missed before the run began did not overlap with it: it waits for its turn.
        (Some(since), OverlapPolicy::Skip) if due.at < since => OccurrenceDecision::Wait,
        (Some(_), OverlapPolicy::Skip) => OccurrenceDecision::Skip(SkipReason::Overlap),
        (Some(_), OverlapPolicy::Queue) => OccurrenceDecision::Wait,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automation::CatchUpPolicy;

    const NOON: Timestamp = Timestamp(12 * 3_600_000_000);

    fn at(hour: i64, minute: i64) -> Timestamp {
        Timestamp((hour * 60 + minute) * 60_000_000)
    }

    fn policies(window: Option<Millis>, latest_only: bool, overlap: OverlapPolicy) -> AutomationPolicies {
        AutomationPolicies {
            catch_up: CatchUpPolicy { window, latest_only },
            overlap,
            ..AutomationPolicies::default()
        }
    }

    fn due(at: Timestamp, following: Option<Timestamp>, running_since: Option<Timestamp>) -> DueOccurrence {
        DueOccurrence { at, following, running_since }
    }

    #[test]
    fn due_occurrence_decision_table() {
        let skip = |why| OccurrenceDecision::Skip(why);
        let all = policies(None, false, OverlapPolicy::Skip);
        let patient = policies(None, false, OverlapPolicy::Queue);
        let hour = policies(Some(Millis::hours(1)), false, OverlapPolicy::Skip);
        let latest = policies(None, true, OverlapPolicy::Skip);
        let cases = [
            (&all, due(at(0, 0), Some(at(1, 0)), None), OccurrenceDecision::Run),
            (&hour, due(at(11, 0), Some(at(13, 0)), None), OccurrenceDecision::Run),
            (&hour, due(at(10, 59), Some(at(13, 0)), None), skip(SkipReason::TooLate)),
            (&latest, due(at(11, 0), Some(at(12, 0)), None), skip(SkipReason::Superseded)),
            (&latest, due(at(11, 0), Some(at(12, 1)), None), OccurrenceDecision::Run),
            (&latest, due(at(11, 0), None, None), OccurrenceDecision::Run),
            (&all, due(at(11, 0), None, Some(at(10, 0))), skip(SkipReason::Overlap)),
            (&all, due(at(11, 0), None, Some(at(11, 0))), skip(SkipReason::Overlap)),
            (&all, due(at(9, 0), None, Some(at(10, 0))), OccurrenceDecision::Wait),
            (&patient, due(at(11, 0), None, Some(at(10, 0))), OccurrenceDecision::Wait),
        ];
        for (policies, due, expected) in cases {
            assert_eq!(decide_occurrence(policies, due, NOON), expected, "{due:?} under {policies:?}");
        }
    }
}
