use entracte_domain::automation::Trigger;
use entracte_domain::time::Timestamp;

use crate::near_names::nearest_zone;
use crate::texts::{LocalizedMessage, saying};

/// Why the next occurrence of a trigger cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The cron expression is invalid.
    #[error("“{expression}” is not a valid cron expression: {}", fault.saying())]
    Expression {
        /// The expression as given.
        expression: String,
        /// The fault in it.
        fault: CronFault,
    },
    /// The time zone is unknown.
    #[error("“{zone}” is not a valid IANA time zone; write one like Europe/Paris")]
    Zone {
        /// The zone as given.
        zone: String,
    },
    /// The interval is too short.
    #[error("an interval of {milliseconds} ms is too short; use 1 s or more")]
    Interval {
        /// The interval as given, in milliseconds.
        milliseconds: i64,
    },
    /// The expression names a time that never occurs, or cannot be computed.
    #[error("“{expression}” never occurs after {after}; write another one")]
    Never {
        /// The expression as given.
        expression: String,
        /// The start of the search, as RFC 3339.
        after: String,
    },
}

/// A fault in a cron expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CronFault {
    /// The expression has too few or too many fields.
    Fields {
        /// The number of its fields.
        count: usize,
    },
    /// A field has an invalid value.
    Value {
        /// The field.
        field: CronField,
        /// The invalid value, or the invalid element of its list.
        value: String,
    },
    /// The expression is a nickname without a time, such as `@reboot`.
    Nickname {
        /// The nickname as given.
        value: String,
    },
    /// Each field is valid, but their combination is not.
    Together,
}

/// A field of a cron expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CronField {
    /// The second, optional.
    Second,
    /// The minute of the hour.
    Minute,
    /// The hour of the day.
    Hour,
    /// The day of the month.
    Day,
    /// The month of the year.
    Month,
    /// The day of the week.
    Weekday,
    /// The year, optional.
    Year,
}

impl CronFault {
    /// The fault, the allowed values, and an example, as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Fields { count } => saying!("cron-fields", count = *count),
            Self::Value { field, value } => match field {
                CronField::Second => saying!("cron-second", value = value),
                CronField::Minute => saying!("cron-minute", value = value),
                CronField::Hour => saying!("cron-hour", value = value),
                CronField::Day => saying!("cron-day", value = value),
                CronField::Month => saying!("cron-month", value = value),
                CronField::Weekday => saying!("cron-weekday", value = value),
                CronField::Year => saying!("cron-year", value = value),
            },
            Self::Nickname { value } => saying!("cron-nickname", value = value),
            Self::Together => saying!("cron-together"),
        }
    }
}

impl ScheduleError {
    /// The error as a localisable message.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Expression { expression, fault } => {
                saying!("schedule-expression", expression = expression, why = fault.saying())
            }
            Self::Zone { zone } => match nearest_zone(zone) {
                Some(guess) => saying!("schedule-zone-near", zone = zone, guess = guess),
                None => saying!("schedule-zone", zone = zone),
            },
            Self::Interval { milliseconds } => {
                saying!("schedule-interval", milliseconds = milliseconds.to_string())
            }
            Self::Never { expression, after } => {
                saying!("schedule-never", expression = expression, after = after)
            }
        }
    }
}

/// Computes when a trigger is due. Pure: the same arguments give the same result.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::ScheduleCalculator;
/// use entracte_application::system::CronScheduleCalculator;
/// use entracte_domain::automation::Trigger;
/// use entracte_domain::time::{Millis, Timestamp};
///
/// let hourly = Trigger::Every { interval: Millis::hours(1), anchor: Timestamp(0) };
/// let next = CronScheduleCalculator.next(&hourly, Timestamp(1))?;
/// assert_eq!(next, Some(Timestamp(0).plus(Millis::hours(1))));
/// # Ok(())
/// # }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait ScheduleCalculator: Send + Sync {
    /// The first instant after `after` at which the trigger is due; `None` if it is never due again, or is not
    /// triggered by time.
    ///
    /// A local time that the zone's clock skips is due at the first instant after the gap; a local time that occurs
    /// twice is due the first time only.
    ///
    /// # Errors
    /// When it cannot be computed; a person must then correct the automation.
    fn next(&self, trigger: &Trigger, after: Timestamp) -> Result<Option<Timestamp>, ScheduleError>;
}
