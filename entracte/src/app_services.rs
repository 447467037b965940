//! The only module that names every adapter: constructs the services from the configuration.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use entracte_adapters_commands::secret::SecretText;
use entracte_adapters_commands::{ConfiguredSecretValues, McpExecutor};
use entracte_adapters_db::{Database, OpenError, OpeningStep};
use entracte_adapters_http::observability::{ServerMetrics, TelemetryExporter};
use entracte_adapters_http::remote_stream_source::RemoteStreamSource;
use entracte_adapters_providers::connectivity_probe::ConnectivityProbe;
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_adapters_providers::replaceable_registry::ReplaceableProviderRegistry;
use entracte_application::commands::{Catalog, CurrentCatalog};
use entracte_application::ports::{
    AccessStore, AutomationReader, CallbackVerifier, Clock, DryRunSandboxFactory, FileStore, IdGenerator,
    LogReader, MailStore, Observer, OutboxStore, OwnerDescription, Ownership, PolicyHook, ProviderRegistry,
    RemoteStreamClient, ResourceReader, RuntimeObservation, SECRET_LEAST_CHARS, SecretError, SecretReference,
    SecretScrubberFactory, SecretStore, StoreOutageKind, TaskReader, WorkerProcessDescription,
    WorkspaceOwnership, WorkspaceStore,
};
use entracte_application::rule_book::RuleBook;
use entracte_application::runtime::{ProviderAccounts, RuntimeServices};
use entracte_application::settings::RuntimeSettings;
use entracte_application::stream::LiveText;
use entracte_application::system::{CronScheduleCalculator, RandomIdGenerator, sha256};
use entracte_application::texts::ReaderLanguage;
use entracte_domain::time::Millis;
use tokio::sync::Notify;

use crate::backup_files::latest_backup;
use crate::config::{AppSettings, LayerProviderEntry, PolicySource, effective_settings};
use crate::dry_run_database::DryRunDatabases;
use crate::error::{CliError, CliExitCode};
use crate::knowledge_services::KnowledgeServices;
use crate::policy_hook::policy_hook;
use crate::program_parts::ProgramParts;
use crate::program_stores::{AbsentFileStore, StoreOwnership};
use crate::secrets::{local_keys, places, provider_keys, secrets};
use crate::tools::{ConfiguredExecutors, ExecutorSet, logins, person_secrets};
use crate::user_text::message;

/// Records observations as metrics, exports them if a telemetry collector is configured, and hands them to the observers
/// of the host.
struct MetricsObserver {
    meters: Arc<ServerMetrics>,
    telemetry: Option<Arc<TelemetryExporter>>,
    given: Vec<Arc<dyn Observer>>,
}

impl Observer for MetricsObserver {
    fn observe(&self, seen: RuntimeObservation<'_>) {
        self.meters.observe(seen);
        if let Some(telemetry) = &self.telemetry {
            telemetry.observe(seen);
        }
        self.given.iter().for_each(|observer| observer.observe(seen));
    }
}

/// Every adapter of the process, constructed once.
pub(crate) struct AppServices {
    /// The database.
    pub(crate) database: Database,
    /// The write path to the database.
    pub(crate) store: Arc<dyn WorkspaceStore>,
    /// Reads committed log entries.
    pub(crate) log: Arc<dyn LogReader>,
    /// Reads the workspaces' own data.
    pub(crate) rows: Arc<dyn ResourceReader>,
    /// The requests between processes.
    pub(crate) mail_store: Arc<dyn MailStore>,
    /// Reads long tasks.
    pub(crate) tasks: Arc<dyn TaskReader>,
    /// Reads automations.
    pub(crate) automations: Arc<dyn AutomationReader>,
    /// People and their tokens.
    pub(crate) access: Arc<dyn AccessStore>,
    /// Notification targets, notifications and links.
    pub(crate) outbox: Arc<dyn OutboxStore>,
    /// The files of conversations; `None` if the store of sessions holds none.
    files: Option<Arc<dyn FileStore>>,
    /// Decides which process handles the events of the stores.
    pub(crate) store_ownership: StoreOwnership,
    /// The providers of the host, and the configured ones.
    pub(crate) providers: Arc<dyn ProviderRegistry>,
    /// Receives live text from a server that owns the database.
    pub(crate) words: Arc<dyn RemoteStreamClient>,
    /// Creates the databases of dry runs.
    pub(crate) dry_stages: Arc<dyn DryRunSandboxFactory>,
    /// The clock.
    pub(crate) clock: Arc<dyn Clock>,
    /// Generates ids and jitter.
    pub(crate) ids: Arc<dyn IdGenerator>,
    /// Builds the scrubber for configured and personal secrets.
    pub(crate) known: Arc<dyn SecretScrubberFactory>,
    /// The live text of sessions that run in this process.
    pub(crate) live: Arc<LiveText>,
    /// The description of this process as the owner of the database.
    kind: RwLock<OwnerDescription>,
    /// The metrics of this process.
    pub(crate) meters: Arc<ServerMetrics>,
    /// Exports telemetry; `None` if no collector is configured.
    pub(crate) telemetry: Option<Arc<TelemetryExporter>>,
    /// The configured ones of `providers`, to replace them.
    registry: Arc<ReplaceableProviderRegistry>,
    /// The same as `known`, to replace the places of keys.
    secret_values: Arc<ConfiguredSecretValues>,
    tools: ExecutorSet,
    /// The document use cases.
    pub(crate) knowledge: KnowledgeServices,
    /// The command catalog, rebuilt after new MCP servers were listed.
    catalog: Arc<CurrentCatalog>,
    /// Held while a catalog is built and replaces the current one.
    building_catalog: Mutex<()>,
    /// Wakes whoever lists the servers that the catalog lacks, after the entries were replaced.
    replacement_signal: Arc<Notify>,
    /// Tells a person which MCP servers are started for the first time, which may take a while.
    first_start_notice: OnceLock<FirstStartNotice>,
    policy_hook: Option<Arc<dyn PolicyHook>>,
    rules: RuleBook,
    /// The language of the person at this terminal.
    pub(crate) reader: ReaderLanguage,
    runtime: RuntimeSettings,
    long_secrets: Vec<SecretReference>,
    ownership_check: Millis,
    /// A digest of the settings that decide how sessions go on.
    configuration: String,
    parts: Arc<ProgramParts>,
}

/// Tells a person the names of the MCP servers that are started for the first time.
pub(crate) type FirstStartNotice = Box<dyn Fn(&[String]) + Send + Sync>;

impl AppServices {
    /// Opens the database and constructs everything that uses it; `tell` receives the reason when that takes a while.
    /// Starts no program, because read-only commands need none.
    pub(crate) fn new(settings: &AppSettings, tell: &dyn Fn(OpeningStep<'_>)) -> Result<Self, CliError> {
        let parts = settings.parts.clone();
        let location = settings.database.location(&*places(&parts))?;
        let opened = Database::open_with_progress(location, settings.database_options.clone(), tell);
        let database = opened.map_err(|error| unopened(error, settings))?;
        let stores = parts.stores_over(&database);
        let clock = parts.clock.clone();
        let meters = Arc::new(ServerMetrics::new(clock.clone()));
        let told = settings.telemetry.terms();
        let unusable = |why| CliError::new(CliExitCode::Usage, message!("telemetry-unusable", why = why));
        let telemetry = told.map(|terms| {
            TelemetryExporter::new(&terms, conventional_names(settings), clock.clone(), parts.crypto())
                .map_err(unusable)
        });
        let knowledge = KnowledgeServices::new(settings, &stores, &clock);
        let tools = ExecutorSet::new(settings, &stores, knowledge.executor(), knowledge.images.clone())?;
        let registry = Arc::new(ReplaceableProviderRegistry::new(registry_of(
            &parts,
            &settings.providers,
            provider_keys(&parts, &settings.providers),
        )));
        let secret_values = Arc::new(configured_secret_values(settings));
        Ok(Self {
            store: stores.store,
            log: stores.log,
            rows: stores.rows,
            mail_store: stores.mail_store,
            tasks: stores.tasks,
            automations: stores.automations,
            access: stores.access,
            outbox: stores.outbox,
            files: stores.files,
            store_ownership: stores.ownership,
            catalog: CurrentCatalog::new(tools.catalog()?),
            building_catalog: Mutex::default(),
            replacement_signal: Arc::default(),
            first_start_notice: OnceLock::new(),
            tools,
            knowledge,
            providers: parts.providers_before(registry.clone()),
            registry,
            known: secret_values.clone(),
            secret_values,
            words: Arc::new(RemoteStreamSource::new(parts.crypto())),
            dry_stages: Arc::new(DryRunDatabases::new(clock.clone(), settings.runtime.dry_runs_at_once)),
            clock,
            ids: Arc::new(RandomIdGenerator),
            live: Arc::new(LiveText::new(settings.runtime.live)),
            meters,
            telemetry: telemetry.transpose()?.map(Arc::new),
            kind: RwLock::default(),
            policy_hook: policy_hook(settings),
            rules: settings.rules.clone(),
            reader: settings.reader,
            runtime: settings.runtime.clone(),
            long_secrets: scrubbable_secret_references(settings),
            ownership_check: settings.database_options.ownership_check,
            configuration: configuration_digest(settings),
            parts,
            database,
        })
    }

    /// Runs the tools of the MCP servers in force.
    pub(crate) fn mcp(&self) -> Arc<McpExecutor> {
        self.tools.mcp()
    }

    /// The executors of the entries of these settings, checked with all other commands. Nothing is replaced yet.
    pub(crate) fn prepare_executors(&self, settings: &AppSettings) -> Result<ConfiguredExecutors, CliError> {
        self.tools.prepare(settings)
    }

    /// The MCP servers with calls under way that prepared executors would end.
    pub(crate) fn interrupted_by(&self, executors: &ConfiguredExecutors) -> Vec<String> {
        self.tools.interrupted_by(executors)
    }

    /// Uses the entries of these settings from the next call on: providers, agents, HTTP tools, MCP servers. A call that
    /// has begun goes on with what it began with.
    pub(crate) fn replace_entries(
        &self,
        settings: &AppSettings,
        executors: ConfiguredExecutors,
    ) -> Result<(), CliError> {
        // Before anything can use a new key, the key is known as a secret.
        self.secret_values.replace_places(secret_references(settings));
        let (parts, entries) = (&self.parts, &settings.providers);
        self.registry.replace(registry_of(parts, entries, provider_keys(parts, entries)));
        self.tools.replace(executors);
        let rebuilt = self.rebuild_catalog();
        self.replacement_signal.notify_one();
        rebuilt
    }

    /// Signals that the entries were replaced: the catalog may lack commands of servers again.
    pub(crate) fn replacement_signal(&self) -> Arc<Notify> {
        self.replacement_signal.clone()
    }

    /// Sets how this process describes itself as the owner of the database.
    pub(crate) fn set_owner_kind(&self, kind: OwnerDescription) {
        *self.kind.write().unwrap_or_else(PoisonError::into_inner) = kind;
    }

    /// The description of this process as the owner of the database.
    pub(crate) fn owner_kind(&self) -> OwnerDescription {
        self.kind.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How long a relay token is valid.
    pub(crate) fn relay_token_lifetime(&self) -> Millis {
        self.runtime.relay_lasts
    }

    /// Checks that every configured secret is long enough to be scrubbed from texts.
    pub(crate) fn check_secrets(&self) -> Result<(), CliError> {
        check_secrets(&*secrets(&self.parts), &self.long_secrets)
    }

    /// How often a long-lived process checks that it still owns the database.
    pub(crate) fn ownership_check(&self) -> Millis {
        Millis(self.ownership_check.0.max(1))
    }

    /// How long a process tries to regain a lost database.
    pub(crate) fn reclaim_timeout(&self) -> Millis {
        self.runtime.reclaim
    }

    /// How long other processes leave the database of a vanished server alone.
    pub(crate) fn takeover_delay(&self) -> Millis {
        self.runtime.takeover_wait
    }

    /// The files of conversations; one that refuses to store any if the store of sessions holds none.
    pub(crate) fn file_store(&self) -> Arc<dyn FileStore> {
        self.files.clone().unwrap_or_else(|| Arc::new(AbsentFileStore))
    }

    /// The port that decides which process handles the events of the database.
    pub(crate) fn ownership(&self) -> Arc<dyn Ownership> {
        self.store_ownership.described_as(self.owner_kind())
    }

    /// The rights of several servers on the workspaces of the database; `None` if one process owns all of it.
    ///
    /// # Errors
    /// If the database cannot be shared.
    pub(crate) fn workspace_rights(&self) -> Result<Option<Arc<dyn WorkspaceOwnership>>, CliError> {
        if !self.runtime.shares_database {
            return Ok(None);
        }
        match self.store_ownership.workspace_rights() {
            Some(rights) => Ok(Some(rights)),
            None => Err(CliError::with_next(
                CliExitCode::Usage,
                message!("runtime-shares-no-server"),
                "entracte config",
            )),
        }
    }

    /// The description of this process among several servers.
    pub(crate) fn worker_process(&self) -> WorkerProcessDescription {
        WorkerProcessDescription {
            owner: self.owner_kind(),
            pid: Some(std::process::id()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            configuration: self.configuration.clone(),
        }
    }

    /// Verifies the callbacks of long tasks.
    pub(crate) fn callback_proof(&self) -> Arc<dyn CallbackVerifier> {
        self.tools.task_servers.clone()
    }

    /// The commands, including those of all MCP servers listed so far.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        self.catalog.get()
    }

    /// The catalog for everything that outlives a request.
    pub(crate) fn current_catalog(&self) -> Arc<CurrentCatalog> {
        self.catalog.clone()
    }

    /// Sets how a person is told which MCP servers are started for the first time.
    pub(crate) fn set_first_start_notice(&self, notice: FirstStartNotice) {
        // The first one counts: services are opened by one command.
        let _ = self.first_start_notice.set(notice);
    }

    /// Connects to the MCP servers that were never listed, for a process that needs their tools.
    pub(crate) async fn connect_unmet_servers(&self) -> Result<(), CliError> {
        let unmet = self.mcp().unmet_servers();
        if let (false, Some(notice)) = (unmet.is_empty(), self.first_start_notice.get()) {
            notice(&unmet);
        }
        self.list_missing_servers().await
    }

    /// Whether the catalog lacks the commands of MCP servers that were not listed when it was built.
    pub(crate) fn lacks_commands_of_servers(&self) -> bool {
        self.tools.is_catalog_incomplete()
    }

    /// Builds the catalog again, after a person decided about tools of a server, or executors were replaced.
    pub(crate) fn rebuild_catalog(&self) -> Result<(), CliError> {
        // One at a time: a catalog that was built before a replacement never follows one that was built after it.
        let _building = self.building_catalog.lock().unwrap_or_else(PoisonError::into_inner);
        self.catalog.replace(self.tools.catalog()?);
        Ok(())
    }

    /// The same without a notice, for servers that did not start before.
    pub(crate) async fn list_missing_servers(&self) -> Result<(), CliError> {
        match self.tools.connect_unmet_servers(self.clock.now()).await {
            true => self.rebuild_catalog(),
            false => Ok(()),
        }
    }

    /// The services of a process that starts to own the database.
    pub(crate) fn services(&self) -> Arc<RuntimeServices> {
        Arc::new(RuntimeServices {
            store: self.store.clone(),
            log: self.log.clone(),
            rows: self.rows.clone(),
            mail_store: self.mail_store.clone(),
            tasks: self.tasks.clone(),
            automations: self.automations.clone(),
            ownership: self.ownership(),
            knowledge: Some(self.knowledge.store.clone()),
            files: self.files.clone(),
            calculator: Arc::new(CronScheduleCalculator),
            prompt_parts: Arc::default(),
            accounts: Arc::new(
                ProviderAccounts::new(self.runtime.calls_at_once).with_tree_limit(self.runtime.calls_in_tree),
            ),
            connectivity: Some(Arc::new(ConnectivityProbe::new(
                self.providers.clone(),
                self.clock.clone(),
                self.runtime.network_probe,
            ))),
            secrets: self.known.clone(),
            policy_hook: self.policy_hook.clone(),
            policy_queue: Arc::default(),
            providers: self.providers.clone(),
            catalog: self.catalog.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            feed: self.live.clone(),
            observer: Arc::new(MetricsObserver {
                meters: self.meters.clone(),
                telemetry: self.telemetry.clone(),
                given: self.parts.observers.clone(),
            }),
            rules: self.rules.clone(),
            settings: self.runtime.clone(),
            started_at: self.clock.now(),
        })
    }
}

/// Why the database cannot be opened; for a damaged one, with the way back from the latest backup.
fn unopened(error: OpenError, settings: &AppSettings) -> CliError {
    let is_damaged = matches!(
        &error,
        OpenError::Unusable { cause, .. }
            if matches!(cause.kind, StoreOutageKind::Damaged | StoreOutageKind::NotADatabase)
    );
    let error = CliError::from(error);
    if !is_damaged {
        return error;
    }
    let folder = &settings.backup.folder;
    let next = match latest_backup(folder) {
        Some(backup) => format!("entracte db copy '{}' NEW_FILE", backup.display()),
        None => "entracte db copy BACKUP NEW_FILE".to_owned(),
    };
    error.replacing_next(next)
}

/// The settings that decide how sessions go on; others, such as addresses and folders, differ between machines.
const SESSION_SETTINGS: [&str; 15] = [
    "agents.",
    "automation.",
    "context.",
    "instructions.",
    "limits.",
    "message.",
    "plan.",
    "policy.",
    "prompt.",
    "providers.",
    "result.",
    "retention.",
    "rules.",
    "runtime.",
    "validation.",
];

/// A digest of the settings that decide how sessions go on.
fn configuration_digest(settings: &AppSettings) -> String {
    let all = effective_settings(settings).into_iter();
    let counted = all.filter(|setting| SESSION_SETTINGS.iter().any(|prefix| setting.key.starts_with(prefix)));
    let mut lines: Vec<String> =
        counted.map(|setting| format!("{} = {}", setting.key, setting.value)).collect();
    lines.sort();
    sha256(lines.join("\n").as_bytes()).to_string()
}

/// The name that OpenTelemetry's conventions give each configured provider.
fn conventional_names(settings: &AppSettings) -> BTreeMap<String, String> {
    let name =
        |entry: &LayerProviderEntry| (entry.name.clone(), entry.config.kind.convention_name().to_owned());
    settings.providers.iter().map(name).collect()
}

/// The configured providers; they need no database.
pub(crate) fn providers(parts: &ProgramParts, entries: &[LayerProviderEntry]) -> Arc<dyn ProviderRegistry> {
    providers_with(parts, entries, provider_keys(parts, entries))
}

/// Like [`providers`], with keys from `secrets`.
pub(crate) fn providers_with(
    parts: &ProgramParts,
    entries: &[LayerProviderEntry],
    secrets: Arc<dyn SecretStore>,
) -> Arc<dyn ProviderRegistry> {
    Arc::new(registry_of(parts, entries, secrets))
}

fn registry_of(
    parts: &ProgramParts,
    entries: &[LayerProviderEntry],
    secrets: Arc<dyn SecretStore>,
) -> ConfigProviderRegistry {
    let entries = entries.iter().map(|entry| (entry.name.clone(), entry.config.clone())).collect();
    ConfigProviderRegistry::new(entries, secrets, parts.clock.clone(), parts.crypto())
}

/// The places of all configured secrets: provider keys, and those of tools.
pub(crate) fn secret_references(settings: &AppSettings) -> Vec<SecretReference> {
    let keys = settings.providers.iter().filter_map(|entry| entry.config.secret_reference());
    keys.chain(tool_secret_places(settings)).collect()
}

/// The places of the secrets that must be long enough to be scrubbed from texts: all but the keys of local model
/// servers.
pub(crate) fn scrubbable_secret_references(settings: &AppSettings) -> Vec<SecretReference> {
    let local = local_keys(&settings.providers);
    let keys = settings.providers.iter().filter_map(|entry| entry.config.secret_reference());
    keys.filter(|place| !local.contains(place)).chain(tool_secret_places(settings)).collect()
}

/// The places of the secrets given to tools.
fn tool_secret_places(settings: &AppSettings) -> impl Iterator<Item = SecretReference> {
    let (http, mcp) = (&settings.tools.http, &settings.tools.mcp);
    let tools = http.iter().flat_map(|tool| tool.headers.values());
    let tools =
        tools.chain(mcp.iter().flat_map(|(_, server)| server.env.values().chain(server.headers.values())));
    let clients = mcp.iter().filter_map(|(_, server)| server.oauth.as_ref()?.client_secret.clone());
    let clients = clients.filter_map(|place| SecretText::Secret(place).reference());
    let signing = settings.tools.tasks.iter().flat_map(|task| task.secrets.clone());
    let others = clients.chain(signing.filter_map(|place| place.reference()));
    let others = others.chain(settings.declared.references());
    let policy = settings.policy.iter().filter_map(PolicySource::secret).cloned();
    tools.filter_map(SecretText::reference).chain(others).chain(policy)
}

/// Checks that every configured secret is long enough to be scrubbed from texts. Does not start programs that print a
/// secret, and does not read pipes, which deliver their content once: their short secrets are refused when they are
/// used.
fn check_secrets(store: &dyn SecretStore, places: &[SecretReference]) -> Result<(), CliError> {
    let may_be_read_twice = |place: &&SecretReference| match place {
        SecretReference::Environment(_) => true,
        SecretReference::File(path) => std::fs::metadata(path).is_ok_and(|found| found.is_file()),
        SecretReference::Command(_) => false,
    };
    for place in places.iter().filter(may_be_read_twice) {
        if let Err(SecretError::TooShort { place }) = store.secret(place) {
            let text = message!("tools-secret-short", place = place, least = SECRET_LEAST_CHARS);
            return Err(CliError::with_next(CliExitCode::Usage, text, "entracte doctor"));
        }
    }
    Ok(())
}

/// The configured secrets, with those of logins and of persons.
fn configured_secret_values(settings: &AppSettings) -> ConfiguredSecretValues {
    ConfiguredSecretValues::new(secret_references(settings), secrets(&settings.parts))
        .with_logins(logins(settings))
        .with_people(person_secrets(settings))
}
