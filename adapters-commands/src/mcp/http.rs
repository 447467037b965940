//! The HTTP client for servers with an address, and the classification of its errors.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use entracte_application::own_hosts::is_loopback_host;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rustls::crypto::CryptoProvider;

use super::error::McpStartError;
use super::http_client::{HttpRefusal, McpHttpClient, McpHttpError, is_session_status, shown_address};
use crate::tls;

/// A client that leaves the origin with no redirect (it would send the secret headers along), retries nothing, and uses
/// no proxy for addresses of this machine.
pub(super) fn client(
    url: &str,
    connect_timeout: Duration,
    message_max_bytes: usize,
    crypto: Arc<CryptoProvider>,
) -> Result<McpHttpClient, McpStartError> {
    let url = Url::parse(url).map_err(|error| McpStartError::Http(error.to_string()))?;
    let tls = tls::client_config(crypto, url.scheme());
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls.map_err(|error| McpStartError::Http(error.to_string()))?)
        .no_gzip()
        .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect_policy())
        .retry(reqwest::retry::never())
        .pool_idle_timeout(IDLE_CONNECTION_MAX)
        .connect_timeout(connect_timeout);
    if url.host_str().is_some_and(is_loopback_host) {
        builder = builder.no_proxy();
    }
    let client = builder.build().map_err(|error| McpStartError::Http(deepest(&error)))?;
    Ok(McpHttpClient { client, message_max_bytes, has_session: Arc::default() })
}

/// The error text, with the address of the request.
pub(super) fn transport_error_text(error: &(dyn StdError + 'static)) -> String {
    match client_error(error) {
        Some(StreamableHttpError::Client(McpHttpError::Client(error))) => match error.url() {
            Some(url) => format!("{} ({})", deepest(error), shown_address(url)),
            None => deepest(error),
        },
        Some(StreamableHttpError::Client(error)) => error.to_string(),
        Some(StreamableHttpError::Auth(error)) => error.to_string(),
        Some(other) => other.to_string(),
        None => error.to_string(),
    }
}

/// What became of a request that got no answer of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestFate {
    /// No byte reached the server.
    NotSent,
    /// The server does not know the session any more, and did nothing.
    SessionLost,
    /// The server did nothing, because it gets too many requests; with the wait that it asks for.
    Limited { wait: Option<Duration> },
    /// The server refused the request, and did nothing.
    Refused,
    /// It is unknown whether the server did something.
    Unknown,
}

/// What became of a request that failed with this error.
pub(super) fn request_fate(error: &(dyn StdError + 'static)) -> RequestFate {
    match client_error(error) {
        Some(StreamableHttpError::Client(McpHttpError::Client(error))) => {
            if error.is_connect() || error.is_builder() { RequestFate::NotSent } else { RequestFate::Unknown }
        }
        Some(StreamableHttpError::Client(McpHttpError::Refused(refusal))) => refusal_fate(refusal),
        Some(
            StreamableHttpError::AuthRequired(_)
            | StreamableHttpError::Auth(_)
            | StreamableHttpError::InsufficientScope(_),
        ) => RequestFate::Refused,
        Some(StreamableHttpError::SessionExpired) => RequestFate::SessionLost,
        Some(_) | None => RequestFate::Unknown,
    }
}

fn refusal_fate(refusal: &HttpRefusal) -> RequestFate {
    match refusal.status {
        status if refusal.has_session && is_session_status(status) => RequestFate::SessionLost,
        TOO_MANY_REQUESTS => {
            let seconds = refusal.retry_after.as_deref().and_then(|wait| wait.trim().parse().ok());
            RequestFate::Limited { wait: seconds.map(Duration::from_secs) }
        }
        REQUEST_TIMEOUT => RequestFate::Unknown,
        300..=499 => RequestFate::Refused,
        _ => RequestFate::Unknown,
    }
}

/// Whether no byte reached the server.
pub(super) fn never_connected(error: &(dyn StdError + 'static)) -> bool {
    request_fate(error) == RequestFate::NotSent
}

/// Whether a person must log in, for the first time or again.
pub(super) fn needs_login(error: &(dyn StdError + 'static)) -> bool {
    match client_error(error) {
        Some(StreamableHttpError::AuthRequired(_)) => true,
        Some(StreamableHttpError::Auth(error)) => is_over(error),
        Some(_) | None => false,
    }
}

/// Whether no token could be obtained, so that nothing was sent.
pub(super) fn is_login_failure(error: &(dyn StdError + 'static)) -> bool {
    matches!(client_error(error), Some(StreamableHttpError::Auth(_)))
}

/// Whether only a new login helps. An authorization server that no longer knows the client reports so when a token is
/// to be renewed.
fn is_over(error: &AuthError) -> bool {
    match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) | AuthError::TokenExpired => {
            true
        }
        AuthError::TokenRefreshFailed(why) => {
            ["invalid_client", "unauthorized_client"].iter().any(|code| why.contains(code))
        }
        _ => false,
    }
}

fn client_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a StreamableHttpError<McpHttpError>> {
    let mut cause = Some(error);
    while let Some(current) = cause {
        if let Some(found) = current.downcast_ref() {
            return Some(found);
        }
        cause = current.source();
    }
    None
}

fn deepest(error: &reqwest::Error) -> String {
    let mut deepest: &dyn StdError = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

/// Follows a redirect that repeats the request on the same origin, such as `/mcp/` to `/mcp`. Any other would send the
/// secret headers to another server, or turn the request into another one.
fn redirect_policy() -> Policy {
    Policy::custom(|attempt| {
        let Some(first) = attempt.previous().first() else { return attempt.stop() };
        let repeats = matches!(attempt.status().as_u16(), 307 | 308);
        if !repeats || attempt.url().origin() != first.origin() || attempt.previous().len() > REDIRECTS_MAX {
            return attempt.stop();
        }
        let (from, to) = (shown_address(first), shown_address(attempt.url()));
        tracing::info!(target: "entracte::mcp", "{from} redirects to {to}; set url to that");
        attempt.follow()
    })
}

const TOO_MANY_REQUESTS: u16 = 429;
const REQUEST_TIMEOUT: u16 = 408;
/// How long an idle connection is used again. Servers close theirs, those on Node after 5 s; whether a request that meets
/// such a close was carried out is unknown.
const IDLE_CONNECTION_MAX: Duration = Duration::from_secs(4);
/// The most redirects that one request follows.
const REDIRECTS_MAX: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_has_its_fate() {
        let fate = |status, has_session, retry_after: Option<&str>| {
            let retry_after = retry_after.map(str::to_owned);
            let (says, address, target) = (String::new(), String::new(), None);
            refusal_fate(&HttpRefusal { status, says, address, target, retry_after, has_session })
        };
        for status in [400, 404, 410] {
            assert_eq!(fate(status, true, None), RequestFate::SessionLost, "{status}");
            assert_eq!(fate(status, false, None), RequestFate::Refused, "{status}");
        }
        assert_eq!(fate(429, true, Some("2")), RequestFate::Limited { wait: Some(Duration::from_secs(2)) });
        assert_eq!(
            fate(429, true, Some("Sat, 28 Nov 2026 08:00:00 GMT")),
            RequestFate::Limited { wait: None }
        );
        for (status, expected) in [
            (308, RequestFate::Refused),
            (403, RequestFate::Refused),
            (413, RequestFate::Refused),
            (408, RequestFate::Unknown),
            (500, RequestFate::Unknown),
            (502, RequestFate::Unknown),
        ] {
            assert_eq!(fate(status, true, None), expected, "{status}");
        }
    }
}
