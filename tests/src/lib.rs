//! The test kit of Entracte: fakes, contract suites, and fixtures for end-to-end tests.
//!
//! Without the feature `services` it contains only the [`contracts`], for adapters of other projects.
#[cfg(feature = "services")]
pub mod aimock;
#[cfg(feature = "services")]
pub mod bench;
pub mod contracts;
#[cfg(feature = "services")]
pub mod crash;
#[cfg(feature = "services")]
pub mod fakes;
#[cfg(feature = "services")]
pub mod machine;
#[cfg(feature = "services")]
pub mod postgres;
#[cfg(feature = "services")]
pub mod postgres_proxy;
#[cfg(feature = "services")]
pub mod runtime_fixture;
#[cfg(feature = "services")]
pub mod simulate;
#[cfg(feature = "services")]
pub mod strict;
pub mod test_scale;
#[cfg(feature = "services")]
pub mod untrusted_parsers;
#[cfg(feature = "services")]
pub mod virtual_workspace;
