//! Every use case against mocked ports: this is how a team that embeds the crate tests, too.

mod access;
mod ask;
mod automation;
mod decide;
mod find;
mod follow;
mod inbox;
mod read_queue;
mod read_session;
mod run_command;
mod start_chat;
mod verify;
