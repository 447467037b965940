//! The Postgres store fulfils the contracts of the store ports.

use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::access_store::AccessStoreFixture;
use entracte_tests::contracts::file_store::FileStoreFixture;
use entracte_tests::contracts::knowledge_store::KnowledgeStoreFixture;
use entracte_tests::contracts::outbox_store::OutboxStoreFixture;
use entracte_tests::contracts::workspace_ownership::WorkspaceOwnershipFixture;
use entracte_tests::postgres::{self, TestDatabase};

async fn open() -> Option<StoreFixture> {
    postgres::stores()
}

async fn open_access() -> Option<AccessStoreFixture> {
    let made = TestDatabase::make()?;
    Some(AccessStoreFixture { store: made.open().access_store(), keep: Box::new(made) })
}

async fn open_outbox() -> Option<OutboxStoreFixture> {
    let made = TestDatabase::make()?;
    let database = made.open();
    Some(OutboxStoreFixture {
        store: database.outbox_store(),
        commits: database.store(),
        keep: Box::new(made),
    })
}

async fn open_knowledge() -> Option<KnowledgeStoreFixture> {
    let made = TestDatabase::make()?;
    Some(KnowledgeStoreFixture { store: made.open().knowledge_store(), keep: Box::new(made) })
}

async fn open_files() -> Option<FileStoreFixture> {
    let made = TestDatabase::make()?;
    let database = made.open();
    Some(FileStoreFixture {
        store: database.file_store(),
        commits: database.store(),
        mail: database.mail_store(),
        keep: Box::new(made),
    })
}

async fn open_workspace_ownership() -> Option<WorkspaceOwnershipFixture> {
    let made = TestDatabase::make()?;
    let database = made.open();
    Some(WorkspaceOwnershipFixture {
        rights: database.workspace_ownership(),
        ownership: database.ownership(),
        commits: database.store(),
        keep: Box::new(made),
    })
}

entracte_tests::store_contracts!(open);
entracte_tests::file_contracts!(open_files);
entracte_tests::access_contracts!(open_access);
entracte_tests::outbox_contracts!(open_outbox);
entracte_tests::knowledge_contracts!(open_knowledge);
entracte_tests::workspace_ownership_contracts!(open_workspace_ownership);

mod opened_again {
    use entracte_adapters_db::{Database, DatabaseOptions};
    use entracte_application::ports::StoreError;
    use entracte_tests::contracts::StoreFixture;
    use entracte_tests::contracts::durable::StoreLocation;
    use entracte_tests::postgres::{self, TestDatabase};

    async fn place() -> Option<StoreLocation> {
        let made = TestDatabase::make()?;
        Some(StoreLocation { at: made.url(), keep: Box::new(made) })
    }

    async fn open(url: String) -> Result<StoreFixture, StoreError> {
        let opened = Database::open(&url, DatabaseOptions::default());
        let database = opened.map_err(|error| StoreError::Unavailable(error.to_string().into()))?;
        Ok(postgres::stores_of_database(&database, Box::new(())))
    }

    entracte_tests::durable_contracts!(place, open);
}
