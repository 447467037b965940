//! Every use case against mocked ports, which is also how a team that embeds the crate tests.

mod ask;
mod automation;
mod decide_approvals;
mod files;
mod find_by_prefix;
mod follow_turn;
mod inbox;
mod pages;
mod read_queue;
mod read_session;
mod run_command;
mod start_chat;
mod tokens;
mod verify_session;
