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

pub use bounds::SchemaBounds;
pub use chunks::ChunkImportances;
pub use fallbacks::FallbackModels;
pub use importance::ChunkImportance;
pub use keys::{SETTINGS, SettingFault, SettingKey};
pub use knowledge::{ChunkSizeBounds, KnowledgeSettings};
pub use live::LiveTextBounds;
pub use locale::{WeekDay, WorkspaceLocale};
pub use notify::NotifySettings;
pub use plans::PlanBounds;
pub use reader::ReaderSettings;
pub use runtime::RuntimeSettings;
pub use user_context::{UserContext, UserContextFault};
pub use workspace::{LimitsProfile, SessionMode, WorkspaceSettings};

pub use crate::texts::Language;
