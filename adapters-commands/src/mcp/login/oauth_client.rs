//! The HTTP client of a login; it checks every address like that of any other outside request.

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};
use rustls::crypto::CryptoProvider;

use super::error::McpLoginError;
use crate::egress::{AllowedHost, EgressClient, EgressRequest, EgressResponse, EgressSettings};
use crate::mcp::config::McpLoginConfig;

/// Sends the requests of one login.
pub(super) struct OauthEgressClient {
    egress: EgressClient,
    /// The server's own address is https, so every other address must be too.
    encrypted: bool,
    /// The error of the last failed request.
    problem: Mutex<Option<McpLoginError>>,
}

impl OauthEgressClient {
    /// A client for a login at `server`, which a person configured: its host may be private. Any other non-public
    /// host must be allowed by name.
    pub(super) fn new(server: &Url, login: &McpLoginConfig, crypto: Arc<CryptoProvider>) -> Self {
        let settings = EgressSettings {
            allowed: login.allow.iter().cloned().chain(own_host(server)).collect(),
            size_max_bytes: login.answer_max_bytes(),
            timeout: login.timeout(),
            redirects_max: 0,
            ..EgressSettings::default()
        };
        let encrypted = server.scheme() == "https";
        Self { egress: EgressClient::new(settings, crypto), encrypted, problem: Mutex::new(None) }
    }

    /// The error of the last failed request; rmcp rewords or drops it.
    pub(super) fn problem(&self) -> Option<McpLoginError> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Sends one request; follows no redirect.
    pub(super) async fn send(&self, request: EgressRequest) -> Result<EgressResponse, McpLoginError> {
        if self.encrypted && !request.url.starts_with("https://") {
            let host = Url::parse(&request.url).ok();
            let host = host.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
            return Err(McpLoginError::NotEncrypted { host });
        }
        Ok(self.egress.send_once(request).await?)
    }

    async fn execute(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, OauthRequestError> {
        let (parts, body) = request.request.into_parts();
        let request = EgressRequest {
            method: parts.method,
            url: parts.uri.to_string(),
            headers: parts.headers,
            body: Some(body).filter(|body| !body.is_empty()),
            timeout: None,
        };
        let answer = self.send(request).await.map_err(|error| {
            let failed = OauthRequestError(error.to_string());
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            failed
        })?;
        let mut response = http::Response::new(answer.body);
        *response.status_mut() = http::StatusCode::from_u16(answer.status)
            .map_err(|fault| OauthRequestError(fault.to_string()))?;
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

impl OAuthHttpClient for OauthEgressClient {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move { Ok(OauthEgressClient::execute(self, request).await?) })
    }
}

/// A failed request, in English for logs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct OauthRequestError(String);

/// The server's own host, restricted to its own port.
fn own_host(server: &Url) -> Option<AllowedHost> {
    let (host, port) = (server.host_str()?, server.port_or_known_default()?);
    format!("{host}:{port}").parse().ok()
}
