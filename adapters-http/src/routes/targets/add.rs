//! Adds a target, which belongs to the requesting person.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::notify::{TargetPreferences, parse_secret_reference};
use entracte_application::ports::{DeliveryChannel, SecretReference, is_target_variable};
use entracte_application::use_cases::{
    AddNotificationTarget, NewNotificationTarget, RemoveNotificationTarget, UseCaseError,
};
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::path_params::WorkspacePath;
use crate::routes::targets::{may_want, shape, wrong};
use crate::server_state::ServerState;
use crate::shapes::target::{NewTargetShape, TargetShape};

/// Adds a notification target; it acts for whoever asks.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/targets",
    operation_id = "add_target",
    tag = "targets",
    params(WorkspacePath),
    request_body = NewTargetShape,
    responses((status = 201, body = TargetShape)),
    extensions(("x-scope" = json!("approve")))
)]
pub(crate) async fn add_target(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Approve>,
    JsonBody(new): JsonBody<NewTargetShape>,
) -> Result<(StatusCode, JsonResponse<TargetShape>), Problem> {
    let ports = &state.ports;
    let way = way(new.webhook, new.ntfy, new.secret_env)?;
    let wants = new.wants.unwrap_or_default().merge_into(TargetPreferences::default()).map_err(wrong)?;
    may_want(&caller, &wants)?;
    let add = AddNotificationTarget::new(
        ports.outbox.clone(),
        ports.store.clone(),
        ports.sender.clone(),
        ports.clock.clone(),
        ports.ids.clone(),
        state.terms.notify.targets,
    );
    let new =
        NewNotificationTarget { name: new.name, person: caller.author(), way, wants, is_operators: false };
    let view = match caller.idempotent_request().and_then(|once| Some((once, once.to_receipt()?))) {
        None => add.run(caller.workspace(), new).await?,
        Some((once, receipt)) => {
            let kept = state.terms.runtime.receipts_kept;
            let (view, is_before) = add.run_once(caller.workspace(), new, &receipt, kept).await?;
            if is_before {
                once.mark_replayed();
            }
            view
        }
    };
    // The check of the address takes time. A person expelled in the meantime must not get notifications: their targets
    // were removed before this one existed.
    if let Err(revoked) = caller.principal().require_unrevoked(&state).await {
        let remove = RemoveNotificationTarget::new(ports.outbox.clone(), ports.store.clone());
        match remove.run(caller.workspace(), &view.target.id).await {
            Ok(()) | Err(UseCaseError::NotFound(_)) => return Err(revoked),
            Err(error) => return Err(error.into()),
        }
    }
    Ok((StatusCode::CREATED, JsonResponse(shape(&state, &view).await?)))
}

fn way(
    webhook: Option<String>,
    ntfy: Option<String>,
    secret: Option<String>,
) -> Result<DeliveryChannel, Problem> {
    let invalid = |path: &str, says: &str| {
        Problem::new(ProblemCode::Invalid, format!("{path}: {says}")).with_field(path, says)
    };
    if secret.as_ref().is_some_and(|name| !is_target_variable(name)) {
        return Err(invalid("secret_env", "name a variable that begins with ENTRACTE_NOTIFY_"));
    }
    let secret = secret.map(SecretReference::Environment);
    for (path, url) in [("webhook", &webhook), ("ntfy", &ntfy)] {
        let place = url.as_deref().and_then(parse_secret_reference);
        if place.is_some_and(
            |place| !matches!(&place, SecretReference::Environment(name) if is_target_variable(name)),
        ) {
            return Err(invalid(path, "name a variable that begins with ENTRACTE_NOTIFY_"));
        }
    }
    match (webhook, ntfy) {
        (Some(url), None) => {
            let secret =
                secret.ok_or_else(|| invalid("secret_env", "a webhook needs the key of its signature"))?;
            Ok(DeliveryChannel::Webhook { url, secret })
        }
        (None, Some(url)) => Ok(DeliveryChannel::Ntfy { url, token: secret }),
        (Some(_), Some(_)) | (None, None) => Err(invalid("webhook", "give either webhook or ntfy")),
    }
}
