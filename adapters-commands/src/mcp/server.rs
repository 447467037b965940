//! One configured server: started when it is needed, kept, and started again when it died.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::ports::SecretStore;
use entracte_domain::time::Timestamp;

use super::backoff::Backoff;
use super::config::McpServerConfig;
use super::connection::Connection;
use super::dial::Dial;
use super::error::McpUnavailable;
use super::pins::PinFile;
use super::status::McpLink;

/// What surrounds the servers.
#[derive(Clone)]
pub struct McpSurroundings {
    /// Gives the secrets that entries name.
    pub secrets: Arc<dyn SecretStore>,
    /// The variables of this process. A server gets those that its entry names, `PATH` unless said.
    pub variables: BTreeMap<String, String>,
}

/// A server and how it is doing.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) config: McpServerConfig,
    surroundings: McpSurroundings,
    pins: Arc<PinFile>,
    slot: tokio::sync::Mutex<Slot>,
    link: Mutex<McpLink>,
}

struct Slot {
    connection: Option<Arc<Connection>>,
    backoff: Backoff,
    /// It only knows the older way to begin.
    older_way: bool,
}

impl Server {
    pub(super) fn new(
        name: String,
        config: McpServerConfig,
        surroundings: McpSurroundings,
        pins: Arc<PinFile>,
    ) -> Self {
        let backoff = Backoff::new(config.restart_min_seconds(), config.restart_max_seconds());
        let slot = tokio::sync::Mutex::new(Slot { connection: None, backoff, older_way: false });
        Self { name, config, surroundings, pins, slot, link: Mutex::new(McpLink::Never) }
    }

    /// How it is doing.
    pub(super) fn link(&self) -> McpLink {
        self.link.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A conversation whose tools are compared: the one there is, or a new one. With the time of a call, a server
    /// that failed a moment ago is left alone until its wait is over; without one a person asks, now.
    pub(super) async fn connection(&self, now: Option<Timestamp>) -> Result<Arc<Connection>, McpUnavailable> {
        let mut slot = self.slot.lock().await;
        let open = slot.connection.clone().filter(|connection| connection.is_open());
        let connection = match open {
            Some(connection) => connection,
            None => self.start(&mut slot, now).await?,
        };
        drop(slot);
        match connection.fresh().await {
            Ok(()) => Ok(connection),
            Err(error) => Err(self.unavailable(error.to_string())),
        }
    }

    async fn start(
        &self,
        slot: &mut Slot,
        now: Option<Timestamp>,
    ) -> Result<Arc<Connection>, McpUnavailable> {
        if let Some(dead) = slot.connection.take() {
            self.died(slot, &dead, now);
        }
        if let Some(left) = now.and_then(|now| slot.backoff.left(now)) {
            let seconds = left.0.div_euclid(1000) + i64::from(left.0 % 1000 != 0);
            let McpLink::Down { why } = self.link() else {
                return Err(self.unavailable(format!("it is started again in {seconds} s at the earliest")));
            };
            return Err(
                self.unavailable(format!("{why}; it is started again in {seconds} s at the earliest"))
            );
        }
        let dial = Dial {
            server: &self.name,
            config: &self.config,
            secrets: self.surroundings.secrets.as_ref(),
            variables: &self.surroundings.variables,
            pins: &self.pins,
        };
        match dial.connect(slot.older_way).await {
            Ok((connection, older_way)) => {
                slot.older_way = older_way;
                let connection = Arc::new(connection);
                slot.connection = Some(Arc::clone(&connection));
                self.note(McpLink::Up {
                    protocol: connection.protocol.clone(),
                    called: connection.called.clone(),
                });
                Ok(connection)
            }
            Err(error) => {
                slot.backoff.failed(now);
                let why = error.to_string();
                tracing::warn!(target: "entracte::mcp", server = self.name, why, "the MCP server did not start");
                self.note(McpLink::Down { why: why.clone() });
                Err(self.unavailable(why))
            }
        }
    }

    /// Gives up a conversation that broke.
    pub(super) async fn forget(&self, broken: &Arc<Connection>, now: Timestamp) {
        let mut slot = self.slot.lock().await;
        if slot.connection.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
            slot.connection = None;
            self.died(&mut slot, broken, Some(now));
        }
    }

    /// A server that had answered a call may start again at once; one that dies before its first answer waits.
    fn died(&self, slot: &mut Slot, connection: &Connection, now: Option<Timestamp>) {
        tracing::warn!(target: "entracte::mcp", server = self.name, "the MCP server ended, or its connection broke");
        self.note(McpLink::Down { why: "it ended, or its connection broke".to_owned() });
        if connection.has_served() {
            slot.backoff.served();
        } else {
            slot.backoff.failed(now);
        }
    }

    /// Ends the conversation, if there is one.
    pub(super) async fn close(&self) {
        let connection = self.slot.lock().await.connection.take();
        if let Some(connection) = connection {
            connection.close().await;
            self.note(McpLink::Never);
        }
    }

    pub(super) fn unavailable(&self, why: String) -> McpUnavailable {
        McpUnavailable { server: self.name.clone(), why }
    }

    fn note(&self, link: McpLink) {
        *self.link.lock().unwrap_or_else(PoisonError::into_inner) = link;
    }
}
