//! HTTP: one request, its answer, and what a broken connection means.
//!
//! It never retries, follows no redirect (the key would travel with it) and sends nothing for this machine
//! through a proxy. A connection that was never made is `Unreachable`; whatever breaks later is `Lost`, because
//! the request may have been carried out and billed.

use std::error::Error as StdError;
use std::time::Duration;

use bytes::Bytes;
use entracte_domain::session::failure::FailureClass;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, Response, Url};

use crate::config::{CallTimeouts, ProviderConfig};
use crate::failure::{FailureSubject, WireFailure};

/// Sends requests to one address.
#[derive(Clone, Debug)]
pub(crate) struct HttpTransport {
    client: Client,
    connect: Duration,
    /// The proxy that connections go through, as a variable names it.
    proxy: Option<String>,
}

impl HttpTransport {
    /// A transport for an entry whose address is `base`.
    pub(crate) fn new(base: &Url, config: &ProviderConfig) -> Result<Self, WireFailure> {
        Self::with_timeouts(base, config.connect_timeout(), config.longest_silence())
    }

    /// A transport that waits so long for a connection, and at most so long between two pieces of an answer.
    pub(crate) fn with_timeouts(
        base: &Url,
        connect: Duration,
        longest_silence: Option<Duration>,
    ) -> Result<Self, WireFailure> {
        // Another part of the process may have installed one before; either serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .user_agent(concat!("entracte/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(connect);
        if let Some(silence) = longest_silence {
            builder = builder.read_timeout(silence);
        }
        if is_loopback(base) {
            builder = builder.no_proxy();
        }
        if base.scheme() == "http" {
            // No certificate is ever checked, so none need be on this machine.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| refused(&error))?;
        Ok(Self { client, connect, proxy: proxy_of(base) })
    }

    /// Sends a request; the answer's head is there when this returns.
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
        // A connection that does not open has a limit of its own, which names what is wrong.
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

/// An answer whose body is still to come.
#[derive(Debug)]
pub(crate) struct PendingResponse {
    response: Response,
    /// For the first piece of its body, until that came: many servers send the head at once and think then.
    first: Option<Duration>,
    idle: Option<Duration>,
}

impl PendingResponse {
    /// One for tests, which may be silent for so long.
    #[cfg(test)]
    pub(crate) fn of(response: Response, idle: Duration) -> Self {
        Self { response, first: None, idle: Some(idle) }
    }

    /// Its status.
    pub(crate) fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Its headers.
    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// The next bytes of its body; none at its end.
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

    /// What comes of the body, up to `limit_bytes`; enough for an error, whose status is known already.
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

/// The proxy that the environment puts before an address, without what it may hold of a user.
fn proxy_of(base: &Url) -> Option<String> {
    if is_loopback(base) {
        return None;
    }
    let address: http::Uri = base.as_str().parse().ok()?;
    let proxy = Matcher::from_system().intercept(&address)?;
    let uri = proxy.uri();
    let port = uri.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", uri.scheme_str()?, uri.host()?))
}

/// What comes within that time.
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

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.ends_with(".localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn classify(error: &reqwest::Error) -> WireFailure {
    if error.is_builder() {
        return refused(error);
    }
    if let Some(certificate) = bad_certificate(error) {
        // Nothing was sent; the sign-in page of a guest network looks like this too, and passes.
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
    WireFailure::new((FailureClass::Misconfigured, FailureSubject::Request), causes(error))
}

/// The deepest cause, which says most. The address is left out: the sentence around names it.
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

/// Longest time a stream's end is waited for after its closing event.
pub(crate) const DRAIN: Duration = Duration::from_millis(50);
