//! The kit of Entracte: fakes, contract suites, and a stage for end-to-end tests.
//!
//! Without the feature `house` there are the [`contracts`] alone, for adapters of other people.
#[cfg(feature = "house")]
pub mod aimock;
#[cfg(feature = "house")]
pub mod bench;
pub mod contracts;
#[cfg(feature = "house")]
pub mod crash;
#[cfg(feature = "house")]
pub mod fakes;
#[cfg(feature = "house")]
pub mod machine;
#[cfg(feature = "house")]
pub mod postgres;
#[cfg(feature = "house")]
pub mod proxy;
#[cfg(feature = "house")]
pub mod simulate;
#[cfg(feature = "house")]
pub mod stage;
#[cfg(feature = "house")]
pub mod strict;
#[cfg(feature = "house")]
pub mod world;
