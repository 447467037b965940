//! MCP servers as commands: real ones from npm over both transports, and a scripted one for rare behaviour.

#![cfg(unix)]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod bounds;
mod elicitation;
mod everything_server;
mod filesystem;
mod http_peer;
mod input;
mod lifecycle;
mod prompts;
mod protocol_versions;
mod remote_sessions;
mod resources;
mod result_files;
mod server_fixture;
mod tasks;
mod tool_pins;
mod world;
