//! Validation end to end: why approval is asked, decisions and edits, Standing approval, settings; on the real application
//! with the workspace's own commands.

#[path = "validation/card_scene.rs"]
mod card_scene;
#[path = "validation/card_table.rs"]
mod card_table;
#[path = "validation/cards.rs"]
mod cards;
#[path = "validation/decisions.rs"]
mod decisions;
#[path = "validation/four_eyes.rs"]
mod four_eyes;
#[path = "validation/own_secrets.rs"]
mod own_secrets;
#[path = "validation/place.rs"]
mod place;
#[path = "validation/plans.rs"]
mod plans;
#[path = "validation/recorded.rs"]
mod recorded;
#[path = "validation/rules.rs"]
mod rules;
#[path = "validation/settings.rs"]
mod settings;
#[path = "validation/shared_texts.rs"]
mod shared_texts;
