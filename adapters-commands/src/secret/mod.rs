//! Values of a configuration that are secrets: where they are kept, and their removal from everything that comes
//! back from the other side.

mod encodings;
mod people;
mod place;
mod scrubber;
mod words;

pub use people::PersonSecretFiles;
pub(crate) use place::meanings;
pub use place::{SecretPlace, SecretText};
pub(crate) use scrubber::Scrubber;
pub(crate) use words::said;
