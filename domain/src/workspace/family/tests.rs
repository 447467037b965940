//! Whole families, played with the pure functions alone: transitions, births, reports, placement.

mod exploration;
mod laundering;
mod missions;
mod slots;
mod stops;
mod tasks;
mod usage;
mod world;
