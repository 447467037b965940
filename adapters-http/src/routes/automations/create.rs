//! Creates an automation.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::commands::compose_message;
use entracte_application::use_cases::{AutomationParams, CreateAutomation, settings_or_first_of};
use entracte_domain::automation::AutomationPolicies;
use http::StatusCode;

use crate::authentication::{Chat, WorkspaceAccess};
use crate::extractors::JsonBody;
use crate::problem::Problem;
use crate::routes::automations::{automation, automation_details};
use crate::routes::path_params::WorkspacePath;
use crate::routes::sessions::restriction;
use crate::routes::sessions::send::references;
use crate::routes::{choose_model_voice, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::automation::{AutomationShape, tag};
use crate::shapes::automation_edit::NewAutomationShape;

/// Creates an automation.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/automations",
    operation_id = "create_automation",
    tag = "automations",
    params(WorkspacePath),
    request_body = NewAutomationShape,
    responses((status = 201, body = AutomationShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn create_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    JsonBody(new): JsonBody<NewAutomationShape>,
) -> Result<(StatusCode, Response), Problem> {
    let (ports, workspace) = (&state.ports, caller.workspace());
    let references = references(&state, &caller, &new.enrichments).await?;
    let zone = settings_or_first_of(&*ports.store, workspace, &state.terms.runtime).await?.locale().zone;
    let plan = AutomationParams {
        name: new.name,
        trigger: new.trigger.read(zone, ports.clock.now())?,
        policies: new.policies.read()?.apply_to(&AutomationPolicies::default()),
        enabled: new.enabled.unwrap_or(true),
        message: compose_message(&new.message, references),
        voice: choose_model_voice(&state, new.provider.as_deref(), new.model)?,
        require_validation: new.require_validation,
        restriction: restriction(new.commands.as_deref())?.unwrap_or_default(),
    };
    let create = CreateAutomation::new(caller.mail_sender(&state), ports.ids.clone());
    let id = create.run(workspace, caller.author(), plan).await?;
    let made = automation(&state, workspace, id.as_str()).await?;
    let tag = tag(&made);
    Ok((
        StatusCode::CREATED,
        response_with_etag(Some(tag), automation_details(&state, workspace, made).await?),
    ))
}
