use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::{OwnershipLease, PolicyHookQueue, ProviderAccounts, SharedPromptParts};
use crate::commands::{
    Catalog, CatalogError, CommandPipeline, CurrentCatalog, FilesExecutor, HistoryExecutor, PlansExecutor,
    ResultsExecutor, TasksExecutor,
};
use crate::ports::{
    AutomationReader, Clock, CommandExecutor, ConnectivityWatcher, EventFeed, FileStore, IdGenerator,
    KnowledgeStore, LogReader, MailStore, NoopObserver, NoopScrubber, Observer, Ownership, OwnershipError,
    PolicyHook, ProviderRegistry, ResourceReader, ScheduleCalculator, SecretScrubberFactory, TaskReader,
    WorkerProcessDescription, WorkspaceOwnership, WorkspaceStore,
};
use crate::rule_book::RuleBook;
use crate::settings::RuntimeSettings;
use crate::stream::LiveText;
use crate::system::{CronScheduleCalculator, RandomIdGenerator, SystemClock};

/// The ports of one store, all on the same data.
#[derive(Clone)]
pub struct StorePorts {
    /// The single write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// Reads committed sessions and log entries.
    pub log: Arc<dyn LogReader>,
    /// Reads the workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Mail of other processes.
    pub mail_store: Arc<dyn MailStore>,
    /// Reads automations.
    pub automations: Arc<dyn AutomationReader>,
    /// Reads long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// The right to handle the events of the store.
    pub ownership: Arc<dyn Ownership>,
    /// The documents; `None` if the store has none.
    pub knowledge: Option<Arc<dyn KnowledgeStore>>,
    /// The files of conversations; `None` if the store has none.
    pub files: Option<Arc<dyn FileStore>>,
}

impl<S> From<Arc<S>> for StorePorts
where
    S: WorkspaceStore
        + LogReader
        + ResourceReader
        + MailStore
        + AutomationReader
        + TaskReader
        + Ownership
        + 'static,
{
    fn from(store: Arc<S>) -> Self {
        Self {
            store: store.clone(),
            log: store.clone(),
            rows: store.clone(),
            mail_store: store.clone(),
            automations: store.clone(),
            tasks: store.clone(),
            ownership: store,
            knowledge: None,
            files: None,
        }
    }
}

/// Everything the runtime works with: the ports, the catalog, the rules.
///
/// [`RuntimeServices::new`] takes the parts without a default; name the others that should differ:
/// `RuntimeServices { rules, ..RuntimeServices::new(store, providers, &executors)? }`.
#[derive(Clone)]
pub struct RuntimeServices {
    /// The single write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// Reads committed sessions and log entries.
    pub log: Arc<dyn LogReader>,
    /// Reads the workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Mail of other processes.
    pub mail_store: Arc<dyn MailStore>,
    /// Reads automations.
    pub automations: Arc<dyn AutomationReader>,
    /// Reads long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// The right to handle the events of the store.
    pub ownership: Arc<dyn Ownership>,
    /// The documents, for retention; `None` if the store has none.
    pub knowledge: Option<Arc<dyn KnowledgeStore>>,
    /// The files of conversations; `None` if the store has none.
    pub files: Option<Arc<dyn FileStore>>,
    /// Computes when triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The configured model providers.
    pub providers: Arc<dyn ProviderRegistry>,
    /// Every command that exists now.
    pub catalog: Arc<CurrentCatalog>,
    /// The parts of prompts that all workspaces share.
    pub prompt_parts: Arc<SharedPromptParts>,
    /// The provider accounts, shared by all sessions.
    pub accounts: Arc<ProviderAccounts>,
    /// Reports when a provider is reachable again; `None` if reachability is not watched.
    pub connectivity: Option<Arc<dyn ConnectivityWatcher>>,
    /// Removes secrets from everything a model writes; [`NoopScrubber`] if there are none.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// Decides about calls before a person is asked; `None` if no hook is configured.
    pub policy_hook: Option<Arc<dyn PolicyHook>>,
    /// The questions to the hook that wait for their turn, of all sessions.
    pub policy_queue: Arc<PolicyHookQueue>,
    /// The only source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Generates ids and jitter.
    pub ids: Arc<dyn IdGenerator>,
    /// Publishes events to watchers.
    pub feed: Arc<dyn EventFeed>,
    /// Receives metrics; [`NoopObserver`] if none are collected.
    pub observer: Arc<dyn Observer>,
    /// The rules of each session kind.
    pub rules: RuleBook,
    /// Settings of the runtime itself.
    pub settings: RuntimeSettings,
    /// When this process began to own the database; identifies this start for the quarantine.
    pub started_at: Timestamp,
}

impl RuntimeServices {
    /// Services on this store with these providers, and with the commands of these executors plus
    /// [`ResultsExecutor`], [`HistoryExecutor`] and [`PlansExecutor`], [`FilesExecutor`] if the store holds files, and
    /// [`TasksExecutor`] if a command may become a task. Uses real time and ids, the default rules and settings, and no
    /// watchers.
    ///
    /// # Errors
    /// When a command is declared twice, or its schema is invalid.
    pub fn new(
        store: impl Into<StorePorts>,
        providers: Arc<dyn ProviderRegistry>,
        executors: &[Arc<dyn CommandExecutor>],
    ) -> Result<Self, CatalogError> {
        let StorePorts { store, log, rows, mail_store, automations, tasks, ownership, knowledge, files } =
            store.into();
        let clock = Arc::new(SystemClock);
        let settings = RuntimeSettings::default();
        let results: Arc<dyn CommandExecutor> =
            Arc::new(ResultsExecutor::new(log.clone(), settings.result_max_chars));
        let history: Arc<dyn CommandExecutor> = Arc::new(HistoryExecutor::new(log.clone()));
        let plans: Arc<dyn CommandExecutor> = Arc::new(PlansExecutor::new(settings.plans));
        let mut executors = [executors, &[results, history, plans]].concat();
        if let Some(files) = &files {
            executors.push(Arc::new(FilesExecutor::new(files.clone())));
        }
        if TasksExecutor::supports_tasks(&executors) {
            executors.push(Arc::new(TasksExecutor::new(tasks.clone())));
        }
        Ok(Self {
            store,
            log,
            rows,
            mail_store,
            automations,
            tasks,
            ownership,
            knowledge,
            files,
            calculator: Arc::new(CronScheduleCalculator),
            prompt_parts: Arc::default(),
            accounts: Arc::default(),
            connectivity: None,
            secrets: Arc::new(NoopScrubber),
            policy_hook: None,
            policy_queue: Arc::default(),
            providers,
            catalog: CurrentCatalog::new(Catalog::new(&executors)?),
            started_at: clock.now(),
            clock,
            ids: Arc::new(RandomIdGenerator),
            feed: Arc::new(LiveText::default()),
            observer: Arc::new(NoopObserver),
            rules: RuleBook::default(),
            settings,
        })
    }

    /// Acquires ownership of these services' store, which [`LocalRuntime::start`] requires.
    ///
    /// # Errors
    /// When another runtime owns it, here or in another process.
    ///
    /// [`LocalRuntime::start`]: super::LocalRuntime::start
    pub async fn acquire_ownership(&self) -> Result<OwnershipLease, OwnershipError> {
        OwnershipLease::acquire(self.ownership.clone(), self.clock.clone(), &self.settings).await
    }

    /// Enters these services' store as one of several processes, each of which handles the workspaces that it acquires.
    ///
    /// # Errors
    /// While one process owns the whole store.
    pub async fn enter_shared_store(
        &self,
        rights: Arc<dyn WorkspaceOwnership>,
        process: &WorkerProcessDescription,
    ) -> Result<OwnershipLease, OwnershipError> {
        OwnershipLease::enter(rights, process, self.clock.clone(), &self.settings).await
    }

    /// The command pipeline over these services' current catalog, ledger and data.
    pub fn pipeline(&self) -> CommandPipeline {
        CommandPipeline {
            catalog: self.catalog.get(),
            log: self.log.clone(),
            rows: self.rows.clone(),
            has_policy_hook: self.policy_hook.is_some(),
        }
    }
}
