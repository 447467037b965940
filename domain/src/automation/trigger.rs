//! Triggers of automations: schedules, people and external events.

use crate::time::{Millis, Timestamp};

/// When an automation runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// At the times of a cron expression, on the clock of a time zone.
    Cron {
        /// Five fields, or six with seconds first.
        expression: String,
        /// IANA name of the time zone.
        zone: String,
    },
    /// At fixed intervals from an anchor; the duration of a run causes no drift.
    Every {
        /// Interval between occurrences; positive.
        interval: Millis,
        /// The first occurrence.
        anchor: Timestamp,
    },
    /// Once.
    Once {
        /// Instant of the occurrence.
        at: Timestamp,
    },
    /// When a person starts it.
    Manual,
    /// When an external event is reported.
    Event,
}

impl Trigger {
    /// The stable keyword in lists and JSON.
    pub const fn word(&self) -> &'static str {
        match self {
            Trigger::Cron { .. } => "cron",
            Trigger::Every { .. } => "every",
            Trigger::Once { .. } => "once",
            Trigger::Manual => "manual",
            Trigger::Event => "event",
        }
    }

    /// Whether the trigger creates occurrences by itself.
    pub const fn is_scheduled(&self) -> bool {
        match self {
            Trigger::Cron { .. } | Trigger::Every { .. } | Trigger::Once { .. } => true,
            Trigger::Manual | Trigger::Event => false,
        }
    }
}
