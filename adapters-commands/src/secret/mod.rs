//! Values of a configuration that are secrets: where they are kept, and their removal from everything that comes
//! back.

mod place;
mod scrubber;

pub use place::{SecretPlace, SecretText};
pub(crate) use scrubber::Scrubber;
