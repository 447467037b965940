//! Requests to the workspace.

mod automation;
mod instructions;
mod retention;
mod rules;
mod sessions;
mod settings;
mod triage;

pub(super) use self::automation::check_seed_is_free;
