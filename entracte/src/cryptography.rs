//! The cryptography of TLS connections, unless the host of the program gives its own. Only this module chooses one.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

/// The cryptography that every adapter gets by default.
pub(crate) fn default_cryptography() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
