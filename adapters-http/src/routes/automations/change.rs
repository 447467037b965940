//! Changes an automation: its trigger, its policies, and the message its runs begin with.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use entracte_application::commands::compose_message;
use entracte_application::json_value::ExactJson;
use entracte_application::texts::saying;
use entracte_application::use_cases::{AutomationUpdate, EditAutomation, SeedUpdate, settings_or_first_of};
use entracte_domain::message::UserMessage;
use http::HeaderMap;

use crate::authentication::{Chat, WorkspaceAccess, WorkspacePrincipal};
use crate::etag::read_if_match;
use crate::extractors::{JsonBody, PathParams};
use crate::problem::{Problem, ProblemCode};
use crate::routes::automations::{automation, automation_details};
use crate::routes::path_params::AutomationPath;
use crate::routes::sessions::send::references;
use crate::routes::sessions::{parse_dialect, restriction};
use crate::routes::{choose_model_voice, require_unchanged, response_with_etag};
use crate::server_state::ServerState;
use crate::shapes::automation::{AutomationShape, tag};
use crate::shapes::automation_edit::AutomationEditShape;

/// Changes an automation: when it runs, how, and what its runs begin with.
#[utoipa::path(
    patch,
    path = "/v1/workspaces/{w}/automations/{a}",
    operation_id = "change_automation",
    tag = "automations",
    params(AutomationPath, ("If-Match" = String, Header)),
    request_body = AutomationEditShape,
    responses((status = 200, body = AutomationShape, headers(("ETag" = String)))),
    extensions(("x-scope" = json!("chat")))
)]
pub(crate) async fn change_automation(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Chat>,
    PathParams(path): PathParams<AutomationPath>,
    headers: HeaderMap,
    JsonBody(edit): JsonBody<AutomationEditShape>,
) -> Result<Response, Problem> {
    let read = read_if_match(&headers)?;
    let (ports, workspace) = (&state.ports, caller.workspace());
    let found = automation(&state, workspace, &path.a).await?;
    require_unchanged(
        &read,
        Some(tag(&found)),
        &automation_details(&state, workspace, found.clone()).await?,
    )?;
    let use_case = EditAutomation::new(
        caller.mail_sender(&state),
        ports.ids.clone(),
        ports.store.clone(),
        ports.log.clone(),
    );
    let edit = read_edit(&state, &caller, edit).await?;
    if edit == AutomationUpdate::default() {
        return Err(Problem::new(ProblemCode::Invalid, saying!("refusal-nothing-changed")));
    }
    use_case.run(workspace, caller.author(), &found, edit).await?;
    let now = automation(&state, workspace, &path.a).await?;
    let tag = tag(&now);
    Ok(response_with_etag(Some(tag), automation_details(&state, workspace, now).await?))
}

async fn read_edit(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    edit: AutomationEditShape,
) -> Result<AutomationUpdate, Problem> {
    let settings =
        settings_or_first_of(&*state.ports.store, caller.workspace(), &state.terms.runtime).await?;
    let zone = settings.zone;
    let now = state.ports.clock.now();
    let message = read_message(state, caller, edit.message, &edit.enrichments).await?;
    let mut seed = SeedUpdate {
        message,
        provider: edit.provider.clone(),
        model: edit.model.clone(),
        dialect: parse_dialect(edit.dialect.as_deref())?,
        require_validation: edit.require_validation,
        restriction: restriction(edit.commands.as_deref())?,
    };
    // Another provider uses its own model and dialect, unless the edit sets them.
    if edit.provider.is_some() {
        let voice = choose_model_voice(state, edit.provider.as_deref(), edit.model)?;
        (seed.model, seed.dialect) = (Some(voice.model), seed.dialect.or(Some(voice.dialect)));
    }
    Ok(AutomationUpdate {
        name: edit.name,
        trigger: edit.trigger.map(|trigger| trigger.read(zone, now)).transpose()?,
        policies: edit.policies.read()?,
        enabled: edit.enabled,
        seed,
    })
}

/// The message with its references; `None` if the request has none.
async fn read_message(
    state: &ServerState,
    caller: &WorkspacePrincipal,
    text: Option<String>,
    enrichments: &[ExactJson],
) -> Result<Option<UserMessage>, Problem> {
    let Some(text) = text else {
        if enrichments.is_empty() {
            return Ok(None);
        }
        return Err(Problem::invalid_field("enrichments", saying!("refusal-enrichments-alone")));
    };
    Ok(Some(compose_message(&text, references(state, caller, enrichments).await?)))
}
