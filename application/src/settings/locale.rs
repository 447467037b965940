//! The locale of a workspace: language, time zone, start of day and week.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::texts::Language;

entracte_domain::words! {
    /// The first day of a week.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[expect(missing_docs, reason = "the names say it")]
    pub enum WeekDay {
        #[default]
        Monday = "monday",
        Tuesday = "tuesday",
        Wednesday = "wednesday",
        Thursday = "thursday",
        Friday = "friday",
        Saturday = "saturday",
        Sunday = "sunday",
    }
}

settings! {
    /// The settings of a workspace that determine its language and its calendar.
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct WorkspaceLocale {
        /// The language of the product's texts.
        pub language: Language = Language::En,
        /// IANA time zone.
        pub zone: String = "UTC".into(),
        /// The hour at which a day begins, 0 to 23: earlier events belong to the previous day.
        pub day_start: u8 = 0,
        /// First day of the week.
        pub week_start: WeekDay = WeekDay::Monday,
    }
}

impl WorkspaceLocale {
    /// The time zone; UTC if the time zone database does not contain the name any more.
    pub fn time_zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }
}
