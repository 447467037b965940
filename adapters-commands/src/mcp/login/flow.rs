//! A person's login, step by step. rmcp implements the protocol; [`OauthEgressClient`] decides which hosts may be
//! called.

use std::sync::Arc;

use reqwest::Url;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, OAuthClientConfig, OAuthTokenResponse,
};
use secrecy::{ExposeSecret, SecretString};

use entracte_application::ports::{SECRET_LEAST_CHARS, SecretStore};

use super::callback::OauthCallback;
use super::credentials::PendingCredentialStore;
use super::error::McpLoginError;
use super::file::{McpLoginFile, StoredMcpLogin, VERSION};
use super::oauth_client::OauthEgressClient;
use super::{McpLogin, check_issuer, client_secret};
use crate::egress::{EgressRequest, host_of};
use crate::mcp::config::McpLoginConfig;
use crate::mcp::text::line;
use entracte_application::system::SecretScrubber;

/// A login that waits for the browser's callback.
pub struct PendingMcpLogin {
    file: McpLoginFile,
    limits: McpLoginConfig,
    manager: AuthorizationManager,
    received: PendingCredentialStore,
    guard: Arc<OauthEgressClient>,
    metadata: AuthorizationMetadata,
    client: OAuthClientConfig,
    url: Url,
}

impl PendingMcpLogin {
    /// Discovers the server and its authorization server, and registers a client unless one is configured. All requests
    /// go through `guard`.
    pub(super) async fn begin(
        file: McpLoginFile,
        config: McpLoginConfig,
        secrets: &dyn SecretStore,
        redirect: &str,
        guard: Arc<OauthEgressClient>,
    ) -> Result<Self, McpLoginError> {
        let explained = |error| explained(&guard, error, &SecretScrubber::default());
        let mut manager = manager(file.url.as_str(), Arc::clone(&guard)).await?;
        let received = PendingCredentialStore::default();
        manager.set_credential_store(received.clone());
        let metadata = offered(&manager).await.map_err(|fault| fault.into_login_error(explained))?;
        let issuer = metadata.issuer.as_deref().unwrap_or_default();
        check_issuer(&config, issuer)?;
        manager.set_metadata(metadata.clone());
        let scopes = match &config.scopes {
            Some(scopes) => scopes.clone(),
            None => manager.select_initial_scopes(&[]).await,
        };
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let client = match &config.client_id {
            Some(id) => {
                let secret = client_secret(&config, id, issuer, secrets)?;
                configure(&mut manager, id, secret, redirect)?
            }
            None if metadata.registration_endpoint.is_none() => return Err(McpLoginError::NoRegistration),
            None => manager.register_client(CLIENT_NAME, redirect, &scopes).await.map_err(explained)?,
        };
        let url = manager.get_authorization_url(&scopes).await.map_err(explained)?;
        let url = page(&file.url, &url)?;
        Ok(Self { file, limits: config, manager, received, guard, metadata, client, url })
    }

    /// The authorization URL for the browser.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The host of the authorization URL.
    pub fn host(&self) -> String {
        host_of(&self.url)
    }

    /// Whether the configuration names that host: as the server's own, as the configured authorization server's, or
    /// in `oauth.allow`. Any other host is only claimed by the server, so a person checks it before opening.
    pub fn is_expected_host(&self) -> bool {
        let issuer = self.limits.issuer.as_deref().and_then(|issuer| Url::parse(issuer).ok());
        let is_named = [Some(&self.file.url), issuer.as_ref()].into_iter().flatten();
        let mut is_named = is_named.filter(|named| named.host_str() == self.url.host_str());
        is_named.next().is_some() || self.limits.allow.iter().any(|host| host.covers(&self.url))
    }

    /// The authorization server.
    pub fn issuer(&self) -> &str {
        self.metadata.issuer.as_deref().unwrap_or_default()
    }

    /// The OAuth `state`, which identifies the callback of this login.
    pub fn state(&self) -> String {
        self.parameter("state")
    }

    /// Exchanges the authorization code for tokens, and stores them.
    ///
    /// # Errors
    /// When the callback does not belong to this login or its authorization server, when the person declined, or when
    /// the exchange or storing fails.
    pub async fn finish(&self, callback: &OauthCallback) -> Result<McpLogin, McpLoginError> {
        let state = self.state();
        if state.is_empty() || callback.state.as_deref() != Some(&state) {
            return Err(McpLoginError::OtherLogin);
        }
        if let Some(why) = &callback.error {
            return Err(McpLoginError::Declined(line(why, SAYS_MAX_CHARS)));
        }
        let code = callback.code.as_deref().ok_or(McpLoginError::NotTheAddress)?;
        let answer =
            self.manager.exchange_code_for_token_with_issuer(code, &state, callback.issuer.as_deref());
        let token = answer.await.map_err(|error| explained(&self.guard, error, &self.scrubber(code)))?;
        let stored = self.stored(token).await;
        let is_short = |token: &SecretString| token.expose_secret().chars().count() < SECRET_LEAST_CHARS;
        if stored.secrets().iter().any(is_short) {
            return Err(McpLoginError::ShortToken);
        }
        let _lock = self.file.lock(self.limits.timeout()).await?;
        self.file.write(&stored)?;
        Ok(stored.shown())
    }

    async fn stored(&self, token: OAuthTokenResponse) -> StoredMcpLogin {
        StoredMcpLogin {
            version: VERSION,
            server: self.file.server.clone(),
            url: self.file.url.to_string(),
            issuer: self.issuer().to_owned(),
            resource: self.parameter("resource"),
            client_id: self.client.client_id.clone(),
            // A configured client secret stays in its own place.
            client_secret: self.client.client_secret.clone().filter(|_| self.limits.client_id.is_none()),
            redirect_uri: self.client.redirect_uri.clone(),
            metadata: self.metadata.clone(),
            token,
            scopes: self.manager.get_current_scopes().await,
            received_at: self.received.received_at(),
        }
    }

    fn parameter(&self, wanted: &str) -> String {
        let found = self.url.query_pairs().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.into_owned()).unwrap_or_default()
    }

    fn scrubber(&self, code: &str) -> SecretScrubber {
        let secret = self.client.client_secret.clone();
        SecretScrubber::new(secret.into_iter().chain([code.to_owned()]).map(SecretString::from).collect())
    }
}

/// Parses an address that the browser may open: a web page, with https if the server itself uses https. A hostile
/// server could name anything else that a desktop opens: a file, a program with its own scheme.
fn page(server: &Url, text: &str) -> Result<Url, McpLoginError> {
    let url = Url::parse(text).map_err(|_| McpLoginError::NotAPage { scheme: String::new() })?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let is_page = matches!(url.scheme(), "http" | "https") && url.has_host() && !has_user;
    if !is_page {
        return Err(McpLoginError::NotAPage { scheme: line(url.scheme(), SAYS_MAX_CHARS) });
    }
    if server.scheme() == "https" && url.scheme() != "https" {
        return Err(McpLoginError::NotEncrypted { host: host_of(&url) });
    }
    Ok(url)
}

/// An authorization manager whose requests go through [`OauthEgressClient`].
pub(super) async fn manager(
    resource: &str,
    guard: Arc<OauthEgressClient>,
) -> Result<AuthorizationManager, McpLoginError> {
    let made = AuthorizationManager::new_with_oauth_http_client(resource, guard).await;
    made.map_err(|error| McpLoginError::Says(error.to_string()))
}

/// Configures the manager with this client.
pub(super) fn configure(
    manager: &mut AuthorizationManager,
    id: &str,
    secret: Option<SecretString>,
    redirect: &str,
) -> Result<OAuthClientConfig, McpLoginError> {
    let mut client = OAuthClientConfig::new(id, redirect);
    if let Some(secret) = secret {
        client = client.with_client_secret(secret.expose_secret());
    }
    manager.configure_client(client.clone()).map_err(|error| McpLoginError::Says(error.to_string()))?;
    Ok(client)
}

/// An error of Entracte's own, or one of rmcp that is still to be explained.
enum LoginFlowError {
    Ours(McpLoginError),
    Theirs(AuthError),
}

impl LoginFlowError {
    fn into_login_error(self, explained: impl FnOnce(AuthError) -> McpLoginError) -> McpLoginError {
        match self {
            LoginFlowError::Ours(error) => error,
            LoginFlowError::Theirs(error) => explained(error),
        }
    }
}

/// The server's authorization metadata. Guessed addresses and servers without PKCE are refused, as the protocol
/// requires of clients.
async fn offered(manager: &AuthorizationManager) -> Result<AuthorizationMetadata, LoginFlowError> {
    let found = manager.resolve_metadata().await.map_err(LoginFlowError::Theirs)?;
    if !found.source.is_discovered() {
        return Err(LoginFlowError::Ours(McpLoginError::NotOffered));
    }
    let methods = found.metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if !methods.iter().any(|method| method == "S256") {
        return Err(LoginFlowError::Ours(McpLoginError::NoPkce));
    }
    Ok(found.metadata)
}

/// Converts an error into a specific one where possible. A server's text becomes one line without secrets.
pub(super) fn explained(
    guard: &OauthEgressClient,
    error: AuthError,
    scrubber: &SecretScrubber,
) -> McpLoginError {
    if let Some(problem) = guard.problem() {
        return problem;
    }
    let says = |text: String| line(&scrubber.scrub_owned(text), SAYS_MAX_CHARS);
    match error {
        AuthError::AuthorizationServerMismatch { expected_issuer, received_issuer } => {
            McpLoginError::OtherIssuer { expected: expected_issuer, received: says(received_issuer) }
        }
        AuthError::AuthorizationServerMissingIssuer { expected_issuer } => {
            McpLoginError::NoIssuer { expected: expected_issuer }
        }
        AuthError::AuthorizationServersUnavailable { authorization_servers, .. } => {
            McpLoginError::NoAuthorizationServer { named: says(authorization_servers.join(", ")) }
        }
        AuthError::ProtectedResourceMetadataInvalid { url, .. } => {
            McpLoginError::OtherResource { url: says(url.to_string()) }
        }
        AuthError::PkceUnsupported => McpLoginError::NoPkce,
        AuthError::NoAuthorizationSupport => McpLoginError::NotOffered,
        AuthError::RegistrationFailed(why) => McpLoginError::NotRegistered(says(why)),
        AuthError::TokenExchangeFailed(why) => McpLoginError::NotExchanged(says(why)),
        other => McpLoginError::Says(says(other.to_string())),
    }
}

/// Revokes a token at the authorization server; `None` if the server has no revocation endpoint.
pub(super) async fn revoke(
    stored: &StoredMcpLogin,
    guard: &OauthEgressClient,
) -> Option<Result<(), McpLoginError>> {
    let endpoint = stored.metadata.additional_fields.get("revocation_endpoint")?.as_str()?.to_owned();
    let body = revocation_form(stored)?;
    let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
    let request = EgressRequest {
        method: reqwest::Method::POST,
        url: endpoint,
        headers: HeaderMap::from_iter([(CONTENT_TYPE, kind)]),
        body: Some(body.into_bytes()),
        timeout: None,
    };
    Some(match guard.send(request).await {
        Ok(answer) if answer.status < 300 => Ok(()),
        Ok(answer) => Err(McpLoginError::Says(format!("HTTP {}", answer.status))),
        Err(error) => Err(error),
    })
}

/// The form that revokes a login; `None` if nothing can be revoked.
fn revocation_form(stored: &StoredMcpLogin) -> Option<String> {
    let (kind, token) = stored.revocable()?;
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.append_pair("token", &token).append_pair("token_type_hint", kind);
    form.append_pair("client_id", &stored.client_id);
    if let Some(secret) = stored.secret_of_client() {
        form.append_pair("client_secret", secret.expose_secret());
    }
    Some(form.finish())
}

/// The client name shown on the login page.
const CLIENT_NAME: &str = "Entracte";
/// The most characters of a server's error text that are repeated.
pub(super) const SAYS_MAX_CHARS: usize = 500;
