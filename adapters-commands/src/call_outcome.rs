//! Outcomes of calls, as the port wants them.

use entracte_application::ports::CallRequest;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::id::Digest;

/// SHA-256 of a content, hex.
pub(crate) fn digest(content: &str) -> Digest {
    sha256(content.as_bytes())
}

/// The call was carried out, and this is its answer.
pub(crate) fn succeeded(content: String) -> CallOutcome {
    CallOutcome::Succeeded { digest: digest(&content), content }
}

/// The call was not carried out, and repeating it as it is would not help.
pub(crate) fn failure(code: &str, message: impl Into<String>) -> CallFailure {
    CallFailure { code: code.to_owned(), message: message.into(), path: None, retryable: false }
}

/// The call was not carried out, and a later attempt may succeed.
pub(crate) fn retryable(code: &str, message: impl Into<String>) -> CallOutcome {
    CallOutcome::Failed(CallFailure { retryable: true, ..failure(code, message) })
}

/// The texts of the language that the workspace of a call is spoken to in.
pub(crate) fn texts(request: &CallRequest) -> &'static LocalizedTexts {
    LocalizedTexts::for_language(request.locale.language)
}

/// A command that this executor does not have.
pub(crate) fn unknown_command(request: &CallRequest) -> CallFailure {
    let name = request.naming.format_name(&request.command.name);
    failure("UNKNOWN_COMMAND", say!(texts(request), "tools-unknown-command", name = name.as_ref()))
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
