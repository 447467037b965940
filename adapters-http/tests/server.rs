//! The server over a real listener, asked by a real client, on both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

#[path = "server/addresses.rs"]
mod addresses;
#[path = "server/callbacks.rs"]
mod callbacks;
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
#[path = "server/four_eyes.rs"]
mod four_eyes;
#[path = "server/identities.rs"]
mod identities;
#[path = "server/instructions.rs"]
mod instructions;
#[path = "server/limits.rs"]
mod limits;
#[path = "server/links.rs"]
mod links;
#[path = "server/login.rs"]
mod login;
#[path = "server/once.rs"]
mod once;
#[path = "server/operating.rs"]
mod operating;
#[path = "server/own_data.rs"]
mod own_data;
#[path = "server/own_secrets.rs"]
mod own_secrets;
#[path = "server/past.rs"]
mod past;
#[path = "server/permissions.rs"]
mod permissions;
#[path = "server/references.rs"]
mod references;
#[path = "server/rooms.rs"]
mod rooms;
#[path = "server/scene.rs"]
mod scene;
#[path = "server/stand_ins.rs"]
mod stand_ins;
#[path = "server/streams.rs"]
mod streams;
#[path = "server/targets.rs"]
mod targets;
