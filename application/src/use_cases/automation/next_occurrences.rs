use std::sync::Arc;

use entracte_domain::automation::{Automation, Trigger};
use entracte_domain::time::Timestamp;

use crate::ports::{Clock, ScheduleCalculator, ScheduleError};

/// The upcoming instants of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpcomingOccurrences {
    /// In order; fewer than requested if there are no more.
    pub instants: Vec<Timestamp>,
    /// Why the instant after the last one cannot be computed, if so.
    pub fault: Option<ScheduleError>,
}

use_case! {
    /// Computes when an automation is due next.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// let next = PreviewNextOccurrences::new(Arc::new(CronScheduleCalculator), Arc::new(samples::clock()));
    /// // Mondays at nine in Paris: in winter that is eight o'clock UTC.
    /// let coming = next.run(&samples::automation(), 2);
    /// let monday = samples::NOON.plus(Millis::hours(2 * 24 + 20));
    /// assert_eq!(coming.instants, [monday, monday.plus(Millis::hours(7 * 24))]);
    /// assert_eq!(coming.fault, None);
    /// ```
    pub struct PreviewNextOccurrences over (calculator: dyn ScheduleCalculator, clock: dyn Clock)
}

impl PreviewNextOccurrences {
    /// The next `count` instants, all in the future; for a disabled automation those it would have from now on. A due
    /// occurrence that waits is not included.
    pub fn run(&self, automation: &Automation, count: usize) -> UpcomingOccurrences {
        let now = self.clock.now();
        let Some(first) = automation.next_undecided_occurrence().filter(|first| count > 0 && *first > now)
        else {
            return UpcomingOccurrences::occurrences_after(
                &*self.calculator,
                &automation.trigger,
                now,
                count,
            );
        };
        let mut coming =
            UpcomingOccurrences::occurrences_after(&*self.calculator, &automation.trigger, first, count - 1);
        coming.instants.insert(0, first);
        coming
    }
}

impl UpcomingOccurrences {
    /// The `count` instants of a trigger after `after`.
    pub(super) fn occurrences_after(
        calculator: &dyn ScheduleCalculator,
        trigger: &Trigger,
        after: Timestamp,
        count: usize,
    ) -> Self {
        let (mut coming, mut last) = (UpcomingOccurrences { instants: Vec::new(), fault: None }, after);
        while coming.instants.len() < count {
            match calculator.next(trigger, last) {
                Ok(Some(at)) => {
                    coming.instants.push(at);
                    last = at;
                }
                Ok(None) => break,
                Err(fault) => {
                    coming.fault = Some(fault);
                    break;
                }
            }
        }
        coming
    }
}
