//! Creates a token of the workspace. Its secret is shown only once.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::ports::{EmbedRestriction, TokenKind, TokenScope, TokenScopes};
use entracte_application::texts::saying;
use entracte_application::use_cases::{
    CreateToken, CreateTokenIdempotently, NewToken, ShowSession, TokenCreationOutcome, TokenIssuer,
};
use entracte_domain::id::SessionId;
use http::StatusCode;

use crate::authentication::{Admin, WorkspaceAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::routes::instant_of;
use crate::routes::path_params::WorkspacePath;
use crate::routes::tokens::token_reach;
use crate::server_state::ServerState;
use crate::shapes::token::{MadeTokenShape, NewTokenShape, TokenShape};
use secrecy::ExposeSecret;

/// Creates a token of the workspace. Its secret is shown only this once. For another person it takes an operator, whose name is
/// in the author of all that is done with it; everybody else invites them (`…/invitations`), except for a token of pages of
/// another site, for visitors whom nobody knows.
#[utoipa::path(
    post,
    path = "/v1/workspaces/{w}/tokens",
    operation_id = "create_token",
    tag = "tokens",
    params(WorkspacePath),
    request_body = NewTokenShape,
    responses((status = 201, body = MadeTokenShape)),
    extensions(("x-scope" = json!("admin")))
)]
pub(crate) async fn create_token(
    State(state): State<Arc<ServerState>>,
    WorkspaceAccess(caller, _): WorkspaceAccess<Admin>,
    JsonBody(new): JsonBody<NewTokenShape>,
) -> Result<(StatusCode, JsonResponse<MadeTokenShape>), Problem> {
    let ports = &state.ports;
    let maker = TokenIssuer::new(caller.principal().token().clone(), caller.principal().person().clone());
    let create = CreateToken::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    // A token that the local user creates names no maker, because they could also read any token of the database.
    let create = if caller.principal().is_local() { create } else { create.with_issuer(maker) };
    let reach = token_reach(&caller, new.everywhere)?;
    let embedded = match new.session {
        Some(session) => {
            let session = SessionId::new(session);
            ShowSession::new(ports.store.clone()).run(caller.workspace(), &session).await?;
            Some(EmbedRestriction { session, origins: new.origins })
        }
        None if new.origins.is_empty() => None,
        None => {
            let says = saying!("refusal-origins-session");
            return Err(Problem::new(ProblemCode::Invalid, says.clone()).with_field("session", says));
        }
    };
    let new = NewToken {
        person: new.person,
        reach,
        kind: TokenKind::Program,
        name: new.name,
        scopes: scopes(&new.scopes)?,
        embedded,
        expires_at: instant_of("expires_at", new.expires_at)?,
        made_by: None,
    };
    let key = caller.idempotent_request().and_then(|once| Some((once, once.to_receipt()?)));
    let made = match key {
        None => TokenCreationOutcome::Now(create.run(new).await?),
        Some((once, receipt)) => {
            let create =
                CreateTokenIdempotently::new(create, state.terms.runtime.retention.policy.receipt_age());
            let made = create.run(caller.workspace(), new, &receipt).await?;
            if matches!(made, TokenCreationOutcome::Before(..)) {
                once.mark_replayed();
            }
            made
        }
    };
    Ok((StatusCode::CREATED, JsonResponse(shape(&made))))
}

fn shape(made: &TokenCreationOutcome) -> MadeTokenShape {
    match made {
        TokenCreationOutcome::Now(made) => MadeTokenShape {
            token: TokenShape::new(&made.token, &made.person),
            secret: Some(made.secret.expose_secret().to_owned()),
        },
        TokenCreationOutcome::Before(token, person) => {
            MadeTokenShape { token: TokenShape::new(token, person), secret: None }
        }
    }
}

/// The scopes of these words.
pub(in crate::routes) fn scopes(words: &[String]) -> Result<TokenScopes, Problem> {
    let scope = |(at, word): (usize, &String)| {
        TokenScope::from_word(word).ok_or_else(|| {
            let words = TokenScope::ALL.map(TokenScope::word);
            Problem::unknown_word(&format!("scopes[{at}]"), word, &words)
        })
    };
    let all: Result<Vec<TokenScope>, Problem> = words.iter().enumerate().map(scope).collect();
    Ok(TokenScopes::new(all?))
}
