//! The contract suites of the kit, on every adapter of Entracte and on adapters that are broken on purpose.

mod executor;
mod memory;
mod mutants;
mod postgres;
mod provider;
mod sentences;
mod sqlite;
mod wire;
