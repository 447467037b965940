//! Finds the full id that a shortened one names.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::use_cases::{
    FindAutomation, FindByIdPrefix, ReadApprovalRules, ReadNotificationTargets, ReadTasks,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::authentication::{Read, WorkspaceAccess};
use crate::extractors::{JsonResponse, JsonResult, QueryParams};
use crate::routes::model_calls::rebuild;
use crate::routes::path_params::WorkspacePath;
use crate::server_state::ServerState;
use crate::shapes::found_id::FoundIdShape;

/// The full id of which this is the beginning, where only one begins so. Other routes take full ids only.
#[utoipa::path(
    get,
    path = "/v1/workspaces/{w}/ids",
    operation_id = "find_id",
    tag = "workspaces",
    params(WorkspacePath, FindQuery),
    responses((status = 200, body = FoundIdShape)),
    extensions(("x-scope" = json!("read")))
)]
pub(crate) async fn find_id(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Read>,
    QueryParams(query): QueryParams<FindQuery>,
) -> JsonResult<FoundIdShape> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let found = match query.kind {
        IdKind::Session => {
            let find = FindByIdPrefix::new(ports.log.clone());
            FoundIdShape::new(find.find_session(workspace, &query.begins).await?)
        }
        IdKind::Call => {
            let find = FindByIdPrefix::new(ports.log.clone());
            let (session, call) = find.find_call(workspace, &query.begins).await?;
            FoundIdShape::new(call).in_session(session)
        }
        IdKind::Rule => {
            let read = ReadApprovalRules::new(ports.store.clone(), ports.log.clone(), ports.clock.clone());
            FoundIdShape::new(read.one(workspace, &query.begins).await?.id)
        }
        IdKind::Task => {
            let (task, _) = ReadTasks::new(ports.tasks.clone()).one(workspace, &query.begins).await?;
            FoundIdShape::new(task.id)
        }
        IdKind::Automation => {
            let find = FindAutomation::new(ports.store.clone(), ports.automations.clone());
            FoundIdShape::new(find.run(workspace, &query.begins).await?.id)
        }
        IdKind::Target => {
            let read = ReadNotificationTargets::new(ports.outbox.clone(), ports.store.clone());
            FoundIdShape::new(read.one(workspace, &query.begins).await?.target.id)
        }
        IdKind::ModelCall => {
            let call = rebuild(&state).find(workspace, &query.begins).await?;
            FoundIdShape::new(call.id).in_session(call.session)
        }
    };
    Ok(JsonResponse(found))
}

/// What an id names.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IdKind {
    /// A session.
    Session,
    /// A call; the id of its approval names it too.
    Call,
    /// A standing approval or refusal.
    Rule,
    /// A long task.
    Task,
    /// An automation; its name names it too.
    Automation,
    /// A notification target; its name names it too.
    Target,
    /// A model call.
    ModelCall,
}

/// Which id.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FindQuery {
    /// What it names.
    // A parameter adds no component to the document.
    #[param(inline)]
    kind: IdKind,
    /// The id, or its beginning; the letters before the first `_` may be left out.
    begins: String,
}
