//! The one place that names every adapter: the configuration becomes a house.

use std::sync::Arc;

use entracte_adapters_commands::McpExecutor;
use entracte_adapters_db::{Database, Ownership, OwnershipError};
use entracte_adapters_providers::probe::Probe;
use entracte_adapters_providers::registry::Registry;
use entracte_application::commands::Catalog;
use entracte_application::ports::{
    AutomationReader, Clock, IdGenerator, LogReader, Mailbox, ProviderRegistry, ResourceReader, SecretStore,
    Store,
};
use entracte_application::runtime::{Accounts, BroadcastFeed, House};
use entracte_application::settings::{RuleBook, RuntimeSettings};
use entracte_application::system::{CronCalculator, RandomIds, SystemClock, SystemSecrets};

use crate::config::{ProviderEntry, Settings};
use crate::error::CliError;
use crate::tools::Tools;

/// Feed events that a slow watcher may be behind before it reads the log instead.
const FEED_CAPACITY: usize = 4096;

/// Every adapter, made once.
pub(crate) struct Wiring {
    /// The database.
    pub(crate) database: Database,
    /// Its write path.
    pub(crate) store: Arc<dyn Store>,
    /// What was committed.
    pub(crate) log: Arc<dyn LogReader>,
    /// The workspaces' own data.
    pub(crate) rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub(crate) mailbox: Arc<dyn Mailbox>,
    /// The automations.
    pub(crate) automations: Arc<dyn AutomationReader>,
    /// The commands.
    pub(crate) catalog: Arc<Catalog>,
    /// The MCP servers.
    pub(crate) mcp: Arc<McpExecutor>,
    /// The providers.
    pub(crate) providers: Arc<dyn ProviderRegistry>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Ids and jitter.
    pub(crate) ids: Arc<dyn IdGenerator>,
    /// Those who watch in this process.
    pub(crate) feed: Arc<BroadcastFeed>,
    rules: RuleBook,
    runtime: RuntimeSettings,
}

impl Wiring {
    /// Opens the database and builds everything over it.
    pub(crate) fn new(settings: &Settings) -> Result<Self, CliError> {
        let location = settings.database.location(&*secrets())?;
        let database = Database::open_at(location, settings.database_options.clone())?;
        let rows = database.resource_reader();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let tools = Tools::new(settings, rows.clone(), database.log_reader())?;
        Ok(Self {
            store: database.store(),
            log: database.log_reader(),
            mailbox: database.mailbox(),
            automations: database.automation_reader(),
            catalog: tools.catalog()?,
            mcp: tools.mcp.clone(),
            providers: providers(&settings.providers),
            clock,
            ids: Arc::new(RandomIds),
            feed: Arc::new(BroadcastFeed::new(FEED_CAPACITY)),
            rules: settings.rules.clone(),
            runtime: settings.runtime.clone(),
            rows,
            database,
        })
    }

    /// The house of a process that begins to own the database; it commits while it does.
    pub(crate) fn house(&self, ownership: &Ownership) -> Arc<House> {
        Arc::new(House {
            store: ownership.guard(self.store.clone()),
            log: self.log.clone(),
            rows: self.rows.clone(),
            mailbox: self.mailbox.clone(),
            automations: self.automations.clone(),
            calculator: Arc::new(CronCalculator),
            accounts: Arc::new(Accounts::new(self.runtime.calls_at_once)),
            connectivity: Some(Arc::new(Probe::new(
                self.providers.clone(),
                self.clock.clone(),
                self.runtime.network_probe,
            ))),
            providers: self.providers.clone(),
            catalog: self.catalog.clone(),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            feed: self.feed.clone(),
            rules: self.rules.clone(),
            settings: self.runtime.clone(),
            started_at: self.clock.now(),
        })
    }

    /// Takes the right to handle the database's events; none when another process has it.
    pub(crate) fn own(&self) -> Result<Option<Ownership>, CliError> {
        match self.database.try_own() {
            Ok(ownership) => Ok(Some(ownership)),
            Err(OwnershipError::Owned { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The providers of the configuration; no database is needed for them.
pub(crate) fn providers(entries: &[ProviderEntry]) -> Arc<dyn ProviderRegistry> {
    let entries = entries.iter().map(|entry| (entry.name.clone(), entry.config.clone())).collect();
    Arc::new(Registry::new(entries, secrets(), Arc::new(SystemClock)))
}

/// Where keys are kept.
pub(crate) fn secrets() -> Arc<dyn SecretStore> {
    Arc::new(SystemSecrets)
}
