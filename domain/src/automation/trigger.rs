//! When an automation runs.

use crate::time::{Millis, Timestamp};

/// When an automation runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// At the times that a cron expression names, on the clock of a zone.
    Cron {
        /// Five fields, or six with seconds first.
        expression: String,
        /// IANA name of the zone.
        zone: String,
    },
    /// Every so often, counted from an instant; no drift, whatever a run takes.
    Every {
        /// How often; more than nothing.
        interval: Millis,
        /// The first occurrence.
        anchor: Timestamp,
    },
    /// One time only.
    Once {
        /// When it is due.
        at: Timestamp,
    },
    /// When a person says so.
    Manual,
    /// When something outside reports an event.
    Event,
}

impl Trigger {
    /// The word in lists and JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Trigger::Cron { .. } => "cron",
            Trigger::Every { .. } => "every",
            Trigger::Once { .. } => "once",
            Trigger::Manual => "manual",
            Trigger::Event => "event",
        }
    }

    /// Whether it makes occurrences by itself.
    pub const fn is_scheduled(&self) -> bool {
        match self {
            Trigger::Cron { .. } | Trigger::Every { .. } | Trigger::Once { .. } => true,
            Trigger::Manual | Trigger::Event => false,
        }
    }
}
