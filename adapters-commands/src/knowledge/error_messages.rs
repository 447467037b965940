//! Renders knowledge errors for the model.

use entracte_application::ports::CallRequest;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::KnowledgeError;

use super::specs;

/// The error and its remedy, in the language of the call.
pub(super) fn knowledge_error_message(
    error: &KnowledgeError,
    request: &CallRequest,
    texts: &LocalizedTexts,
) -> String {
    let called = |word: &str, name: &str| request.naming.format_call(word, name);
    match error {
        KnowledgeError::Unknown(name) => {
            let list = called("DOCUMENTS", specs::GET);
            say!(texts, "knowledge-no-document", name = name, list = list)
        }
        KnowledgeError::NotStructured(name) => {
            let read = called("READ_KNOWLEDGE", specs::READ);
            say!(texts, "knowledge-not-structured", name = name, read = read)
        }
        KnowledgeError::Path(_)
        | KnowledgeError::Name { .. }
        | KnowledgeError::TooLarge { .. }
        | KnowledgeError::Empty
        | KnowledgeError::Full { .. }
        | KnowledgeError::Convert(_)
        | KnowledgeError::Stopped(_)
        | KnowledgeError::Store(_) => error.message().render(texts),
    }
}
