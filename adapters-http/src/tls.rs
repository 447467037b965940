//! TLS of the server and of clients, with the cryptography that the program passes in, and the check of the server's bind
//! address. Nothing is installed for the whole process.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// Error in the certificate or the key.
#[derive(Debug, thiserror::Error)]
pub enum TlsFault {
    /// The file is missing, or has other content.
    #[error("{path} cannot be read as PEM: {why}")]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the reader.
        why: String,
    },
    /// The certificate and key do not match, or are of an unsupported kind.
    #[error("the certificate and the key cannot be used: {0}")]
    Refused(#[from] rustls::Error),
}

/// The TLS configuration from a certificate chain and its key, both PEM.
///
/// # Errors
/// If they cannot be read or used.
pub fn config(
    certificate: &Path,
    key: &Path,
    crypto: Arc<CryptoProvider>,
) -> Result<Arc<ServerConfig>, TlsFault> {
    let unreadable = |path: &Path, why: &dyn std::fmt::Display| TlsFault::Unreadable {
        path: path.to_owned(),
        why: why.to_string(),
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_file_iter(certificate)
        .map_err(|error| unreadable(certificate, &error))?
        .collect();
    let chain = chain.map_err(|error| unreadable(certificate, &error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable(key, &error))?;
    let versions = ServerConfig::builder_with_provider(crypto).with_safe_default_protocol_versions()?;
    let mut config = versions.with_no_client_auth().with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

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

/// Whether a server may listen at this address: beyond this machine tokens pass the network, so it needs TLS, its own
/// or that of a trusted proxy.
pub fn may_listen(bind: SocketAddr, has_tls: bool, has_trusted_proxy: bool) -> bool {
    bind.ip().is_loopback() || has_tls || has_trusted_proxy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_loopback_bind_needs_tls_or_proxy() {
        let listens = |bind: &str, tls, proxy| may_listen(bind.parse().unwrap(), tls, proxy);
        assert!(listens("127.0.0.1:1", false, false));
        assert!(listens("[::1]:1", false, false));
        for bind in ["0.0.0.0:1", "[::]:1", "192.0.2.1:1"] {
            assert!(!listens(bind, false, false), "{bind}");
            assert!(listens(bind, true, false), "{bind}");
            assert!(listens(bind, false, true), "{bind}");
        }
    }

    #[test]
    fn missing_file_is_named() {
        let missing = Path::new("/nowhere/cert.pem");
        let crypto = Arc::new(rustls::crypto::ring::default_provider());
        let fault = config(missing, missing, crypto).unwrap_err();
        assert!(fault.to_string().contains("/nowhere/cert.pem"), "{fault}");
    }
}
