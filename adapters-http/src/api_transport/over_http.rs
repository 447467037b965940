//! A server, called over HTTP with a token.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use entracte_application::terminal_text::one_line;
use entracte_application::texts::ReaderLanguage;
use futures_util::{StreamExt, TryStreamExt};
use http::header;
use reqwest::redirect::Policy;
use rustls::crypto::CryptoProvider;
use secrecy::{ExposeSecret, SecretString};

use super::event_stream::ApiEventStream;
use super::server_address::ServerAddress;
use super::{ApiAnswer, ApiFault, ApiRequest, ApiTransport};
use crate::idempotency::KEY;
use crate::problem::Problem;
use crate::tls;

/// The media types of answers.
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Limits of the calls to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerTransportLimits {
    /// How long a connection may take.
    pub connect: Duration,
    /// How long the server may be silent in an answer.
    pub silence: Duration,
    /// The most bytes of an answer.
    pub answer_bytes: usize,
}

impl Default for ServerTransportLimits {
    fn default() -> Self {
        let (connect, silence) = (Duration::from_secs(10), Duration::from_secs(60));
        Self { connect, silence, answer_bytes: 256 << 20 }
    }
}

/// The API of a server.
pub struct ServerTransport {
    client: reqwest::Client,
    server: ServerAddress,
    /// `None` for requests that need no token.
    token: Option<SecretString>,
    limits: ServerTransportLimits,
    reader: ReaderLanguage,
}

impl ServerTransport {
    /// The API of the server at this address, with this token, and `crypto` for TLS.
    ///
    /// # Errors
    /// If the machine cannot make connections, for example for lack of certificates of authorities.
    pub fn new(
        server: ServerAddress,
        token: Option<SecretString>,
        limits: ServerTransportLimits,
        crypto: Arc<CryptoProvider>,
    ) -> Result<Self, ApiFault> {
        let unreachable = |why: String| ApiFault::Unreachable { server: server.to_string(), why };
        let tls =
            tls::client_config(crypto, server.scheme()).map_err(|fault| unreachable(fault.to_string()))?;
        // A token goes to its server only: a redirect is an answer.
        let client = reqwest::Client::builder().redirect(Policy::none()).tls_backend_preconfigured(tls);
        // A proxy of the environment is for other machines.
        let client = if server.is_this_machine() { client.no_proxy() } else { client };
        let client = client.connect_timeout(limits.connect).read_timeout(limits.silence).build();
        let client = client.map_err(|why| unreachable(words(&why)))?;
        Ok(Self { client, server, token, limits, reader: ReaderLanguage::OF_WORKSPACE })
    }

    /// Asks for answers in the language of this reader.
    #[must_use]
    pub fn for_reader(self, reader: ReaderLanguage) -> Self {
        Self { reader, ..self }
    }

    async fn send(&self, request: &ApiRequest, accept: &str) -> Result<reqwest::Response, ApiFault> {
        let url = format!("{}{}", self.server, request.target);
        let mut built =
            self.client.request(request.method.clone(), url).header(header::ACCEPT.as_str(), accept);
        if let Some(token) = &self.token {
            built = built.bearer_auth(token.expose_secret());
        }
        if let Some(language) = self.reader.requested() {
            built = built.header(header::ACCEPT_LANGUAGE.as_str(), language.word());
        }
        if let Some(tag) = &request.if_match {
            built = built.header(header::IF_MATCH.as_str(), tag);
        }
        if let Some(key) = &request.idempotency_key {
            built = built.header(KEY, key);
        }
        if let Some(body) = &request.body {
            built = built.header(header::CONTENT_TYPE.as_str(), request.content_type).body(body.clone());
        }
        let response = built.send().await.map_err(|error| self.fault(&error))?;
        self.check_answer(response).await
    }

    async fn check_answer(&self, response: reqwest::Response) -> Result<reqwest::Response, ApiFault> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let server = self.server.to_string();
        if status.is_redirection() {
            let place = response.headers().get(header::LOCATION.as_str());
            let place = place.and_then(|place| place.to_str().ok()).map(one_line).unwrap_or_default();
            return Err(ApiFault::Redirected { server, place });
        }
        let body = self.read_body(response).await?;
        Err(match Problem::from_body(status, &body) {
            Some(problem) => ApiFault::Refused(problem),
            None => ApiFault::NotEntracte { server, status: status.as_u16() },
        })
    }

    async fn read_body(&self, response: reqwest::Response) -> Result<Bytes, ApiFault> {
        let most = self.limits.answer_bytes;
        let mut pieces = response.bytes_stream();
        let mut body = BytesMut::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.fault(&error))?;
            if body.len().saturating_add(piece.len()) > most {
                return Err(ApiFault::TooLarge { server: self.server.to_string(), most });
            }
            body.extend_from_slice(&piece);
        }
        Ok(body.freeze())
    }

    fn fault(&self, error: &reqwest::Error) -> ApiFault {
        let (server, why) = (self.server.to_string(), words(error));
        match error.is_connect() || error.is_builder() {
            true => ApiFault::Unreachable { server, why },
            false => ApiFault::Lost { server, why },
        }
    }
}

/// The error and its causes, without the address.
fn words(error: &reqwest::Error) -> String {
    let mut causes = Vec::new();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        causes.push(inner.to_string());
        cause = inner.source();
    }
    // The last one is the most specific.
    let last = causes.pop().unwrap_or_else(|| {
        if error.is_timeout() { "it took too long".to_owned() } else { error.to_string() }
    });
    one_line(&last)
}

#[async_trait]
impl ApiTransport for ServerTransport {
    async fn call(&self, request: ApiRequest) -> Result<ApiAnswer, ApiFault> {
        let is_repeatable = request.method.is_safe() || request.idempotency_key.is_some();
        let response = match self.send(&request, JSON).await {
            // Once more: under its key it is done once, and reading changes nothing.
            Err(lost @ ApiFault::Lost { .. }) if is_repeatable => match self.send(&request, JSON).await {
                // The first one may have been done.
                Err(ApiFault::Unreachable { .. }) if !request.method.is_safe() => return Err(lost),
                again => again?,
            },
            sent => sent?,
        };
        let status = response.status().as_u16();
        let etag = response.headers().get(header::ETAG.as_str());
        let etag = etag.and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(ApiAnswer { status, etag, body: self.read_body(response).await? })
    }

    async fn stream(&self, request: ApiRequest) -> Result<ApiEventStream, ApiFault> {
        let response = self.send(&request, EVENTS).await?;
        let server = self.server.to_string();
        // A page of something in between has no frames, and would be asked for again and again.
        let kind = response.headers().get(header::CONTENT_TYPE.as_str());
        if !kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.starts_with(EVENTS)) {
            return Err(ApiFault::NotEntracte { server, status: response.status().as_u16() });
        }
        let of = server.clone();
        let pieces = response.bytes_stream();
        let pieces = pieces.map_err(move |error| ApiFault::Lost { server: of.clone(), why: words(&error) });
        Ok(ApiEventStream::new(Box::pin(pieces), server))
    }
}
