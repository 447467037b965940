//! Adds a target, which belongs to the requesting person.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::notify::{TargetPreferences, parse_secret_reference};
use entracte_application::ports::{DeliveryChannel, SecretReference, is_target_variable};
use entracte_application::texts::saying;
use entracte_application::use_cases::{
    AddNotificationTarget, NewNotificationTarget, RemoveNotificationTarget, UseCaseError,
};
use http::StatusCode;

use crate::authentication::{Approve, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::Problem;
use crate::routes::path_params::WorkspacePath;
use crate::routes::targets::{may_want, shape, wrong};
use crate::server_state::ServerState;
use crate::shapes::target::{NewPushShape, NewTargetShape, TargetShape};

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
    let is_operators = caller.principal().is_local();
    let way = if is_operators { operators_way(&new)? } else { way(&new)? };
    // A browser is read by its person alone.
    let (is_private, language) = (new.push.is_some(), caller.reader().requested());
    let usual = TargetPreferences { is_private, language, ..TargetPreferences::default() };
    let wants = new.wants.clone().unwrap_or_default().merge_into(usual).map_err(wrong)?;
    may_want(&caller, &wants)?;
    let add = AddNotificationTarget::new(
        ports.outbox.clone(),
        ports.store.clone(),
        ports.sender.clone(),
        ports.clock.clone(),
        ports.ids.clone(),
        state.terms.notify.targets,
    );
    let new = NewNotificationTarget { name: new.name, person: caller.author(), way, wants, is_operators };
    let view = match caller.idempotent_request().and_then(|once| Some((once, once.to_receipt()?))) {
        None => add.run(caller.workspace(), new).await?,
        Some((once, receipt)) => {
            let kept = state.terms.runtime.retention.policy.receipt_age();
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
    Ok((StatusCode::CREATED, JsonResponse(shape(&state, &caller, &view).await?)))
}

/// The channel of a target that comes over HTTP: an address, with secrets of variables that are named for targets.
fn way(new: &NewTargetShape) -> Result<DeliveryChannel, Problem> {
    for (path, is_given) in [("command", new.command.is_some()), ("secret", new.secret.is_some())] {
        if is_given {
            return Err(Problem::invalid_field(path, saying!("refusal-target-machine")));
        }
    }
    if new.secret_env.as_ref().is_some_and(|name| !is_target_variable(name)) {
        return Err(Problem::invalid_field("secret_env", saying!("refusal-target-variable")));
    }
    for (path, url) in [("webhook", &new.webhook), ("ntfy", &new.ntfy)] {
        let place = url.as_deref().and_then(parse_secret_reference);
        if place.is_some_and(
            |place| !matches!(&place, SecretReference::Environment(name) if is_target_variable(name)),
        ) {
            return Err(Problem::invalid_field(path, saying!("refusal-target-variable")));
        }
    }
    address(new, new.secret_env.clone().map(SecretReference::Environment))
}

/// The channel of a target of the user of this machine: also a program, and any place of a secret.
fn operators_way(new: &NewTargetShape) -> Result<DeliveryChannel, Problem> {
    if let Some(command) = &new.command {
        let mut words = command.iter().cloned();
        return Ok(DeliveryChannel::Command {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
        });
    }
    let place = |given: &String| {
        let fault = || saying!("notify-fault-secret", given = given.as_str());
        parse_secret_reference(given).ok_or_else(|| wrong(("secret", fault())))
    };
    let named = new.secret.as_ref().map(place).transpose()?;
    address(new, named.or_else(|| new.secret_env.clone().map(SecretReference::Environment)))
}

fn address(new: &NewTargetShape, secret: Option<SecretReference>) -> Result<DeliveryChannel, Problem> {
    match (new.webhook.clone(), new.ntfy.clone(), new.push.clone()) {
        (Some(url), None, None) => {
            let missing = || Problem::invalid_field("secret_env", saying!("refusal-webhook-key"));
            let secret = secret.ok_or_else(missing)?;
            Ok(DeliveryChannel::Webhook { url, secret })
        }
        (None, Some(url), None) => Ok(DeliveryChannel::Ntfy { url, token: secret }),
        (None, None, Some(NewPushShape { endpoint, p256dh, auth })) => match secret {
            None => Ok(DeliveryChannel::Push { endpoint, key: p256dh, auth }),
            Some(_) => Err(Problem::invalid_field("secret_env", saying!("refusal-push-secret"))),
        },
        _ => Err(Problem::invalid_field("webhook", saying!("refusal-target-way"))),
    }
}
