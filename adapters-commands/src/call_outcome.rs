//! Constructors of call outcomes, as the executor port defines them.

use entracte_application::ports::CallRequest;
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use entracte_domain::file::{FileReference, append_file_lines};
use entracte_domain::id::Digest;

/// SHA-256 of `content`, as hex.
pub(crate) fn digest(content: &str) -> Digest {
    sha256(content.as_bytes())
}

/// A call that was carried out, with its answer.
pub(crate) fn succeeded(content: String) -> CallOutcome {
    succeeded_with_files(content, Vec::new())
}

/// A call that was carried out, with its answer and the files that follow it.
pub(crate) fn succeeded_with_files(mut content: String, files: Vec<FileReference>) -> CallOutcome {
    let length = content.len();
    append_file_lines(&mut content, &files);
    let digest = digest(&content);
    content.truncate(length);
    CallOutcome::Succeeded { digest, content, files }
}

/// A call that was not carried out; repeating it unchanged would not help.
pub(crate) fn failure(code: &str, message: impl Into<String>) -> CallFailure {
    CallFailure { code: code.to_owned(), message: message.into(), path: None, retryable: false }
}

/// A call that was not carried out; a later attempt may succeed.
pub(crate) fn retryable(code: &str, message: impl Into<String>) -> CallOutcome {
    CallOutcome::Failed(CallFailure { retryable: true, ..failure(code, message) })
}

/// The texts in the language of the call's workspace.
pub(crate) fn texts(request: &CallRequest) -> &'static LocalizedTexts {
    LocalizedTexts::for_language(request.locale.language)
}

/// The failure of a command that this executor does not have.
pub(crate) fn unknown_command(request: &CallRequest) -> CallFailure {
    let name = request.naming.format_name(&request.command.name);
    failure("UNKNOWN_COMMAND", say!(texts(request), "tools-unknown-command", name = name.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_is_sha_256_in_hex() {
        assert_eq!(
            digest("abc").as_str(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
