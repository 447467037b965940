//! What an executor says of a call, in the port's words.

use entracte_application::system::sha256;
use entracte_domain::command::{CallOutcome, Failure};
use entracte_domain::id::Digest;

/// SHA-256 of a content, hex.
pub(crate) fn digest(content: &str) -> Digest {
    sha256(content.as_bytes())
}

/// It was done, and this is the answer.
pub(crate) fn succeeded(content: String) -> CallOutcome {
    CallOutcome::Succeeded { digest: digest(&content), content }
}

/// It was not done, and trying the same again changes nothing.
pub(crate) fn failure(code: &str, message: impl Into<String>) -> Failure {
    Failure { code: code.to_owned(), message: message.into(), path: None, retryable: false }
}

/// It was not done, and a later try may succeed.
pub(crate) fn retryable(code: &str, message: impl Into<String>) -> CallOutcome {
    CallOutcome::Failed(Failure { retryable: true, ..failure(code, message) })
}

/// A command that this executor does not have in that role.
pub(crate) fn unknown_command(name: &str, role: &str) -> Failure {
    failure("UNKNOWN_COMMAND", format!("“{name}” is no {role} of this executor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_sha_256_in_hex() {
        assert_eq!(
            digest("abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
