//! Where secrets are kept: in variables, files and programs of this machine.

use std::sync::Arc;

use entracte_application::ports::SecretStore;
use entracte_application::system::{LongSecrets, SystemSecrets};

/// Where keys are kept. One that is too short to be taken out of texts is refused.
pub(crate) fn secrets() -> Arc<dyn SecretStore> {
    Arc::new(LongSecrets(Arc::new(SystemSecrets)))
}

/// Where the place of the database is kept, which may be any path.
pub(crate) fn places() -> Arc<dyn SecretStore> {
    Arc::new(SystemSecrets)
}
