//! Fakes of external systems: complete, simple implementations of ports.

pub mod dry_run_factory;
pub mod flaky_store;
pub mod gated_model;
pub mod memory_access_store;
pub mod memory_store;
pub mod notification_sender;
pub mod recording_executor;
pub mod strict_model;
