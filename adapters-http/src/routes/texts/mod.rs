//! Routes of a workspace's shared texts. Changes run like every other action, and a publication needs an approval.

pub(crate) mod delete;
pub(crate) mod discard;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod propose;
pub(crate) mod publish;

use axum::response::{IntoResponse, Response};
use entracte_application::ports::ResourceRow;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::value::JsonValue;
use http::StatusCode;

use crate::authentication::WorkspacePrincipal;
use crate::extractors::JsonResponse;
use crate::problem::{Problem, ProblemCode};
use crate::routes::manual_command::{run_manual_action, status};
use crate::routes::path_params::ProposalPath;
use crate::server_state::ServerState;

/// Row kind of shared texts.
const TEXT: &str = "shared_text";
/// Row kind of proposals.
const PROPOSAL: &str = "shared_text_proposal";

/// Reads one row of a kind.
async fn row(
    state: &ServerState,
    workspace: &WorkspaceKey,
    kind: &str,
    id: &str,
) -> Result<ResourceRow, Problem> {
    let found = state.ports.rows.resource(workspace, kind, id).await?;
    found.ok_or_else(|| {
        Problem::new(ProblemCode::NotFound, saying!("refusal-nothing-called", id = one_line(id)))
    })
}

/// Runs an action on a proposal.
async fn with_proposal(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    path: &ProposalPath,
    command: &str,
) -> Result<Response, Problem> {
    let proposal = row(state, caller.workspace(), PROPOSAL, &path.prp).await?;
    if proposal.parent.as_deref() != Some(path.text.as_str()) {
        let text = saying!("refusal-other-text", proposal = &proposal.id);
        return Err(Problem::new(ProblemCode::NotFound, text));
    }
    let arguments = JsonValue::from([("proposal_id", JsonValue::from(proposal.id))]);
    run_text_action(state, caller, command, arguments, StatusCode::OK).await
}

/// Runs a local action; returns this status once it is done.
async fn run_text_action(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    command: &str,
    arguments: JsonValue,
    as_done: StatusCode,
) -> Result<Response, Problem> {
    let shape = run_manual_action(state, caller, command, arguments).await?;
    Ok((status(&shape, as_done), JsonResponse(shape)).into_response())
}
