//! A link that logs another browser of the same person in, once, as a code for the camera of a phone.

use std::sync::Arc;

use axum::extract::State;
use entracte_application::own_hosts::is_host_of_this_machine;
use entracte_application::texts::saying;
use entracte_application::use_cases::CreateLoginLink;
use http::StatusCode;
use qrcode::QrCode;
use qrcode::render::svg;
use secrecy::ExposeSecret as _;
use url::Url;

use crate::authentication::{Admin, OperatorLoginAccess};
use crate::extractors::{JsonBody, JsonResponse};
use crate::origin_guard::ServerOrigins;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::iso;
use crate::shapes::terminal_login::{LoginLinkShape, NewLoginLinkShape};

/// Pixels of a square of the code.
const SQUARE: u32 = 6;

/// Makes a link that logs another browser in as the same operator, once, with a QR code of it. It is valid for as long as the
/// links that the server prints. Whoever has it is logged in, so only somebody who is logged in with a browser gets one.
#[utoipa::path(
    post,
    path = "/v1/login/links",
    operation_id = "create_login_link",
    tag = "server",
    request_body = NewLoginLinkShape,
    responses((status = 201, body = LoginLinkShape)),
    extensions(("x-scope" = json!("admin")), ("x-reach" = json!("everywhere")))
)]
pub(crate) async fn create_login_link(
    State(state): State<Arc<ServerState>>,
    OperatorLoginAccess(operator, _): OperatorLoginAccess<Admin>,
    JsonBody(new): JsonBody<NewLoginLinkShape>,
) -> Result<(StatusCode, JsonResponse<LoginLinkShape>), Problem> {
    let ports = &state.ports;
    let origin = reachable_origin(&state.terms.ours, &new.origin)?;
    let create = CreateLoginLink::new(ports.access.clone(), ports.clock.clone(), ports.ids.clone());
    let lasts = state.terms.limits.link_lasts;
    let made = create.run_as(operator.token(), operator.person(), lasts).await?;
    // Behind the #, which no server and no log sees.
    let link = format!("{origin}{}/login#{}", state.terms.base_path, made.secret.expose_secret());
    let code = QrCode::new(&link);
    let code = code.map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))?;
    // Black on white, whatever the theme of the page: not every camera reads the inverse. A quiet zone is part of it.
    let svg = code.render::<svg::Color<'_>>().module_dimensions(SQUARE, SQUARE).build();
    let shape = LoginLinkShape { link, svg, expires_at: made.token.expires_at.map(iso) };
    Ok((StatusCode::CREATED, JsonResponse(shape)))
}

/// The address of this server for another device: that of the page which asks, else the first one that others can open.
fn reachable_origin<'a>(ours: &'a ServerOrigins, asked: &str) -> Result<&'a str, Problem> {
    let known = |origin: &&String| origin.as_str() == asked;
    let Some(asked) = ours.origins.iter().find(known) else {
        return Err(Problem::invalid_field("origin", saying!("refusal-not-own-address")));
    };
    let found = std::iter::once(asked).chain(&ours.origins).find(|origin| is_open_to_others(origin));
    found.map(String::as_str).ok_or_else(|| {
        let text = saying!("refusal-no-https-address");
        Problem::new(ProblemCode::NotApplicable, text)
    })
}

/// Whether another device can open an address, and what logs it in is read by nobody on the way.
fn is_open_to_others(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    url.scheme() == "https" && url.host_str().is_some_and(|host| !is_host_of_this_machine(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: the addresses of a server, and the one a page was opened at; expected: one that a phone can open, or why there is
    /// none.
    #[test]
    fn link_leads_to_what_a_phone_can_open() {
        let origins = |all: &[&str]| ServerOrigins {
            hosts: Vec::new(),
            origins: all.iter().map(|origin| (*origin).to_owned()).collect(),
        };
        let (here, lan, public) =
            ("http://127.0.0.1:8723", "https://10.0.0.7:8723", "https://entracte.example");
        let behind_proxy = origins(&[here, "http://[::1]:8723", public]);
        assert_eq!(reachable_origin(&behind_proxy, here).ok(), Some(public));
        assert_eq!(reachable_origin(&behind_proxy, public).ok(), Some(public));
        assert_eq!(reachable_origin(&origins(&[lan, public]), lan).ok(), Some(lan));
        let alone = origins(&[here, "http://localhost:8723", "http://[::1]:8723"]);
        assert!(reachable_origin(&alone, here).is_err());
        // Another name of a server behind a proxy, which would carry the login in clear.
        let plain = "http://nas.home:8723";
        assert_eq!(reachable_origin(&origins(&[here, plain, public]), plain).ok(), Some(public));
        assert!(reachable_origin(&origins(&[here, plain]), here).is_err());
        assert!(reachable_origin(&origins(&["https://0.0.0.0:8723"]), "https://0.0.0.0:8723").is_err());
        assert!(reachable_origin(&behind_proxy, "https://evil.example").is_err(), "not one of ours");
    }
}
