//! Logins at servers with an address, by OAuth as the protocol describes it.
//!
//! - `flow`: a person's login: what the server says about itself, registration, the address for the browser, and the
//!   exchange of what the browser brings back. `callback`: where the browser returns to.
//! - `file`: a login as it is kept: one private file for a server and its address. `credentials`: what a connection
//!   gets of it; a renewed token is stored before it is used.
//! - `guard`: the one way of all these requests to the network. `scrub`: the tokens, for their removal from texts.
//!
//! The protocol itself is rmcp's. A token is sent to the address that it was given for and to nobody else: another
//! address in the configuration has another file.

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
use secrecy::SecretString;

use super::config::{McpLoginConfig, McpServerConfig};
pub use callback::{OauthCallback, OauthCallbackListener};
pub(super) use credentials::McpCredentials;
pub use error::McpLoginError;
use file::{McpLoginFile, StoredMcpLogin};
pub use flow::PendingMcpLogin;
use oauth_client::OauthEgressClient;

/// Where logins are kept.
#[derive(Clone, Debug)]
pub struct McpLoginStore {
    folder: PathBuf,
}

/// A login, without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpLogin {
    /// Who gave it.
    pub issuer: String,
    /// What it may do there, as far as that was said.
    pub scopes: Vec<String>,
    /// When its token expires, in seconds since 1970; none when that was not said.
    pub expires_at: Option<u64>,
    /// Whether its token is renewed without a person.
    pub renews: bool,
}

/// What became of a login that was given up.
#[derive(Debug)]
pub enum McpLogoutOutcome {
    /// There was none.
    Nothing,
    /// It is forgotten here, and the authorization server knows no way to revoke it, or its address changed.
    Forgotten,
    /// It is forgotten here, and revoked there.
    Revoked,
    /// It is forgotten here, but could not be revoked there.
    NotRevoked(McpLoginError),
}

impl McpLoginStore {
    /// Logins in this folder, which is made at the first one.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The login at a server, at the address that the configuration has now.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn login(&self, server: &str, config: &McpServerConfig) -> Result<Option<McpLogin>, McpLoginError> {
        let Some(file) = self.file(server, config) else { return Ok(None) };
        Ok(file.read()?.map(|stored| stored.shown()))
    }

    /// Begins a login: asks the server and its authorization server how. `redirect` is where the browser returns to.
    ///
    /// # Errors
    /// When the server has no logins, or the two cannot be asked.
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
        PendingMcpLogin::begin(file, &config.login(), secrets, redirect).await
    }

    /// Forgets every login at a server, and revokes that at its present address.
    ///
    /// # Errors
    /// When a login cannot be forgotten.
    pub async fn logout(
        &self,
        server: &str,
        config: &McpServerConfig,
    ) -> Result<McpLogoutOutcome, McpLoginError> {
        let current = self.file(server, config);
        let (mut known, mut out) = (None, McpLogoutOutcome::Nothing);
        if let Some(file) = &current {
            let _lock = file.lock(config.login().timeout()).await?;
            // One that is damaged is forgotten too.
            known = file.read().ok().flatten();
            if file.remove()? {
                out = McpLogoutOutcome::Forgotten;
            }
        }
        if file::remove_others(&self.folder, server)? && matches!(out, McpLogoutOutcome::Nothing) {
            out = McpLogoutOutcome::Forgotten;
        }
        let Some((file, stored)) = current.zip(known) else { return Ok(out) };
        match flow::revoke(&file, &stored, &config.login()).await {
            None => Ok(out),
            Some(Ok(())) => Ok(McpLogoutOutcome::Revoked),
            Some(Err(error)) => Ok(McpLogoutOutcome::NotRevoked(error)),
        }
    }

    /// The tokens of all logins. One that cannot be read was given to nobody.
    pub fn secrets(&self) -> Vec<SecretString> {
        let stored = file::all(&self.folder);
        stored.iter().flat_map(StoredMcpLogin::secrets).collect()
    }

    /// What a connection sends; none without a login at this address.
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
        let guard = Arc::new(OauthEgressClient::new(&file.url, &login));
        let secret = client_secret(&login, (&stored.client_id, &stored.issuer), secrets)?
            .or_else(|| stored.secret_of_client());
        let mut manager = flow::manager(&stored.resource, guard).await?;
        manager.set_credential_store(credentials::SharedCredentialStore(Arc::clone(&credentials)));
        manager.set_metadata(stored.metadata.clone());
        flow::configure(&mut manager, &stored.client_id, secret, &stored.redirect_uri)?;
        Ok(Some((manager, credentials)))
    }

    /// The file of a server with an address.
    fn file(&self, server: &str, config: &McpServerConfig) -> Option<McpLoginFile> {
        let url = reqwest::Url::parse(config.url.as_deref()?).ok()?;
        Some(McpLoginFile::of(&self.folder, server, url))
    }
}

/// Whether an authorization server is the configured one; any is where none is configured.
fn check_issuer(login: &McpLoginConfig, issuer: &str) -> Result<(), McpLoginError> {
    match &login.issuer {
        Some(expected) if expected.trim_end_matches('/') != issuer.trim_end_matches('/') => {
            Err(McpLoginError::OtherIssuer { expected: expected.clone(), received: issuer.to_owned() })
        }
        Some(_) | None => Ok(()),
    }
}

/// The secret of the client that the configuration names. It is given to the configured authorization server only: what the
/// server says of itself is a stranger's word.
fn client_secret(
    login: &McpLoginConfig,
    (client, issuer): (&str, &str),
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
