//! Who is told what, and when. Pure: what stands comes in, and what is to be written or sent comes out. Who reads and
//! sends is the [notifier](crate::notifier).
//!
//! A *target* is where notifications go ([`NotificationTarget`]); an *item* is one thing that a person may want to know
//! ([`NotificationItem`]), with an id that names it for ever. A target is told an item once: their pair has at most one row.

mod item;
mod message;
mod plan;
mod target;
mod timing;

#[cfg(test)]
mod tests;

pub use item::{NotificationCard, NotificationItem, NotificationKind};
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
