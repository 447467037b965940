//! The executors of this process: the workspace's own data, HTTP tools, long tasks, MCP servers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use entracte_adapters_commands::egress::EgressClient;
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::knowledge::KnowledgeExecutor;
use entracte_adapters_commands::mcp::login::McpLoginStore;
use entracte_adapters_commands::mcp::{McpConfigError, McpEnvironment, McpServerConfig, PinError, PinFile};
use entracte_adapters_commands::secret::PersonSecretFiles;
use entracte_adapters_commands::tasks::TaskServerExecutor;
use entracte_adapters_commands::{
    HttpContext, HttpToolExecutor, McpExecutor, ResourcesExecutor, ResultFiles,
};
use entracte_application::command_naming::tool_name;
use entracte_application::commands::{
    AgentsExecutor, Catalog, ContextExecutor, FilesExecutor, FindCommandsExecutor, HistoryExecutor,
    PlansExecutor, ResultsExecutor, TasksExecutor, WorkspaceContextSource,
};
use entracte_application::ports::{
    CommandExecutor, ImageConverter, LogReader, PersonSecretStore, TaskReader, UserContextSource,
    WorkspaceStore,
};
use entracte_application::settings::SchemaBounds;
use entracte_domain::time::Timestamp;

use crate::config::AppSettings;
use crate::error::{CliError, CliExitCode};
use crate::program_stores::ProgramStores;
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
    McpLoginStore::new(settings.data.join(LOGINS), settings.parts.crypto())
}

/// The folder of personal secrets, in the data folder.
const PERSON_SECRETS: &str = "person-secrets";

/// The store of personal secrets.
pub(crate) fn person_secrets(settings: &AppSettings) -> Arc<dyn PersonSecretStore> {
    Arc::new(PersonSecretFiles::new(settings.data.join(PERSON_SECRETS)))
}

/// The executors of the entries that may be replaced while the process runs.
#[derive(Clone)]
pub(crate) struct ConfiguredExecutors {
    http: Arc<HttpToolExecutor>,
    agents: Arc<AgentsExecutor>,
    mcp: Arc<McpExecutor>,
}

/// Every executor, constructed once but for those of entries that are replaced.
pub(crate) struct ExecutorSet {
    own: Vec<Arc<dyn CommandExecutor>>,
    configured: RwLock<ConfiguredExecutors>,
    store: Arc<dyn WorkspaceStore>,
    /// The task servers.
    pub(crate) task_servers: Arc<TaskServerExecutor>,
    tasks: Arc<dyn TaskReader>,
    bounds: SchemaBounds,
    /// Stores the files of results, if this program stores files.
    files: Option<ResultFiles>,
    /// The MCP servers whose commands the latest catalog lacks, because they were not listed when it was built.
    missing: Mutex<Vec<String>>,
}

impl ExecutorSet {
    /// The executors of a configuration. Starts no server: the commands of a server listed before are on file.
    pub(crate) fn new(
        settings: &AppSettings,
        stores: &ProgramStores,
        knowledge: KnowledgeExecutor,
        images: Arc<dyn ImageConverter>,
    ) -> Result<Self, CliError> {
        let (store, log, tasks) = (stores.store.clone(), stores.log.clone(), stores.tasks.clone());
        let results = ResultsExecutor::new(log.clone(), settings.runtime.result_max_chars);
        let resources = ResourcesExecutor::new(stores.rows.clone()).with_limits(settings.shared_texts);
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
        if let Some(files) = &stores.files {
            own.push(Arc::new(FilesExecutor::new(files.clone())));
        }
        own.extend(settings.parts.executors.iter().cloned());
        let limits = settings.runtime.files;
        let files = stores.files.clone().map(|store| ResultFiles { store, images, limits });
        let (http, agents) = (Arc::new(http(settings, files.clone())?), agents(settings));
        let task_servers = Arc::new(task_servers(settings, store.clone())?);
        let before = executors_before_mcp(&own, &http, &agents, &task_servers);
        let pins = settings.data.join(PINS);
        let mcp = Arc::new(servers(settings, pins, reserved(&before), Some(log), files.clone())?);
        let (bounds, configured) =
            (settings.runtime.bounds, RwLock::new(ConfiguredExecutors { http, agents, mcp }));
        Ok(Self { own, configured, store, task_servers, tasks, bounds, files, missing: Mutex::default() })
    }

    /// The MCP servers in force.
    pub(crate) fn mcp(&self) -> Arc<McpExecutor> {
        self.configured().mcp
    }

    fn configured(&self) -> ConfiguredExecutors {
        self.configured.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The executors of the entries of these settings, in the place of those in force. Their commands are checked with all
    /// others; MCP servers that are the same keep their connection. The sources of the user context must be usable, and
    /// stay as they are.
    pub(crate) fn prepare(&self, settings: &AppSettings) -> Result<ConfiguredExecutors, CliError> {
        let (http, agents) = (Arc::new(http(settings, self.files.clone())?), agents(settings));
        contexts(settings, self.store.clone())?;
        let mut executors = executors_before_mcp(&self.own, &http, &agents, &self.task_servers);
        let mcp = self.mcp().with_servers(mcp_entries(settings), reserved(&executors));
        let mcp = Arc::new(mcp.map_err(unusable_server)?);
        executors.push(mcp.clone());
        self.catalog_of(executors)?;
        Ok(ConfiguredExecutors { http, agents, mcp })
    }

    /// The MCP servers with calls under way that prepared executors would end.
    pub(crate) fn interrupted_by(&self, executors: &ConfiguredExecutors) -> Vec<String> {
        self.mcp().interrupted_by(&executors.mcp)
    }

    /// Puts prepared executors in force. The catalog must be built again afterwards.
    pub(crate) fn replace(&self, executors: ConfiguredExecutors) {
        let mut configured = self.configured.write().unwrap_or_else(PoisonError::into_inner);
        executors.mcp.take_over(&configured.mcp);
        *configured = executors;
    }

    /// Whether the latest catalog lacks the commands of MCP servers.
    pub(crate) fn is_catalog_incomplete(&self) -> bool {
        !self.missing().is_empty()
    }

    fn missing(&self) -> MutexGuard<'_, Vec<String>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the servers that were never listed, to learn their commands. Returns whether the latest catalog lacks commands
    /// that are known now, also where something else has listed them meanwhile.
    pub(crate) async fn connect_unmet_servers(&self, now: Timestamp) -> bool {
        let mcp = self.mcp();
        if !mcp.unmet_servers().is_empty() {
            // Each server that fails is logged by itself, once.
            mcp.connect_unmet(now).await;
        }
        self.mcp().unmet_servers() != *self.missing()
    }

    /// Builds the catalog of all commands.
    pub(crate) fn catalog(&self) -> Result<Arc<Catalog>, CliError> {
        // First: a server that is listed while the catalog is built counts as missing.
        let ConfiguredExecutors { http, agents, mcp } = self.configured();
        let missing = mcp.unmet_servers();
        let mut executors = executors_before_mcp(&self.own, &http, &agents, &self.task_servers);
        executors.push(mcp);
        let catalog = self.catalog_of(executors)?;
        *self.missing() = missing;
        Ok(Arc::new(catalog))
    }

    fn catalog_of(&self, mut executors: Vec<Arc<dyn CommandExecutor>>) -> Result<Catalog, CliError> {
        if TasksExecutor::supports_tasks(&executors) {
            executors.push(Arc::new(TasksExecutor::new(self.tasks.clone())));
        }
        if let Some(finder) = FindCommandsExecutor::for_executors(&executors) {
            executors.push(Arc::new(finder));
        }
        Catalog::with_bounds(&executors, &self.bounds)
            .map_err(|error| CliError::new(CliExitCode::Failure, error.to_string()))
    }
}

/// All executors but the MCP servers, which must not take the names of their commands; in the order of the catalog.
fn executors_before_mcp(
    own: &[Arc<dyn CommandExecutor>],
    http: &Arc<HttpToolExecutor>,
    agents: &Arc<AgentsExecutor>,
    task_servers: &Arc<TaskServerExecutor>,
) -> Vec<Arc<dyn CommandExecutor>> {
    let mut executors = own.to_vec();
    executors.push(http.clone());
    executors.push(agents.clone());
    executors.push(task_servers.clone());
    executors
}

/// The names and words of the commands of these executors.
fn reserved(executors: &[Arc<dyn CommandExecutor>]) -> Vec<String> {
    let specs = executors.iter().flat_map(|executor| executor.commands());
    specs.flat_map(|spec| [tool_name(&spec.name), spec.name, spec.word]).collect()
}

fn agents(settings: &AppSettings) -> Arc<AgentsExecutor> {
    Arc::new(AgentsExecutor::new(settings.agents.iter().cloned()))
}

fn mcp_entries(settings: &AppSettings) -> BTreeMap<String, McpServerConfig> {
    settings.tools.mcp.iter().cloned().collect()
}

fn unusable_server(error: McpConfigError) -> CliError {
    CliError::new(CliExitCode::Usage, error.saying())
}

fn egress(settings: &AppSettings) -> Arc<EgressClient> {
    Arc::new(EgressClient::new(settings.tool_egress(), settings.parts.crypto()))
}

/// The executor of the user context: the workspace's own setting, and the declared context tool.
fn context(settings: &AppSettings, store: Arc<dyn WorkspaceStore>) -> Result<ContextExecutor, CliError> {
    let (cache, timeout) = (settings.context.cache, settings.context.timeout);
    Ok(ContextExecutor::new(contexts(settings, store)?, settings.parts.clock.clone(), cache, timeout))
}

/// The sources of the user context.
fn contexts(
    settings: &AppSettings,
    store: Arc<dyn WorkspaceStore>,
) -> Result<Vec<Arc<dyn UserContextSource>>, CliError> {
    let mut sources: Vec<Arc<dyn UserContextSource>> = vec![Arc::new(WorkspaceContextSource::new(store))];
    if let Some(named) = context_tool(settings)? {
        let source = HttpContext::new(
            named.clone(),
            egress(settings),
            secrets(&settings.parts),
            person_secrets(settings),
        );
        let source = source.map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))?;
        sources.push(Arc::new(source.with_declared(settings.declared.clone())));
    }
    Ok(sources)
}

/// The HTTP tool that gives the user context, if one is named.
fn context_tool(settings: &AppSettings) -> Result<Option<&HttpToolConfig>, CliError> {
    let Some(name) = &settings.context.tool else { return Ok(None) };
    let named = settings.tools.http.iter().find(|tool| tool.name == *name);
    let unknown = || CliError::new(CliExitCode::Usage, message!("context-tool-unknown", tool = name));
    named.map(Some).ok_or_else(unknown)
}

/// The executor of long tasks. Callbacks come to the public address of the server, if it has one.
fn task_servers(
    settings: &AppSettings,
    store: Arc<dyn WorkspaceStore>,
) -> Result<TaskServerExecutor, CliError> {
    let servers =
        TaskServerExecutor::new(settings.tools.tasks.clone(), egress(settings), secrets(&settings.parts))
            .map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))?;
    Ok(servers.with_contexts(contexts(settings, store)?).with_callback_url(settings.server.public_address()))
}

fn http(settings: &AppSettings, files: Option<ResultFiles>) -> Result<HttpToolExecutor, CliError> {
    // The context tool is not a command.
    let is_command = |tool: &&HttpToolConfig| settings.context.tool.as_ref() != Some(&tool.name);
    let declared = settings.tools.http.iter().filter(is_command).cloned().collect();
    HttpToolExecutor::new(declared, egress(settings), secrets(&settings.parts))
        .map(|tools| {
            let tools = tools.with_people(person_secrets(settings)).with_declared(settings.declared.clone());
            tools.with_files(files.map(|files| ResultFiles { limits: settings.runtime.files, ..files }))
        })
        .map_err(|fault| CliError::new(CliExitCode::Usage, fault.saying()))
}

/// One MCP server of the settings alone, to try it: what it offers is stored in a file of its own.
pub(crate) fn server_alone(
    settings: &AppSettings,
    name: &str,
    pins: PathBuf,
) -> Result<McpExecutor, CliError> {
    let mut alone = settings.clone();
    alone.tools.mcp.retain(|(known, _)| known == name);
    servers(&alone, pins, Vec::new(), None, None)
}

/// The MCP servers of the settings; `pins` is the file of accepted tools.
fn servers(
    settings: &AppSettings,
    pins: PathBuf,
    reserved: Vec<String>,
    log: Option<Arc<dyn LogReader>>,
    files: Option<ResultFiles>,
) -> Result<McpExecutor, CliError> {
    let unread = |error: PinError| CliError::new(CliExitCode::Failure, error.saying());
    let pins = PinFile::open(pins).map_err(unread)?;
    let (variables, bounds) = (settings.variables.clone(), settings.runtime.bounds);
    let (logins, folder) = (logins(settings), settings.data.join(SERVER_FOLDERS));
    let surroundings = McpEnvironment {
        secrets: secrets(&settings.parts),
        variables,
        logins,
        folder,
        bounds,
        log,
        files,
        crypto: settings.parts.crypto(),
    };
    McpExecutor::new(mcp_entries(settings), pins, surroundings, reserved).map_err(unusable_server)
}
