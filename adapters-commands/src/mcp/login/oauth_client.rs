//! The one way of a login's requests to the network: each address is checked like that of any request from outside.

use std::sync::{Mutex, PoisonError};

use reqwest::Url;
use rmcp::transport::auth::{OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRequest};

use super::error::McpLoginError;
use crate::egress::{AllowedHost, EgressClient, EgressRequest, EgressResponse, EgressSettings};
use crate::mcp::config::McpLoginConfig;

/// Sends the requests of one login.
pub(super) struct OauthEgressClient {
    egress: EgressClient,
    /// The server's own address is encrypted, so every other one must be too.
    encrypted: bool,
    /// Why the last request that failed did.
    problem: Mutex<Option<McpLoginError>>,
}

impl OauthEgressClient {
    /// For a login at the server with this address, which a person configured: its host may be private. Any other that
    /// is not public must be allowed by name.
    pub(super) fn new(server: &Url, login: &McpLoginConfig) -> Self {
        let settings = EgressSettings {
            allowed: login.allow.iter().cloned().chain(own_host(server)).collect(),
            size_max_bytes: login.answer_max_bytes(),
            timeout: login.timeout(),
            redirects_max: 0,
            ..EgressSettings::default()
        };
        let encrypted = server.scheme() == "https";
        Self { egress: EgressClient::new(settings), encrypted, problem: Mutex::new(None) }
    }

    /// Why the last request that failed did; rmcp repeats it in words of its own, or not at all.
    pub(super) fn problem(&self) -> Option<McpLoginError> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Sends one request; nothing of the answer is followed.
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

/// A request that failed, in English: for logs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct OauthRequestError(String);

/// The server's own host, on its own port only.
fn own_host(server: &Url) -> Option<AllowedHost> {
    let (host, port) = (server.host_str()?, server.port_or_known_default()?);
    format!("{host}:{port}").parse().ok()
}
