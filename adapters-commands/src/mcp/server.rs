//! One configured server: started on demand, kept running, and started again after it died.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::{IdGenerator, LogReader, SecretStore};
use entracte_application::settings::SchemaBounds;
use entracte_application::system::RandomIdGenerator;
use entracte_domain::time::Timestamp;
use rustls::crypto::CryptoProvider;

use super::backoff::ServerStartBackoff;
use super::config::{McpServerConfig, McpToolConfig};
use super::connection::McpConnection;
use super::connector::McpConnector;
use super::error::{McpProblemKind, McpUnavailable};
use super::held_calls::HeldCalls;
use super::login::McpLoginStore;
use super::pins::{PinFile, PinKey, PinnedServer, PinnedTool};
use super::status::McpLink;
use crate::result_files::ResultFiles;

/// The services that servers need.
#[derive(Clone)]
pub struct McpEnvironment {
    /// Resolves the secrets named by configuration entries.
    pub secrets: Arc<dyn SecretStore>,
    /// The environment variables of this process. A server inherits those that its entry names, `PATH` by default.
    pub variables: BTreeMap<String, String>,
    /// The stored logins.
    pub logins: McpLoginStore,
    /// The folder with a folder for each server that has no `cwd`, which survives restarts.
    pub folder: PathBuf,
    /// The size limits of tool schemas.
    pub bounds: SchemaBounds,
    /// Reads the calls of a session, so that its model learns that a server began anew; without it, nothing is said.
    pub log: Option<Arc<dyn LogReader>>,
    /// Where the images and PDFs of results are stored; without it, a line stands for each.
    pub files: Option<ResultFiles>,
    /// The cryptography of TLS connections to servers with an address.
    pub crypto: Arc<CryptoProvider>,
}

/// A configured server and the state of its connection.
pub(super) struct McpServer {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    pub(super) surroundings: McpEnvironment,
    /// The calls that go on after their commands became tasks.
    pub(super) held: Arc<HeldCalls>,
    pins: Arc<PinFile>,
    pub(super) pin_key: PinKey,
    shared: Arc<SharedConnection>,
}

/// The connection of a server, and of those that follow it with an entry that connects in the same way.
struct SharedConnection {
    slot: tokio::sync::Mutex<McpConnectionSlot>,
    link: Mutex<McpLink>,
}

struct McpConnectionSlot {
    connection: Option<Arc<McpConnection>>,
    backoff: ServerStartBackoff,
    /// Whether the server only understands the older handshake.
    older_way: bool,
    /// Whether it has started before, so that its program is installed.
    has_started: bool,
}

impl McpServer {
    pub(super) fn new(
        name: String,
        config: McpServerConfig,
        surroundings: McpEnvironment,
        pins: Arc<PinFile>,
    ) -> Self {
        let backoff = ServerStartBackoff::new(config.restart_min_seconds(), config.restart_max_seconds());
        let slot = tokio::sync::Mutex::new(McpConnectionSlot {
            connection: None,
            backoff,
            older_way: false,
            has_started: false,
        });
        let held = Arc::new(HeldCalls::new(RandomIdGenerator.key()));
        let shared = Arc::new(SharedConnection { slot, link: Mutex::new(McpLink::Never) });
        let pin_key = PinKey { server: name.clone(), destination: config.destination() };
        Self { name, config, surroundings, held, pins, pin_key, shared }
    }

    /// The server of this name with another entry. The connection goes on where the entry connects in the same way, and the
    /// calls that became tasks where it leads to the same program or address.
    pub(super) fn with_config(&self, config: McpServerConfig) -> Self {
        let new = Self::new(self.name.clone(), config, self.surroundings.clone(), Arc::clone(&self.pins));
        let held = if self.config.leads_like(&new.config) { Arc::clone(&self.held) } else { new.held };
        let shared =
            if self.config.connects_like(&new.config) { Arc::clone(&self.shared) } else { new.shared };
        Self { held, shared, ..new }
    }

    /// The settings of a tool: the configuration's, and where it does not say whether to ask, what a person decided.
    pub(super) fn tool_config(&self, tool: &str) -> McpToolConfig {
        let config = self.config.tool(tool);
        let decided = || self.pins.tool(&self.pin_key, tool)?.validation;
        McpToolConfig { validation: config.validation.or_else(decided), ..config }
    }

    /// What is known of the server; `None` if it was never connected to.
    pub(super) fn pinned_server(&self) -> Option<PinnedServer> {
        self.pins.server(&self.pin_key)
    }

    /// What is known of a tool; nothing if it was never offered.
    pub(super) fn pinned(&self, tool: &str) -> PinnedTool {
        self.pins.tool(&self.pin_key, tool).unwrap_or_default()
    }

    /// The state of the connection.
    pub(super) fn link(&self) -> McpLink {
        self.shared.link.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Requires that an open connection lists its tools before its next call.
    pub(super) async fn require_listing(&self) {
        if let Some(connection) = &self.shared.slot.lock().await.connection {
            connection.require_listing();
        }
    }

    /// The open connection, or a new one, with its tools compared. `now` is the time of a call: a server that failed
    /// recently is not started again before its backoff ends. `None` is a person's request, which starts the server
    /// immediately.
    pub(super) async fn connection(
        &self,
        now: Option<Timestamp>,
    ) -> Result<Arc<McpConnection>, McpUnavailable> {
        let connection = self.open_connection(now).await?;
        match connection.refresh_tools().await {
            Ok(()) => return Ok(connection),
            Err(error) if error.is_session_lost() => self.discard_session(&connection).await,
            Err(error) => return Err(self.unavailable(McpProblemKind::Failed(Arc::new(error)))),
        }
        // Opening it has listed the tools.
        self.open_connection(now).await
    }

    async fn open_connection(&self, now: Option<Timestamp>) -> Result<Arc<McpConnection>, McpUnavailable> {
        let mut slot = self.shared.slot.lock().await;
        let open = slot.connection.clone().filter(|connection| connection.is_open());
        match open {
            Some(connection) => Ok(connection),
            None => self.start(&mut slot, now).await,
        }
    }

    async fn start(
        &self,
        slot: &mut McpConnectionSlot,
        now: Option<Timestamp>,
    ) -> Result<Arc<McpConnection>, McpUnavailable> {
        if let Some(dead) = slot.connection.take() {
            self.record_death(slot, &dead, now);
        }
        if let Some(left) = now.and_then(|now| slot.backoff.remaining_wait(now)) {
            let seconds = left.0.div_euclid(1000) + i64::from(left.0 % 1000 != 0);
            let before = match self.link() {
                McpLink::Down { why } => Some(Arc::new(why.0)),
                McpLink::Never | McpLink::Up { .. } => None,
            };
            return Err(self.unavailable(McpProblemKind::Later { before, seconds }));
        }
        let own_folder = self.surroundings.folder.join(&self.name);
        let dial = McpConnector {
            own_folder: &own_folder,
            key: &self.pin_key,
            config: &self.config,
            secrets: self.surroundings.secrets.as_ref(),
            variables: &self.surroundings.variables,
            logins: &self.surroundings.logins,
            pins: &self.pins,
            crypto: &self.surroundings.crypto,
            limit: self.config.start_limit(!slot.has_started),
        };
        match dial.connect(slot.older_way).await {
            Ok((connection, older_way)) => {
                (slot.older_way, slot.has_started) = (older_way, true);
                let connection = Arc::new(connection);
                slot.connection = Some(Arc::clone(&connection));
                self.set_link(McpLink::Up {
                    protocol: connection.protocol.clone(),
                    called: connection.called.clone(),
                });
                Ok(connection)
            }
            Err(error) => {
                slot.backoff.record_failure(now);
                let text = error.to_string();
                let why = McpProblemKind::Failed(Arc::new(error));
                let down = McpLink::Down { why: why.clone().into() };
                // It is named once for each reason, however often it is tried.
                if self.link() == down {
                    tracing::debug!(target: "entracte::mcp", server = self.name, error = text, "the MCP server still does not start");
                } else {
                    tracing::warn!(target: "entracte::mcp", server = self.name, error = text, "the MCP server did not start; its tools cannot be used");
                }
                self.set_link(down);
                Err(self.unavailable(why))
            }
        }
    }

    /// Drops a broken connection.
    pub(super) async fn drop_connection(&self, broken: &Arc<McpConnection>, now: Timestamp) {
        let mut slot = self.shared.slot.lock().await;
        if slot.connection.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
            slot.connection = None;
            self.record_death(&mut slot, broken, Some(now));
        }
    }

    /// Drops a connection whose session or login the server does not know any more. The server itself did not fail, so
    /// the next connection does not wait.
    pub(super) async fn discard_session(&self, lost: &Arc<McpConnection>) {
        let mut slot = self.shared.slot.lock().await;
        if slot.connection.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, lost)) {
            slot.connection = None;
            tracing::info!(target: "entracte::mcp", server = self.name, "the MCP server ended the session");
            self.set_link(McpLink::Never);
        }
    }

    /// Records the end of a server. One that had answered a call may start again immediately; another one waits.
    fn record_death(&self, slot: &mut McpConnectionSlot, connection: &McpConnection, now: Option<Timestamp>) {
        tracing::warn!(target: "entracte::mcp", server = self.name, "the MCP server ended, or its connection broke");
        self.set_link(McpLink::Down { why: McpProblemKind::Broken.into() });
        if connection.has_served() {
            slot.backoff.reset();
        } else {
            slot.backoff.record_failure(now);
        }
    }

    /// Closes the connection, if there is one.
    pub(super) async fn close(&self) {
        let connection = self.shared.slot.lock().await.connection.take();
        if let Some(connection) = connection {
            connection.close().await;
            self.set_link(McpLink::Never);
        }
    }

    pub(super) fn unavailable(&self, why: McpProblemKind) -> McpUnavailable {
        McpUnavailable { server: self.name.clone(), why: why.into() }
    }

    fn set_link(&self, link: McpLink) {
        *self.shared.link.lock().unwrap_or_else(PoisonError::into_inner) = link;
    }
}
