use std::sync::Arc;

use entracte_domain::time::Timestamp;

use super::{Accounts, BroadcastFeed};
use crate::commands::{Catalog, CatalogError, Pipeline, ResultsExecutor};
use crate::ports::{
    AutomationReader, Clock, CommandExecutor, Connectivity, Feed, IdGenerator, LogReader, Mailbox,
    ProviderRegistry, ResourceReader, ScheduleCalculator, Store,
};
use crate::settings::{RuleBook, RuntimeSettings};
use crate::system::{CronCalculator, RandomIds, SystemClock};
use crate::use_cases::FollowTurn;

/// The ports of one store, all on the same data.
#[derive(Clone)]
pub struct StorePorts {
    /// The one write path.
    pub store: Arc<dyn Store>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// The workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub mailbox: Arc<dyn Mailbox>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
}

impl<S: Store + LogReader + ResourceReader + Mailbox + AutomationReader + 'static> From<Arc<S>>
    for StorePorts
{
    fn from(store: Arc<S>) -> Self {
        Self {
            store: store.clone(),
            log: store.clone(),
            rows: store.clone(),
            mailbox: store.clone(),
            automations: store,
        }
    }
}

/// Everything the runtime works with: the ports, the catalog, the rules.
///
/// [`House::new`] takes what has no default; name the rest where it should differ:
/// `House { rules, ..House::new(store, providers, &executors)? }`.
#[derive(Clone)]
pub struct House {
    /// The one write path.
    pub store: Arc<dyn Store>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// The workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub mailbox: Arc<dyn Mailbox>,
    /// The automations.
    pub automations: Arc<dyn AutomationReader>,
    /// When triggers are due.
    pub calculator: Arc<dyn ScheduleCalculator>,
    /// The model APIs.
    pub providers: Arc<dyn ProviderRegistry>,
    /// The commands.
    pub catalog: Arc<Catalog>,
    /// The accounts at the providers, shared by all sessions.
    pub accounts: Arc<Accounts>,
    /// Who tells when a provider can be reached again; none where nobody can.
    pub connectivity: Option<Arc<dyn Connectivity>>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids and jitter.
    pub ids: Arc<dyn IdGenerator>,
    /// Those who watch.
    pub feed: Arc<dyn Feed>,
    /// The rules of each kind of session.
    pub rules: RuleBook,
    /// Settings of the runtime itself.
    pub settings: RuntimeSettings,
    /// When this process began to own the database: names this start for the quarantine.
    pub started_at: Timestamp,
}

impl House {
    /// A house on this store, with these providers and the commands of these executors and
    /// [`ResultsExecutor`]: real time and ids, the default rules and settings, and nobody who watches.
    ///
    /// # Errors
    /// When a command is declared twice, or its schema is none.
    pub fn new(
        store: impl Into<StorePorts>,
        providers: Arc<dyn ProviderRegistry>,
        executors: &[Arc<dyn CommandExecutor>],
    ) -> Result<Self, CatalogError> {
        let StorePorts { store, log, rows, mailbox, automations } = store.into();
        let clock = Arc::new(SystemClock);
        let settings = RuntimeSettings::default();
        let results: Arc<dyn CommandExecutor> =
            Arc::new(ResultsExecutor::new(log.clone(), settings.result_max_chars));
        Ok(Self {
            store,
            log,
            rows,
            mailbox,
            automations,
            calculator: Arc::new(CronCalculator),
            accounts: Arc::default(),
            connectivity: None,
            providers,
            catalog: Arc::new(Catalog::new(&[executors, &[results]].concat())?),
            started_at: clock.now(),
            clock,
            ids: Arc::new(RandomIds),
            feed: Arc::new(BroadcastFeed::new(1)),
            rules: RuleBook::default(),
            settings,
        })
    }

    /// Follows the sessions of this house.
    pub fn follow(&self) -> FollowTurn {
        FollowTurn::new(
            self.store.clone(),
            self.log.clone(),
            self.rows.clone(),
            self.catalog.clone(),
            self.clock.clone(),
        )
    }

    /// The look-ups over this house's catalog, ledger and data.
    pub fn pipeline(&self) -> Pipeline {
        Pipeline { catalog: self.catalog.clone(), log: self.log.clone(), rows: self.rows.clone() }
    }
}
