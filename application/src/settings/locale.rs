//! Where and how a workspace's people live: language, time zone, when their day and their week begin.

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// The languages that the product speaks, to people and to models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English, the default.
    #[default]
    En,
    /// French, as complete as English.
    Fr,
}

impl Language {
    /// Every language.
    pub const ALL: [Language; 2] = [Language::En, Language::Fr];

    /// Its code: `en`, `fr`.
    pub const fn word(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Fr => "fr",
        }
    }

    /// The language that a code of [`Language::word`] stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.word() == word)
    }
}

/// The days that a week may begin on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum WeekDay {
    #[default]
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl WeekDay {
    /// Every day, from Monday.
    pub const ALL: [WeekDay; 7] = [
        WeekDay::Monday,
        WeekDay::Tuesday,
        WeekDay::Wednesday,
        WeekDay::Thursday,
        WeekDay::Friday,
        WeekDay::Saturday,
        WeekDay::Sunday,
    ];

    /// The word in settings.
    pub const fn word(self) -> &'static str {
        match self {
            WeekDay::Monday => "monday",
            WeekDay::Tuesday => "tuesday",
            WeekDay::Wednesday => "wednesday",
            WeekDay::Thursday => "thursday",
            WeekDay::Friday => "friday",
            WeekDay::Saturday => "saturday",
            WeekDay::Sunday => "sunday",
        }
    }

    /// The day that a word of [`WeekDay::word`] stands for.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|day| day.word() == word)
    }
}

/// What of a workspace's settings decides how dates are read and in which language is spoken.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Locale {
    /// The language that the product speaks.
    pub language: Language,
    /// IANA time zone.
    pub zone: String,
    /// The hour that a day begins at, 0 to 23: what happens before it belongs to the day before.
    pub day_start: u8,
    /// First day of the week.
    pub week_start: WeekDay,
}

impl Default for Locale {
    fn default() -> Self {
        Self { language: Language::En, zone: "UTC".into(), day_start: 0, week_start: WeekDay::Monday }
    }
}

impl Locale {
    /// The time zone; UTC where the data base of zones does not know the name any more.
    pub fn time_zone(&self) -> TimeZone {
        TimeZone::get(&self.zone).unwrap_or(TimeZone::UTC)
    }
}
