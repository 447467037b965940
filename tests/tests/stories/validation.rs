//! Validation end to end: reasons for approval, decisions and edits, standing approvals, settings; on the real
//! application with the workspace's own commands.

mod answers;
mod approvers;
mod card_fixture;
mod card_table;
mod cards;
mod decisions;
mod fixture;
mod four_eyes;
mod own_secrets;
mod plans;
mod policy;
mod queries;
mod rules;
mod session_replay;
mod settings;
mod shared_texts;
