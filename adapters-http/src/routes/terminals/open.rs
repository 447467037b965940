//! Opens the login of a terminal, about which a person decides in the console.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use entracte_application::terminal_text::one_line;
use entracte_application::texts::saying;
use http::StatusCode;
use secrecy::ExposeSecret;

use crate::authentication::ClientAddress;
use crate::extractors::{JsonBody, JsonResponse};
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::iso;
use crate::shapes::terminal_login::{NewTerminalLoginShape, OpenedTerminalLoginShape, TERMINAL_NAME_MAX};
use crate::terminal_logins::TerminalRequest;

/// Asks for the login of a terminal. A person who is logged in to the console compares the code and decides there; until then
/// the terminal asks for its token (`…/claim`). A login that waits is forgotten when the server is started again.
#[utoipa::path(
    post,
    path = "/v1/login/terminals",
    operation_id = "open_terminal_login",
    tag = "server",
    request_body = NewTerminalLoginShape,
    responses((status = 201, body = OpenedTerminalLoginShape)),
    extensions(("x-scope" = json!(null)))
)]
pub(crate) async fn open_terminal_login(
    State(state): State<Arc<ServerState>>,
    Extension(client): Extension<ClientAddress>,
    JsonBody(new): JsonBody<NewTerminalLoginShape>,
) -> Result<(StatusCode, JsonResponse<OpenedTerminalLoginShape>), Problem> {
    check_name(&new.name)?;
    state.count_terminal_login(client.0)?;
    let (ports, limits) = (&state.ports, &state.terms.limits);
    let asked_at = ports.clock.now();
    let expires_at = asked_at.plus(limits.terminal_login_lasts);
    let request = TerminalRequest { name: new.name, address: client.0, asked_at, expires_at };
    let opened = state.terminal_logins.open(request, &*ports.ids, ports.clock.monotonic());
    let Some(opened) = opened else { return Err(full_problem(&state)) };
    let shape = OpenedTerminalLoginShape {
        secret: opened.secret.expose_secret().to_owned(),
        page: format!("/terminal?code={}", opened.code),
        code: opened.code,
        expires_at: iso(expires_at),
        poll_seconds: limits.terminal_login_poll.0.max(1).unsigned_abs().div_ceil(1000),
    };
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}

/// Refuses a name that would not be shown as it is.
fn check_name(name: &str) -> Result<(), Problem> {
    if (1..=TERMINAL_NAME_MAX).contains(&name.chars().count()) && one_line(name) == name {
        return Ok(());
    }
    Err(Problem::invalid_field("name", saying!("refusal-terminal-name", most = TERMINAL_NAME_MAX)))
}

fn full_problem(state: &ServerState) -> Problem {
    let limits = &state.terms.limits;
    if limits.terminal_logins == 0 {
        let text = saying!("refusal-terminals-off");
        return Problem::new(ProblemCode::RateLimited, text);
    }
    let text = saying!("refusal-terminals-full", count = limits.terminal_logins);
    let seconds = limits.terminal_login_lasts.0.max(0).unsigned_abs().div_ceil(1000);
    Problem::new(ProblemCode::RateLimited, text).with_retry_after(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_name_is_shown_as_it_is() {
        for name in ["ann@laptop", "a", "Élise@büro-7"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", " ann", "ann\n@laptop", "ann\u{202e}@laptop", "ann\u{200b}@laptop", &"x".repeat(81)]
        {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
