use std::sync::Arc;

use entracte_domain::automation::Automation;
use entracte_domain::time::Timestamp;

use crate::ports::{Clock, ScheduleCalculator, ScheduleError};

/// The coming instants of an automation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coming {
    /// In order; fewer than asked for where there are no more.
    pub instants: Vec<Timestamp>,
    /// Why the one after the last of them cannot be computed, if so.
    pub fault: Option<ScheduleError>,
}

/// Says when an automation is due next.
///
/// ```
/// # use std::sync::Arc;
/// # use entracte_application::samples;
/// # use entracte_application::use_cases::NextOccurrences;
/// # use entracte_application::ports::MockClock;
/// # use entracte_application::system::CronCalculator;
/// # use entracte_domain::time::Millis;
/// let mut clock = MockClock::new();
/// clock.expect_now().return_const(samples::NOON);
/// let next = NextOccurrences::new(Arc::new(CronCalculator), Arc::new(clock));
/// // Mondays at nine in Paris: in winter that is eight o'clock UTC.
/// let coming = next.run(&samples::automation(), 2);
/// let monday = samples::NOON.plus(Millis::hours(2 * 24 + 20));
/// assert_eq!(coming.instants, [monday, monday.plus(Millis::hours(7 * 24))]);
/// assert_eq!(coming.fault, None);
/// ```
pub struct NextOccurrences {
    calculator: Arc<dyn ScheduleCalculator>,
    clock: Arc<dyn Clock>,
}

impl NextOccurrences {
    /// Over these ports.
    pub fn new(calculator: Arc<dyn ScheduleCalculator>, clock: Arc<dyn Clock>) -> Self {
        Self { calculator, clock }
    }

    /// The coming `count` instants, beginning with the occurrence that is to be decided next; of an automation that
    /// is switched off: those it would have from now on.
    pub fn run(&self, automation: &Automation, count: usize) -> Coming {
        let mut coming = Coming { instants: Vec::new(), fault: None };
        coming.instants.extend(automation.awaits().filter(|_| count > 0));
        let mut last = coming.instants.first().copied().unwrap_or_else(|| self.clock.now());
        while coming.instants.len() < count {
            match self.calculator.next(&automation.trigger, last) {
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
