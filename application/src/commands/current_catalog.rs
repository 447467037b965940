//! The catalog that a process uses now.

use std::sync::{Arc, PoisonError, RwLock};

use super::Catalog;

/// The current catalog of a process. It is replaced when the commands of a server become known while the process runs;
/// work that has begun keeps the catalog with which it began.
pub struct CurrentCatalog(RwLock<Arc<Catalog>>);

impl CurrentCatalog {
    /// The catalog at the start of the process.
    pub fn new(catalog: impl Into<Arc<Catalog>>) -> Arc<Self> {
        Arc::new(Self(RwLock::new(catalog.into())))
    }

    /// The catalog now.
    pub fn get(&self) -> Arc<Catalog> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the catalog, from the next turn of each workspace on.
    pub fn replace(&self, catalog: Arc<Catalog>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = catalog;
    }
}
