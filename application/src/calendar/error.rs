//! Errors of the calendar, in the workspace's language.

use entracte_domain::period::{PeriodFault, PeriodUnit, RelativePeriod};

use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Why a period or a text could not be converted to instants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe(LocalizedTexts::for_language(Language::En)))]
pub enum CalendarError {
    /// The period is invalid.
    Period(PeriodFault),
    /// The text names no instant.
    NoInstant {
        /// The text as given.
        given: String,
    },
    /// The instant lies outside of the supported years.
    OutOfCalendar,
    /// The period has too many days.
    TooManyDays {
        /// The maximum number of days.
        most: usize,
    },
}

impl From<PeriodFault> for CalendarError {
    fn from(fault: PeriodFault) -> Self {
        CalendarError::Period(fault)
    }
}

impl CalendarError {
    /// Describes the error and how to fix it, in the language of `texts`.
    pub fn describe(&self, texts: &LocalizedTexts) -> String {
        match self {
            CalendarError::Period(fault) => describe_period_fault(fault, texts),
            CalendarError::NoInstant { given } => say!(texts, "calendar-no-instant", given = given),
            CalendarError::OutOfCalendar => say!(texts, "calendar-out"),
            CalendarError::TooManyDays { most } => say!(texts, "calendar-too-many-days", most = *most),
        }
    }
}

/// Describes a fault of a period and how to fix it, in the language of `texts`.
pub fn describe_period_fault(fault: &PeriodFault, texts: &LocalizedTexts) -> String {
    match fault {
        PeriodFault::NoPeriod { given } => say!(texts, "calendar-no-period", given = given),
        PeriodFault::NoOffset { given } => {
            say!(texts, "calendar-no-offset", given = given, most = RelativePeriod::MOST_OFFSET.to_string())
        }
        PeriodFault::NoUnit { given } => {
            let units = PeriodUnit::ALL.map(PeriodUnit::word).join(", ");
            say!(texts, "calendar-no-unit", given = given, units = units)
        }
        PeriodFault::Backwards { .. } => say!(texts, "calendar-backwards"),
    }
}
