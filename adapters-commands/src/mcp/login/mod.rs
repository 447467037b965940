//! OAuth logins at servers with an address, as the MCP specification describes them.
//!
//! - `flow`: a person's login: discovery, registration, the authorization URL, and the exchange of the code.
//!   `callback`: the local redirect address.
//! - `file`: stored logins, one private file for each server and address. `credentials`: a login in use by a
//!   connection; a renewed token is stored before it is used.
//! - `oauth_client`: the only HTTP client of all these requests.
//!
//! rmcp implements the protocol. A token is sent only to the address it was issued for: another address in the
//! configuration has another file.

mod callback;
mod credentials;
mod error;
mod error_messages;
mod file;
mod flow;
mod oauth_client;

use std::path::PathBuf;
use std::sync::Arc;

use entracte_application::ports::SecretStore;
use rmcp::transport::auth::AuthorizationManager;
use rustls::crypto::CryptoProvider;
use secrecy::SecretString;

use super::config::{McpLoginConfig, McpServerConfig};
pub use callback::{OauthCallback, OauthCallbackListener};
pub(super) use credentials::McpCredentials;
pub use error::McpLoginError;
use file::{McpLoginFile, StoredMcpLogin};
pub use flow::PendingMcpLogin;
use oauth_client::OauthEgressClient;

/// The folder of stored logins.
#[derive(Clone, Debug)]
pub struct McpLoginStore {
    folder: PathBuf,
    crypto: Arc<CryptoProvider>,
}

/// A stored login, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpLogin {
    /// The authorization server that issued it.
    pub issuer: String,
    /// The granted scopes, if the server reported them.
    pub scopes: Vec<String>,
    /// When its token expires, in seconds since 1970; `None` if the server did not say.
    pub expires_at: Option<u64>,
    /// Whether its token is renewed without a person.
    pub renews: bool,
}

/// The result of a logout.
#[derive(Debug)]
pub enum McpLogoutOutcome {
    /// There was no login.
    Nothing,
    /// Removed locally; the authorization server has no revocation endpoint, or the server's address has changed.
    Forgotten,
    /// Removed locally, and revoked at the authorization server.
    Revoked,
    /// Removed locally, but the revocation failed.
    NotRevoked(McpLoginError),
}

impl McpLoginStore {
    /// Stores logins in `folder`, which the first login creates; `crypto` serves the TLS of their requests.
    pub fn new(folder: impl Into<PathBuf>, crypto: Arc<CryptoProvider>) -> Self {
        Self { folder: folder.into(), crypto }
    }

    /// The login at a server, at its currently configured address.
    ///
    /// # Errors
    /// When the login file cannot be read.
    pub fn login(&self, server: &str, config: &McpServerConfig) -> Result<Option<McpLogin>, McpLoginError> {
        let Some(file) = self.file(server, config) else { return Ok(None) };
        Ok(file.read()?.map(|stored| stored.shown()))
    }

    /// Begins a login: discovers the server and its authorization server. `redirect` is the redirect address.
    ///
    /// # Errors
    /// When the server has no logins, or one of the two cannot be reached.
    pub async fn begin(
        &self,
        server: &str,
        config: &McpServerConfig,
        secrets: &dyn SecretStore,
        redirect: &str,
    ) -> Result<PendingMcpLogin, McpLoginError> {
        let file = self.file(server, config).ok_or(McpLoginError::NoAddress)?;
        if config.has_own_authorization() {
            return Err(McpLoginError::OwnAuthorization);
        }
        let login = config.login();
        let guard = OauthEgressClient::new(&file.url, &login, self.crypto.clone());
        PendingMcpLogin::begin(file, login, secrets, redirect, Arc::new(guard)).await
    }

    /// Removes every login at a server, and revokes the one at its current address.
    ///
    /// # Errors
    /// When a login file cannot be removed.
    pub async fn logout(
        &self,
        server: &str,
        config: &McpServerConfig,
    ) -> Result<McpLogoutOutcome, McpLoginError> {
        let current = self.file(server, config);
        let (mut known, mut out) = (None, McpLogoutOutcome::Nothing);
        if let Some(file) = &current {
            let _lock = file.lock(config.login().timeout()).await?;
            // A damaged login is removed too.
            known = file.read().ok().flatten();
            if file.remove()? {
                out = McpLogoutOutcome::Forgotten;
            }
        }
        if file::remove_others(&self.folder, server)? && matches!(out, McpLogoutOutcome::Nothing) {
            out = McpLogoutOutcome::Forgotten;
        }
        let Some((file, stored)) = current.zip(known) else { return Ok(out) };
        let guard = OauthEgressClient::new(&file.url, &config.login(), self.crypto.clone());
        match flow::revoke(&stored, &guard).await {
            None => Ok(out),
            Some(Ok(())) => Ok(McpLogoutOutcome::Revoked),
            Some(Err(error)) => Ok(McpLogoutOutcome::NotRevoked(error)),
        }
    }

    /// The tokens of all readable logins, for scrubbing. An unreadable one was never sent.
    pub fn secrets(&self) -> Vec<SecretString> {
        let stored = file::all(&self.folder);
        stored.iter().flat_map(StoredMcpLogin::secrets).collect()
    }

    /// The authorization manager of a connection; `None` without a login at this address.
    pub(super) async fn manager(
        &self,
        server: &str,
        config: &McpServerConfig,
        secrets: &dyn SecretStore,
    ) -> Result<Option<(AuthorizationManager, Arc<McpCredentials>)>, McpLoginError> {
        let file = self.file(server, config).filter(|_| !config.has_own_authorization());
        let Some(file) = file else { return Ok(None) };
        let Some(stored) = file.read()? else { return Ok(None) };
        let login = config.login();
        check_issuer(&login, &stored.issuer)?;
        let credentials = Arc::new(McpCredentials::new(file.clone(), login.timeout(), &stored));
        let guard = Arc::new(OauthEgressClient::new(&file.url, &login, self.crypto.clone()));
        let secret = client_secret(&login, &stored.client_id, &stored.issuer, secrets)?
            .or_else(|| stored.secret_of_client());
        let mut manager = flow::manager(&stored.resource, guard).await?;
        manager.set_credential_store(credentials::SharedCredentialStore(Arc::clone(&credentials)));
        manager.set_metadata(stored.metadata.clone());
        flow::configure(&mut manager, &stored.client_id, secret, &stored.redirect_uri)?;
        Ok(Some((manager, credentials)))
    }

    /// The login file of a server; `None` if it has no address.
    fn file(&self, server: &str, config: &McpServerConfig) -> Option<McpLoginFile> {
        let url = reqwest::Url::parse(config.url.as_deref()?).ok()?;
        Some(McpLoginFile::of(&self.folder, server, url))
    }
}

/// Checks that an authorization server is the configured one; any is allowed if none is configured.
fn check_issuer(login: &McpLoginConfig, issuer: &str) -> Result<(), McpLoginError> {
    match &login.issuer {
        Some(expected) if expected.trim_end_matches('/') != issuer.trim_end_matches('/') => {
            Err(McpLoginError::OtherIssuer { expected: expected.clone(), received: issuer.to_owned() })
        }
        Some(_) | None => Ok(()),
    }
}

/// The configured client secret. It is sent only to the configured authorization server, because the server's own
/// claim about its authorization server is not trusted.
fn client_secret(
    login: &McpLoginConfig,
    client: &str,
    issuer: &str,
    secrets: &dyn SecretStore,
) -> Result<Option<SecretString>, McpLoginError> {
    use secrecy::ExposeSecret;

    let named = login.client_id.as_deref() == Some(client);
    let Some(place) = login.client_secret.as_ref().filter(|_| named) else { return Ok(None) };
    let Some(reference) = place.reference() else { return Ok(None) };
    if login.issuer.is_none() {
        return Err(McpLoginError::NoConfiguredIssuer);
    }
    check_issuer(login, issuer)?;
    let secret = secrets.secret(&reference)?;
    Ok(Some(format!("{}{}", place.prefix, secret.expose_secret()).into()))
}
