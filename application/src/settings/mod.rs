//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

mod bounds;
mod chunks;
mod importance;
mod keys;
mod live;
mod locale;
mod notify;
mod runtime;
mod workspace;

pub use bounds::Bounds;
pub use chunks::ChunkGrades;
pub use importance::Importance;
pub use keys::{SETTINGS, SettingFault, SettingKey};
pub use live::LiveBounds;
pub use locale::{Locale, WeekDay};
pub use notify::NotifySettings;
pub use runtime::RuntimeSettings;
pub use workspace::{LimitsProfile, WorkspaceSettings};

pub use crate::texts::Language;
