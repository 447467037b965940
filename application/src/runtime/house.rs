use std::sync::Arc;

use entracte_domain::time::Timestamp;

use crate::commands::{Catalog, Pipeline};
use crate::ports::{Clock, Feed, IdGenerator, LogReader, Mailbox, ProviderRegistry, ResourceReader, Store};
use crate::settings::{RuleBook, RuntimeSettings};

/// Everything the runtime works with: the ports, the catalog, the rules.
pub struct House {
    /// The one write path.
    pub store: Arc<dyn Store>,
    /// What was committed.
    pub log: Arc<dyn LogReader>,
    /// The workspace's data.
    pub rows: Arc<dyn ResourceReader>,
    /// Requests of other processes.
    pub mailbox: Arc<dyn Mailbox>,
    /// The model APIs.
    pub providers: Arc<dyn ProviderRegistry>,
    /// The commands.
    pub catalog: Arc<Catalog>,
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
    /// The look-ups over this house's catalog, ledger and data.
    pub fn pipeline(&self) -> Pipeline {
        Pipeline { catalog: self.catalog.clone(), log: self.log.clone(), rows: self.rows.clone() }
    }
}
