//! Where and how a workspace's people live: language, time zone, when their day and their week begin.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::texts::Language;

entracte_domain::words! {
    /// The days that a week may begin on.
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
    /// What of a workspace's settings decides how dates are read and in which language is spoken.
    #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct WorkspaceLocale {
        /// The language that the product speaks.
        pub language: Language = Language::En,
        /// IANA time zone.
        pub zone: String = "UTC".into(),
        /// The hour that a day begins at, 0 to 23: what happens before it belongs to the day before.
        pub day_start: u8 = 0,
        /// First day of the week.
        pub week_start: WeekDay = WeekDay::Monday,
    }
}

impl WorkspaceLocale {
    /// The time zone; UTC where the data base of zones does not know the name any more.
    pub fn time_zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }
}
