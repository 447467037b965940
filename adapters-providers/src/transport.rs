//! HTTP transport: one request, its answer, and the classification of a broken connection.
//!
//! It never retries, follows no redirect (which would receive the key) and bypasses proxies for this machine. A
//! connection that never opened is `Unreachable`; any later break is `Lost`, because the request may have been carried
//! out and billed.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use entracte_application::own_hosts::is_loopback_host;
use entracte_domain::session::failure::FailureClass;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response, Url};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::config::{CallTimeouts, ProviderConfig};
use crate::failure::{FailureSubject, WireFailure};

/// Sends requests to one address.
#[derive(Clone, Debug)]
pub(crate) struct HttpTransport {
    client: Client,
    connect: Duration,
    /// The proxy of the connections, as the environment variable names it.
    proxy: Option<String>,
}

impl HttpTransport {
    /// A transport for an entry whose address is `base`.
    pub(crate) fn new(
        base: &Url,
        config: &ProviderConfig,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, WireFailure> {
        Self::with_timeouts(base, config.connect_timeout(), config.longest_silence(), crypto)
    }

    /// A transport with these limits for opening a connection and for the silence between two pieces of an answer.
    pub(crate) fn with_timeouts(
        base: &Url,
        connect: Duration,
        longest_silence: Option<Duration>,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, WireFailure> {
        let tls = tls_config(base, crypto).map_err(|error| misconfigured(error.to_string()))?;
        let mut builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(connect);
        if let Some(silence) = longest_silence {
            builder = builder.read_timeout(silence);
        }
        if is_of_this_machine(base) {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|error| refused(&error))?;
        Ok(Self { client, connect, proxy: proxy_of(base) })
    }

    /// Sends a request; returns once the head of the answer arrived.
    pub(crate) async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Vec<u8>,
        patience: CallTimeouts,
    ) -> Result<PendingResponse, WireFailure> {
        let request = self.client.request(method, url).headers(headers).body(body).timeout(patience.whole);
        let sent = async { request.send().await.map_err(|error| self.classify(&error)) };
        // The connection has a separate limit, whose failure names the cause.
        let first = patience.first_byte.map(|first| first + self.connect);
        let response = within(first, "first_byte_timeout_seconds", sent).await?;
        Ok(PendingResponse { response, first: patience.first_byte, idle: patience.idle })
    }

    fn classify(&self, error: &reqwest::Error) -> WireFailure {
        let trouble = classify(error);
        match &self.proxy {
            Some(proxy) if trouble.about == FailureSubject::Network => {
                let words = format!("{} (through the proxy {proxy})", trouble.words);
                WireFailure { about: FailureSubject::Proxy, words, ..trouble }
            }
            _ => trouble,
        }
    }
}

/// An answer whose body has not been read.
#[derive(Debug)]
pub(crate) struct PendingResponse {
    response: Response,
    /// Limit for the first piece of the body, until it arrives: many servers send the head immediately and compute
    /// then.
    first: Option<Duration>,
    idle: Option<Duration>,
}

impl PendingResponse {
    /// A response for tests, which may be silent for `idle`.
    #[cfg(test)]
    pub(crate) fn of(response: Response, idle: Duration) -> Self {
        Self { response, first: None, idle: Some(idle) }
    }

    /// The HTTP status.
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// The response headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The value of a header, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// The next bytes of the body; `None` at its end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, WireFailure> {
        let next = async { self.response.chunk().await.map_err(|error| classify(&error)) };
        match self.first.take() {
            Some(first) => within(Some(first), "first_byte_timeout_seconds", next).await,
            None => within(self.idle, "idle_timeout_seconds", next).await,
        }
    }

    /// The whole body, of at most `limit_bytes`.
    pub(crate) async fn body(&mut self, limit_bytes: usize) -> Result<Vec<u8>, WireFailure> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit_bytes {
                return Err(WireFailure::foreign(format!("it is larger than {limit_bytes} bytes")));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// The part of the body that arrives, up to `limit_bytes`; enough for an error, whose status is already known.
    pub(crate) async fn body_start(&mut self, limit_bytes: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while body.len() < limit_bytes {
            let Ok(Some(chunk)) = self.chunk().await else { break };
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit_bytes);
        body
    }
}

/// The proxy that the environment configures for an address, without any user name or password in it.
fn proxy_of(base: &Url) -> Option<String> {
    if is_of_this_machine(base) {
        return None;
    }
    let address: http::Uri = base.as_str().parse().ok()?;
    let proxy = Matcher::from_system().intercept(&address)?;
    let uri = proxy.uri();
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", uri.scheme_str()?, uri.host()?))
}

/// The future's output, or a failure after the time limit.
async fn within<T>(
    limit: Option<Duration>,
    setting: &str,
    work: impl Future<Output = Result<T, WireFailure>>,
) -> Result<T, WireFailure> {
    let Some(limit) = limit else { return work.await };
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        let words = format!("nothing came for {} s ({setting})", limit.as_secs());
        Err(WireFailure::new((FailureClass::Lost, FailureSubject::Cut), words))
    })
}

/// The TLS of a client. Without https no certificate is ever checked, so none need to exist on this machine.
fn tls_config(base: &Url, crypto: Arc<CryptoProvider>) -> Result<ClientConfig, rustls::Error> {
    let versions = ClientConfig::builder_with_provider(crypto).with_safe_default_protocol_versions()?;
    let trusting = match base.scheme() {
        "https" => versions.with_platform_verifier()?,
        _ => versions.with_root_certificates(RootCertStore::empty()),
    };
    let mut config = trusting.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn is_of_this_machine(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

fn classify(error: &reqwest::Error) -> WireFailure {
    if error.is_builder() {
        return refused(error);
    }
    if let Some(certificate) = bad_certificate(error) {
        // Nothing was sent; the sign-in page of a guest network looks the same, and is temporary.
        return WireFailure::new((FailureClass::Unreachable, FailureSubject::Certificate), certificate);
    }
    if error.is_connect() {
        return WireFailure::new((FailureClass::Unreachable, FailureSubject::Network), causes(error));
    }
    let words = if error.is_timeout() {
        "no more data came within the time limit (idle_timeout_seconds, call_timeout_seconds)".to_owned()
    } else {
        causes(error)
    };
    WireFailure::new((FailureClass::Lost, FailureSubject::Cut), words)
}

fn refused(error: &reqwest::Error) -> WireFailure {
    misconfigured(causes(error))
}

fn misconfigured(words: String) -> WireFailure {
    WireFailure::new((FailureClass::Misconfigured, FailureSubject::Request), words)
}

/// The deepest cause, which is the most specific. The address is left out, because the message around names it.
fn causes(error: &reqwest::Error) -> String {
    let mut deepest: &dyn StdError = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}

fn bad_certificate(error: &reqwest::Error) -> Option<String> {
    let mut cause: Option<&(dyn StdError + 'static)> = error.source();
    while let Some(current) = cause {
        let inner = current.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let tls = current.downcast_ref::<rustls::Error>();
        let tls = tls.or_else(|| inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()));
        if let Some(tls @ rustls::Error::InvalidCertificate(_)) = tls {
            return Some(tls.to_string());
        }
        cause = current.source();
    }
    None
}

/// Longest wait for a stream's end after its closing event.
pub(crate) const DRAIN: Duration = Duration::from_millis(50);
