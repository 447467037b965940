//! Tools of MCP servers as commands `server.tool`.
//!
//! - `config`: the entries `[mcp.NAME]`. `pins`: the declarations that a person accepted. The catalog is built from
//!   them, so it needs no connection, and no text of a server gets into a prompt before a person has accepted it.
//! - `server`, `connector`, `connection`: a server is started (or connected to) at its first call, stays connected,
//!   and is started again, with backoff, at the first call after it died. `tool_lister` compares its tools each time.
//! - `spec`, `tool_names`: a declaration as a command. `tool_call`: a call of it. `content`, `call_outcome`: an answer as
//!   text for the model. `result_files`: its images and PDFs.
//! - `resources`: the resources of a server as two queries of ours. `prompts`: its prompts, which a person fetches.
//! - `server_memory`: tells the model that a server began anew.
//! - `http`, `http_client`, `event_size`: servers with an address, and what became of a request that they refused.
//! - `exact_numbers`, `exact_pipes`: numbers of tools pass the protocol library with all their digits.
//! - `tasks`: tool calls that a server runs as long tasks, and those that ask a person. `held_calls`: the latter
//!   in memory. `open_calls`: whose question it is.
//! - `login`: logins at servers with an address. `error_messages`: the errors in each language. `catalog_server`: the server
//!   side of the protocol, which offers commands to an external AI.
//!
//! It repeats a call only if the server surely did nothing, and then once, or with the input that the server asked for.
//! It never asks for approval, and never runs a tool that differs from its accepted declaration. A server gets only the
//! environment of its entry, and works in the folder of its entry, never in the working folder of this process.

mod backoff;
mod call_outcome;
mod catalog_answer;
pub mod catalog_server;
pub mod config;
mod connection;
mod connector;
mod content;
mod declaration;
mod error;
mod error_messages;
mod event_size;
mod exact_numbers;
mod exact_pipes;
mod executor;
mod handler;
mod handshake_probe;
mod held_calls;
mod http;
mod http_client;
mod input_request;
pub mod login;
mod open_calls;
mod pins;
mod prompts;
mod resources;
mod result_files;
mod secrets;
mod sent_call;
mod server;
mod server_memory;
mod server_process;
mod spec;
mod status;
mod stderr_tail;
mod tasks;
mod text;
mod tool_call;
mod tool_decision;
mod tool_lister;
mod tool_names;
mod tool_offer;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use entracte_application::commands::Catalog;
use entracte_application::texts::LocalizedTexts;
use entracte_domain::id::Digest;
use entracte_domain::time::Timestamp;
use futures_util::future::join_all;

pub use config::{McpConfigError, McpServerConfig};
pub use error::{McpProblem, McpUnavailable};
pub use pins::{PinAcceptError, PinError, PinFile, PinFileDamage};
pub use prompts::{McpPrompt, McpPromptArgument, McpPromptError};
pub use server::McpEnvironment;
pub use status::{
    McpLink, McpRuleSource, McpServerStatus, McpToolHints, McpToolRule, McpToolState, McpToolStatus,
};
pub use tool_decision::{McpDecidedTools, McpToolChoice};
pub use tool_offer::ToolSizeExcess;

use error::McpProblemKind;
use pins::{DeclarationPin, PinnedTool};
use server::McpServer;
use tool_names::{McpToolAddress, McpToolNames};

/// The configured servers by name.
type McpServers = BTreeMap<String, Arc<McpServer>>;

/// Runs the tools of all configured servers.
pub struct McpExecutor {
    servers: Arc<McpServers>,
    pins: Arc<PinFile>,
    surroundings: McpEnvironment,
    reserved: BTreeSet<String>,
    /// The command names in the current catalog. A tool accepted later changes none of them, until a server is listed
    /// for the first time and the catalog is built again.
    named: Mutex<Option<Arc<BTreeMap<McpToolAddress, McpToolNames>>>>,
    /// The declarations of the tools in the current catalog: what a call was checked and approved by.
    declared: Mutex<BTreeMap<McpToolAddress, DeclarationPin>>,
    /// The servers that this process listed for the first time.
    first_listed: Mutex<Vec<String>>,
}

impl McpExecutor {
    /// An executor for the servers of these entries; starts none of them. `reserved` are the names and words of all
    /// other commands, which no tool may get.
    ///
    /// # Errors
    /// The first fault of an entry.
    pub fn new(
        entries: BTreeMap<String, McpServerConfig>,
        pins: PinFile,
        surroundings: McpEnvironment,
        reserved: impl IntoIterator<Item = String>,
    ) -> Result<Self, McpConfigError> {
        let none = Self {
            servers: Arc::default(),
            pins: Arc::new(pins),
            surroundings,
            reserved: BTreeSet::new(),
            named: Mutex::new(None),
            declared: Mutex::default(),
            first_listed: Mutex::default(),
        };
        none.with_servers(entries, reserved)
    }

    /// An executor for the servers of other entries, in the place of this one. A server whose entry is the same is shared; one
    /// whose entry connects in the same way shares its connection, and one whose entry leads to the same program or address
    /// the calls that became tasks. This executor goes on with the calls that have begun with it. A call that became a task
    /// of a server that is gone or leads elsewhere is not carried out, as after a restart:
    /// [`interrupted_by`](Self::interrupted_by) finds them.
    ///
    /// # Errors
    /// The first fault of an entry.
    pub fn with_servers(
        &self,
        entries: BTreeMap<String, McpServerConfig>,
        reserved: impl IntoIterator<Item = String>,
    ) -> Result<Self, McpConfigError> {
        entries.iter().try_for_each(|(name, config)| config.check(name))?;
        let server = |(name, config): (String, McpServerConfig)| {
            let server = match self.servers.get(&name) {
                Some(known) if known.config == config => Arc::clone(known),
                Some(known) => Arc::new(known.with_config(config)),
                None => {
                    let (surroundings, pins) = (self.surroundings.clone(), Arc::clone(&self.pins));
                    Arc::new(McpServer::new(name.clone(), config, surroundings, pins))
                }
            };
            (name, server)
        };
        let servers: McpServers = entries.into_iter().map(server).collect();
        let is_shared =
            |place: &McpToolAddress| match (self.servers.get(&place.server), servers.get(&place.server)) {
                (Some(before), Some(now)) => Arc::ptr_eq(before, now),
                (_, _) => false,
            };
        let declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        let declared = declared.iter().filter(|(place, _)| is_shared(place));
        let declared = declared.map(|(place, pin)| (place.clone(), pin.clone())).collect();
        Ok(Self {
            servers: Arc::new(servers),
            pins: Arc::clone(&self.pins),
            surroundings: self.surroundings.clone(),
            reserved: reserved.into_iter().chain(Catalog::reserved_names()).collect(),
            named: Mutex::new(None),
            declared: Mutex::new(declared),
            first_listed: Mutex::default(),
        })
    }

    /// The servers with calls that became tasks and are under way, which `next` would end: it has no such server, or one that
    /// leads elsewhere.
    pub fn interrupted_by(&self, next: &Self) -> Vec<String> {
        let goes_on = |server: &McpServer| {
            next.servers.get(&server.name).is_some_and(|now| Arc::ptr_eq(&now.held, &server.held))
        };
        let servers = self.servers.values().filter(|server| server.held.has_open() && !goes_on(server));
        servers.map(|server| server.name.clone()).collect()
    }

    /// Goes on for the executor that this one replaces: names the servers that it listed for the first time and nobody
    /// has asked for.
    pub fn take_over(&self, before: &Self) {
        let listed = before.take_first_listed();
        self.first_listed.lock().unwrap_or_else(PoisonError::into_inner).extend(listed);
    }

    /// Connects to every server and compares its tools; returns the servers that cannot be used.
    pub async fn connect_all(&self) -> Vec<McpUnavailable> {
        self.connect(None, |_| true).await
    }

    /// Like [`connect_all`](Self::connect_all), for servers that were never connected to and so have no commands yet.
    /// The catalog must be built again afterwards. A server that failed a short time before `now` is left alone.
    pub async fn connect_unmet(&self, now: Timestamp) -> Vec<McpUnavailable> {
        self.connect(Some(now), |server| server.pinned_server().is_none()).await
    }

    /// The servers that were never connected to, so that their commands are unknown.
    pub fn unmet_servers(&self) -> Vec<String> {
        let unmet = self.servers.values().filter(|server| server.pinned_server().is_none());
        unmet.map(|server| server.name.clone()).collect()
    }

    /// Takes the servers that this process listed for the first time: a person may want to decide which of their tools
    /// ask.
    pub fn take_first_listed(&self) -> Vec<String> {
        std::mem::take(&mut *self.first_listed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Connects to the wanted servers side by side.
    async fn connect(
        &self,
        now: Option<Timestamp>,
        wanted: impl Fn(&McpServer) -> bool,
    ) -> Vec<McpUnavailable> {
        let unmet = self.unmet_servers();
        let wanted = self.servers.values().map(Arc::as_ref).filter(|server| wanted(server));
        let connected = join_all(wanted.map(|server| server.connection(now))).await;
        let failed = connected.into_iter().filter_map(Result::err).collect();
        let still_unmet = self.unmet_servers();
        if still_unmet != unmet {
            let first = unmet.into_iter().filter(|name| !still_unmet.contains(name));
            self.first_listed.lock().unwrap_or_else(PoisonError::into_inner).extend(first);
            *self.named.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        failed
    }

    /// Closes the connection to a server, opens a new one and compares its tools.
    ///
    /// # Errors
    /// When the server cannot be used, or is not configured.
    pub async fn refresh(&self, server: &str) -> Result<(), McpUnavailable> {
        let known = self.configured_server(server)?;
        known.close().await;
        known.connection(None).await.map(|_| ())
    }

    /// Asks a server for its tools over its connection, and returns how many it has. One that does not run is started, though
    /// not before it may be started again at `now`.
    ///
    /// # Errors
    /// When the server cannot be used, or is not configured.
    pub async fn ask_for_tools(&self, server: &str, now: Timestamp) -> Result<usize, McpUnavailable> {
        let known = self.configured_server(server)?;
        known.require_listing().await;
        let failed = self.connect(Some(now), |one| one.name == known.name).await;
        if let Some(failed) = failed.into_iter().next() {
            return Err(failed);
        }
        let tools = known.pinned_server().unwrap_or_default().tools;
        Ok(tools.values().filter(|tool| !tool.gone).count())
    }

    fn configured_server(&self, server: &str) -> Result<&McpServer, McpUnavailable> {
        self.servers.get(server).map(Arc::as_ref).ok_or_else(|| {
            let why = McpProblemKind::Unconfigured(server.to_owned()).into();
            McpUnavailable { server: server.to_owned(), why }
        })
    }

    /// The configuration of a server.
    pub fn config(&self, server: &str) -> Option<&McpServerConfig> {
        self.servers.get(server).map(|known| &known.config)
    }

    /// Closes every connection and lets every process exit. Dropping the executor kills the processes immediately.
    pub async fn close(&self) {
        for server in self.servers.values() {
            server.close().await;
        }
    }

    /// The status of every server.
    pub fn servers(&self) -> Vec<McpServerStatus> {
        self.servers.values().map(|server| self.server_status(server)).collect()
    }

    fn server_status(&self, server: &McpServer) -> McpServerStatus {
        let pinned = server.pinned_server();
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

    /// The status of every known tool, with its diffs in the language of `texts`. Reads the file of accepted tools
    /// again.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tools(&self, texts: &LocalizedTexts) -> Result<Vec<McpToolStatus>, PinError> {
        self.pins.reload()?;
        let mut tools = Vec::new();
        for server in self.servers.values() {
            let pinned = server.pinned_server().unwrap_or_default();
            let status = |(tool, known): (&String, &PinnedTool)| self.tool_status(server, tool, known, texts);
            tools.extend(pinned.tools.iter().map(status));
        }
        Ok(tools)
    }

    fn tool_status(
        &self,
        server: &McpServer,
        tool: &str,
        known: &PinnedTool,
        texts: &LocalizedTexts,
    ) -> McpToolStatus {
        let place = McpToolAddress { server: server.name.clone(), tool: tool.to_owned() };
        let names = self.accepted_tool_names().get(&place).cloned();
        McpToolStatus {
            state: state(server, known, names.as_ref(), texts),
            command: names.map(|names| (names.name, names.word)),
            enabled: server.config.offers(tool),
            loosens: would_drop_approval(server, tool, known),
            rule: known.accepted.as_ref().map(|pin| tool_decision::rule_of(server, &pin.declaration)),
            offered: known.offered.as_ref().map(|pin| Digest::new(pin.hash.clone())),
            server: place.server,
            tool: place.tool,
        }
    }

    /// When the file of accepted tools was last written; `None` if it does not exist or the system does not say.
    pub fn pins_changed_at(&self) -> Option<Timestamp> {
        let modified = std::fs::metadata(self.pins.path()).and_then(|file| file.modified()).ok()?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_micros()).ok().map(Timestamp)
    }

    /// Accepts a tool as its server offers it; with `seen`, only if that is the hash of the reviewed declaration
    /// ([`McpToolStatus::offered`]). A new tool becomes a command at the next start of the program.
    ///
    /// # Errors
    /// When the tool is unknown, already accepted, or changed again, or the file cannot be written.
    pub fn accept(&self, server: &str, tool: &str, seen: Option<&Digest>) -> Result<(), PinAcceptError> {
        let unknown = || PinAcceptError::Unknown(format!("{server}.{tool}"));
        let known = self.servers.get(server).ok_or_else(unknown)?;
        self.pins.accept(&known.pin_key, tool, seen)
    }

    /// Forgets which tools of a server that is not configured any more were accepted, and what was decided about them.
    ///
    /// # Errors
    /// When the file of accepted tools cannot be read or written.
    pub fn forget(&self, server: &str) -> Result<(), PinError> {
        if self.servers.contains_key(server) { Ok(()) } else { self.pins.forget(server) }
    }

    /// The `(server, tool)` with this command name or word. A tool that is not a command yet is found by
    /// `server.tool`.
    pub fn resolve_command(&self, command: &str) -> Option<(String, String)> {
        let named = self.accepted_tool_names();
        let by_name = named.iter().find(|(_, names)| names.name == command || names.word == command);
        let known = by_name.map(|(place, _)| (place.server.clone(), place.tool.clone()));
        known.or_else(|| {
            let (server, tool) = command.split_once('.')?;
            self.servers.get(server)?.pinned_server()?.tools.get(tool)?;
            Some((server.to_owned(), tool.to_owned()))
        })
    }

    /// The command names of the accepted tools, fixed when they are first needed.
    fn accepted_tool_names(&self) -> Arc<BTreeMap<McpToolAddress, McpToolNames>> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(named.get_or_insert_with(|| {
            Arc::new(tool_names::assign_command_names(&self.places(), &self.reserved))
        }))
    }

    /// The declaration by which the current catalog offers a tool: `accepted` the first time, and the same from then on.
    fn declared_pin(&self, place: &McpToolAddress, accepted: DeclarationPin) -> DeclarationPin {
        let mut declared = self.declared.lock().unwrap_or_else(PoisonError::into_inner);
        declared.entry(place.clone()).or_insert(accepted).clone()
    }

    fn places(&self) -> BTreeSet<McpToolAddress> {
        let mut places = BTreeSet::new();
        for server in self.servers.values() {
            let pinned = server.pinned_server().unwrap_or_default();
            let accepted = pinned.tools.into_iter().filter(|(_, known)| known.accepted.is_some());
            let enabled = accepted.filter(|(tool, _)| server.config.offers(tool));
            places.extend(enabled.map(|(tool, _)| McpToolAddress { server: server.name.clone(), tool }));
        }
        places
    }
}

/// Whether the offered declaration would no longer need approval; a decision about the accepted one does not count for
/// it.
fn would_drop_approval(server: &McpServer, tool: &str, known: &PinnedTool) -> bool {
    let asks = |pin: &DeclarationPin, config: &config::McpToolConfig| {
        spec::rule(&pin.declaration.annotations, config).requires_approval()
    };
    match (&known.accepted, &known.offered) {
        (Some(old), Some(new)) => {
            asks(old, &server.tool_config(tool)) && !asks(new, &server.config.tool(tool))
        }
        (Some(_) | None, Some(_) | None) => false,
    }
}

fn state(
    server: &McpServer,
    known: &PinnedTool,
    names: Option<&McpToolNames>,
    texts: &LocalizedTexts,
) -> McpToolState {
    if let Some(refused) = &known.refused {
        return McpToolState::Unusable { argument: None, why: refused.message(texts) };
    }
    match (&known.accepted, &known.offered) {
        (Some(_), _) if known.gone => McpToolState::Gone,
        (Some(old), Some(new)) => {
            McpToolState::Changed { diff: old.declaration.diff(&new.declaration, texts) }
        }
        (None, Some(new)) => McpToolState::New { declaration: new.declaration.page(texts) },
        (None, None) => McpToolState::Gone,
        (Some(accepted), None) => {
            let bounds = &server.surroundings.bounds;
            let declaration = &accepted.declaration;
            let known = server.tool_config(&declaration.name);
            let spec = names
                .map(|names| spec::spec(&server.name, &server.config, bounds, declaration, names, &known));
            match spec {
                Some(Err(error)) => McpToolState::Unusable {
                    argument: error.argument().map(text::visible),
                    why: error.cause(texts),
                },
                Some(Ok(_)) | None => McpToolState::Accepted,
            }
        }
    }
}
