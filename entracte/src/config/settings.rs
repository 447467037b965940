use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use entracte_adapters_commands::SharedTextLimits;
use entracte_adapters_commands::egress::{AllowedHost, EgressSettings, PRECHECK_TIMEOUT};
use entracte_adapters_commands::http::HttpToolConfig;
use entracte_adapters_commands::secret::DeclaredSecrets;
use entracte_adapters_db::DatabaseOptions;
use entracte_application::agents::AgentDeclaration;
use entracte_application::commands::{CONTEXT_CACHE, CONTEXT_TIMEOUT};
use entracte_application::ports::SecretReference;
use entracte_application::rule_book::RuleBook;
use entracte_application::settings::{KnowledgeSettings, NotifySettings, RuntimeSettings};
use entracte_application::texts::ReaderLanguage;
use entracte_domain::id::WorkspaceKey;
use entracte_domain::session::Dialect;
use entracte_domain::time::Millis;

use super::agents;
use super::database::{self, DatabaseSource};
use super::embeddings::{self, EmbeddingsSettings};
use super::fallbacks::fallbacks;
use super::knowledge;
use super::layers::{BUILT_IN, ConfigLayer, LayerProviderEntry, built_in_providers};
use super::notify::{self, PushSettings};
use super::policy::{self, PolicySource};
use super::project::ProjectConfig;
use super::runtime_settings::{rule_book, runtime};
use super::secret_shorthand::PLACES;
use super::secrets;
use super::server::{self, ServerSettings};
use super::telemetry::{self, TelemetrySettings};
use super::tools::ExternalToolsConfig;
use super::value::SettingValue;
use crate::environment::ProcessEnvironment;
use crate::log_ring::LogRingBounds;
use crate::logging::LogFileOptions;
use crate::program_parts::ProgramParts;
use crate::user_text::ConfigFault;
use crate::user_text::message;

/// The resolved settings that services are built with.
#[derive(Clone, Debug)]
pub(crate) struct AppSettings {
    /// The location of the database.
    pub(crate) database: DatabaseSource,
    /// The options of the database.
    pub(crate) database_options: DatabaseOptions,
    /// The workspace that commands use.
    pub(crate) workspace: WorkspaceKey,
    /// Whether a person named it: by an option, a variable or a file.
    pub(crate) names_workspace: bool,
    /// The author of messages and decisions.
    pub(crate) author: String,
    /// The language that they ask for.
    pub(crate) reader: ReaderLanguage,
    /// The configured provider of new sessions, if any.
    pub(crate) default_provider: Option<String>,
    /// The configured providers, in the order of their sources.
    pub(crate) providers: Vec<LayerProviderEntry>,
    /// The external tools.
    pub(crate) tools: ExternalToolsConfig,
    /// The longest check of the address of a tool before a person is asked about a call.
    pub(crate) address_check: Millis,
    /// The agents that sessions may call, by name.
    pub(crate) agents: Vec<AgentDeclaration>,
    /// The data folder, which contains the process's other files.
    pub(crate) data: PathBuf,
    /// How many typed messages the arrow keys of a later chat recall; 0 stores none.
    pub(crate) chat_history: usize,
    /// How long a command follows a session on a server that is away.
    pub(crate) reconnect_for: Millis,
    /// The sources of the user context besides the workspace's own.
    pub(crate) context: ContextSettings,
    /// The log file, used while standard error is a terminal, or always.
    pub(crate) log: LogFileOptions,
    /// The automatic backups of `serve`.
    pub(crate) backup: BackupSettings,
    /// The environment variables of the process.
    pub(crate) variables: BTreeMap<String, String>,
    /// Limits and policies.
    pub(crate) rules: RuleBook,
    /// The settings of the runtime.
    pub(crate) runtime: RuntimeSettings,
    /// Addresses and limits of the server.
    pub(crate) server: ServerSettings,
    /// Settings of documents and their search.
    pub(crate) knowledge: KnowledgeSettings,
    /// Settings of notifications.
    pub(crate) notify: NotifySettings,
    /// Non-public hosts that notification targets may reach.
    pub(crate) notify_allow: Vec<AllowedHost>,
    /// Push messages to browsers.
    pub(crate) push: PushSettings,
    /// The policy hook; `None` if none is configured.
    pub(crate) policy: Option<PolicySource>,
    /// The declared secrets, with their allowed hosts.
    pub(crate) declared: Arc<DeclaredSecrets>,
    /// The embedding provider and the limits of semantic search.
    pub(crate) embeddings: EmbeddingsSettings,
    /// The limits of shared texts.
    pub(crate) shared_texts: SharedTextLimits,
    /// The telemetry collector and its limits.
    pub(crate) telemetry: TelemetrySettings,
    /// The configuration file of the working folder, if it is read.
    pub(crate) project: Option<ProjectConfig>,
    /// What the host of the program gives in place of what the configuration names.
    pub(crate) parts: Arc<ProgramParts>,
    /// The set values with their origins.
    pub(super) set: ConfigLayer,
}

/// The sources of `context.get` besides the workspace's own setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContextSettings {
    /// The HTTP tool to call; it is not a command then.
    pub(crate) tool: Option<String>,
    /// How long an answer is cached for its session.
    pub(crate) cache: Millis,
    /// The time-out of a source.
    pub(crate) timeout: Millis,
}

/// The automatic backups of `serve`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackupSettings {
    /// The interval; 0 disables them.
    pub(crate) every: Millis,
    /// How many of the latest are retained; 0 retains all.
    pub(crate) keep: usize,
    /// The folder of the backups.
    pub(crate) folder: PathBuf,
}

impl AppSettings {
    /// The sources of settings: files, variables and flags, each once.
    pub(crate) fn sources(&self) -> Vec<String> {
        let values = self.set.values.values().map(|(_, origin)| origin.as_str());
        let providers = self.set.providers.iter();
        let providers = providers
            .flat_map(|entry| [Some(&entry.origin), entry.model_origin.as_ref()])
            .flatten()
            .map(String::as_str);
        let mut sources: Vec<String> =
            values.chain(providers).filter(|origin| *origin != BUILT_IN).map(without_line).collect();
        sources.sort();
        sources.dedup();
        sources
    }

    /// The variables that contain secrets: provider keys, the URL of the database.
    pub(crate) fn key_variables(&self) -> Vec<String> {
        let of_providers = self.providers.iter().filter_map(|entry| entry.config.api_key_env.clone());
        let of_database = match &self.database {
            DatabaseSource::Kept(SecretReference::Environment(name)) => Some(name.clone()),
            DatabaseSource::Kept(SecretReference::File(_) | SecretReference::Command(_))
            | DatabaseSource::Given(_) => None,
        };
        of_providers.chain(of_database).collect()
    }

    /// Resolves the merged layers of a program whose host gives no parts.
    #[cfg(test)]
    pub(super) fn from_layers(
        set: ConfigLayer,
        environment: &ProcessEnvironment,
    ) -> Result<Self, ConfigFault> {
        Self::resolve(set, environment, Arc::default())
    }

    /// Resolves the merged layers. The first provider of the host is the default one unless a setting names another.
    pub(super) fn resolve(
        mut set: ConfigLayer,
        environment: &ProcessEnvironment,
        parts: Arc<ProgramParts>,
    ) -> Result<Self, ConfigFault> {
        if set.providers.is_empty() {
            set.providers = built_in_providers();
        }
        let text = |name: &str| set.text(name).map(str::to_owned);
        let data = match text("data") {
            Some(data) => PathBuf::from(data),
            // Without a home folder it would be in the working folder, which another person may have filled.
            None if environment.data_dir.is_relative() => {
                return Err(ConfigFault::new(
                    "there is no home folder for the data; set HOME, or name one: --data DIR",
                ));
            }
            None => environment.data_dir.clone(),
        };
        let named_workspace = text("workspace");
        let names_workspace = named_workspace.is_some();
        let workspace = named_workspace.unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned());
        check_workspace(&workspace)?;
        let declared = agents::agents(&set.agents, &set.providers, &parts.providers)?;
        let language = environment.language();
        let zone = environment.zone();
        let runtime = RuntimeSettings {
            fallbacks: fallbacks(&set.providers, &parts.providers)?,
            language,
            zone,
            ..runtime(&set)
        };
        check_lease(&runtime)?;
        let own = WorkspaceKey::new(workspace.clone());
        let declared_secrets = DeclaredSecrets::new(set.secrets.clone(), own);
        let policy = policy::source(&set)?;
        secrets::check_uses(&declared_secrets, &set.providers, &set.tools, policy.as_ref())?;
        Ok(Self {
            database: database::place(&set)?.unwrap_or_else(|| file_in(&data)),
            database_options: database::options(&set),
            workspace: WorkspaceKey::new(workspace),
            names_workspace,
            reader: environment.reader(),
            author: text("author").unwrap_or_else(|| environment.user().to_owned()),
            default_provider: text("default_provider")
                .or_else(|| parts.providers.keys().next().cloned())
                .or_else(|| first_provider(&set.providers, environment)),
            rules: rule_book(&set).with_sequential_calls(one_by_one(&set.providers)),
            runtime,
            server: server::server(&set)?,
            knowledge: knowledge::knowledge(&set),
            notify: notify::notify(&set),
            notify_allow: notify::allowed(&set)?,
            push: notify::push(&set, &data)?,
            policy,
            declared: Arc::new(declared_secrets),
            embeddings: embeddings::embeddings(&set, &parts)?,
            shared_texts: embeddings::shared_texts(&set),
            telemetry: telemetry::telemetry(&set)?,
            providers: set.providers.clone(),
            tools: set.tools.clone(),
            address_check: set.span("network.address_check", DEFAULT_ADDRESS_CHECK),
            agents: declared,
            chat_history: set.size("chat.history", DEFAULT_CHAT_HISTORY),
            reconnect_for: set.span("stream.reconnect_for", DEFAULT_RECONNECTION),
            context: ContextSettings {
                tool: text("context.tool").filter(|tool| !tool.is_empty()),
                cache: set.span("context.cache", CONTEXT_CACHE),
                timeout: set.span("context.timeout", CONTEXT_TIMEOUT),
            },
            log: LogFileOptions {
                folder: data.clone(),
                max_bytes: set.count("log.max_bytes", DEFAULT_LOG_BYTES),
                files: set.small("log.files", DEFAULT_LOG_FILES),
                always: matches!(set.values.get("log.file"), Some((SettingValue::Flag(true), _))),
                recent: LogRingBounds {
                    lines: set.size("log.recent_lines", LogRingBounds::default().lines),
                    chars: set.size("log.recent_chars", LogRingBounds::default().chars),
                },
            },
            backup: BackupSettings {
                every: set.span("backup.every", Millis(0)),
                keep: set.size("backup.keep", DEFAULT_BACKUPS),
                folder: text("backup.folder").map_or_else(|| data.join("backups"), PathBuf::from),
            },
            data,
            variables: environment.variables.clone(),
            project: None,
            parts,
            set,
        })
    }

    /// Whether sessions can use a provider of this name.
    pub(crate) fn has_provider(&self, name: &str) -> bool {
        self.parts.providers.contains_key(name) || self.providers.iter().any(|entry| entry.name == name)
    }

    /// How the sessions of a provider write commands; `None` if there is none of this name.
    pub(crate) fn dialect_of(&self, provider: &str) -> Option<Dialect> {
        let entry = || self.providers.iter().find(|entry| entry.name == provider).map(|entry| entry.dialect);
        self.parts.providers.get(provider).map(|given| given.dialect).or_else(entry)
    }

    /// These settings with the entries of others, which were read later: providers and the default one, agents, HTTP tools,
    /// MCP servers, and the declared secrets. Long tasks stay, the tool that gives the user context, and everything else.
    pub(crate) fn with_entries_of(&self, read: Self) -> Self {
        let mut set = self.set.clone();
        set.providers = read.set.providers;
        set.agents = read.set.agents;
        set.secrets = read.set.secrets;
        set.tools = self.changed_tools(read.set.tools);
        match read.set.values.get("default_provider") {
            Some(value) => set.values.insert("default_provider".to_owned(), value.clone()),
            None => set.values.remove("default_provider"),
        };
        Self {
            default_provider: read.default_provider,
            providers: read.providers,
            agents: read.agents,
            tools: self.changed_tools(read.tools),
            declared: read.declared,
            set,
            ..self.clone()
        }
    }

    /// The tools of later settings without those that are built once for a process: they stay.
    fn changed_tools(&self, read: ExternalToolsConfig) -> ExternalToolsConfig {
        let is_of_context = |tool: &HttpToolConfig| self.context.tool.as_ref() == Some(&tool.name);
        let own = self.tools.http.iter().filter(|tool| is_of_context(tool)).cloned();
        let http = own.chain(read.http.into_iter().filter(|tool| !is_of_context(tool))).collect();
        ExternalToolsConfig { http, tasks: self.tools.tasks.clone(), ..read }
    }

    /// Whether the runtime of these settings knows all that later ones say about providers beside their entries:
    /// fallbacks, and whose calls are one by one.
    pub(crate) fn knows_provider_rules_of(&self, read: &Self) -> bool {
        self.runtime.fallbacks == read.runtime.fallbacks
            && self.rules.sequential_providers() == read.rules.sequential_providers()
    }

    /// The hosts that HTTP tools and long tasks may reach, and how long the check of an address may take.
    pub(crate) fn tool_egress(&self) -> EgressSettings {
        EgressSettings {
            allowed: self.tools.allow.clone(),
            precheck_timeout: Duration::from_millis(self.address_check.0.max(0).unsigned_abs()),
            ..EgressSettings::default()
        }
    }

    /// Whether a setting locates the database; otherwise it is at its default location.
    pub(crate) fn names_place(&self) -> bool {
        PLACES.iter().chain(&["data"]).any(|name| self.set.values.contains_key(*name))
    }

    /// The provider named by `default_provider`, and its origin.
    pub(crate) fn default_origin(&self) -> Option<(&str, &str)> {
        match self.set.values.get("default_provider") {
            Some((SettingValue::Text(name), origin)) => Some((name, origin)),
            Some(_) | None => None,
        }
    }
}

const DEFAULT_WORKSPACE: &str = "local:main";

/// The default number of stored messages.
const DEFAULT_CHAT_HISTORY: usize = 1000;

/// A restart of a server takes seconds, one of its machine a minute or two.
const DEFAULT_RECONNECTION: Millis = Millis::seconds(120);

/// The default of the longest check of an address.
const DEFAULT_ADDRESS_CHECK: Millis = Millis(PRECHECK_TIMEOUT.as_millis() as i64);

/// The default number of backups.
const DEFAULT_BACKUPS: usize = 7;

/// The default size of a log file in bytes, and the default number of files.
const DEFAULT_LOG_BYTES: u64 = 1_000_000;
const DEFAULT_LOG_FILES: u32 = 3;

fn file_in(data: &Path) -> DatabaseSource {
    DatabaseSource::Given(data.join("entracte.db").display().to_string())
}

/// The file of an origin that names a line of it.
fn without_line(origin: &str) -> String {
    match origin.rsplit_once(':') {
        Some((file, line)) if line.parse::<u64>().is_ok() => file.to_owned(),
        Some(_) | None => origin.to_owned(),
    }
}

/// A workspace key has two parts.
pub(crate) fn check_workspace(key: &str) -> Result<(), ConfigFault> {
    let halves = key.split_once(':').filter(|(user, collection)| !user.is_empty() && !collection.is_empty());
    let clean = key.chars().all(|letter| !letter.is_whitespace() && !letter.is_control());
    if halves.is_some() && clean && key.chars().count() <= 200 {
        return Ok(());
    }
    let says = message!("config-workspace", workspace = key, example = DEFAULT_WORKSPACE);
    Err(ConfigFault::new(says))
}

/// The providers whose models may request only one call at a time.
fn one_by_one(entries: &[LayerProviderEntry]) -> impl Iterator<Item = String> {
    let is_one = |entry: &&LayerProviderEntry| entry.config.parallel_tool_calls == Some(false);
    entries.iter().filter(is_one).map(|entry| entry.name.clone())
}

/// Refuses a lease that is not longer than its safety margin.
fn check_lease(runtime: &RuntimeSettings) -> Result<(), ConfigFault> {
    if runtime.lease_margin < runtime.lease {
        return Ok(());
    }
    let RuntimeSettings { lease, lease_margin, .. } = runtime;
    let says = format!(
        "runtime.lease_margin ({} ms) must be shorter than runtime.lease ({} ms)",
        lease_margin.0, lease.0
    );
    Err(ConfigFault::new(says))
}

/// The first configured provider; among the built-in ones, the first whose key is set.
fn first_provider(providers: &[LayerProviderEntry], environment: &ProcessEnvironment) -> Option<String> {
    let usable = |entry: &&LayerProviderEntry| {
        let key = entry.config.api_key_env.as_deref();
        entry.line > 0 || key.is_some_and(|key| environment.variable(key).is_some())
    };
    providers.iter().find(usable).map(|entry| entry.name.clone())
}
