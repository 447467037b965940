//! Validation end to end: why leave is asked, decisions and edits, leave in advance, settings; on the real application
//! with the workspace's own commands.

#[path = "validation/decisions.rs"]
mod decisions;
#[path = "validation/place.rs"]
mod place;
#[path = "validation/rules.rs"]
mod rules;
#[path = "validation/settings.rs"]
mod settings;
