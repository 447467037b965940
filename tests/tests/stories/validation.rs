//! Validation end to end: why approval is asked, decisions and edits, Standing approval, settings; on the real application
//! with the workspace's own commands.

mod card_scene;
mod card_table;
mod cards;
mod decisions;
mod four_eyes;
mod own_secrets;
mod place;
mod plans;
mod recorded;
mod rules;
mod settings;
mod shared_texts;
