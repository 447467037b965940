//! TLS of HTTP clients, with the cryptography that the program passes in. Nothing is installed for the whole process.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The TLS of a client that calls URLs of this scheme. Without https no certificate is checked, so this machine needs
/// none.
pub(crate) fn client_config(
    crypto: Arc<CryptoProvider>,
    scheme: &str,
) -> Result<ClientConfig, rustls::Error> {
    let versions = ClientConfig::builder_with_provider(crypto).with_safe_default_protocol_versions()?;
    let trusting = match scheme {
        "https" => versions.with_platform_verifier()?,
        _ => versions.with_root_certificates(RootCertStore::empty()),
    };
    let mut config = trusting.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
