//! Placeholder.
pub mod aimock;
pub mod contracts;
pub mod fakes;
pub mod machine;
