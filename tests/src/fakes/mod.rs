//! Stand-ins for the outside: whole, simple implementations of ports.

pub mod memory_store;
