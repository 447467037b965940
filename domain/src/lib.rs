//! The pure heart of Entracte.
#![forbid(unsafe_code)]

pub mod command;
pub mod id;
pub mod message;
pub mod question;
pub mod session;
pub mod time;
pub mod usage;
pub mod validation;
pub mod value;
