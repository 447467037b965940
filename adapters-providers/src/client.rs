//! The client of every network provider: it speaks whatever dialect it is given.
//!
//! With `transport`, the only file that awaits. One attempt, no retry, no sleep; dropping a call closes its
//! connection.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    CallLimits, Clock, ModelList, ModelReply, ModelRequest, OfferedModel, Provider, ProviderFailure,
    ProviderInfo, ReplySink, SecretReference, Window, WireRequest,
};
use entracte_domain::session::failure::FailureClass;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::SecretString;

use crate::body::{self, Body};
use crate::check::{Deaf, smallest_request};
use crate::config::ProviderConfig;
use crate::dialect::{Assembler, Dialect, Piece};
use crate::encoding;
use crate::failure::{About, Place, Trouble};
use crate::key::{KeyPlace, scrubbed};
use crate::prices;
use crate::retry_after::retry_after;
use crate::server_error::ServerError;
use crate::settings::{Reading, Settings};
use crate::sse::{Decoder, Frame};
use crate::transport::{Answer, DRAIN, Transport};

/// A provider behind a network.
pub(crate) struct Client {
    /// What it is.
    pub(crate) info: ProviderInfo,
    /// Its address.
    pub(crate) base: Url,
    /// Its key.
    pub(crate) key: KeyPlace,
    /// What goes into every body, as its entry says now.
    pub(crate) settings: Settings,
    /// The entry, for its waits.
    pub(crate) config: ProviderConfig,
    /// Headers that it adds.
    pub(crate) extra_headers: HeaderMap,
    /// The connection.
    pub(crate) transport: Transport,
    /// The models that the server listed when it was asked last in this process.
    pub(crate) offered: Mutex<Vec<OfferedModel>>,
    /// For `retry-after` dates.
    pub(crate) clock: Arc<dyn Clock>,
}

#[async_trait]
impl Provider for Client {
    fn info(&self) -> ProviderInfo {
        self.info.clone()
    }

    fn encoding(&self) -> Arc<str> {
        encoding::text(&self.settings)
    }

    fn limits(&self, model: &str) -> CallLimits {
        let model = if model.is_empty() { &self.info.default_model } else { model };
        self.config.limits(model)
    }

    fn window(&self, model: &str) -> Window {
        let model = if model.is_empty() { &self.info.default_model } else { model };
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = offered.iter().find(|offered| offered.is_called(model));
        prices::window_told(&self.config, &self.base, model, listed)
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        let request = self.with_model(request);
        let body = self.settings_of(&request).and_then(|settings| written(&request, &settings));
        body.map(|body| body.bytes).map_err(|trouble| self.place(&request.model).failure(trouble))
    }

    fn wire(&self, request: &ModelRequest) -> Result<WireRequest, ProviderFailure> {
        let request = self.with_model(request);
        let place = self.place(&request.model);
        let sent = || {
            let settings = self.settings_of(&request)?;
            let url = self.url(settings.dialect().path());
            let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
            let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
            // Without a key: what it is kept in is a secret.
            let headers = self.headers(None)?;
            Ok(WireRequest {
                target: format!("{}{query}", url.path()),
                headers: headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
                body: written(&request, &settings)?.bytes,
            })
        };
        sent().map_err(|trouble| place.failure(trouble))
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let request = self.with_model(&request);
        let place = self.place(&request.model);
        let key = self.secret(&place).await?;
        let outcome = self.exchange(&request, key.as_ref(), sink.as_ref()).await;
        outcome.map_err(|trouble| shown(&place, trouble, key.as_ref()))
    }

    async fn models(&self, most: usize) -> Result<Option<ModelList>, ProviderFailure> {
        let place = self.place(&self.info.default_model);
        let key = self.secret(&place).await?;
        let listed = self.listed(key.as_ref(), most).await;
        listed.map_err(|trouble| shown(&place, trouble, key.as_ref()))
    }

    async fn count(&self, request: ModelRequest) -> Result<Option<u64>, ProviderFailure> {
        let request = self.with_model(&request);
        let place = self.place(&request.model);
        let key = self.secret(&place).await?;
        let counted = self.counted(&request, key.as_ref()).await;
        counted.map_err(|trouble| shown(&place, trouble, key.as_ref()))
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        let place = self.place(&self.info.default_model);
        let key = self.secret(&place).await?;
        let listed = self.lists_model(key.as_ref()).await;
        let listed = listed.map_err(|trouble| shown(&place, trouble, key.as_ref()))?;
        let ProviderInfo { name, default_model, display_name, .. } = &self.info;
        if listed {
            return Ok(format!("{name}: {display_name} accepts the key and offers “{default_model}”"));
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
        let settings = self.settings_of(request)?;
        self.can_speak(&settings)?;
        let Body { bytes, digest } = written(request, &settings)?;
        let url = self.url(settings.dialect().path());
        let patience = self.config.patience(&request.model);
        let mut answer = self.transport.send(Method::POST, url, self.headers(key)?, bytes, patience).await?;
        if answer.status() != 200 {
            return Err(self.error_answer(answer, key).await);
        }
        let request_id = request_id(&answer);
        let content_type = answer.header("content-type").unwrap_or_default();
        if content_type.contains("html") {
            return Err(Trouble::foreign("it is a web page"));
        }
        let reading = settings.reading(&self.config, &request.model);
        let reply = if settings.stream && !content_type.contains("json") {
            streamed(settings.dialect(), &reading, answer, sink).await?
        } else {
            whole(settings.dialect(), &reading, &mut answer, sink).await?
        };
        Ok(ModelReply {
            // The name of a conversation or an answer outlives the request.
            request_id: reply.request_id.or(request_id),
            body_digest: Some(digest.to_string()),
            ..reply
        })
    }

    /// The body of a call, as it is sent.
    pub(crate) fn bytes(&self, request: &ModelRequest) -> Result<Vec<u8>, Trouble> {
        Ok(written(request, &*self.settings_of(request)?)?.bytes)
    }

    fn with_model<'a>(&self, request: &'a ModelRequest) -> Cow<'a, ModelRequest> {
        if !request.model.is_empty() {
            return Cow::Borrowed(request);
        }
        Cow::Owned(ModelRequest { model: self.info.default_model.clone(), ..request.clone() })
    }

    /// The settings that a request is written with: its generation's, or the entry's where it has none.
    pub(crate) fn settings_of(&self, request: &ModelRequest) -> Result<Cow<'_, Settings>, Trouble> {
        if request.encoding.is_empty() {
            return Ok(Cow::Borrowed(&self.settings));
        }
        encoding::settings(&request.encoding)
            .map(Cow::Owned)
            .map_err(|words| Trouble::new((FailureClass::Misconfigured, About::Encoding), words))
    }

    /// Whether the address of the entry understands what a generation was begun in.
    pub(crate) fn can_speak(&self, settings: &Settings) -> Result<(), Trouble> {
        if settings.dialect().path() == self.settings.dialect().path() {
            return Ok(());
        }
        let (was, is) = (settings.profile.kind.word(), self.settings.profile.kind.word());
        let words = format!("the conversation was started with kind “{was}”, but the entry is now “{is}”");
        Err(Trouble::new((FailureClass::Misconfigured, About::Encoding), words))
    }

    pub(crate) async fn error_answer(&self, mut answer: Answer, key: Option<&SecretString>) -> Trouble {
        let status = answer.status();
        let retry_after = retry_after(answer.headers(), self.clock.now());
        let body = answer.body_start(ERROR_LIMIT_BYTES).await;
        // Before anything is shortened: half a key would not be found any more.
        let error = ServerError::read(scrubbed(&String::from_utf8_lossy(&body), key).as_bytes());
        let (class, about) = self.settings.dialect().classify(status, &error);
        Trouble { status: Some(status), retry_after, ..Trouble::new((class, about), error.words) }
    }

    pub(crate) fn headers(&self, key: Option<&SecretString>) -> Result<HeaderMap, Trouble> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream, application/json"));
        for (name, value) in self.settings.profile.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.extend(self.extra_headers.clone());
        if let Some(key) = key {
            let (name, value) = self.key.header(key).ok_or_else(|| {
                let words = "the key contains characters that an HTTP header cannot carry";
                Trouble::new((FailureClass::Misconfigured, About::Key), words)
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        let base = self.base.path().trim_end_matches('/');
        // `https://api.anthropic.com/v1` is a common way to write `https://api.anthropic.com`.
        let path = if base.ends_with("/v1") { path.strip_prefix("/v1").unwrap_or(path) } else { path };
        let mut url = self.base.clone();
        url.set_path(&format!("{base}{path}"));
        url
    }

    /// The key. A program may print it, which takes a while: this waits beside the tasks of others.
    pub(crate) async fn secret(&self, place: &Place) -> Result<Option<SecretString>, ProviderFailure> {
        let key = self.key.clone();
        let wrong =
            |words: String| place.failure(Trouble::new((FailureClass::Misconfigured, About::Key), words));
        match &key.reference {
            Some(SecretReference::Command(_)) => {
                let asked = tokio::task::spawn_blocking(move || key.key()).await;
                asked.map_err(|error| wrong(error.to_string()))?.map_err(|error| wrong(error.to_string()))
            }
            Some(SecretReference::Environment(_) | SecretReference::File(_)) | None => {
                key.key().map_err(|error| wrong(error.to_string()))
            }
        }
    }

    pub(crate) fn place(&self, model: &str) -> Place {
        Place {
            entry: self.info.name.clone(),
            display_name: self.settings.profile.display_name,
            base_url: self.base.as_str().trim_end_matches('/').to_owned(),
            key: self.key.describe(&self.info.name),
            model: model.to_owned(),
        }
    }
}

/// The body of a call.
fn written(request: &ModelRequest, settings: &Settings) -> Result<Body, Trouble> {
    body::write(settings.dialect(), request, settings).map_err(|error| {
        let words = format!("the request cannot be written: {error}");
        Trouble::new((FailureClass::Misconfigured, About::Request), words)
    })
}

async fn whole(
    dialect: &dyn Dialect,
    reading: &Reading,
    answer: &mut Answer,
    sink: &dyn ReplySink,
) -> Result<ModelReply, Trouble> {
    let body = answer.body(ANSWER_LIMIT_BYTES).await?;
    Trouble::unless_text(&body)?;
    let reply = dialect.whole(&body, reading)?;
    if !reply.text.is_empty() {
        sink.text(&reply.text);
    }
    Ok(reply)
}

async fn streamed(
    dialect: &dyn Dialect,
    reading: &Reading,
    mut answer: Answer,
    sink: &dyn ReplySink,
) -> Result<ModelReply, Trouble> {
    let mut decoder = Decoder::new(FRAME_LIMIT_BYTES);
    let mut assembler = dialect.assembler(reading);
    let mut taken = 0;
    while !assembler.ended() {
        let bytes = match answer.chunk().await {
            Ok(Some(bytes)) => bytes,
            // Some servers leave out the last blank line.
            Ok(None) => {
                let rest = decoder.rest().map_err(Trouble::of_frame)?;
                show(rest.as_slice(), assembler.as_mut(), sink)?;
                break;
            }
            // Some end the connection, or hold it open, once the model is done.
            Err(_) if assembler.is_whole() => break,
            Err(trouble) => return Err(trouble),
        };
        sink.alive();
        taken += bytes.len();
        if taken > STREAM_LIMIT_BYTES {
            return Err(Trouble::foreign(format!("it is larger than {STREAM_LIMIT_BYTES} bytes")));
        }
        let frames = decoder.push(&bytes).map_err(Trouble::of_frame)?;
        show(&frames, assembler.as_mut(), sink)?;
    }
    if assembler.ended() {
        // The connection can be used again once its end was read.
        let _ = tokio::time::timeout(DRAIN, answer.chunk()).await;
    }
    assembler.finish()
}

fn show(frames: &[Frame], assembler: &mut dyn Assembler, sink: &dyn ReplySink) -> Result<(), Trouble> {
    for frame in frames {
        match assembler.push(frame)? {
            Some(Piece::Text(words)) => sink.text(&words),
            Some(Piece::Thought(words)) => sink.thought(&words),
            None => {}
        }
    }
    Ok(())
}

fn request_id(answer: &Answer) -> Option<String> {
    answer.header("request-id").or_else(|| answer.header("x-request-id")).map(str::to_owned)
}

pub(crate) fn shown(place: &Place, trouble: Trouble, key: Option<&SecretString>) -> ProviderFailure {
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
