//! Stand-ins for the outside: whole, simple implementations of ports.

pub mod dry_stages;
pub mod flaky_store;
pub mod held_model;
pub mod memory_access;
pub mod memory_store;
pub mod outside;
pub mod outside_reader;
pub mod strict_model;
