//! Settings of a workspace and of the process that serves it. Each has a default; the names are those of the
//! configuration file.

/// Declares a struct of settings, each with its default.
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

mod approvals;
mod chunk_importance;
mod chunk_importances;
mod document_reader;
mod fallbacks;
mod files;
mod inbox;
mod knowledge;
mod live_text_bounds;
mod locale;
mod notifications;
mod ocr;
mod plan_bounds;
mod policy_hook;
mod retention;
mod runtime;
mod schema_bounds;
mod setting_keys;
mod spending;
mod user_context;
mod workspace;

pub use approvals::ApprovalSettings;
pub use chunk_importance::ChunkImportance;
pub use chunk_importances::ChunkImportances;
pub use document_reader::{ReaderSettings, WebPageScope};
pub use fallbacks::FallbackModels;
pub use files::FileSettings;
pub use inbox::InboxSettings;
pub use knowledge::{ChunkSizeBounds, KnowledgeSettings};
pub use live_text_bounds::LiveTextBounds;
pub use locale::{WeekDay, WorkspaceLocale};
pub use notifications::NotifySettings;
pub use ocr::OcrSettings;
pub use plan_bounds::PlanBounds;
pub use policy_hook::PolicyHookSettings;
pub use retention::{
    RetentionLimit, RetentionOverrides, RetentionPolicy, RetentionSettings, RetentionSubject,
};
pub use runtime::RuntimeSettings;
pub use schema_bounds::SchemaBounds;
pub use setting_keys::{SETTINGS, SettingFault, SettingKey};
pub use spending::SpendingSettings;
pub use user_context::{UserContext, UserContextFault};
pub use workspace::{LimitsProfile, SessionMode, WorkspaceSettings};

pub use crate::texts::Language;
