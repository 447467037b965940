//! The one HTTP client that may call addresses from outside.
//!
//! A model, a page or a peer may name any address, also one that only this machine can reach. So each address is
//! parsed as the URL standard says, its host is resolved once, every address the resolver returns is checked, and
//! the connection goes to a checked address and nowhere else. A redirect is a new address, and checked like one.
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

/// The most bytes of an answer's body, unless told otherwise.
pub const SIZE_MAX_BYTES: usize = 1 << 20;
/// The longest whole request, its redirects and its body, unless told otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait for a connection, unless told otherwise.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most redirects of one request, unless told otherwise.
pub const REDIRECTS_MAX: usize = 5;

/// What the client may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressSettings {
    /// Hosts and networks that are called although they are not public.
    pub allowed: Vec<AllowedHost>,
    /// The most bytes of a body; a larger answer is refused, not cut.
    pub size_max_bytes: usize,
    /// The longest whole request: name, connection, redirects and body.
    pub timeout: Duration,
    /// The longest wait for one connection.
    pub connect_timeout: Duration,
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
            redirects_max: REDIRECTS_MAX,
        }
    }
}

/// One request.
#[derive(Clone, Debug)]
pub struct EgressRequest {
    /// Its method. Only GET and HEAD are sent again by a redirect.
    pub method: Method,
    /// Its address, as it came from outside.
    pub url: String,
    /// Its headers. On the way to another origin only the harmless ones stay (`accept`, `accept-language`,
    /// `user-agent`). Headers that belong to the connection (`host`, `content-length`, …) are left out.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Option<Vec<u8>>,
    /// The longest whole request instead of the client's own.
    pub timeout: Option<Duration>,
}

impl EgressRequest {
    /// A GET of this address with nothing else set.
    pub fn get(url: impl Into<String>) -> Self {
        Self { method: Method::GET, url: url.into(), headers: HeaderMap::new(), body: None, timeout: None }
    }
}

/// What the last host answered, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressResponse {
    /// The address that answered: the last one, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body, as it came.
    pub body: Vec<u8>,
    /// The host that was called first answered too, and sent on to this one.
    pub redirected: bool,
}

impl EgressResponse {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The client. One serves the whole process; two requests share nothing but the settings.
pub struct EgressClient {
    settings: EgressSettings,
    resolver: Arc<dyn NameResolver>,
    transport: EgressTransport,
}

impl EgressClient {
    /// A client that asks the system for addresses.
    pub fn new(settings: EgressSettings) -> Self {
        Self::with_resolver(settings, Arc::new(SystemResolver))
    }

    /// A client that asks this resolver for addresses.
    pub fn with_resolver(settings: EgressSettings, resolver: Arc<dyn NameResolver>) -> Self {
        let transport = EgressTransport::new(settings.connect_timeout.min(settings.timeout));
        Self { settings, resolver, transport }
    }

    /// Reads an address and resolves its host, without calling it.
    ///
    /// # Errors
    /// When the address may not be called.
    pub async fn check(&self, url: &str) -> Result<VettedEndpoint, EgressError> {
        self.resolve(endpoint_check::parse(url)?).await
    }

    /// Opens a connection to the host of an address and closes it; nothing is sent.
    ///
    /// # Errors
    /// When the address may not be called, or its host cannot be reached.
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
    /// When an address on the way may not be called or cannot be reached, the answer is too large or too late,
    /// or the connection broke. [`EgressError::may_have_happened`] says whether a peer may have acted.
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

    /// Sends a request and reads its answer, whatever that is: a redirect comes back as it is and is not followed.
    /// A stream of events has no end, so nothing of it is read.
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

/// An error behind a redirect names the host that redirected.
fn attribute_to_redirect(before: &[RedirectHop], error: EgressError) -> EgressError {
    match before.last() {
        None => error,
        Some(last) => EgressError::Redirected { from: host_of(&last.url), source: Box::new(error) },
    }
}
