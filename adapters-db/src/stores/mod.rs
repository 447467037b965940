//! The ports of a database, one file each, named after the port.

mod access_store;
mod automation_reader;
mod file_store;
mod knowledge_store;
mod log_reader;
mod mail_store;
mod outbox_store;
mod ownership;
mod resource_reader;
mod store;
mod task_reader;
mod vector_store;
mod workspace_ownership;

use std::sync::Arc;

use entracte_application::ports::{
    AccessStore, AutomationReader, FileStore, KnowledgeStore, LogReader, MailStore, OutboxStore,
    OwnerDescription, Ownership, ResourceReader, TaskReader, VectorStore, WorkspaceOwnership, WorkspaceStore,
};
use entracte_application::runtime::StorePorts;

use crate::database::Database;

impl Database {
    /// The [`WorkspaceStore`] of this database.
    pub fn store(&self) -> Arc<dyn WorkspaceStore> {
        Arc::new(store::DbStore(self.clone()))
    }

    /// The [`LogReader`] of this database.
    pub fn log_reader(&self) -> Arc<dyn LogReader> {
        Arc::new(log_reader::DbLogReader(self.clone()))
    }

    /// The [`ResourceReader`] of this database.
    pub fn resource_reader(&self) -> Arc<dyn ResourceReader> {
        Arc::new(resource_reader::DbResourceReader(self.clone()))
    }

    /// The [`AutomationReader`] of this database.
    pub fn automation_reader(&self) -> Arc<dyn AutomationReader> {
        Arc::new(automation_reader::DbAutomationReader(self.clone()))
    }

    /// The [`TaskReader`] of this database.
    pub fn task_reader(&self) -> Arc<dyn TaskReader> {
        Arc::new(task_reader::DbTaskReader(self.clone()))
    }

    /// The [`AccessStore`] of this database.
    pub fn access_store(&self) -> Arc<dyn AccessStore> {
        Arc::new(access_store::DbAccessStore(self.clone()))
    }

    /// The [`FileStore`] of this database.
    pub fn file_store(&self) -> Arc<dyn FileStore> {
        Arc::new(file_store::DbFileStore(self.clone()))
    }

    /// The [`KnowledgeStore`] of this database.
    pub fn knowledge_store(&self) -> Arc<dyn KnowledgeStore> {
        Arc::new(knowledge_store::DbKnowledgeStore(self.clone()))
    }

    /// The [`VectorStore`] of this database.
    pub fn vector_store(&self) -> Arc<dyn VectorStore> {
        Arc::new(vector_store::DbVectorStore(self.clone()))
    }

    /// The [`OutboxStore`] of this database.
    pub fn outbox_store(&self) -> Arc<dyn OutboxStore> {
        Arc::new(outbox_store::DbOutboxStore(self.clone()))
    }

    /// The [`Ownership`] of this database. All instances of a database and its clones share one ownership.
    pub fn ownership(&self) -> Arc<dyn Ownership> {
        self.ownership_as(OwnerDescription::default())
    }

    /// The [`Ownership`] of a process with this description.
    pub fn ownership_as(&self, kind: OwnerDescription) -> Arc<dyn Ownership> {
        Arc::new(ownership::DbOwnership(self.clone(), kind))
    }

    /// The [`WorkspaceOwnership`] of this database, for processes that handle its workspaces at the same time. Each takes
    /// the lock of the database for a moment when it enters, so while it has an owner none can.
    pub fn workspace_ownership(&self) -> Arc<dyn WorkspaceOwnership> {
        Arc::new(workspace_ownership::DbWorkspaceOwnership(self.clone()))
    }

    /// The [`MailStore`] of this database. Every instance has its own cache, so create one only.
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
            knowledge: Some(database.knowledge_store()),
            files: Some(database.file_store()),
        }
    }
}
