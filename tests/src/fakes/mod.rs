//! Fakes of external systems: complete, simple implementations of ports.

#[cfg(feature = "services")]
pub mod dry_run_factory;
#[cfg(feature = "services")]
pub mod flaky_store;
#[cfg(feature = "services")]
pub mod gated_model;
pub mod memory_access_store;
pub mod memory_store;
#[cfg(feature = "services")]
pub mod notification_sender;
#[cfg(feature = "services")]
pub mod policy_hook;
#[cfg(feature = "services")]
pub mod recording_executor;
#[cfg(feature = "services")]
pub mod strict_model;
