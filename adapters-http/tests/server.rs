//! The server over a real listener, asked by a real client, on both databases.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

#[path = "server/decisions.rs"]
mod decisions;
#[path = "server/every_route.rs"]
mod every_route;
#[path = "server/four_eyes.rs"]
mod four_eyes;
#[path = "server/limits.rs"]
mod limits;
#[path = "server/links.rs"]
mod links;
#[path = "server/login.rs"]
mod login;
#[path = "server/once.rs"]
mod once;
#[path = "server/own_secrets.rs"]
mod own_secrets;
#[path = "server/rooms.rs"]
mod rooms;
#[path = "server/scene.rs"]
mod scene;
#[path = "server/streams.rs"]
mod streams;
#[path = "server/targets.rs"]
mod targets;
