//! Routes of the files of conversations.

pub(crate) mod get;
pub(crate) mod store;

use entracte_application::use_cases::AttachFiles;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::message::UserMessage;

use crate::problem::Problem;
use crate::server_state::ServerState;

/// Attaches the files that a request names by their digests.
pub(in crate::routes) async fn attach_files(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: Option<&SessionId>,
    message: UserMessage,
    digests: &[String],
) -> Result<UserMessage, Problem> {
    let digests: Vec<Digest> = digests.iter().map(|digest| Digest::new(digest.as_str())).collect();
    let attach = AttachFiles::new(state.ports.files.clone());
    Ok(attach.run(workspace, session, message, &digests, &state.terms.runtime).await?)
}
