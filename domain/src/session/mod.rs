//! Sessions.
pub mod failure;
