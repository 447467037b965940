use std::sync::Arc;

use entracte_domain::automation::Trigger;

use super::UpcomingOccurrences;
use crate::ports::{Clock, ScheduleCalculator, ScheduleError};
use crate::system::{CronScheduleCalculator, ZoneClockChange};
use crate::texts::{Language, LocalizedTexts};
use crate::use_cases::UseCaseError;

/// The effect of a cron expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchedulePreview {
    /// The expression as given.
    pub expression: String,
    /// The expression in words, with the meant days.
    pub says: String,
    /// Possible misreadings, in words.
    pub warnings: Vec<String>,
    /// The equivalent expression for a Debian crontab with the same fields, if that means other days.
    pub crontab: Option<String>,
    /// Its next instants.
    pub coming: UpcomingOccurrences,
    /// The next change of the zone's clock.
    pub clock_change: Option<ZoneClockChange>,
}

use_case! {
    /// Previews a cron expression, before an automation is created with it.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// let preview = PreviewSchedule::new(Arc::new(CronScheduleCalculator), Arc::new(samples::clock()));
    /// let weekly = preview.run("0 9 * * 1", "Europe/Paris", Language::En, 2)?;
    /// assert_eq!(weekly.says, "At 09:00, on Monday.");
    /// assert_eq!(weekly.coming.instants.len(), 2);
    /// assert!(preview.run("0 9 * *", "Europe/Paris", Language::En, 2).is_err());
    /// # Ok::<(), UseCaseError>(())
    /// ```
    pub struct PreviewSchedule over (calculator: dyn ScheduleCalculator, clock: dyn Clock)
}

impl PreviewSchedule {
    /// Previews a crontab line, as Debian's cron reads it.
    ///
    /// # Errors
    /// When the line or the zone is invalid.
    pub fn preview_crontab_line(
        &self,
        line: &str,
        zone: &str,
        language: Language,
        count: usize,
    ) -> Result<SchedulePreview, UseCaseError> {
        let expression = CronScheduleCalculator::cron_from_crontab_line(line).map_err(refused)?;
        self.run(&expression, zone, language, count)
    }

    /// The expression in words, its next `count` instants on the clock of the zone, and when that clock changes.
    ///
    /// # Errors
    /// When the expression or the zone is invalid.
    pub fn run(
        &self,
        expression: &str,
        zone: &str,
        language: Language,
        count: usize,
    ) -> Result<SchedulePreview, UseCaseError> {
        let now = self.clock.now();
        let spoken = CronScheduleCalculator::describe_cron(expression, language).map_err(refused)?;
        let (reading, texts) =
            (CronScheduleCalculator::interpret_cron(expression), LocalizedTexts::for_language(language));
        let says = match &reading.days {
            Some(days) => format!("{spoken} {}", days.render(texts)),
            None => spoken,
        };
        let warnings = reading.warnings.iter().map(|warning| warning.render(texts)).collect();
        let clock_change = CronScheduleCalculator::next_clock_change(zone, now).map_err(refused)?;
        let trigger = Trigger::Cron { expression: expression.to_owned(), zone: zone.to_owned() };
        let coming = UpcomingOccurrences::occurrences_after(&*self.calculator, &trigger, now, count);
        let (expression, crontab) = (expression.to_owned(), reading.crontab);
        Ok(SchedulePreview { expression, says, warnings, crontab, coming, clock_change })
    }
}

fn refused(fault: ScheduleError) -> UseCaseError {
    UseCaseError::Invalid(fault.saying().into())
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Millis;

    use super::*;
    use crate::ports::MockClock;
    use crate::samples::NOON;

    fn preview(expression: &str, zone: &str) -> Result<SchedulePreview, String> {
        let mut clock = MockClock::new();
        clock.expect_now().return_const(NOON);
        let preview = PreviewSchedule::new(Arc::new(CronScheduleCalculator), Arc::new(clock));
        preview.run(expression, zone, Language::Fr, 10).map_err(|error| error.to_string())
    }

    #[test]
    fn zone_reports_next_clock_change() {
        let daily = preview("30 2 * * *", "Europe/Paris").unwrap();
        assert_eq!((daily.says.as_str(), daily.coming.instants.len()), ("À 02:30.", 10));
        assert!(daily.coming.instants.is_sorted() && daily.coming.instants.iter().all(|at| *at > NOON));
        let change = daily.clock_change.unwrap();
        assert_eq!(change.by.0.abs(), Millis::hours(1).0);
        assert!(change.at > NOON);
        assert_eq!(preview("30 2 * * *", "Asia/Tokyo").unwrap().clock_change, None);
    }

    #[test]
    fn invalid_expression_is_refused() {
        for (expression, zone, named) in
            [("0 9 * *", "UTC", "0 9 * *"), ("0 9 * * *", "Mars/Base", "Mars/Base")]
        {
            let refused = preview(expression, zone).unwrap_err();
            assert!(refused.contains(named), "{refused}");
        }
    }
}
