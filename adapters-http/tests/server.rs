//! The server over a real listener with a real client, on both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

#[path = "server/callbacks.rs"]
mod callbacks;
#[path = "server/client_addresses.rs"]
mod client_addresses;
#[path = "server/compression.rs"]
mod compression;
#[path = "server/config_entries.rs"]
mod config_entries;
#[path = "server/console_resources.rs"]
mod console_resources;
#[path = "server/decisions.rs"]
mod decisions;
#[path = "server/documents.rs"]
mod documents;
#[path = "server/embedded.rs"]
mod embedded;
#[path = "server/every_protocol.rs"]
mod every_protocol;
#[path = "server/every_route.rs"]
mod every_route;
#[path = "server/fakes.rs"]
mod fakes;
#[path = "server/files.rs"]
mod files;
#[path = "server/four_eyes.rs"]
mod four_eyes;
#[path = "server/history.rs"]
mod history;
#[path = "server/idempotency.rs"]
mod idempotency;
#[path = "server/identities.rs"]
mod identities;
#[path = "server/inbox_triage.rs"]
mod inbox_triage;
#[path = "server/instructions.rs"]
mod instructions;
#[path = "server/limits.rs"]
mod limits;
#[path = "server/links.rs"]
mod links;
#[path = "server/login.rs"]
mod login;
#[path = "server/operations.rs"]
mod operations;
#[path = "server/own_data.rs"]
mod own_data;
#[path = "server/own_secrets.rs"]
mod own_secrets;
#[path = "server/pages.rs"]
mod pages;
#[path = "server/permissions.rs"]
mod permissions;
#[path = "server/provider_setup.rs"]
mod provider_setup;
#[path = "server/readers.rs"]
mod readers;
#[path = "server/references.rs"]
mod references;
#[path = "server/retention.rs"]
mod retention;
#[path = "server/server_fixture.rs"]
mod server_fixture;
#[path = "server/streams.rs"]
mod streams;
#[path = "server/targets.rs"]
mod targets;
#[path = "server/terminal_logins.rs"]
mod terminal_logins;
#[path = "server/web_sockets.rs"]
mod web_sockets;
