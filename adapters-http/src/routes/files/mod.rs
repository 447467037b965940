//! Routes of the files of conversations.

pub(crate) mod get;
pub(crate) mod store;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use entracte_application::files::shown_name;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_application::use_cases::{AttachFiles, FileUpload, MessageFile, StoreFile};
use entracte_domain::file::FileReference;
use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;

use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::message::NewMessage;

/// Stores a file that the caller brings.
pub(in crate::routes) async fn store_bytes(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    name: String,
    bytes: Vec<u8>,
) -> Result<FileReference, Problem> {
    let ports = &state.ports;
    let store = StoreFile::new(ports.files.clone(), ports.clock.clone(), ports.images.clone());
    let upload = FileUpload { name, bytes, author: caller.author() };
    let mut limits = state.terms.runtime.files;
    if caller.principal().token().embedded.is_some() {
        // What visitors send in vain, in messages that are refused, leaves room for the files of people.
        limits.unnamed_bytes /= 2;
    }
    Ok(store.run(caller.workspace(), upload, &limits).await?)
}

/// Refuses a message with so many files, before any is stored for it.
pub(in crate::routes) fn check_file_count(state: &ServerState, count: usize) -> Result<(), Problem> {
    let most = state.terms.runtime.files.per_message;
    if count > most {
        let text = saying!("file-many", count = count, most = most);
        return Err(Problem::new(ProblemCode::Invalid, text));
    }
    Ok(())
}

/// The files of a message, after those that it brings itself are stored.
pub(in crate::routes) async fn message_files(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    new: &NewMessage,
) -> Result<Vec<MessageFile>, Problem> {
    check_file_count(state, new.files.len() + new.uploads.len())?;
    let mut files: Vec<MessageFile> = new.files.iter().map(|digest| MessageFile::stored(digest)).collect();
    for (number, upload) in new.uploads.iter().enumerate() {
        let bytes = BASE64.decode(&upload.data).map_err(|_| {
            let says = saying!("refusal-part-base64", name = shown_name(&one_line(&upload.name)));
            Problem::invalid_field(&format!("/uploads/{number}/data"), says)
        })?;
        files.push(store_bytes(state, caller, upload.name.clone(), bytes).await?.into());
    }
    Ok(files)
}

/// Attaches the files of a request.
pub(in crate::routes) async fn attach_files(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: Option<&SessionId>,
    message: UserMessage,
    files: &[MessageFile],
) -> Result<UserMessage, Problem> {
    let attach = AttachFiles::new(state.ports.files.clone());
    Ok(attach.run(workspace, session, message, files, &state.terms.runtime).await?)
}
