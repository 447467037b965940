//! Agent trees, driven by the pure functions alone: transitions, spawns, reports, placement.

mod agent_tree_fixture;
mod exploration;
mod missions;
mod rights_escalation;
mod slots;
mod stop_propagation;
mod tasks;
mod usage;
