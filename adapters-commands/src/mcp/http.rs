//! The HTTP client for servers with an address, and the classification of its errors.

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::{Client, Url};
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::error::McpStartError;

/// A client that follows no redirect (it would send the secret headers along), retries nothing, and uses no proxy for
/// addresses of this machine.
pub(super) fn client(url: &str, connect_timeout: Duration) -> Result<Client, McpStartError> {
    // Another part of the process may have installed one before; either will do.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = Url::parse(url).map_err(|error| McpStartError::Http(error.to_string()))?;
    let mut builder = Client::builder()
        .no_gzip()
        .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(connect_timeout);
    if is_loopback(&url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Without TLS no certificate is checked, so this machine needs none.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| McpStartError::Http(deepest(&error)))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The error text without the address: the surrounding sentence names the server.
pub(super) fn transport_error_text(error: &(dyn StdError + 'static)) -> String {
    match client_error(error) {
        Some(StreamableHttpError::Client(error)) => deepest(error),
        Some(StreamableHttpError::Auth(error)) => error.to_string(),
        Some(other) => other.to_string(),
        None => error.to_string(),
    }
}

/// Whether no byte reached the server.
pub(super) fn never_connected(error: &(dyn StdError + 'static)) -> bool {
    matches!(client_error(error), Some(StreamableHttpError::Client(error)) if error.is_connect() || error.is_builder())
}

/// Whether the server reports that it did not process the message: unknown session, or rejected.
pub(super) fn was_rejected_unprocessed(error: &(dyn StdError + 'static)) -> bool {
    match client_error(error) {
        Some(
            StreamableHttpError::SessionExpired
            | StreamableHttpError::AuthRequired(_)
            | StreamableHttpError::Auth(_)
            | StreamableHttpError::InsufficientScope(_),
        ) => true,
        Some(StreamableHttpError::HttpStatus(status)) => status.status == TOO_MANY_REQUESTS,
        Some(_) | None => false,
    }
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

fn client_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a StreamableHttpError<reqwest::Error>> {
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

const TOO_MANY_REQUESTS: u16 = 429;
