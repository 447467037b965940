//! Native tool calls on the real application, with a model behind a strict server of each wire dialect.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod calls;
mod cards;
mod fixture;
mod layers;
mod loops;
mod malformed;
mod names;
mod on_demand;
mod stop_reasons;
mod wire;
