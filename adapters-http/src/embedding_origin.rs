//! Embedded chat on pages of other sites: a token names one session and the origins whose pages may send it.
//!
//! The [guard](crate::origin_guard) passes such a request only with a token of its own; this module checks, before any
//! route, whether the token allows the origin. Its validity is checked with all other tokens.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use entracte_application::ports::{AccessReach, EmbedRestriction, TokenKind};
use entracte_application::texts::saying;
use entracte_domain::id::{SessionId, WorkspaceKey};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::origin_guard::read_token;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;

/// Routes below a session that a page of another site may use. None of them decides, configures or deletes.
const ROUTES: [(Method, &str); 12] = [
    (Method::GET, ""),
    (Method::GET, "/messages"),
    (Method::POST, "/messages"),
    (Method::POST, "/answer"),
    (Method::POST, "/interrupt"),
    (Method::GET, "/queue"),
    (Method::DELETE, "/queue/{m}"),
    (Method::GET, "/files/{digest}"),
    (Method::GET, "/stream"),
    (Method::GET, "/unread"),
    (Method::PUT, "/attachment"),
    (Method::DELETE, "/attachment"),
];

/// Routes that a relay may use.
const OF_RELAYS: [(Method, &str); 1] = [(Method::GET, "/stream")];

/// Path prefix of these routes.
const BELOW: &str = "/v1/workspaces/{w}/sessions/{s}";

/// Methods that a page of another origin may use.
const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, PUT, DELETE");
const HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, idempotency-key, last-event-id");

/// Headers of an answer that it may read.
const SEEN: HeaderValue = HeaderValue::from_static("retry-after, x-request-id");

/// Seconds for which a browser caches a preflight answer.
const ASKED_AGAIN: HeaderValue = HeaderValue::from_static("600");

/// The origin of the page that reads an answer, until the response is finalized.
#[derive(Clone, Debug)]
pub(crate) struct EmbeddingOrigin(pub(crate) String);

/// Refuses requests outside a token's session.
pub(crate) fn restrict_to_session(
    kind: TokenKind,
    embedded: &EmbedRestriction,
    session: Option<&str>,
    method: &Method,
    route: Option<&str>,
) -> Result<(), Problem> {
    let Some(session) = session else { return Err(outside_session_problem()) };
    if session != embedded.session.as_str() {
        let named = entracte_application::terminal_text::one_line(session);
        return Err(Problem::new(ProblemCode::NotFound, saying!("request-no-session", session = named)));
    }
    let below = route.and_then(|route| route.strip_prefix(BELOW));
    let open: &[(Method, &str)] = if kind == TokenKind::Relay { &OF_RELAYS } else { &ROUTES };
    let is_open = below.is_some_and(|below| open.iter().any(|open| *open == (method.clone(), below)));
    if is_open { Ok(()) } else { Err(outside_session_problem()) }
}

/// The refusal of a request outside a token's session.
pub(crate) fn outside_session_problem() -> Problem {
    let text = saying!("refusal-outside-session");
    Problem::new(ProblemCode::ScopeMissing, text)
}

/// Checks a request of another origin: returns a refusal, the answer to a preflight request, or `None` if the request
/// is allowed and continues.
pub(crate) async fn check_embedding_origin(
    state: &ServerState,
    origin: &str,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<Response>, Problem> {
    let (workspace, session) = parse_session_path(path).ok_or_else(unlisted_origin_problem)?;
    if *method == Method::OPTIONS {
        return match is_origin_allowed(state, &workspace, &session, origin).await? {
            true => Ok(Some(preflight_response())),
            false => Err(unlisted_origin_problem()),
        };
    }
    let Some((TokenKind::Program, text)) = read_token(headers) else { return Err(unlisted_origin_problem()) };
    let id = text.strip_prefix("entr_").and_then(|text| text.split_once('.')).map_or("", |(id, _)| id);
    let token = state.ports.access.token(id).await?.map(|(token, _)| token);
    let names = |embedded: EmbedRestriction| embedded.origins.iter().any(|listed| listed == origin);
    match token.and_then(|token| token.embedded).is_some_and(names) {
        true => Ok(None),
        false => Err(unlisted_origin_problem()),
    }
}

/// Whether a valid token allows pages of this origin in this session. A preflight request carries no token.
async fn is_origin_allowed(
    state: &ServerState,
    workspace: &WorkspaceKey,
    session: &SessionId,
    origin: &str,
) -> Result<bool, Problem> {
    let tokens = state.ports.access.tokens(&AccessReach::Workspace(workspace.clone())).await?;
    Ok(tokens.iter().any(|(token, _)| {
        let is_for = |embedded: &EmbedRestriction| {
            embedded.session == *session && embedded.origins.iter().any(|listed| listed == origin)
        };
        token.revoked_at.is_none() && token.embedded.as_ref().is_some_and(is_for)
    }))
}

/// The workspace and the session in a session path.
fn parse_session_path(path: &str) -> Option<(WorkspaceKey, SessionId)> {
    let mut parts = path.split('/');
    let fixed = [parts.next(), parts.next(), parts.next()];
    if fixed != [Some(""), Some("v1"), Some("workspaces")] {
        return None;
    }
    let (workspace, kind, session) = (parts.next()?, parts.next()?, parts.next()?);
    (kind == "sessions").then(|| {
        (WorkspaceKey::new(decode_path_segment(workspace)), SessionId::new(decode_path_segment(session)))
    })
}

/// Percent-decodes a path segment.
fn decode_path_segment(part: &str) -> String {
    // Form decoding would turn a plus into a space.
    let part = part.replace('+', "%2B");
    url::form_urlencoded::parse(part.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

fn preflight_response() -> Response {
    let mut response = (StatusCode::NO_CONTENT, Body::empty()).into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, ASKED_AGAIN);
    response
}

/// Lets a page of this origin read the answer. Credentials are not allowed, so no cookie is ever sent.
pub(crate) fn add_cors_headers(response: &mut Response, origin: &str) {
    let headers = response.headers_mut();
    if let Ok(origin) = HeaderValue::from_str(origin) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    }
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, SEEN);
    headers.append(header::VARY, HeaderValue::from_static("origin"));
}

fn unlisted_origin_problem() -> Problem {
    let text = saying!("refusal-origin-unlisted");
    Problem::new(ProblemCode::OriginRefused, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded() -> EmbedRestriction {
        EmbedRestriction { session: SessionId::new("ses_1"), origins: vec!["https://shop.example".into()] }
    }

    #[test]
    fn session_token_is_restricted_to_session_routes() {
        let may = |session, method: Method, below: &str| {
            restrict_to_session(
                TokenKind::Program,
                &embedded(),
                session,
                &method,
                Some(&format!("{BELOW}{below}")),
            )
            .is_ok()
        };
        assert!(may(Some("ses_1"), Method::POST, "/messages"));
        assert!(may(Some("ses_1"), Method::GET, ""));
        assert!(!may(Some("ses_2"), Method::POST, "/messages"), "another session");
        assert!(!may(None, Method::GET, ""), "no session");
        for (method, below) in [
            (Method::PATCH, ""),
            (Method::DELETE, ""),
            (Method::POST, "/decisions"),
            (Method::POST, "/fork"),
            (Method::GET, "/journal"),
            (Method::GET, "/export"),
            (Method::POST, "/confirm"),
        ] {
            assert!(!may(Some("ses_1"), method.clone(), below), "{method} {below}");
        }
        assert!(
            restrict_to_session(TokenKind::Program, &embedded(), Some("ses_1"), &Method::GET, None).is_err()
        );
    }

    #[test]
    fn relay_token_opens_only_its_stream() {
        let relay = EmbedRestriction { origins: Vec::new(), ..embedded() };
        let may = |session: &str, method: &Method, below: &str| {
            restrict_to_session(
                TokenKind::Relay,
                &relay,
                Some(session),
                method,
                Some(&format!("{BELOW}{below}")),
            )
            .is_ok()
        };
        assert!(may("ses_1", &Method::GET, "/stream"));
        assert!(!may("ses_2", &Method::GET, "/stream"));
        for (method, below) in ROUTES.iter().filter(|(_, below)| *below != "/stream") {
            assert!(!may("ses_1", method, below), "{method} {below}");
        }
    }

    #[test]
    fn session_path_is_parsed() {
        let found = parse_session_path("/v1/workspaces/ann%3Ahome/sessions/ses_1/messages").unwrap();
        assert_eq!((found.0.as_str(), found.1.as_str()), ("ann:home", "ses_1"));
        for path in [
            "/v1/login",
            "/inbox",
            "/v1/workspaces/x/tokens/t",
            "/v2/workspaces/x/sessions/s",
            "/v1/workspaces/x",
        ] {
            assert!(parse_session_path(path).is_none(), "{path}");
        }
    }
}
