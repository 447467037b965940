use entracte_domain::automation::Trigger;
use entracte_domain::time::Timestamp;

use crate::texts::{LocalizedMessage, saying};

/// Why there is no answer to when an automation is due next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The cron expression cannot be read.
    #[error("“{expression}” is not a valid cron expression: {}", fault.saying())]
    Expression {
        /// As given.
        expression: String,
        /// What is wrong.
        fault: CronFault,
    },
    /// The zone is not known.
    #[error("“{zone}” is not a valid IANA time zone; write one like Europe/Paris")]
    Zone {
        /// As given.
        zone: String,
    },
    /// The interval is too short.
    #[error("an interval of {milliseconds} ms is too short; use 1 s or more")]
    Interval {
        /// As given, in milliseconds.
        milliseconds: i64,
    },
    /// The expression names a time that never comes, or none that can be counted.
    #[error("“{expression}” never occurs after {after}; write another one")]
    Never {
        /// As given.
        expression: String,
        /// After when, RFC 3339.
        after: String,
    },
}

/// What is wrong with a cron expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CronFault {
    /// It has too few fields, or too many.
    Fields {
        /// How many it has.
        count: usize,
    },
    /// A field has a value that it cannot have.
    Value {
        /// Which field.
        field: CronField,
        /// The value, or the one of its list that is wrong.
        value: String,
    },
    /// It is a name that stands for no time.
    Nickname {
        /// The name.
        value: String,
    },
    /// Each field can be read, and all of them together cannot.
    Together,
}

/// A field of a cron expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CronField {
    /// The second; it may be left out.
    Second,
    /// The minute.
    Minute,
    /// The hour.
    Hour,
    /// The day of the month.
    Day,
    /// The month.
    Month,
    /// The day of the week.
    Weekday,
    /// The year; it may be left out.
    Year,
}

impl CronFault {
    /// What is wrong, what is allowed there, and an example.
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
    /// The same, for whoever reads it in another language.
    pub fn saying(&self) -> LocalizedMessage {
        match self {
            Self::Expression { expression, fault } => {
                saying!("schedule-expression", expression = expression, why = fault.saying())
            }
            Self::Zone { zone } => saying!("schedule-zone", zone = zone),
            Self::Interval { milliseconds } => {
                saying!("schedule-interval", milliseconds = milliseconds.to_string())
            }
            Self::Never { expression, after } => {
                saying!("schedule-never", expression = expression, after = after)
            }
        }
    }
}

/// Says when a trigger is due. Pure: the same question has the same answer.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use entracte_application::ports::ScheduleCalculator;
/// use entracte_application::system::CronCalculator;
/// use entracte_domain::automation::Trigger;
/// use entracte_domain::time::{Millis, Timestamp};
///
/// let hourly = Trigger::Every { interval: Millis::hours(1), anchor: Timestamp(0) };
/// let next = CronCalculator.next(&hourly, Timestamp(1))?;
/// assert_eq!(next, Some(Timestamp(0).plus(Millis::hours(1))));
/// # Ok(())
/// # }
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait ScheduleCalculator: Send + Sync {
    /// The first instant after `after` at which the trigger is due; none when it never is again, or makes no
    /// occurrences by itself.
    ///
    /// A time that the clock of the zone skips is the first instant after the gap; a time that comes twice is due
    /// the first time only.
    ///
    /// # Errors
    /// When it cannot be computed; a person has to look at the automation then.
    fn next(&self, trigger: &Trigger, after: Timestamp) -> Result<Option<Timestamp>, ScheduleError>;
}
