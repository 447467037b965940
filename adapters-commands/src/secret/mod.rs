//! Secrets: where they are stored, what they are declared for, and personal secrets.

mod bearer_header;
mod declared_secret;
mod error_messages;
mod person_secret_files;
mod secret_place;

pub(crate) use bearer_header::bearer_header;
pub use declared_secret::{
    DeclaredSecret, DeclaredSecretFault, DeclaredSecrets, SecretKind, SecretUse, SecretUser,
};
pub(crate) use error_messages::secret_error_message;
pub use person_secret_files::PersonSecretFiles;
pub(crate) use secret_place::meanings;
pub use secret_place::{SecretPlace, SecretText};
