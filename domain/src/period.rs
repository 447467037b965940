//! Periods of time as people and models name them: two instants, or a number of units from a reference.
//!
//! A period is only a name here. The application's `calendar` resolves it to instants with a time zone and a reference.

use std::fmt;

use crate::time::Timestamp;

/// A period of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Period {
    /// From one instant until before another.
    Absolute {
        /// The first instant in it.
        from: Timestamp,
        /// The first instant after it; not before `from`.
        until: Timestamp,
    },
    /// A whole calendar unit, counted from the one that contains the reference.
    Relative(RelativePeriod),
}

/// A whole calendar unit, counted from the one that contains the reference. Its text is `offset_TYPE`: `-1_WEEK` is the
/// week before, `0_DAY` the day of the reference, `1_MONTH` the next month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativePeriod {
    /// Number of units after the reference; negative for earlier ones.
    pub offset: i32,
    /// The calendar unit.
    pub unit: PeriodUnit,
}

crate::words! {
    /// The calendar units of relative periods.
    #[expect(missing_docs, reason = "the names say it")]
    pub enum PeriodUnit {
        Hour = "HOUR",
        Day = "DAY",
        Week = "WEEK",
        Month = "MONTH",
        Year = "YEAR",
    }
}

/// Why a text or two instants are not a period.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PeriodFault {
    /// The text is not `offset_TYPE`.
    NoPeriod {
        /// The text that was given.
        given: String,
    },
    /// The text before the underscore is not a whole number, or exceeds [`RelativePeriod::MOST_OFFSET`].
    NoOffset {
        /// The text before the underscore.
        given: String,
    },
    /// The text after the underscore is not a unit.
    NoUnit {
        /// The text after the underscore.
        given: String,
    },
    /// The end is before the start.
    Backwards {
        /// The start that was given.
        from: Timestamp,
        /// The end that was given.
        until: Timestamp,
    },
}

impl Period {
    /// The period from one instant until before another.
    ///
    /// # Errors
    /// [`PeriodFault::Backwards`] if `until` is before `from`.
    pub fn between(from: Timestamp, until: Timestamp) -> Result<Self, PeriodFault> {
        if until < from {
            return Err(PeriodFault::Backwards { from, until });
        }
        Ok(Period::Absolute { from, until })
    }

    /// The relative period that `text` names: `-1_WEEK`.
    ///
    /// # Errors
    /// A [`PeriodFault`] for the malformed part of the text.
    pub fn relative(text: &str) -> Result<Self, PeriodFault> {
        RelativePeriod::parse(text).map(Period::Relative)
    }
}

impl RelativePeriod {
    /// Maximum distance from the reference, in units to either side; a hundred years of hours fit.
    pub const MOST_OFFSET: i32 = 1_000_000;

    /// Parses the relative period that `text` names, as `Display` writes it. A leading plus sign is accepted.
    ///
    /// # Errors
    /// A [`PeriodFault`] for the malformed part of the text.
    pub fn parse(text: &str) -> Result<Self, PeriodFault> {
        let no_period = || PeriodFault::NoPeriod { given: text.to_owned() };
        let (number, unit) = text.split_once('_').ok_or_else(no_period)?;
        let offset = number
            .parse::<i32>()
            .ok()
            .filter(|offset| offset.unsigned_abs() <= Self::MOST_OFFSET.unsigned_abs());
        let offset = offset.ok_or_else(|| PeriodFault::NoOffset { given: number.to_owned() })?;
        let unit =
            PeriodUnit::from_word(unit).ok_or_else(|| PeriodFault::NoUnit { given: unit.to_owned() })?;
        Ok(Self { offset, unit })
    }
}

impl fmt::Display for RelativePeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.offset, self.unit.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_periods_are_read_and_written() {
        for (text, written) in [
            ("-1_WEEK", "-1_WEEK"),
            ("0_DAY", "0_DAY"),
            ("-0_DAY", "0_DAY"),
            ("+2_MONTH", "2_MONTH"),
            ("-12_HOUR", "-12_HOUR"),
            ("1000000_YEAR", "1000000_YEAR"),
        ] {
            assert_eq!(
                RelativePeriod::parse(text).map(|period| period.to_string()),
                Ok(written.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn period_faults_name_the_malformed_part() {
        let given = str::to_owned;
        for (text, fault) in [
            ("", PeriodFault::NoPeriod { given: given("") }),
            ("last week", PeriodFault::NoPeriod { given: given("last week") }),
            ("_DAY", PeriodFault::NoOffset { given: given("") }),
            ("1.5_DAY", PeriodFault::NoOffset { given: given("1.5") }),
            ("-1000001_HOUR", PeriodFault::NoOffset { given: given("-1000001") }),
            ("-2147483648_HOUR", PeriodFault::NoOffset { given: given("-2147483648") }),
            ("-1_WEEKS", PeriodFault::NoUnit { given: given("WEEKS") }),
            ("-1_day", PeriodFault::NoUnit { given: given("day") }),
            ("-1_DAY_", PeriodFault::NoUnit { given: given("DAY_") }),
        ] {
            assert_eq!(Period::relative(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn a_period_does_not_end_before_it_begins() {
        let (early, late) = (Timestamp(1), Timestamp(2));
        assert_eq!(Period::between(early, early), Ok(Period::Absolute { from: early, until: early }));
        assert_eq!(Period::between(late, early), Err(PeriodFault::Backwards { from: late, until: early }));
    }
}
