//! The client of every network provider: it speaks whatever dialect it is given.
//!
//! With `transport`, the only file that awaits. One attempt, no retry, no sleep; dropping a call closes its
//! connection.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    Clock, ModelReply, ModelRequest, Provider, ProviderFailure, ProviderInfo, ReplySink,
};
use entracte_application::system::sha256;
use entracte_domain::session::failure::FailureClass;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::SecretString;

use crate::check::{Deaf, names_model, smallest_request};
use crate::dialect::{Dialect, Settings};
use crate::failure::{About, Place, Trouble};
use crate::key::{KeyPlace, scrubbed};
use crate::retry_after::retry_after;
use crate::server_error::ServerError;
use crate::sse::Decoder;
use crate::transport::{Answer, DRAIN, Transport};

/// A provider behind a network.
pub(crate) struct Client {
    /// What it is.
    pub(crate) info: ProviderInfo,
    /// Its address.
    pub(crate) base: Url,
    /// Its key.
    pub(crate) key: KeyPlace,
    /// How it is spoken to.
    pub(crate) dialect: Box<dyn Dialect>,
    /// What goes into every body.
    pub(crate) settings: Settings,
    /// The connection.
    pub(crate) transport: Transport,
    /// For `retry-after` dates.
    pub(crate) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Provider for Client {
    fn info(&self) -> ProviderInfo {
        self.info.clone()
    }

    async fn call(
        &self,
        mut request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        if request.model.is_empty() {
            request.model.clone_from(&self.info.default_model);
        }
        let place = self.place(&request.model);
        let key = self.secret(&place)?;
        let outcome = self.exchange(&request, key.as_ref(), sink.as_ref()).await;
        outcome.map_err(|trouble| shown(&place, trouble, key.as_ref()))
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        let place = self.place(&self.info.default_model);
        let key = self.secret(&place)?;
        let listed = self.lists_model(key.as_ref()).await;
        let listed = listed.map_err(|trouble| shown(&place, trouble, key.as_ref()))?;
        let ProviderInfo { name, default_model, display_name, .. } = &self.info;
        if listed {
            return Ok(format!("{name}: {display_name} takes the key and offers “{default_model}”"));
        }
        // The list may leave out aliases, or there may be none: only a call can tell.
        self.call(smallest_request(default_model), Arc::new(Deaf)).await?;
        Ok(format!("{name}: {display_name} answers with “{default_model}”"))
    }
}

impl Client {
    async fn exchange(
        &self,
        request: &ModelRequest,
        key: Option<&SecretString>,
        sink: &dyn ReplySink,
    ) -> Result<ModelReply, Trouble> {
        let body = self.dialect.body(request, &self.settings).map_err(|error| {
            let words = format!("the request cannot be written: {error}");
            Trouble::new((FailureClass::Misconfigured, About::Request), words)
        })?;
        let digest = sha256(&body);
        let url = self.url(self.dialect.path());
        let mut answer = self.transport.send(Method::POST, url, self.headers(key)?, body).await?;
        if answer.status() != 200 {
            return Err(self.error_answer(answer, key).await);
        }
        let request_id = request_id(&answer);
        let content_type = answer.header("content-type").unwrap_or_default();
        if content_type.contains("html") {
            return Err(Trouble::foreign("it is a web page"));
        }
        let reply = if self.settings.stream && !content_type.contains("json") {
            self.streamed(answer, sink).await?
        } else {
            self.whole(&mut answer, sink).await?
        };
        Ok(ModelReply {
            request_id: request_id.or(reply.request_id),
            body_digest: Some(digest.to_string()),
            ..reply
        })
    }

    async fn whole(&self, answer: &mut Answer, sink: &dyn ReplySink) -> Result<ModelReply, Trouble> {
        let body = answer.body(ANSWER_LIMIT_BYTES).await?;
        let reply = self.dialect.whole(&body, self.settings.profile)?;
        if !reply.text.is_empty() {
            sink.text(&reply.text);
        }
        Ok(reply)
    }

    async fn streamed(&self, mut answer: Answer, sink: &dyn ReplySink) -> Result<ModelReply, Trouble> {
        let mut decoder = Decoder::new(FRAME_LIMIT_BYTES);
        let mut assembler = self.dialect.assembler(self.settings.profile);
        let mut taken = 0;
        while !assembler.ended() {
            let Some(bytes) = answer.chunk().await? else { break };
            taken += bytes.len();
            if taken > STREAM_LIMIT_BYTES {
                return Err(Trouble::foreign(format!("it is larger than {STREAM_LIMIT_BYTES} bytes")));
            }
            let frames = decoder.push(&bytes).map_err(|cap| {
                Trouble::foreign(format!("one event is larger than {} bytes", cap.limit_bytes))
            })?;
            for frame in &frames {
                if let Some(piece) = assembler.push(frame)? {
                    sink.text(&piece);
                }
            }
        }
        if assembler.ended() {
            // The connection can be used again once its end was read.
            let _ = tokio::time::timeout(DRAIN, answer.chunk()).await;
        }
        assembler.finish()
    }

    async fn error_answer(&self, mut answer: Answer, key: Option<&SecretString>) -> Trouble {
        let status = answer.status();
        let retry_after = retry_after(answer.headers(), self.clock.now());
        let body = answer.body_start(ERROR_LIMIT_BYTES).await;
        // Before anything is shortened: half a key would not be found any more.
        let error = ServerError::read(scrubbed(&String::from_utf8_lossy(&body), key).as_bytes());
        let (class, about) = self.dialect.verdict(status, &error);
        Trouble { status: Some(status), retry_after, ..Trouble::new((class, about), error.words) }
    }

    /// Whether the list of models names ours; no when there is no list.
    async fn lists_model(&self, key: Option<&SecretString>) -> Result<bool, Trouble> {
        let url = self.url(self.dialect.models_path());
        let mut answer = self.transport.send(Method::GET, url, self.headers(key)?, Vec::new()).await?;
        match answer.status() {
            200 => {
                let body = answer.body(ANSWER_LIMIT_BYTES).await?;
                Ok(names_model(&body, &self.info.default_model))
            }
            400 | 404 | 405 | 501 => Ok(false),
            _ => Err(self.error_answer(answer, key).await),
        }
    }

    fn headers(&self, key: Option<&SecretString>) -> Result<HeaderMap, Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        for (name, value) in self.settings.profile.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(key) = key {
            let (name, value) = self.key.header(key).ok_or_else(|| {
                let words = "the key holds characters that no header can carry";
                Trouble::new((FailureClass::Misconfigured, About::Key), words)
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    fn url(&self, path: &str) -> Url {
        let base = self.base.path().trim_end_matches('/');
        // `https://api.anthropic.com/v1` is a common way to write `https://api.anthropic.com`.
        let path = if base.ends_with("/v1") { path.strip_prefix("/v1").unwrap_or(path) } else { path };
        let mut url = self.base.clone();
        url.set_path(&format!("{base}{path}"));
        url
    }

    fn secret(&self, place: &Place) -> Result<Option<SecretString>, ProviderFailure> {
        self.key.key().map_err(|error| {
            let words = error.to_string();
            place.failure(Trouble::new((FailureClass::Misconfigured, About::Key), words))
        })
    }

    fn place(&self, model: &str) -> Place {
        Place {
            entry: self.info.name.clone(),
            display_name: self.settings.profile.display_name,
            base_url: self.base.as_str().trim_end_matches('/').to_owned(),
            key: self.key.describe(&self.info.name),
            model: model.to_owned(),
        }
    }
}

fn request_id(answer: &Answer) -> Option<String> {
    answer.header("request-id").or_else(|| answer.header("x-request-id")).map(str::to_owned)
}

fn shown(place: &Place, trouble: Trouble, key: Option<&SecretString>) -> ProviderFailure {
    let words = scrubbed(&trouble.words, key);
    place.failure(Trouble { words, ..trouble })
}

/// Cap of an answer in one piece.
const ANSWER_LIMIT_BYTES: usize = 64 << 20;
/// Cap of one event; the closing event of some dialects holds the whole answer.
const FRAME_LIMIT_BYTES: usize = 64 << 20;
/// Cap of a whole stream.
const STREAM_LIMIT_BYTES: usize = 256 << 20;
/// Cap of an error's body.
const ERROR_LIMIT_BYTES: usize = 64 << 10;
