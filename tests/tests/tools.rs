//! Native tool calls on the real application, with a model behind a strict server of each wire dialect.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

#[path = "tools/calls.rs"]
mod calls;
#[path = "tools/cards.rs"]
mod cards;
#[path = "tools/layers.rs"]
mod layers;
#[path = "tools/loops.rs"]
mod loops;
#[path = "tools/malformed.rs"]
mod malformed;
#[path = "tools/names.rs"]
mod names;
#[path = "tools/scene.rs"]
mod scene;
#[path = "tools/wire.rs"]
mod wire;
