//! The kit of Entracte: fakes, contract suites, and a stage for end-to-end tests.
pub mod aimock;
pub mod contracts;
pub mod crash;
pub mod fakes;
pub mod machine;
pub mod stage;
