//! The ports on a database, one file each, named after the port's.

mod access_store;
mod automation_reader;
mod knowledge_store;
mod log_reader;
mod mail_store;
mod outbox_store;
mod ownership;
mod resource_reader;
mod store;
mod task_reader;
mod vector_store;

use std::sync::Arc;

use entracte_application::ports::{
    AccessStore, AutomationReader, KnowledgeStore, LogReader, MailStore, OutboxStore, OwnerDescription,
    Ownership, ResourceReader, TaskReader, VectorStore, WorkspaceStore,
};
use entracte_application::runtime::StorePorts;

use crate::database::Database;

impl Database {
    /// Its [`WorkspaceStore`].
    pub fn store(&self) -> Arc<dyn WorkspaceStore> {
        Arc::new(store::DbStore(self.clone()))
    }

    /// Its [`LogReader`].
    pub fn log_reader(&self) -> Arc<dyn LogReader> {
        Arc::new(log_reader::DbLogReader(self.clone()))
    }

    /// Its [`ResourceReader`].
    pub fn resource_reader(&self) -> Arc<dyn ResourceReader> {
        Arc::new(resource_reader::DbResourceReader(self.clone()))
    }

    /// Its [`AutomationReader`].
    pub fn automation_reader(&self) -> Arc<dyn AutomationReader> {
        Arc::new(automation_reader::DbAutomationReader(self.clone()))
    }

    /// Its [`TaskReader`].
    pub fn task_reader(&self) -> Arc<dyn TaskReader> {
        Arc::new(task_reader::DbTaskReader(self.clone()))
    }

    /// Its [`AccessStore`].
    pub fn access_store(&self) -> Arc<dyn AccessStore> {
        Arc::new(access_store::DbAccessStore(self.clone()))
    }

    /// Its [`KnowledgeStore`].
    pub fn knowledge_store(&self) -> Arc<dyn KnowledgeStore> {
        Arc::new(knowledge_store::DbKnowledgeStore(self.clone()))
    }

    /// Its [`VectorStore`].
    pub fn vector_store(&self) -> Arc<dyn VectorStore> {
        Arc::new(vector_store::DbVectorStore(self.clone()))
    }

    /// Its [`OutboxStore`].
    pub fn outbox_store(&self) -> Arc<dyn OutboxStore> {
        Arc::new(outbox_store::DbOutboxStore(self.clone()))
    }

    /// Its [`Ownership`]. All of one database, and its clones, hold the same right.
    pub fn ownership(&self) -> Arc<dyn Ownership> {
        self.ownership_as(OwnerDescription::default())
    }

    /// The same for a process that says of itself what it is.
    pub fn ownership_as(&self, kind: OwnerDescription) -> Arc<dyn Ownership> {
        Arc::new(ownership::DbOwnership(self.clone(), kind))
    }

    /// Its [`MailStore`]. Each call makes one that remembers for itself what it last saw: ask for it once.
    pub fn mail_store(&self) -> Arc<dyn MailStore> {
        Arc::new(mail_store::DbMailStore::new(self.clone()))
    }
}

impl From<&Database> for StorePorts {
    fn from(database: &Database) -> Self {
        Self {
            store: database.store(),
            log: database.log_reader(),
            rows: database.resource_reader(),
            mail_store: database.mail_store(),
            automations: database.automation_reader(),
            tasks: database.task_reader(),
            ownership: database.ownership(),
        }
    }
}
