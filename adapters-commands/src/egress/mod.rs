//! The only HTTP client for outside addresses.
//!
//! A model, a page or a peer may name any address, including one that only this machine can reach. So the client
//! parses each URL by the URL standard, resolves its host once, checks every address the resolver returns, and
//! connects only to a checked address. A redirect target is checked like any other URL.
//!
//! It uses no proxy (a proxy would resolve the name again), keeps no connection and no cookie, asks for no
//! compression and never retries. Dropping a request closes its connection.

mod address;
mod allowed_host;
mod endpoint_check;
mod error;
mod error_messages;
#[cfg(test)]
pub(crate) mod fake_peer;
mod redirect;
mod resolver;
#[cfg(test)]
pub(crate) mod tests;
mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use rustls::crypto::CryptoProvider;
use tokio::net::TcpStream;
use url::Url;

pub use self::address::AddressClass;
pub use self::allowed_host::{AllowedHost, AllowedHostError};
pub use self::endpoint_check::VettedEndpoint;
pub use self::error::{EgressError, RedirectProblem, UrlProblem};
pub use self::resolver::{NameResolver, SystemResolver};

pub(crate) use self::address::class;
pub(crate) use self::endpoint_check::{host_of, parse as parse_url};
pub(crate) use self::transport::is_connection_header;

use self::redirect::RedirectHop;
use self::transport::{EgressTransport, StreamingResponse};

/// The default size limit of an answer's body, in bytes.
pub const SIZE_MAX_BYTES: usize = 1 << 20;
/// The default time-out of a whole request, including redirects and body.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// The default time-out for connecting.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The default time-out of the check of an address before a person is asked about a call.
pub const PRECHECK_TIMEOUT: Duration = Duration::from_secs(2);
/// The default limit of redirects of one request.
pub const REDIRECTS_MAX: usize = 5;

/// Limits and allowed hosts of the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressSettings {
    /// Hosts and networks that may be called although they are not public.
    pub allowed: Vec<AllowedHost>,
    /// The size limit of a body in bytes; a larger answer is refused, not truncated.
    pub size_max_bytes: usize,
    /// The time-out of a whole request: name lookup, connection, redirects and body.
    pub timeout: Duration,
    /// The time-out of one connection attempt.
    pub connect_timeout: Duration,
    /// The time-out of [`EgressClient::lasting_refusal`], for which the work of a workspace waits.
    pub precheck_timeout: Duration,
    /// The most redirects that one request follows; 0 follows none.
    pub redirects_max: usize,
}

impl Default for EgressSettings {
    fn default() -> Self {
        Self {
            allowed: Vec::new(),
            size_max_bytes: SIZE_MAX_BYTES,
            timeout: TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            precheck_timeout: PRECHECK_TIMEOUT,
            redirects_max: REDIRECTS_MAX,
        }
    }
}

/// A request to an outside address.
#[derive(Clone, Debug)]
pub struct EgressRequest {
    /// The method. A redirect repeats only GET and HEAD.
    pub method: Method,
    /// The URL as given, not yet checked.
    pub url: String,
    /// The headers. A redirect to another origin keeps only the harmless ones (`accept`, `accept-language`,
    /// `user-agent`). Headers that belong to the connection (`host`, `content-length`, …) are dropped.
    pub headers: HeaderMap,
    /// The body, if any.
    pub body: Option<Vec<u8>>,
    /// The time-out of the whole request; `None` uses the client's.
    pub timeout: Option<Duration>,
}

impl EgressRequest {
    /// A GET of `url` with no headers and no body.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::GET, url: url.into(), headers: HeaderMap::new(), body: None, timeout: None }
    }
}

/// The answer of the last host, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressResponse {
    /// The URL that answered: the last one after redirects.
    pub url: Url,
    /// The HTTP status.
    pub status: u16,
    /// The response headers.
    pub headers: HeaderMap,
    /// The whole body, unchanged.
    pub body: Vec<u8>,
    /// Whether the answer comes from the target of a redirect, so that an earlier host answered too.
    pub redirected: bool,
}

impl EgressResponse {
    /// The value of a header, if it is present and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The egress client. One serves the whole process; requests share only its settings.
pub struct EgressClient {
    settings: EgressSettings,
    resolver: Arc<dyn NameResolver>,
    transport: EgressTransport,
}

impl EgressClient {
    /// A client that uses the system's resolver, and `crypto` for TLS.
    pub fn new(settings: EgressSettings, crypto: Arc<CryptoProvider>) -> Self {
        Self::with_resolver(settings, Arc::new(SystemResolver), crypto)
    }

    /// A client that uses `resolver`, and `crypto` for TLS.
    pub fn with_resolver(
        settings: EgressSettings,
        resolver: Arc<dyn NameResolver>,
        crypto: Arc<CryptoProvider>,
    ) -> Self {
        let transport = EgressTransport::new(settings.connect_timeout.min(settings.timeout), crypto);
        Self { settings, resolver, transport }
    }

    /// Parses a URL and resolves its host, without calling it.
    ///
    /// # Errors
    /// When the URL may not be called.
    pub async fn check(&self, url: &str) -> Result<VettedEndpoint, EgressError> {
        self.resolve(endpoint_check::parse(url)?).await
    }

    /// Why a URL may not be called, whatever the network does: it is not a valid one, or its host is not allowed. `None`
    /// if it may be called, and if its host cannot be resolved now, or not in time.
    pub async fn lasting_refusal(&self, url: &str) -> Option<EgressError> {
        let checked = tokio::time::timeout(self.settings.precheck_timeout, self.check(url)).await.ok()?;
        checked.err().filter(|error| matches!(error, EgressError::Refused { .. } | EgressError::Url { .. }))
    }

    /// Connects to the host of a URL and closes the connection; sends nothing.
    ///
    /// # Errors
    /// When the URL may not be called, or its host cannot be reached.
    pub async fn probe_connection(&self, url: &str) -> Result<(), EgressError> {
        let VettedEndpoint { url, addresses } = self.check(url).await?;
        let mut cause = None;
        for address in addresses {
            let place = (address, url.port_or_known_default().unwrap_or_default());
            match tokio::time::timeout(self.settings.connect_timeout, TcpStream::connect(place)).await {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(error)) => cause = Some(error.to_string()),
                Err(_) => {}
            }
        }
        Err(EgressError::Unreachable { host: host_of(&url), cause })
    }

    /// Sends a request and reads its whole answer.
    ///
    /// # Errors
    /// When a URL (also of a redirect) may not be called or cannot be reached, the answer is too large or too late,
    /// or the connection broke. [`EgressError::may_have_been_processed`] tells whether a peer may have acted.
    pub async fn send(&self, request: EgressRequest) -> Result<EgressResponse, EgressError> {
        let url = endpoint_check::parse(&request.url)?;
        let (host, sent) = (host_of(&url), AtomicBool::new(false));
        let limit = request.timeout.unwrap_or(self.settings.timeout);
        let first = RedirectHop { method: request.method, url, headers: request.headers, body: request.body };
        match tokio::time::timeout(limit, self.follow(first, &sent)).await {
            Ok(answer) => answer,
            Err(_) => Err(EgressError::TimedOut { host, after: limit, sent: sent.load(Ordering::Relaxed) }),
        }
    }

    /// Sends a request and reads its answer as it is: a redirect is returned, not followed. The body of an event
    /// stream has no end, so it is not read.
    ///
    /// # Errors
    /// As for [`EgressClient::send`].
    pub async fn send_once(&self, request: EgressRequest) -> Result<EgressResponse, EgressError> {
        let url = endpoint_check::parse(&request.url)?;
        let (host, sent) = (host_of(&url), AtomicBool::new(false));
        let limit = request.timeout.unwrap_or(self.settings.timeout);
        let hop = RedirectHop { method: request.method, url, headers: request.headers, body: request.body };
        let answer = async {
            let response = self.send_hop(&hop, &sent).await?;
            if is_stream(response.head().headers) {
                let (status, headers) = response.into_head();
                let (url, body) = (hop.url.clone(), Vec::new());
                return Ok(EgressResponse { url, status, headers, body, redirected: false });
            }
            self.read(response, &hop).await
        };
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer,
            Err(_) => Err(EgressError::TimedOut { host, after: limit, sent: sent.load(Ordering::Relaxed) }),
        }
    }

    async fn follow(&self, first: RedirectHop, sent: &AtomicBool) -> Result<EgressResponse, EgressError> {
        let (mut hop, mut before) = (first, Vec::new());
        loop {
            let response =
                self.send_hop(&hop, sent).await.map_err(|error| attribute_to_redirect(&before, error))?;
            let next = redirect::next_hop(&hop, &before, self.settings.redirects_max, &response.head())
                .map_err(|error| attribute_to_redirect(&before, error))?;
            let Some(next) = next else {
                let redirected = !before.is_empty();
                let read =
                    self.read(response, &hop).await.map_err(|error| attribute_to_redirect(&before, error));
                return read.map(|answer| EgressResponse { redirected, ..answer });
            };
            before.push(hop);
            hop = next;
        }
    }

    async fn send_hop(&self, hop: &RedirectHop, sent: &AtomicBool) -> Result<StreamingResponse, EgressError> {
        let checked = self.resolve(hop.url.clone()).await?;
        self.transport.send(hop, &checked, sent).await
    }

    async fn resolve(&self, url: Url) -> Result<VettedEndpoint, EgressError> {
        endpoint_check::resolve(url, &self.settings.allowed, self.resolver.as_ref()).await
    }

    async fn read(
        &self,
        mut response: StreamingResponse,
        hop: &RedirectHop,
    ) -> Result<EgressResponse, EgressError> {
        let body = response.body(&hop.url, self.settings.size_max_bytes).await?;
        let (status, headers) = response.into_head();
        Ok(EgressResponse { url: hop.url.clone(), status, headers, body, redirected: false })
    }
}

fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// Names the redirecting host in an error after a redirect.
fn attribute_to_redirect(before: &[RedirectHop], error: EgressError) -> EgressError {
    match before.last() {
        None => error,
        Some(last) => EgressError::Redirected { from: host_of(&last.url), source: Box::new(error) },
    }
}
