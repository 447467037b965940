use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use super::UseCaseError;
use crate::ports::{PersonSecretError, PersonSecretStore, SECRET_LEAST_CHARS, SecretOwner};
use crate::terminal_text::one_line;
use crate::texts::saying;

/// The maximum length of a secret's name, in characters.
const NAME_MAX: usize = 64;
/// The maximum length of a secret, in bytes; longer values do not fit in headers.
const SECRET_BYTES_MAX: usize = 4096;
/// The maximum number of secrets of a person in a workspace.
const SECRETS_MAX: usize = 50;

use_case! {
    /// Manages the secrets of a person: store, list by name, delete. A stored secret is never shown again.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// let mut kept = MockPersonSecretStore::new();
    /// kept.expect_names().returning(|_| Ok(vec![]));
    /// kept.expect_store_secret().returning(|_, _, _| Ok(()));
    /// let own = ManagePersonSecrets::new(Arc::new(kept));
    /// let ann = SecretOwner { workspace: samples::workspace(), person: "ann".into() };
    /// own.keep(&ann, "github", "ghp_1234".into())?;
    /// assert!(own.keep(&ann, "git hub", "ghp_1234".into()).is_err());
    /// # Ok::<(), UseCaseError>(())
    /// ```
    pub struct ManagePersonSecrets over (kept: dyn PersonSecretStore)
}

impl ManagePersonSecrets {
    /// The names of a person's secrets.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn names(&self, holder: &SecretOwner) -> Result<Vec<String>, UseCaseError> {
        self.kept.names(holder).map_err(unusable)
    }

    /// Stores a secret, replacing the one of that name; returns whether it is new.
    ///
    /// # Errors
    /// When name or secret is invalid, there are too many, or it cannot be written.
    pub fn keep(&self, holder: &SecretOwner, name: &str, secret: SecretString) -> Result<bool, UseCaseError> {
        check(name, &secret)?;
        let names = self.names(holder)?;
        let is_new = !names.iter().any(|known| known == name);
        if is_new && names.len() >= SECRETS_MAX {
            let full = saying!("secret-full", person = &holder.person, most = SECRETS_MAX);
            return Err(UseCaseError::Conflict(full.into()));
        }
        let secret = SecretString::from(secret.expose_secret().trim());
        self.kept.store_secret(holder, name, &secret).map_err(unusable)?;
        Ok(is_new)
    }

    /// Deletes a secret.
    ///
    /// # Errors
    /// When there is none of that name, or it cannot be deleted.
    pub fn forget(&self, holder: &SecretOwner, name: &str) -> Result<(), UseCaseError> {
        if self.kept.delete_secret(holder, name).map_err(unusable)? {
            return Ok(());
        }
        let none = saying!("request-no-secret", person = &holder.person, name = one_line(name));
        Err(UseCaseError::NotFound(none.into()))
    }
}

/// Checks that the secret can be sent in a header, and its name be used in a configuration.
fn check(name: &str, secret: &SecretString) -> Result<(), UseCaseError> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(is_letter) {
        let wrong = saying!("secret-name", given = one_line(name), most = NAME_MAX);
        return Err(UseCaseError::Invalid(wrong.into()));
    }
    let secret = secret.expose_secret().trim();
    if secret.is_empty() || secret.len() > SECRET_BYTES_MAX || secret.chars().any(char::is_control) {
        return Err(UseCaseError::Invalid(saying!("secret-value", most = SECRET_BYTES_MAX).into()));
    }
    if secret.chars().count() < SECRET_LEAST_CHARS {
        let short = saying!("secret-short", name = name, least = SECRET_LEAST_CHARS);
        return Err(UseCaseError::Invalid(short.into()));
    }
    Ok(())
}

fn unusable(error: PersonSecretError) -> UseCaseError {
    UseCaseError::NotApplicable(error.saying().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::MockPersonSecretStore;
    use crate::samples;

    fn own(count: usize) -> ManagePersonSecrets {
        let mut kept = MockPersonSecretStore::new();
        kept.expect_names().returning(move |_| Ok((0..count).map(|number| format!("s{number}")).collect()));
        kept.expect_store_secret().returning(|_, _, secret| {
            assert_eq!(secret.expose_secret(), "ghp_1234", "without the line end");
            Ok(())
        });
        kept.expect_delete_secret().returning(|_, _| Ok(false));
        ManagePersonSecrets::new(Arc::new(kept))
    }

    fn ann() -> SecretOwner {
        SecretOwner { workspace: samples::workspace(), person: "ann".into() }
    }

    #[test]
    fn unstorable_secret_is_refused_and_never_repeated() {
        for name in ["", "git hub", "a/b", "é", &"a".repeat(NAME_MAX + 1)] {
            assert!(
                matches!(own(0).keep(&ann(), name, "ghp_1234".into()), Err(UseCaseError::Invalid(_))),
                "{name}"
            );
        }
        for secret in ["", " \n", "ghp\n1", "ghp\u{7}", &"a".repeat(SECRET_BYTES_MAX + 1)] {
            let refused = own(0).keep(&ann(), "github", secret.into()).unwrap_err().to_string();
            assert!(refused.starts_with("the secret must be one line"), "{refused}");
        }
        let refused = own(0).keep(&ann(), "github", "ghp_123".into()).unwrap_err().to_string();
        assert!(refused.contains("“github” has fewer than 8 characters"), "{refused}");
        assert!(!refused.contains("ghp_123"), "{refused}");
    }

    #[test]
    fn person_has_maximum_secrets_and_replaces_each() {
        assert!(own(0).keep(&ann(), "github", "ghp_1234\n".into()).unwrap());
        assert!(!own(SECRETS_MAX).keep(&ann(), "s1", "ghp_1234".into()).unwrap());
        assert!(matches!(
            own(SECRETS_MAX).keep(&ann(), "more", "ghp_1234".into()),
            Err(UseCaseError::Conflict(_))
        ));
        assert!(matches!(own(1).forget(&ann(), "none"), Err(UseCaseError::NotFound(_))));
    }
}
