//! A program that keeps its own choices while it embeds Entracte: its cryptography goes to the adapters as a parameter,
//! and no crate installs one for the whole process.

use std::sync::Arc;

use rustls::CipherSuite;
use rustls::crypto::{CryptoProvider, ring};

/// The only cipher suite of this program, by which its choice is recognised in every TLS hello.
pub const SUITE: CipherSuite = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;

/// The cryptography of this program.
pub fn cryptography() -> Arc<CryptoProvider> {
    let ring = ring::default_provider();
    let suites = ring.cipher_suites.into_iter().filter(|suite| suite.suite() == SUITE).collect();
    Arc::new(CryptoProvider { cipher_suites: suites, ..ring })
}
