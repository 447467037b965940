//! The executors of this process: the workspace's own data, HTTP tools, long tasks, MCP servers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use entracte_adapters_commands::egress::EgressClient;
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::knowledge::KnowledgeExecutor;
use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpEnvironment, PinError, PinFile};
use entracte_adapters_commands::secret::PersonSecretFiles;
use entracte_adapters_commands::tasks::TaskServerExecutor;
use entracte_adapters_commands::{HttpContext, HttpToolExecutor, McpExecutor, ResourcesExecutor};
use entracte_application::command_naming::tool_name;
use entracte_application::commands::{
    AgentsExecutor, Catalog, ContextExecutor, FindCommandsExecutor, HistoryExecutor, PlansExecutor,
    ResultsExecutor, TasksExecutor, WorkspaceContextSource,
};
use entracte_application::ports::{
    CommandExecutor, LogReader, PersonSecretStore, ResourceReader, TaskReader, UserContextSource,
    WorkspaceStore,
};
use entracte_application::settings::SchemaBounds;
use entracte_application::system::SystemClock;
use entracte_domain::time::Timestamp;

use crate::config::AppSettings;
use crate::cryptography::crypto;
use crate::error::{CliError, CliExitCode};
use crate::secrets::secrets;
use crate::user_text::message;

/// The file of accepted MCP tools, in the data folder.
pub(crate) const PINS: &str = "mcp-tools.json";

/// The folder with a folder for each MCP server, in the data folder.
pub(crate) const SERVER_FOLDERS: &str = "mcp";

/// The folder of MCP logins, in the data folder.
const LOGINS: &str = "mcp-logins";

/// The store of MCP logins.
pub(crate) fn logins(settings: &AppSettings) -> McpLoginStore {
    McpLoginStore::new(settings.data.join(LOGINS), crypto())
}

/// The folder of personal secrets, in the data folder.
const PERSON_SECRETS: &str = "person-secrets";

/// The store of personal secrets.
pub(crate) fn person_secrets(settings: &AppSettings) -> Arc<dyn PersonSecretStore> {
    Arc::new(PersonSecretFiles::new(settings.data.join(PERSON_SECRETS)))
}

/// Every executor, constructed once.
pub(crate) struct ExecutorSet {
    own: Vec<Arc<dyn CommandExecutor>>,
    /// The task servers.
    pub(crate) task_servers: Arc<TaskServerExecutor>,
    /// The MCP servers.
    pub(crate) mcp: Arc<McpExecutor>,
    tasks: Arc<dyn TaskReader>,
    bounds: SchemaBounds,
    /// The MCP servers whose commands the latest catalog lacks, because they were not listed when it was built.
    missing: Mutex<Vec<String>>,
}

impl ExecutorSet {
    /// The executors of a configuration. Starts no server: the commands of a server listed before are on file.
    pub(crate) fn new(
        settings: &AppSettings,
        store: Arc<dyn WorkspaceStore>,
        rows: Arc<dyn ResourceReader>,
        log: Arc<dyn LogReader>,
        tasks: Arc<dyn TaskReader>,
        knowledge: KnowledgeExecutor,
    ) -> Result<Self, CliError> {
        let results = ResultsExecutor::new(log.clone(), settings.runtime.result_max_chars);
        let resources = ResourcesExecutor::new(rows).with_limits(settings.shared_texts);
        let mut own: Vec<Arc<dyn CommandExecutor>> = vec![
            Arc::new(resources),
            Arc::new(results),
            Arc::new(HistoryExecutor::new(log.clone())),
            Arc::new(PlansExecutor::new(settings.runtime.plans)),
            Arc::new(context(settings, store.clone())?),
        ];
        if settings.knowledge.commands {
            own.push(Arc::new(knowledge));
        }
        own.push(Arc::new(http(settings)?));
        own.push(Arc::new(AgentsExecutor::new(settings.agents.iter().cloned())));
        let task_servers = Arc::new(task_servers(settings, store)?);
        own.push(task_servers.clone());
        let reserved = own.iter().flat_map(|executor| executor.commands());
        let reserved =
            reserved.flat_map(|spec| [tool_name(&spec.name), spec.name, spec.word]).collect::<Vec<_>>();
        let mcp = Arc::new(servers(settings, reserved, log)?);
        let bounds = settings.runtime.bounds;
        Ok(Self { own, task_servers, mcp, tasks, bounds, missing: Mutex::default() })
    }

    /// Whether the latest catalog lacks the commands of MCP servers.
    pub(crate) fn is_catalog_incomplete(&self) -> bool {
        !self.missing().is_empty()
    }

    fn missing(&self) -> MutexGuard<'_, Vec<String>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the servers that were never listed, to learn their commands. Returns the catalog with those that the latest
    /// one lacks, also where something else has listed them meanwhile; `None` if there are none.
    pub(crate) async fn connect_unmet_servers(
        &self,
        now: Timestamp,
    ) -> Result<Option<Arc<Catalog>>, CliError> {
        if !self.mcp.unmet_servers().is_empty() {
            // Each server that fails is logged by itself, once.
            self.mcp.connect_unmet(now).await;
        }
        if self.mcp.unmet_servers() == *self.missing() {
            return Ok(None);
        }
        self.catalog().map(Some)
    }

    /// Builds the catalog of all commands.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, CliError> {
        // First: a server that is listed while the catalog is built counts as missing.
        let missing = self.mcp.unmet_servers();
        let mut executors = self.own.clone();
        executors.push(self.mcp.clone());
        if TasksExecutor::supports_tasks(&executors) {
            executors.push(Arc::new(TasksExecutor::new(self.tasks.clone())));
        }
        if let Some(finder) = FindCommandsExecutor::for_executors(&executors) {
            executors.push(Arc::new(finder));
        }
        let catalog = Catalog::with_bounds(&executors, &self.bounds)
            .map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))?;
        *self.missing() = missing;
        Ok(Arc::new(catalog))
    }
}

fn egress(settings: &AppSettings) -> Arc<EgressClient> {
    Arc::new(EgressClient::new(settings.tool_egress(), crypto()))
}

/// The executor of the user context: the workspace's own setting, and the declared context tool.
fn context(settings: &AppSettings, store: Arc<dyn WorkspaceStore>) -> Result<ContextExecutor, CliError> {
    let (cache, timeout) = (settings.context.cache, settings.context.timeout);
    Ok(ContextExecutor::new(contexts(settings, store)?, Arc::new(SystemClock), cache, timeout))
}

/// The sources of the user context.
fn contexts(
    settings: &AppSettings,
    store: Arc<dyn WorkspaceStore>,
) -> Result<Vec<Arc<dyn UserContextSource>>, CliError> {
    let mut sources: Vec<Arc<dyn UserContextSource>> = vec![Arc::new(WorkspaceContextSource::new(store))];
    if let Some(name) = &settings.context.tool {
        let named = settings.tools.http.iter().find(|tool| tool.name == *name);
        let unknown = || CliError::new(CliExitCode::Usage, message!("context-tool-unknown", tool = name));
        let named = named.ok_or_else(unknown)?.clone();
        let source = HttpContext::new(named, egress(settings), secrets(), person_secrets(settings));
        let source = source.map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))?;
        sources.push(Arc::new(source.with_declared(settings.declared.clone())));
    }
    Ok(sources)
}

/// The executor of long tasks. Callbacks come to the public address of the server, if it has one.
fn task_servers(
    settings: &AppSettings,
    store: Arc<dyn WorkspaceStore>,
) -> Result<TaskServerExecutor, CliError> {
    let public_url = settings.server.public_url.as_ref().map(ToString::to_string);
    let servers = TaskServerExecutor::new(settings.tools.tasks.clone(), egress(settings), secrets())
        .map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))?;
    Ok(servers.with_contexts(contexts(settings, store)?).with_callback_url(public_url))
}

fn http(settings: &AppSettings) -> Result<HttpToolExecutor, CliError> {
    // The context tool is not a command.
    let is_command = |tool: &&HttpToolConfig| settings.context.tool.as_ref() != Some(&tool.name);
    let declared = settings.tools.http.iter().filter(is_command).cloned().collect();
    HttpToolExecutor::new(declared, egress(settings), secrets())
        .map(|tools| tools.with_people(person_secrets(settings)).with_declared(settings.declared.clone()))
        .map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))
}

fn servers(
    settings: &AppSettings,
    reserved: Vec<String>,
    log: Arc<dyn LogReader>,
) -> Result<McpExecutor, CliError> {
    let unread = |error: PinError| CliError::new(CliExitCode::Failure, error.saying());
    let pins = PinFile::open(settings.data.join(PINS)).map_err(unread)?;
    let entries: BTreeMap<_, _> = settings.tools.mcp.iter().cloned().collect();
    let (variables, bounds) = (settings.variables.clone(), settings.runtime.bounds);
    let (logins, folder) = (logins(settings), settings.data.join(SERVER_FOLDERS));
    let surroundings = McpEnvironment {
        secrets: secrets(),
        variables,
        logins,
        folder,
        bounds,
        log: Some(log),
        crypto: crypto(),
    };
    McpExecutor::new(entries, pins, surroundings, reserved)
        .map_err(|error| CliError::new(CliExitCode::Usage, error.saying()))
}
