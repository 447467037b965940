//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

mod bounds;
mod keys;
mod locale;
mod rule_book;
mod runtime;
mod workspace;

pub use bounds::Bounds;
pub use keys::{SETTINGS, SettingFault, SettingKey};
pub use locale::{Language, Locale, WeekDay};
pub use rule_book::RuleBook;
pub use runtime::RuntimeSettings;
pub use workspace::{LimitsProfile, WorkspaceSettings};
