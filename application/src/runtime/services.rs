use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::{OwnershipLease, ProviderAccounts};
use crate::commands::{
    Catalog, CatalogError, CommandPipeline, HistoryExecutor, PlansExecutor, ResultsExecutor, TasksExecutor,
};
use crate::ports::{
    AutomationReader, Clock, CommandExecutor, ConnectivityWatcher, EventFeed, IdGenerator, LogReader,
    MailStore, NoopObserver, NoopScrubber, Observer, Ownership, OwnershipError, ProviderRegistry,
    ResourceReader, ScheduleCalculator, SecretScrubberFactory, TaskReader, WorkspaceStore,
};
use crate::rule_book::RuleBook;
use crate::schema::Schema;
use crate::settings::{RuntimeSettings, SchemaBounds};
use crate::stream::LiveText;
use crate::system::{CronScheduleCalculator, RandomIdGenerator, SystemClock};

/// The ports of one store, all on the same data.
#[derive(Clone)]
pub struct StorePorts {
    /// The one write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// The workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub mail_store: Arc<dyn MailStore>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
    /// The long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Who handles their events.
    pub ownership: Arc<dyn Ownership>,
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
        }
    }
}

/// Everything the runtime works with: the ports, the catalog, the rules.
///
/// [`RuntimeServices::new`] takes what has no default; name the rest where it should differ:
/// `RuntimeServices { rules, ..RuntimeServices::new(store, providers, &executors)? }`.
#[derive(Clone)]
pub struct RuntimeServices {
    /// The one write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// The workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub mail_store: Arc<dyn MailStore>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
    /// The long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// Who handles their events.
    pub ownership: Arc<dyn Ownership>,
    /// When triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The model APIs.
    pub providers: Arc<dyn ProviderRegistry>,
    /// The commands.
    pub catalog: Arc<Catalog>,
    /// The accounts at the providers, shared by all sessions.
    pub accounts: Arc<ProviderAccounts>,
    /// Who tells when a provider can be reached again; none where nobody can.
    pub connectivity: Option<Arc<dyn ConnectivityWatcher>>,
    /// What is taken out of everything that a model says; [`NoopScrubber`] where none is known.
    pub secrets: Arc<dyn SecretScrubberFactory>,
    /// The only source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Ids and jitter.
    pub ids: Arc<dyn IdGenerator>,
    /// Those who watch.
    pub feed: Arc<dyn EventFeed>,
    /// Who keeps count; [`NoopObserver`] where nobody does.
    pub observer: Arc<dyn Observer>,
    /// The rules of each kind of session.
    pub rules: RuleBook,
    /// Settings of the runtime itself.
    pub settings: RuntimeSettings,
    /// When this process began to own the database: names this start for the quarantine.
    pub started_at: Timestamp,
}

impl RuntimeServices {
    /// Reads what [`RuntimeServices::new`] reads once in a process (the schema that schemas are checked by) on a thread of its own, so
    /// that a program can open its database meanwhile. Nothing else depends on it.
    pub fn warm_up() {
        let read = || drop(Schema::new(&serde_json::Value::Bool(true), &SchemaBounds::default()));
        // Where no thread can be had, it is read when it is needed.
        drop(std::thread::Builder::new().name("entracte-ahead".to_owned()).spawn(read));
    }

    /// Services on this store, with these providers and the commands of these executors and
    /// [`ResultsExecutor`], [`HistoryExecutor`] and [`PlansExecutor`], and [`TasksExecutor`] where a command may become a task: real time and ids, the default rules and settings, and
    /// nobody who watches.
    ///
    /// # Errors
    /// When a command is declared twice, or its schema is not valid.
    pub fn new(
        store: impl Into<StorePorts>,
        providers: Arc<dyn ProviderRegistry>,
        executors: &[Arc<dyn CommandExecutor>],
    ) -> Result<Self, CatalogError> {
        let StorePorts { store, log, rows, mail_store, automations, tasks, ownership } = store.into();
        let clock = Arc::new(SystemClock);
        let settings = RuntimeSettings::default();
        let results: Arc<dyn CommandExecutor> =
            Arc::new(ResultsExecutor::new(log.clone(), settings.result_max_chars));
        let history: Arc<dyn CommandExecutor> = Arc::new(HistoryExecutor::new(log.clone()));
        let plans: Arc<dyn CommandExecutor> = Arc::new(PlansExecutor::new(settings.plans));
        let mut executors = [executors, &[results, history, plans]].concat();
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
            calculator: Arc::new(CronScheduleCalculator),
            accounts: Arc::default(),
            connectivity: None,
            secrets: Arc::new(NoopScrubber),
            providers,
            catalog: Arc::new(Catalog::new(&executors)?),
            started_at: clock.now(),
            clock,
            ids: Arc::new(RandomIdGenerator),
            feed: Arc::new(LiveText::default()),
            observer: Arc::new(NoopObserver),
            rules: RuleBook::default(),
            settings,
        })
    }

    /// Takes the right to handle the events of these services' store: what [`LocalRuntime::start`] must be given.
    ///
    /// # Errors
    /// When another runtime has it, here or in another process.
    ///
    /// [`LocalRuntime::start`]: super::LocalRuntime::start
    pub async fn acquire_ownership(&self) -> Result<OwnershipLease, OwnershipError> {
        OwnershipLease::acquire(self.ownership.clone(), self.clock.clone(), &self.settings).await
    }

    /// The look-ups over these services' catalog, ledger and data.
    pub fn pipeline(&self) -> CommandPipeline {
        CommandPipeline { catalog: self.catalog.clone(), log: self.log.clone(), rows: self.rows.clone() }
    }
}
