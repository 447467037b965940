//! The cryptography of all TLS connections of this program. Only this module chooses one.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

/// The cryptography that every adapter gets.
pub(crate) fn crypto() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
