//! What an executor says of a call, in the port's words.

use std::fmt::Write as _;

use entracte_domain::command::{CallOutcome, Failure};
use entracte_domain::id::Digest;
use sha2::{Digest as _, Sha256};

/// SHA-256 of a content, hex.
pub(crate) fn digest(content: &str) -> Digest {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(content.as_bytes()) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    Digest::new(hex)
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
