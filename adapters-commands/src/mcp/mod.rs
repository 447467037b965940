//! Tools of MCP servers as commands `server.tool`.
//!
//! - `config`: the entries `[mcp.NAME]`. `pins`: what a person accepted; the catalog is made of it, so it needs no
//!   connection, and nothing that a server says gets into a prompt before it was accepted.
//! - `server`, `dial`, `connection`: a server is started (or connected to) at its first call, kept, and started
//!   again, with growing waits, at the first call after it died. `lister` compares its tools each time.
//! - `spec`, `names`: a declaration as a command. `content`, `outcome`: an answer as what the model reads.
//! - [`serve`]: the other side of the protocol, commands offered to an AI outside.
//!
//! It repeats no call and asks nobody for leave. It never runs a tool that is not as it was accepted. A server
//! gets the environment that its entry gives it, and nothing else.

mod backoff;
mod child;
pub mod config;
mod connection;
mod content;
mod declaration;
mod dial;
mod error;
mod executor;
mod handler;
mod http;
mod lister;
mod names;
mod outcome;
mod pins;
mod secrets;
pub mod serve;
mod server;
mod spec;
mod status;
mod stderr;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use entracte_domain::id::Digest;

pub use config::{McpConfigError, McpServerConfig};
pub use error::McpUnavailable;
pub use pins::{AcceptError, PinError, PinFile};
pub use server::McpSurroundings;
pub use status::{McpLink, McpServerStatus, McpToolState, McpToolStatus};

use names::{Names, Place};
use pins::PinnedTool;
use server::Server;

/// The tools of all configured servers.
pub struct McpExecutor {
    servers: BTreeMap<String, Server>,
    pins: Arc<PinFile>,
    reserved: BTreeSet<String>,
    /// The names that the catalog was made with; a tool that is accepted later changes none of them.
    named: Mutex<Option<Arc<BTreeMap<Place, Names>>>>,
}

impl McpExecutor {
    /// The servers of these entries. Nothing is started. `reserved` are the names and words of all other
    /// commands; no tool gets one of them.
    ///
    /// # Errors
    /// The first thing that is wrong with an entry.
    pub fn new(
        entries: BTreeMap<String, McpServerConfig>,
        pins: PinFile,
        surroundings: McpSurroundings,
        reserved: impl IntoIterator<Item = String>,
    ) -> Result<Self, McpConfigError> {
        entries.iter().try_for_each(|(name, config)| config.check(name))?;
        let pins = Arc::new(pins);
        let server = |(name, config): (String, McpServerConfig)| {
            (name.clone(), Server::new(name, config, surroundings.clone(), Arc::clone(&pins)))
        };
        let servers = entries.into_iter().map(server).collect();
        Ok(Self { servers, pins, reserved: reserved.into_iter().collect(), named: Mutex::new(None) })
    }

    /// Connects to every server and compares its tools; gives those that cannot be used.
    pub async fn connect_all(&self) -> Vec<McpUnavailable> {
        self.connect(|_| true).await
    }

    /// The same for servers that were never met. Before that they have no commands.
    pub async fn connect_unmet(&self) -> Vec<McpUnavailable> {
        self.connect(|server| self.pins.server(&server.name).is_none()).await
    }

    async fn connect(&self, wanted: impl Fn(&Server) -> bool) -> Vec<McpUnavailable> {
        let mut failed = Vec::new();
        for server in self.servers.values().filter(|server| wanted(server)) {
            failed.extend(server.connection(None).await.err());
        }
        failed
    }

    /// Ends the conversation with a server, begins a new one and compares its tools.
    ///
    /// # Errors
    /// When it cannot be used, or is not in the configuration.
    pub async fn refresh(&self, server: &str) -> Result<(), McpUnavailable> {
        let Some(known) = self.servers.get(server) else {
            let why = format!("it is not in the configuration; add [mcp.{server}]");
            return Err(McpUnavailable { server: server.to_owned(), why });
        };
        known.close().await;
        known.connection(None).await.map(|_| ())
    }

    /// Ends every conversation and every process, politely. Dropping the executor kills the processes at once.
    pub async fn close(&self) {
        for server in self.servers.values() {
            server.close().await;
        }
    }

    /// How the servers are doing.
    pub fn servers(&self) -> Vec<McpServerStatus> {
        self.servers.values().map(|server| self.server_status(server)).collect()
    }

    fn server_status(&self, server: &Server) -> McpServerStatus {
        let pinned = self.pins.server(&server.name);
        let tools = pinned.iter().flat_map(|pinned| pinned.tools.values());
        let command = server.config.command.iter().chain(&server.config.args).cloned().collect::<Vec<_>>();
        McpServerStatus {
            name: server.name.clone(),
            place: server.config.url.clone().unwrap_or_else(|| command.join(" ")),
            met: pinned.is_some(),
            link: server.link(),
            undecided: tools.filter(|tool| tool.offered.is_some()).count(),
        }
    }

    /// Where every known tool stands. Reads the file of accepted tools again.
    ///
    /// # Errors
    /// When that cannot be read.
    pub fn tools(&self) -> Result<Vec<McpToolStatus>, PinError> {
        self.pins.reload()?;
        let mut tools = Vec::new();
        for server in self.servers.values() {
            let pinned = self.pins.server(&server.name).unwrap_or_default();
            tools.extend(pinned.tools.iter().map(|(tool, known)| self.tool_status(server, tool, known)));
        }
        Ok(tools)
    }

    fn tool_status(&self, server: &Server, tool: &str, known: &PinnedTool) -> McpToolStatus {
        let place = Place { server: server.name.clone(), tool: tool.to_owned() };
        let names = self.named().get(&place).cloned();
        McpToolStatus {
            state: state(server, known, names.as_ref()),
            command: names.map(|names| (names.name, names.word)),
            enabled: server.config.offers(tool),
            offered: known.offered.as_ref().map(|pin| Digest::new(pin.hash.clone())),
            server: place.server,
            tool: place.tool,
        }
    }

    /// Accepts what a server offers of a tool, for good; with `seen`, only when that is what was looked at
    /// ([`McpToolStatus::offered`]). A tool that is new becomes a command when the program starts next.
    ///
    /// # Errors
    /// When the tool is not known, nothing waits, it changed again, or the file cannot be written.
    pub fn accept(&self, server: &str, tool: &str, seen: Option<&Digest>) -> Result<(), AcceptError> {
        self.pins.accept(server, tool, seen)
    }

    /// The tool with this command name or word: `(server, tool)`. Also for one that is not a command yet, by
    /// `server.tool`.
    pub fn place(&self, command: &str) -> Option<(String, String)> {
        let named = self.named();
        let by_name = named.iter().find(|(_, names)| names.name == command || names.word == command);
        let known = by_name.map(|(place, _)| (place.server.clone(), place.tool.clone()));
        known.or_else(|| {
            let (server, tool) = command.split_once('.')?;
            self.pins.tool(server, tool)?;
            Some((server.to_owned(), tool.to_owned()))
        })
    }

    /// The names of the accepted tools, fixed at the first question.
    fn named(&self) -> Arc<BTreeMap<Place, Names>> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(named.get_or_insert_with(|| Arc::new(names::names(&self.places(), &self.reserved))))
    }

    fn places(&self) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        for server in self.servers.values() {
            let pinned = self.pins.server(&server.name).unwrap_or_default();
            let accepted = pinned.tools.into_iter().filter(|(_, known)| known.accepted.is_some());
            let enabled = accepted.filter(|(tool, _)| server.config.offers(tool));
            places.extend(enabled.map(|(tool, _)| Place { server: server.name.clone(), tool }));
        }
        places
    }
}

fn state(server: &Server, known: &PinnedTool, names: Option<&Names>) -> McpToolState {
    match (&known.accepted, &known.offered) {
        (Some(_), _) if known.gone => McpToolState::Gone,
        (Some(old), Some(new)) => McpToolState::Changed { diff: old.declaration.diff(&new.declaration) },
        (None, Some(new)) => McpToolState::New { declaration: new.declaration.page() },
        (None, None) => McpToolState::Gone,
        (Some(accepted), None) => {
            let spec =
                names.map(|names| spec::spec(&server.name, &server.config, &accepted.declaration, names));
            match spec {
                Some(Err(why)) => McpToolState::Unusable { why },
                Some(Ok(_)) | None => McpToolState::Accepted,
            }
        }
    }
}
