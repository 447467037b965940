//! Stored logins: one file for each server and address, readable only by its owner.

use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io::{Error, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use entracte_application::system::sha256;
use reqwest::Url;
use rmcp::transport::auth::{AuthorizationMetadata, OAuthTokenResponse, StoredCredentials};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use super::McpLogin;
use super::error::McpLoginError;

/// The login file of a server at an address.
#[derive(Clone, Debug)]
pub(super) struct McpLoginFile {
    path: PathBuf,
    pub(super) server: String,
    pub(super) url: Url,
}

/// The content of a login file. Never displayed.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct StoredMcpLogin {
    pub(super) version: u32,
    pub(super) server: String,
    pub(super) url: String,
    pub(super) issuer: String,
    /// The OAuth resource of the token, as the server names itself.
    pub(super) resource: String,
    pub(super) client_id: String,
    pub(super) client_secret: Option<String>,
    pub(super) redirect_uri: String,
    /// The authorization server's metadata at login time: a later change cannot redirect the renewal of the token.
    pub(super) metadata: AuthorizationMetadata,
    pub(super) token: OAuthTokenResponse,
    pub(super) scopes: Vec<String>,
    /// Seconds since 1970.
    pub(super) received_at: u64,
}

/// The format version of the file.
pub(super) const VERSION: u32 = 1;

/// The lock held while a login is changed; dropping it releases it.
pub(super) struct McpLoginLock(#[expect(dead_code, reason = "it is held, never read")] File);

impl McpLoginFile {
    /// Each address has its own file, so that a changed address finds no login.
    pub(super) fn of(folder: &Path, server: &str, url: Url) -> Self {
        let hash = sha256(url.as_str().as_bytes());
        let short: String = hash.as_str().chars().take(HASH_CHARS).collect();
        Self { path: folder.join(format!("{server}.{short}.json")), server: server.to_owned(), url }
    }

    /// Reads the login, if there is one.
    pub(super) fn read(&self) -> Result<Option<StoredMcpLogin>, McpLoginError> {
        let Some(stored) = read(&self.path)? else { return Ok(None) };
        // A token is sent only if the content names this server and address too, not just the file name.
        let fits = stored.url == self.url.as_str() && stored.server == self.server;
        if fits { Ok(Some(stored)) } else { Err(self.damaged()) }
    }

    /// Waits, at most `limit`, until no other process changes the login.
    pub(super) async fn lock(&self, limit: Duration) -> Result<McpLoginLock, McpLoginError> {
        let file = self.lock_file().map_err(|error| self.unusable(error))?;
        let taken = async {
            loop {
                match file.try_lock() {
                    Ok(()) => return Ok(()),
                    Err(TryLockError::WouldBlock) => tokio::time::sleep(LOCK_LOOK).await,
                    Err(TryLockError::Error(error)) => return Err(self.unusable(error)),
                }
            }
        };
        match tokio::time::timeout(limit, taken).await {
            Ok(taken) => taken.map(|()| McpLoginLock(file)),
            Err(_) => Err(McpLoginError::Busy { seconds: limit.as_secs() }),
        }
    }

    fn lock_file(&self) -> std::io::Result<File> {
        self.make_folder()?;
        let path = self.path.with_extension("lock");
        File::options().create(true).truncate(false).write(true).mode(PRIVATE_FILE).open(path)
    }

    fn make_folder(&self) -> std::io::Result<()> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(folder)?;
        std::fs::set_permissions(folder, Permissions::from_mode(PRIVATE_FOLDER))
    }

    /// Replaces the login file atomically. The caller holds the lock.
    pub(super) fn write(&self, login: &StoredMcpLogin) -> Result<(), McpLoginError> {
        self.replace(login).map_err(|error| self.unusable(error))
    }

    fn replace(&self, login: &StoredMcpLogin) -> std::io::Result<()> {
        self.make_folder()?;
        let new = self.path.with_extension("new");
        // A killed process may have left its temporary file.
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Err(_) | Ok(()) => {}
        }
        let mut file = File::options().create_new(true).write(true).mode(PRIVATE_FILE).open(&new)?;
        // The serde error may contain a value, so it is dropped.
        let text = serde_json::to_vec_pretty(login).map_err(|_| Error::other("it cannot be written"))?;
        file.write_all(&text)?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)
    }

    /// Removes the login; returns whether there was one. The caller holds the lock.
    pub(super) fn remove(&self) -> Result<bool, McpLoginError> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.unusable(error)),
        }
    }

    pub(super) fn unusable(&self, cause: Error) -> McpLoginError {
        McpLoginError::File { path: self.path.display().to_string(), cause }
    }

    fn damaged(&self) -> McpLoginError {
        McpLoginError::Damaged { path: self.path.display().to_string() }
    }
}

/// Reads a login file. A parse error is reported without its text, which may repeat a token.
fn read(path: &Path) -> Result<Option<StoredMcpLogin>, McpLoginError> {
    let shown = || path.display().to_string();
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(McpLoginError::File { path: shown(), cause }),
    };
    let stored: StoredMcpLogin =
        serde_json::from_slice(&text).map_err(|_| McpLoginError::Damaged { path: shown() })?;
    if stored.version != VERSION {
        return Err(McpLoginError::Version { path: shown(), found: stored.version });
    }
    Ok(Some(stored))
}

/// Every readable login.
pub(super) fn all(folder: &Path) -> Vec<StoredMcpLogin> {
    paths(folder).iter().filter_map(|path| read(path).ok().flatten()).collect()
}

/// Removes a server's logins at other addresses; returns whether there were any.
pub(super) fn remove_others(folder: &Path, server: &str) -> Result<bool, McpLoginError> {
    let begins = format!("{server}.");
    let is_its = |path: &&PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&begins))
    };
    let mut removed = false;
    for path in paths(folder).iter().filter(is_its) {
        std::fs::remove_file(path)
            .map_err(|cause| McpLoginError::File { path: path.display().to_string(), cause })?;
        removed = true;
    }
    Ok(removed)
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect()
}

impl StoredMcpLogin {
    /// The login without its secrets.
    pub(super) fn shown(&self) -> McpLogin {
        let lives = self.field("expires_in").and_then(|seconds| seconds.as_u64());
        McpLogin {
            issuer: self.issuer.clone(),
            scopes: self.scopes.clone(),
            expires_at: lives.map(|seconds| self.received_at.saturating_add(seconds)),
            renews: self.text("refresh_token").is_some(),
        }
    }

    /// All of its secrets.
    pub(super) fn secrets(&self) -> Vec<SecretString> {
        let tokens =
            ["access_token", "refresh_token", "id_token"].into_iter().filter_map(|name| self.text(name));
        tokens.chain(self.client_secret.clone()).map(SecretString::from).collect()
    }

    /// The client secret that the authorization server issued to this client.
    pub(super) fn secret_of_client(&self) -> Option<SecretString> {
        self.client_secret.clone().map(SecretString::from)
    }

    /// The token to revoke and its type: the refresh token, else the access token.
    pub(super) fn revocable(&self) -> Option<(&'static str, String)> {
        ["refresh_token", "access_token"].into_iter().find_map(|name| Some((name, self.text(name)?)))
    }

    /// Converts it for rmcp.
    pub(super) fn credentials(&self) -> StoredCredentials {
        StoredCredentials::new(
            self.client_id.clone(),
            Some(self.token.clone()),
            self.scopes.clone(),
            Some(self.received_at),
        )
        .with_issuer(Some(self.issuer.clone()))
    }

    fn text(&self, name: &str) -> Option<String> {
        self.field(name)?.as_str().map(str::to_owned)
    }

    fn field(&self, name: &str) -> Option<serde_json::Value> {
        serde_json::to_value(&self.token).ok()?.get(name).cloned()
    }
}

/// The number of hash characters in a file name.
const HASH_CHARS: usize = 16;
/// Interval for polling the lock.
const LOCK_LOOK: Duration = Duration::from_millis(20);
/// Readable by its owner only.
const PRIVATE_FILE: u32 = 0o600;
/// Open to its owner only.
const PRIVATE_FOLDER: u32 = 0o700;
