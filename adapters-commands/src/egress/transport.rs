//! Sends one request to vetted addresses and reads its answer.

use std::error::Error as StdError;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use rustls::ClientConfig;
use rustls::crypto::CryptoProvider;
use url::Url;

use super::endpoint_check::{VettedEndpoint, host_of};
use super::error::EgressError;
use super::redirect::{RedirectHop, RedirectResponseHead};
use crate::tls;

/// Opens connections. Each request has its own client, so that a vetted address never serves another name.
pub(super) struct EgressTransport {
    connect_timeout: Duration,
    crypto: Arc<CryptoProvider>,
    /// Read from the system at the first https request.
    tls: OnceLock<Result<ClientConfig, String>>,
}

impl EgressTransport {
    pub(super) fn new(connect_timeout: Duration, crypto: Arc<CryptoProvider>) -> Self {
        Self { connect_timeout, crypto, tls: OnceLock::new() }
    }

    /// Sends one request and returns with the head of the answer. Sets `sent` before anything can be sent.
    pub(super) async fn send(
        &self,
        hop: &RedirectHop,
        checked: &VettedEndpoint,
        sent: &AtomicBool,
    ) -> Result<StreamingResponse, EgressError> {
        let unwritable = |cause: String| EgressError::Unwritable { host: host_of(&hop.url), cause };
        let client = self.client(checked).map_err(unwritable)?;
        let mut request = client.request(hop.method.clone(), hop.url.clone()).headers(headers(&hop.headers));
        if let Some(body) = &hop.body {
            request = request.body(body.clone());
        }
        let request = request.build().map_err(|error| unwritable(cause(&error)))?;
        sent.store(true, Ordering::Relaxed);
        let response = client.execute(request).await.map_err(|error| broken(&hop.url, &error))?;
        Ok(StreamingResponse { inner: response })
    }

    fn client(&self, checked: &VettedEndpoint) -> Result<Client, String> {
        Client::builder()
            .no_gzip()
            .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .http1_only()
            .pool_max_idle_per_host(0)
            .connect_timeout(self.connect_timeout)
            .dns_resolver(PinnedAddressResolver::new(&checked.addresses))
            .tls_backend_preconfigured(self.tls(&checked.url)?)
            .build()
            .map_err(|error| cause(&error))
    }

    fn tls(&self, url: &Url) -> Result<ClientConfig, String> {
        let read =
            || tls::client_config(self.crypto.clone(), url.scheme()).map_err(|fault| fault.to_string());
        // Only https reads the certificates of this machine, which takes a while.
        if url.scheme() == "https" { self.tls.get_or_init(read).clone() } else { read() }
    }
}

/// Resolves every name to the vetted addresses.
struct PinnedAddressResolver(Vec<SocketAddr>);

impl PinnedAddressResolver {
    fn new(addresses: &[IpAddr]) -> Self {
        // The port comes from the URL that is called.
        Self(addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect())
    }
}

impl Resolve for PinnedAddressResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// An answer whose body has not been read yet.
pub(super) struct StreamingResponse {
    inner: reqwest::Response,
}

impl StreamingResponse {
    pub(super) fn head(&self) -> RedirectResponseHead<'_> {
        RedirectResponseHead { status: self.inner.status().as_u16(), headers: self.inner.headers() }
    }

    /// Reads the whole body. Exceeding the limit closes the connection immediately.
    pub(super) async fn body(&mut self, url: &Url, limit_bytes: usize) -> Result<Vec<u8>, EgressError> {
        let status = self.inner.status().as_u16();
        let too_large = || EgressError::TooLarge { host: host_of(url), status, limit_bytes };
        if self.inner.content_length().is_some_and(|length| length > limit_bytes as u64) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        while let Some(chunk) = self.inner.chunk().await.map_err(|error| broken(url, &error))? {
            if body.len() + chunk.len() > limit_bytes {
                return Err(too_large());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    pub(super) fn into_head(self) -> (u16, HeaderMap) {
        (self.inner.status().as_u16(), self.inner.headers().clone())
    }
}

/// The caller's headers, without those that belong to the connection.
fn headers(asked: &HeaderMap) -> HeaderMap {
    let kept = asked.iter().filter(|(name, _)| !is_connection_header(name));
    let mut headers: HeaderMap = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers
}

/// Whether a header belongs to the connection, so that callers may not set it.
pub(crate) fn is_connection_header(name: &HeaderName) -> bool {
    const OWN: [HeaderName; 8] =
        [ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE];
    OWN.contains(name)
        || matches!(name.as_str(), "keep-alive" | "expect" | "proxy-authorization" | "proxy-connection")
}

fn broken(url: &Url, error: &reqwest::Error) -> EgressError {
    let (host, cause) = (host_of(url), cause(error));
    if error.is_connect() {
        EgressError::Unreachable { host, cause: Some(cause).filter(|_| !error.is_timeout()) }
    } else if error.is_builder() {
        EgressError::Unwritable { host, cause }
    } else {
        EgressError::Cut { host, cause }
    }
}

/// The deepest cause, which is the most specific. The URL is left out, because it may contain private data.
fn cause(error: &reqwest::Error) -> String {
    let mut deepest: &dyn StdError = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
