//! The SQLite store fulfils the contracts of the store ports.

#![expect(clippy::expect_used, reason = "a test that cannot open its database has failed")]

use entracte_adapters_db::{Database, DatabaseOptions};
use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::access_store::AccessStoreFixture;
use entracte_tests::contracts::file_store::FileStoreFixture;
use entracte_tests::contracts::knowledge_store::KnowledgeStoreFixture;
use entracte_tests::contracts::outbox_store::OutboxStoreFixture;
use entracte_tests::contracts::workspace_ownership::WorkspaceOwnershipFixture;

fn made() -> (Database, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("entracte.db");
    let database = Database::open(path.to_str().expect("a path of text"), DatabaseOptions::default())
        .expect("the database opens");
    (database, directory)
}

async fn open() -> StoreFixture {
    let (database, directory) = made();
    StoreFixture {
        store: database.store(),
        log: database.log_reader(),
        resources: database.resource_reader(),
        mail: database.mail_store(),
        automations: database.automation_reader(),
        tasks: database.task_reader(),
        ownership: database.ownership(),
        keep: Box::new(directory),
    }
}

async fn open_access() -> AccessStoreFixture {
    let (database, directory) = made();
    AccessStoreFixture { store: database.access_store(), keep: Box::new(directory) }
}

async fn open_outbox() -> OutboxStoreFixture {
    let (database, directory) = made();
    OutboxStoreFixture {
        store: database.outbox_store(),
        commits: database.store(),
        keep: Box::new(directory),
    }
}

async fn open_knowledge() -> KnowledgeStoreFixture {
    let (database, directory) = made();
    KnowledgeStoreFixture { store: database.knowledge_store(), keep: Box::new(directory) }
}

async fn open_files() -> FileStoreFixture {
    let (database, directory) = made();
    FileStoreFixture {
        store: database.file_store(),
        commits: database.store(),
        mail: database.mail_store(),
        keep: Box::new(directory),
    }
}

async fn open_workspace_ownership() -> WorkspaceOwnershipFixture {
    let (database, directory) = made();
    WorkspaceOwnershipFixture {
        rights: database.workspace_ownership(),
        ownership: database.ownership(),
        commits: database.store(),
        keep: Box::new(directory),
    }
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

    async fn place() -> StoreLocation {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("entracte.db");
        StoreLocation { at: path.to_str().expect("a path of text").to_owned(), keep: Box::new(directory) }
    }

    async fn open(path: String) -> Result<StoreFixture, StoreError> {
        let opened = Database::open(&path, DatabaseOptions::default());
        let database = opened.map_err(|error| StoreError::Unavailable(error.to_string().into()))?;
        Ok(entracte_tests::postgres::stores_of_database(&database, Box::new(())))
    }

    entracte_tests::durable_contracts!(place, open);
}

mod in_memory {
    use entracte_adapters_db::{Database, DatabaseOptions};
    use entracte_tests::contracts::StoreFixture;
    use entracte_tests::contracts::access_store::AccessStoreFixture;
    use entracte_tests::contracts::knowledge_store::KnowledgeStoreFixture;
    use entracte_tests::contracts::outbox_store::OutboxStoreFixture;

    fn made() -> Database {
        Database::open(":memory:", DatabaseOptions::default()).expect("the database opens")
    }

    async fn open() -> StoreFixture {
        entracte_tests::postgres::stores_of_database(&made(), Box::new(()))
    }

    async fn open_access() -> AccessStoreFixture {
        AccessStoreFixture { store: made().access_store(), keep: Box::new(()) }
    }

    async fn open_outbox() -> OutboxStoreFixture {
        let database = made();
        OutboxStoreFixture { store: database.outbox_store(), commits: database.store(), keep: Box::new(()) }
    }

    async fn open_knowledge() -> KnowledgeStoreFixture {
        KnowledgeStoreFixture { store: made().knowledge_store(), keep: Box::new(()) }
    }

    entracte_tests::store_contracts!(open);
    entracte_tests::access_contracts!(open_access);
    entracte_tests::outbox_contracts!(open_outbox);
    entracte_tests::knowledge_contracts!(open_knowledge);
}
