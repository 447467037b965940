//! HTTP client for custom wire adapters: one attempt, no retry, no redirect, a limit for every wait.

use std::sync::Arc;
use std::time::Duration;

use entracte_application::ports::ModelCallLimits;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use rustls::crypto::CryptoProvider;

use crate::config::CallTimeouts;
use crate::failure::{FailureSubject, WireFailure, classify_status};
use crate::transport::{HttpTransport, PendingResponse};

/// Timeouts of a [`TimedClient`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientTimeouts {
    /// For opening a connection.
    pub connect: Millis,
    /// For the answer, once connected; 0 is no limit.
    pub call: ModelCallLimits,
}

impl Default for ClientTimeouts {
    fn default() -> Self {
        Self { connect: Millis::seconds(10), call: ModelCallLimits::default() }
    }
}

/// Reason why an answer, or its rest, is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct TimedClientError {
    /// [`FailureClass::Unreachable`] if nothing was sent, [`FailureClass::Lost`] if the request may have been carried
    /// out, [`FailureClass::Misconfigured`] if it cannot be sent at all.
    pub class: FailureClass,
    /// Description for people. Contains no header and no address, so no key.
    pub words: String,
}

/// Sends requests to one address. Dropping a request or response closes its connection.
#[derive(Clone, Debug)]
pub struct TimedClient {
    transport: HttpTransport,
    waits: ClientTimeouts,
}

impl TimedClient {
    /// A client for a server at this address, with `crypto` for TLS.
    ///
    /// # Errors
    /// [`TimedClientError`] if the address is invalid, or the machine cannot prepare a connection.
    pub fn new(
        base: &str,
        waits: ClientTimeouts,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, TimedClientError> {
        let base = address(base)?;
        let silence = limit(waits.call.first_byte).into_iter().chain(limit(waits.call.idle)).max();
        let transport = HttpTransport::with_timeouts(&base, span(waits.connect), silence, crypto)?;
        Ok(Self { transport, waits })
    }

    /// Sends a body; returns once the head of the answer arrived.
    ///
    /// # Errors
    /// [`TimedClientError`] if there is no answer, or a header cannot be sent.
    pub async fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<TimedResponse, TimedClientError> {
        let ModelCallLimits { first_byte, idle, whole } = self.waits.call;
        let patience = CallTimeouts {
            first_byte: limit(first_byte),
            idle: limit(idle),
            whole: limit(whole).unwrap_or(LONGEST),
        };
        let headers = headers.iter().map(|(name, value)| header(name, value));
        let headers = headers.collect::<Result<HeaderMap, TimedClientError>>()?;
        let answer = self.transport.send(Method::POST, address(url)?, headers, body, patience).await?;
        Ok(TimedResponse(answer))
    }
}

/// An answer whose body has not been read.
#[derive(Debug)]
pub struct TimedResponse(PendingResponse);

impl TimedResponse {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.0.status()
    }

    /// The response headers.
    pub fn headers(&self) -> &HeaderMap {
        self.0.headers()
    }

    /// The value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.0.header(name)
    }

    /// The next bytes of the body; `None` at its end.
    ///
    /// # Errors
    /// [`TimedClientError`] if the connection broke, or was silent for too long.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, TimedClientError> {
        Ok(self.0.chunk().await?.map(|bytes| bytes.to_vec()))
    }

    /// The beginning of the body, of at most `limit_bytes`: enough for the text of an error.
    pub async fn body_start(&mut self, limit_bytes: usize) -> Vec<u8> {
        self.0.body_start(limit_bytes).await
    }
}

/// The failure class of a status alone.
pub fn failure_class_of_status(status: u16) -> FailureClass {
    classify_status(status).0
}

impl From<WireFailure> for TimedClientError {
    fn from(WireFailure { class, words, .. }: WireFailure) -> Self {
        Self { class, words }
    }
}

fn address(text: &str) -> Result<Url, TimedClientError> {
    Url::parse(text).map_err(|error| unsendable(format!("this is not an address: {error}")))
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), TimedClientError> {
    let name = HeaderName::from_bytes(name.as_bytes());
    let value = HeaderValue::from_str(value);
    match (name, value) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        (Err(_), _) | (_, Err(_)) => Err(unsendable("HTTP cannot carry one of the headers")),
    }
}

fn unsendable(words: impl Into<String>) -> TimedClientError {
    WireFailure::new((FailureClass::Misconfigured, FailureSubject::Request), words).into()
}

fn limit(wait: Millis) -> Option<Duration> {
    (wait.0 > 0).then(|| span(wait))
}

fn span(wait: Millis) -> Duration {
    Duration::from_millis(wait.0.unsigned_abs())
}

/// The duration that stands for no limit.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);
