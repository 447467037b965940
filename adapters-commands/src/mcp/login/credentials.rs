//! The login as a connection uses it. A renewed token is stored before it is used, and processes that renew at the
//! same time do so one after the other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use entracte_application::ports::Clock as _;
use entracte_application::system::SystemClock;
use entracte_domain::time::Timestamp;
use rmcp::transport::auth::{AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials};
use secrecy::{ExposeSecret, SecretString};

use super::error::McpLoginError;
use super::file::{McpLoginFile, McpLoginLock, StoredMcpLogin};
use entracte_application::system::SecretScrubber;

/// The credentials of a connection.
pub(in crate::mcp) struct McpCredentials {
    file: McpLoginFile,
    /// The longest wait for another process that renews the token.
    limit: Duration,
    /// Every secret that this connection may have sent.
    sent: Mutex<Vec<SecretString>>,
    /// Whether this connection is renewing the token, and so holds the lock.
    renews: AtomicBool,
}

impl std::fmt::Debug for McpCredentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("file", &self.file).finish_non_exhaustive()
    }
}

impl McpCredentials {
    pub(super) fn new(file: McpLoginFile, limit: Duration, stored: &StoredMcpLogin) -> Self {
        Self { file, limit, sent: Mutex::new(stored.secrets()), renews: AtomicBool::new(false) }
    }

    /// Scrubs its secrets from a text.
    pub(in crate::mcp) fn scrubber(&self) -> SecretScrubber {
        SecretScrubber::new(self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn read(&self) -> Result<Option<StoredMcpLogin>, AuthError> {
        let stored = self.file.read().map_err(store_error)?;
        if let Some(stored) = &stored {
            self.remember(stored);
        }
        Ok(stored)
    }

    /// Reads the login after any renewal in progress: rmcp decides to renew before it holds the lock, and would
    /// repeat the renewal of another process.
    async fn read_after_renewal(&self) -> Result<Option<StoredMcpLogin>, AuthError> {
        let stored = self.read()?;
        let ends = stored.as_ref().is_some_and(|stored| ends_soon(stored, SystemClock.now()));
        if !ends || self.renews.load(Ordering::SeqCst) {
            return Ok(stored);
        }
        drop(self.file.lock(self.limit).await.map_err(store_error)?);
        self.read()
    }

    fn remember(&self, stored: &StoredMcpLogin) {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        for secret in stored.secrets() {
            if sent.iter().all(|known| known.expose_secret() != secret.expose_secret()) {
                sent.push(secret);
            }
        }
    }

    fn write(&self, stored: &StoredMcpLogin) -> Result<(), AuthError> {
        self.remember(stored);
        self.file.write(stored).map_err(store_error)
    }

    /// Removes the refresh token, which the authorization server has refused for good.
    fn give_up_renewing(&self, refused: &StoredCredentials) -> Result<(), AuthError> {
        let Some(mut stored) = self.read()? else { return Ok(()) };
        if renewer(&stored.credentials()) == renewer(refused)
            && let Some(mut token) = refused.token_response.clone()
        {
            token.set_refresh_token(None);
            stored.token = token;
            self.write(&stored)?;
        }
        Ok(())
    }
}

/// Whether rmcp would renew the token before using it.
fn ends_soon(stored: &StoredMcpLogin, now: Timestamp) -> bool {
    let now = u64::try_from(now.0 / 1_000_000).unwrap_or_default();
    stored.shown().expires_at.is_some_and(|ends| ends.saturating_sub(now) < RENEWED_BEFORE_SECONDS)
}

/// How long before its expiry rmcp renews a token.
const RENEWED_BEFORE_SECONDS: u64 = 30;

/// Holds the lock of a renewal; dropping it ends the renewal.
struct TokenRenewalGuard {
    credentials: Arc<McpCredentials>,
    _lock: McpLoginLock,
}

impl Drop for TokenRenewalGuard {
    fn drop(&mut self) {
        self.credentials.renews.store(false, Ordering::SeqCst);
    }
}

fn renewer(credentials: &StoredCredentials) -> Option<String> {
    let token = serde_json::to_value(credentials.token_response.as_ref()?).ok()?;
    Some(token.get("refresh_token")?.as_str()?.to_owned())
}

/// An error that names the file, never its content.
fn store_error(error: McpLoginError) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}

/// Shares the credentials with rmcp, which takes ownership of its store.
pub(super) struct SharedCredentialStore(pub(super) Arc<McpCredentials>);

#[async_trait]
impl CredentialStore for SharedCredentialStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.0.read_after_renewal().await?.map(|stored| stored.credentials()))
    }

    /// Called while the guard is held.
    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let (Some(mut stored), Some(token)) = (self.0.read()?, credentials.token_response) else {
            // A person logged out meanwhile, so the new tokens are discarded.
            return Ok(());
        };
        stored.token = token;
        stored.scopes = credentials.granted_scopes;
        stored.received_at = credentials.token_received_at.unwrap_or(stored.received_at);
        self.0.write(&stored)
    }

    /// Does nothing: only a person logs out.
    async fn clear(&self) -> Result<(), AuthError> {
        Ok(())
    }

    async fn on_refresh_token_rejected(&self, credentials: &StoredCredentials) -> Result<(), AuthError> {
        self.0.give_up_renewing(credentials)
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        let lock = self.0.file.lock(self.0.limit).await.map_err(store_error)?;
        self.0.renews.store(true, Ordering::SeqCst);
        Ok(Some(CredentialRefreshGuard::new(TokenRenewalGuard {
            credentials: Arc::clone(&self.0),
            _lock: lock,
        })))
    }
}

/// Holds the tokens of a new login until they are stored in its file.
#[derive(Clone, Default)]
pub(super) struct PendingCredentialStore(Arc<Mutex<Option<StoredCredentials>>>);

impl PendingCredentialStore {
    /// When the token was received, in seconds since 1970.
    pub(super) fn received_at(&self) -> u64 {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().and_then(|kept| kept.token_received_at).unwrap_or_default()
    }
}

#[async_trait]
impl CredentialStore for PendingCredentialStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(credentials);
        Ok(())
    }

    async fn clear(&self) -> Result<(), AuthError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }
}
