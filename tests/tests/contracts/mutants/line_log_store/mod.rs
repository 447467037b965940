//! Third-party stores on engines that Entracte does not know, in few lines.

pub(crate) mod fault;
mod file_engine;
mod redb_engine;
mod store;

use std::path::Path;

use entracte_application::ports::StoreError;
use entracte_tests::contracts::StoreFixture;
use entracte_tests::contracts::durable::StoreLocation;

use fault::StoreFault;
use store::{LineLogEngine, LineLogStore};

/// An empty location: the name of an engine, of its fault if any, and a file.
pub(crate) fn place(engine: &str, fault: Option<StoreFault>) -> StoreLocation {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("store");
    let fault = fault.map_or_else(|| "sound".to_owned(), |fault| format!("{fault:?}"));
    StoreLocation { at: format!("{engine} {fault} {}", path.display()), keep: Box::new(directory) }
}

/// Opens the store of a location.
pub(crate) async fn open(at: String) -> Result<StoreFixture, StoreError> {
    let mut parts = at.splitn(3, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (engine, fault, path) = (part(), StoreFault::named(part()), Path::new(part()));
    let opened: Result<Box<dyn LineLogEngine>, String> = match engine {
        "redb" => redb_engine::RedbLineEngine::open(path).map(|engine| Box::new(engine) as _),
        _ => {
            let is_for_everybody = fault == Some(StoreFault::OpensForEverybody);
            file_engine::FileLineEngine::open(path, is_for_everybody).map(|engine| Box::new(engine) as _)
        }
    };
    let engine = opened.map_err(|error| StoreError::Unavailable(error.into()))?;
    Ok(LineLogStore::open(engine, fault).await?.stores())
}
