//! The stores that the program works on: those of the configured database, or what its host puts in their place.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use entracte_adapters_db::{Database, DatabaseLocation, LockHolder};
use entracte_application::ports::{
    AccessStore, AutomationReader, FileBytes, FileRow, FileStore, KnowledgeStore, LogReader, MailStore,
    OutboxStore, OwnerDescription, Ownership, ResourceReader, SessionFile, StoreError, TaskReader,
    VectorStore, WorkerProcessRecord, WorkspaceOwnership, WorkspaceStore,
};
use entracte_application::runtime::StorePorts;
use entracte_domain::id::{Digest, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;

/// The stores of a program. A host gets those of the configured database and returns those to use: it may wrap one, or
/// replace all that sessions are made of ([`with_ports`](Self::with_ports)).
///
/// People, tokens, notification targets and documents stay in the configured database unless their stores are replaced,
/// too. The commands of `db`, the backups and the database checks of `doctor` are about that database.
#[non_exhaustive]
pub struct ProgramStores {
    /// The write path.
    pub store: Arc<dyn WorkspaceStore>,
    /// Reads committed log entries.
    pub log: Arc<dyn LogReader>,
    /// Reads the workspaces' own data.
    pub rows: Arc<dyn ResourceReader>,
    /// The requests between processes.
    pub mail_store: Arc<dyn MailStore>,
    /// Reads automations.
    pub automations: Arc<dyn AutomationReader>,
    /// Reads long tasks.
    pub tasks: Arc<dyn TaskReader>,
    /// People and their tokens.
    pub access: Arc<dyn AccessStore>,
    /// Notification targets, notifications and links.
    pub outbox: Arc<dyn OutboxStore>,
    /// Documents and their search index.
    pub knowledge: Arc<dyn KnowledgeStore>,
    /// The vectors of documents.
    pub vectors: Arc<dyn VectorStore>,
    /// The files of conversations; `None` if the store of sessions holds none.
    pub files: Option<Arc<dyn FileStore>>,
    /// The right to handle the events of these stores.
    pub(crate) ownership: StoreOwnership,
}

impl ProgramStores {
    /// The stores of a database.
    pub(crate) fn of(database: &Database) -> Self {
        Self {
            store: database.store(),
            log: database.log_reader(),
            rows: database.resource_reader(),
            mail_store: database.mail_store(),
            automations: database.automation_reader(),
            tasks: database.task_reader(),
            access: database.access_store(),
            outbox: database.outbox_store(),
            knowledge: database.knowledge_store(),
            vectors: database.vector_store(),
            files: Some(database.file_store()),
            ownership: StoreOwnership::Database(database.clone()),
        }
    }

    /// The same with another store of sessions, with its own ownership. Documents stay if it has none; files are stored
    /// beside the sessions that name them, so there are none if it has none.
    #[must_use]
    pub fn with_ports(self, ports: impl Into<StorePorts>) -> Self {
        let StorePorts { store, log, rows, mail_store, automations, tasks, ownership, knowledge, files } =
            ports.into();
        Self {
            store,
            log,
            rows,
            mail_store,
            automations,
            tasks,
            ownership: StoreOwnership::Host(ownership),
            knowledge: knowledge.unwrap_or(self.knowledge),
            files,
            ..self
        }
    }
}

/// Decides which process handles the events of the stores.
#[derive(Clone)]
pub(crate) enum StoreOwnership {
    /// The lock of the database.
    Database(Database),
    /// The store of the host.
    Host(Arc<dyn Ownership>),
}

impl StoreOwnership {
    /// The ownership of a process with this description. A store of the host describes its owners itself.
    pub(crate) fn described_as(&self, kind: OwnerDescription) -> Arc<dyn Ownership> {
        match self {
            Self::Database(database) => database.ownership_as(kind),
            Self::Host(ownership) => ownership.clone(),
        }
    }

    /// The process that holds the lock; `None` if no process does, or if there is no lock to look at.
    pub(crate) async fn lock_holder(&self) -> Result<Option<LockHolder>, StoreError> {
        match self {
            Self::Database(database) => database.lock_holder().await,
            Self::Host(_) => Ok(None),
        }
    }

    /// Whether surely no process holds the lock; nobody knows of a store of the host.
    pub(crate) async fn is_free(&self) -> Result<bool, StoreError> {
        match self {
            Self::Database(database) => Ok(database.lock_holder().await?.is_none()),
            Self::Host(_) => Ok(false),
        }
    }

    /// The rights of several processes on the workspaces; `None` for a file, and for a store of the host, which one process
    /// owns.
    pub(crate) fn workspace_rights(&self) -> Option<Arc<dyn WorkspaceOwnership>> {
        match self {
            Self::Database(database) => {
                let is_server = matches!(database.location(), DatabaseLocation::Postgres(_));
                is_server.then(|| database.workspace_ownership())
            }
            Self::Host(_) => None,
        }
    }

    /// The worker process that entered first, if several share the database.
    pub(crate) async fn worker_process(&self) -> Result<Option<WorkerProcessRecord>, StoreError> {
        match self {
            Self::Database(database) => {
                Ok(database.workspace_ownership().processes().await?.into_iter().next())
            }
            Self::Host(_) => Ok(None),
        }
    }

    /// Whether an epoch of this process may still be under its lock, by local knowledge only.
    pub(crate) fn may_be_held_here(&self) -> bool {
        match self {
            Self::Database(database) => database.is_owned_here(),
            Self::Host(_) => true,
        }
    }
}

/// The files of a store of sessions that holds none: there are none, and none is stored. Files in another store would not be
/// noted by the commits that name them, and would be deleted as files that no session names.
pub(crate) struct AbsentFileStore;

#[async_trait]
impl FileStore for AbsentFileStore {
    async fn put_file(&self, _: &WorkspaceKey, _: FileRow, _: FileBytes) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("the store of the sessions holds no files of conversations".into()))
    }

    async fn file(&self, _: &WorkspaceKey, _: &Digest) -> Result<Option<FileRow>, StoreError> {
        Ok(None)
    }

    async fn file_bytes(&self, _: &WorkspaceKey, _: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(None)
    }

    async fn session_files(
        &self,
        _: &WorkspaceKey,
        _: &SessionId,
    ) -> Result<BTreeMap<Digest, SessionFile>, StoreError> {
        Ok(BTreeMap::new())
    }

    async fn unnamed_file_bytes(&self, _: &WorkspaceKey) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn delete_unnamed_files(&self, _: &WorkspaceKey, _: Timestamp) -> Result<u64, StoreError> {
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use entracte_domain::file::FileReference;

    use super::*;

    /// Input: a file for a store of sessions that holds none; expected: it is refused, and it is not there.
    #[tokio::test]
    async fn absent_file_store_refuses_files() {
        let (home, digest) = (WorkspaceKey::new("ann:home"), Digest::new("d1"));
        let file = FileReference {
            digest: digest.clone(),
            media_type: "image/png".to_owned(),
            name: "chart.png".to_owned(),
            bytes: 3,
            dimensions: None,
            pages: None,
            model_form: None,
        };
        let row = FileRow { file, author: "ann".to_owned(), stored_at: Timestamp(1) };
        let refused = AbsentFileStore.put_file(&home, row, b"png".to_vec().into()).await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        assert_eq!(AbsentFileStore.file_bytes(&home, &digest).await, Ok(None));
    }
}
