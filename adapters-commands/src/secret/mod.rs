//! Values of a configuration that are secrets: where they are kept.

mod declared;
mod people;
mod place;
mod words;

pub use declared::{DeclaredSecret, DeclaredSecretFault, DeclaredSecrets, SecretKind, SecretUse, SecretUser};
pub use people::PersonSecretFiles;
pub(crate) use place::meanings;
pub use place::{SecretPlace, SecretText};
pub(crate) use words::secret_error_message;
