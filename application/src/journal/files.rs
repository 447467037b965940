//! The files that entries bring into their session.

use entracte_domain::call::CallOutcome;
use entracte_domain::file::FileReference;
use entracte_domain::message::UserMessage;
use entracte_domain::session::Input;

/// The files of a result, which go with it.
pub(crate) fn result_files(input: &Input) -> &[FileReference] {
    match input {
        Input::CallFinished { outcome: CallOutcome::Succeeded { files, .. }, .. } => files,
        _ => &[],
    }
}

/// The files that an input brings into its session, each with who brings it: the person who wrote the message, or the
/// call with the result.
pub(crate) fn brought_files(input: &Input) -> Vec<(&str, &FileReference)> {
    match input {
        Input::UserMessageSent(sent) => message_files(&sent.author, &sent.message).collect(),
        // A run begins with copies of the messages of its seed.
        Input::SessionCreated(creation) => {
            let messages = creation.run.iter().flat_map(|run| &run.messages);
            messages.flat_map(|(author, message)| message_files(author, message)).collect()
        }
        Input::CallFinished { call, .. } => {
            result_files(input).iter().map(|file| (call.as_str(), file)).collect()
        }
        // The other inputs bring none; those that repeat a result name files of the session.
        _ => Vec::new(),
    }
}

fn message_files<'a>(
    author: &'a str,
    message: &'a UserMessage,
) -> impl Iterator<Item = (&'a str, &'a FileReference)> {
    message.files().map(move |file| (author, file))
}
