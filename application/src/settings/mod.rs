//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

/// Settings, each with its default.
macro_rules! settings {
    (
        $(#[$meta:meta])*
        pub struct $name:ident { $($(#[$own:meta])* pub $field:ident: $type:ty = $default:expr,)* }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$own])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }
    };
}

mod bounds;
mod chunks;
mod fallbacks;
mod importance;
mod keys;
mod knowledge;
mod live;
mod locale;
mod notify;
mod plans;
mod reader;
mod runtime;
mod user_context;
mod workspace;

pub use bounds::Bounds;
pub use chunks::ChunkGrades;
pub use fallbacks::Fallbacks;
pub use importance::Importance;
pub use keys::{SETTINGS, SettingFault, SettingKey};
pub use knowledge::{ChunkSizes, KnowledgeSettings};
pub use live::LiveBounds;
pub use locale::{Locale, WeekDay};
pub use notify::NotifySettings;
pub use plans::PlanBounds;
pub use reader::ReaderSettings;
pub use runtime::RuntimeSettings;
pub use user_context::{ContextFault, UserContext};
pub use workspace::{LimitsProfile, SessionMode, WorkspaceSettings};

pub use crate::texts::Language;
