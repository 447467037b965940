//! Decides which notifications are sent to which targets, and when. Pure: it receives the current state, and returns
//! the rows to write and the messages to send. The [notifier](crate::notifier) reads and sends.
//!
//! A *target* is a destination of notifications ([`NotificationTarget`]); an *item* is a state or event that a person
//! may want to know ([`NotificationItem`]), with a permanent id. A target gets an item once: there is at most one row
//! per pair.

mod item;
mod message;
mod plan;
mod target;
mod timing;

#[cfg(test)]
mod tests;

pub use item::{BlockingRun, NotificationCard, NotificationItem, NotificationKind, NotifiedAssignment};
pub use message::{NotificationWording, message, nonce};
pub use plan::{
    NotificationBatch, NotificationPlan, NotificationPlanContext, NotificationSendOutcome, new_rows, plan,
    rows_after_attempt,
};
pub use target::{
    NotificationTarget, QuietHours, TargetFault, TargetPreferences, format_secret_reference,
    is_of_command_line, parse_secret_reference,
};
pub use timing::{next_try, quiet_until};
