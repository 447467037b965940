//! Where secrets are kept: in variables, files and programs of this machine.

use std::sync::Arc;

use entracte_application::ports::SecretStore;
use entracte_application::system::SystemSecrets;

/// Where keys are kept.
pub(crate) fn secrets() -> Arc<dyn SecretStore> {
    Arc::new(SystemSecrets)
}
