//! Sends a message.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::calendar::Calendar;
use entracte_application::commands::compose_message;
use entracte_application::json_value::ExactJson;
use entracte_application::texts::{say, saying};
use entracte_application::use_cases::{CheckEnrichments, SendMessage, settings_of};
use entracte_domain::message::Enrichment;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess, WorkspacePrincipal};
use crate::embedding_origin::outside_session_problem;
use crate::extractors::{JsonResponse, MessageFilesBody, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::files::{attach_files, message_files};
use crate::routes::path_params::SessionPath;
use crate::server_state::ServerState;
use crate::shapes::message::NewMessage;
use crate::shapes::session::AcceptedShape;

/// Sends a message.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/sessions/{s}/messages",
    operation_id = "send_message",
    tag = "sessions",
    params(SessionPath),
    request_body = NewMessage,
    responses((status = 202, body = AcceptedShape)),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn send_message(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<SessionPath>,
    MessageFilesBody(new, _place): MessageFilesBody<NewMessage>,
) -> Result<(StatusCode, JsonResponse<AcceptedShape>), Problem> {
    // An embedded visitor may only chat; the model chooses which data to read for them, within its commands. A digest that
    // they name would tell them whether the workspace has that file; what they bring themselves tells nothing.
    let names_data = !new.enrichments.is_empty() || !new.files.is_empty();
    if caller.principal().token().embedded.is_some() && names_data {
        return Err(outside_session_problem());
    }
    let send = SendMessage::new(caller.mail_sender(&state));
    let references = references(&state, &caller, &new.enrichments).await?;
    let message = compose_message(&new.text, references);
    let session = path.session();
    let files = message_files(&state, &caller, &new).await?;
    let message = attach_files(&state, caller.workspace(), Some(&session), message, &files).await?;
    let sent = send.run(caller.workspace(), &session, caller.author(), message, new.client_key).await?;
    Ok((StatusCode::ACCEPTED, JsonResponse(sent.into())))
}

/// Parses the references of a message: valid in the schema and in this workspace. Faults are in the language of the caller.
pub(in crate::routes) async fn references(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    given: &[ExactJson],
) -> Result<Vec<Enrichment>, Problem> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let workspace = caller.workspace();
    let settings = settings_of(&*state.ports.store, workspace).await?;
    let texts = settings.texts_for(caller.reader());
    let calendar = Calendar::from_locale(&settings.locale());
    let catalog = state.ports.catalog.get();
    let Some(model) = catalog.resource_model() else {
        return Err(Problem::new(ProblemCode::Invalid, say!(texts, "enrichment-none")));
    };
    let mut read = Vec::new();
    for (number, written) in given.iter().enumerate() {
        let enrichment = model.read_enrichment(&written.0, &calendar, texts).map_err(|faults| {
            let text = saying!("refusal-enrichment", number = number);
            let mut problem = Problem::new(ProblemCode::Invalid, text);
            for fault in faults {
                problem = problem.with_field(&format!("/enrichments/{number}{}", fault.path), fault.text);
            }
            problem
        })?;
        read.push(enrichment);
    }
    CheckEnrichments::new(state.ports.rows.clone(), catalog).run(workspace, &read, texts).await?;
    Ok(read)
}
