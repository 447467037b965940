//! The cryptography of the TLS connections of the parts under test, as a program passes it in.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};

/// That of the command line.
pub fn crypto() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}
