//! The HTTP client of every network provider, for any wire dialect.
//!
//! Only this module, `reply_stream` and `transport` await. One attempt, no retry, no sleep; dropping a call closes its
//! connection.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use entracte_application::ports::{
    CallCeiling, CallSize, Clock, ContextWindow, ContextWindowSource, FileContents, FileTokenFormula,
    ModelCallLimits, ModelList, ModelReply, ModelRequest, OfferedModel, Provider, ProviderDescription,
    ProviderFailure, ReplySink, SecretReference, WireRequest,
};
use entracte_domain::session::failure::FailureClass;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::SecretString;

use crate::api_key::{ApiKeySource, scrub_key};
use crate::config::ProviderConfig;
use crate::dialect::WireDialect;
use crate::encoder_settings::{EncoderSettings, ReplyDecodeContext};
use crate::encoding;
use crate::failure::{CallDestination, FailureSubject, WireFailure};
use crate::failure_table;
use crate::prices::{self, CallTokens};
use crate::provider_check::{ProviderCheckSink, smallest_request};
use crate::reply_stream::{ReplyStreamReader, ResponseBodyKind};
use crate::request_body::{self, EncodedBody};
use crate::retry_after::{limit_reset_after, retry_after};
use crate::server_error::ServerError;
use crate::transport::{HttpTransport, PendingResponse};

/// Provider behind a network.
pub(crate) struct NetworkProvider {
    /// Description of the provider.
    pub(crate) info: ProviderDescription,
    /// Base address.
    pub(crate) base: Url,
    /// Source of the key.
    pub(crate) key: ApiKeySource,
    /// The current entry's part of every body.
    pub(crate) settings: EncoderSettings,
    /// The entry, for its timeouts.
    pub(crate) config: ProviderConfig,
    /// Additional headers of every request.
    pub(crate) extra_headers: HeaderMap,
    /// The HTTP transport.
    pub(crate) transport: HttpTransport,
    /// The models in the server's most recent list in this process.
    pub(crate) offered: Mutex<Vec<OfferedModel>>,
    /// The context windows that were asked for in this process.
    pub(crate) windows: Mutex<ModelWindows>,
    /// Clock for `retry-after` dates.
    pub(crate) clock: Arc<dyn Clock>,
}

/// The context windows that a server was asked for.
#[derive(Debug, Default)]
pub(crate) struct ModelWindows {
    /// The models that were asked for.
    pub(crate) asked: BTreeSet<String>,
    /// What the server told, in tokens.
    pub(crate) known: BTreeMap<String, u64>,
}

#[async_trait]
impl Provider for NetworkProvider {
    fn info(&self) -> ProviderDescription {
        self.info.clone()
    }

    fn encoding(&self) -> Arc<str> {
        encoding::encode_settings(&self.settings)
    }

    fn limits(&self, model: &str) -> ModelCallLimits {
        let model = self.asked_model(model);
        self.config.limits(model)
    }

    fn window(&self, model: &str) -> ContextWindow {
        let model = self.asked_model(model);
        let offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = offered.iter().find(|offered| offered.matches_name(model)).cloned();
        drop(offered);
        let told = self.windows.lock().unwrap_or_else(PoisonError::into_inner).known.get(model).copied();
        let listed = match (told, listed) {
            (None, listed) => listed,
            (Some(tokens), listed) => Some(OfferedModel {
                id: model.to_owned(),
                name: None,
                context_tokens: Some(tokens),
                max_output_tokens: listed.and_then(|listed| listed.max_output_tokens),
            }),
        };
        prices::known_window(&self.config, &self.base, model, listed.as_ref())
    }

    async fn learn_window(&self, model: &str) -> ContextWindow {
        let model = self.asked_model(model);
        if self.window(model).told == ContextWindowSource::Guess {
            self.look_up_window(model).await;
        }
        self.window(model)
    }

    fn file_tokens(&self, model: &str) -> FileTokenFormula {
        let model = self.asked_model(model);
        let (formula, reads) = (self.settings.profile.file_tokens(model), self.settings.for_model(model));
        FileTokenFormula {
            image: formula.image.filter(|_| reads.images),
            pdf_page: formula.pdf_page.filter(|_| reads.pdf),
        }
    }

    fn call_ceiling(&self, size: &CallSize) -> CallCeiling {
        let model = self.asked_model(&size.model);
        let frozen = encoding::decode_settings(&size.encoding).ok();
        let settings = frozen.as_ref().unwrap_or(&self.settings);
        let sent = settings.for_answer(size.relaunch, size.output_tokens);
        let sent = sent.for_model(model);
        let ReplyDecodeContext { tariff, limits, .. } = sent.reading(&self.config, model);
        let limit = limits.output.map(u64::from).or_else(|| prices::longest_answer(&self.config, model));
        let output = limit.unwrap_or_else(|| size.output_ceiling(self.window(model)));
        let tokens = CallTokens { input: size.input, output };
        let cost = tariff.ceiling(sent.service_tier.as_deref(), tokens);
        CallCeiling { tokens: size.input.saturating_add(output), cost }
    }

    fn most_tools(&self) -> Option<usize> {
        let most = self.config.most_tools.or(self.settings.profile.most_tools);
        most.and_then(|most| usize::try_from(most).ok())
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        let request = self.with_model(request);
        let body = self.settings_of(&request).and_then(|settings| encode_request(&request, &settings));
        body.map(|body| body.bytes).map_err(|trouble| self.call_destination(&request.model).failure(trouble))
    }

    fn wire(&self, request: &ModelRequest) -> Result<WireRequest, ProviderFailure> {
        let request = self.with_model(request);
        let place = self.call_destination(&request.model);
        let sent = || {
            let settings = self.settings_of(&request)?;
            let url = self.url(settings.dialect().path());
            let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
            let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
            // Built without a key: the header that contains it is secret.
            let headers = self.headers(None)?;
            Ok(WireRequest {
                target: format!("{}{query}", url.path()),
                headers: headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
                body: encode_request(&request, &settings)?.bytes,
            })
        };
        sent().map_err(|trouble| place.failure(trouble))
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let model = self.asked_model(&request.model).to_owned();
        let request = ModelRequest { model, ..request };
        let place = self.call_destination(&request.model);
        self.require_supported_api()?;
        let key = self.read_key(&place).await?;
        let outcome = self.exchange(request, key.as_ref(), sink.as_ref()).await;
        outcome.map_err(|trouble| failure_without_key(&place, trouble, key.as_ref()))
    }

    async fn models(&self, most: usize) -> Result<Option<ModelList>, ProviderFailure> {
        let place = self.call_destination(&self.info.default_model);
        self.require_supported_api()?;
        let key = self.read_key(&place).await?;
        let listed = self.list_models(key.as_ref(), most).await;
        listed.map_err(|trouble| failure_without_key(&place, trouble, key.as_ref()))
    }

    async fn count(&self, request: ModelRequest) -> Result<Option<u64>, ProviderFailure> {
        let request = self.with_model(&request);
        let place = self.call_destination(&request.model);
        let key = self.read_key(&place).await?;
        let counted = self.count_request_tokens(&request, key.as_ref()).await;
        counted.map_err(|trouble| failure_without_key(&place, trouble, key.as_ref()))
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        let place = self.call_destination(&self.info.default_model);
        self.require_supported_api()?;
        let key = self.read_key(&place).await?;
        let listed = self.lists_model(key.as_ref()).await;
        let listed = listed.map_err(|trouble| failure_without_key(&place, trouble, key.as_ref()))?;
        let ProviderDescription { name, default_model, display_name, .. } = &self.info;
        if listed {
            let accepts = if key.is_some() { "accepts the key and offers" } else { "offers" };
            return Ok(format!("{name}: {display_name} {accepts} “{default_model}”"));
        }
        // The list may leave out aliases or be missing: only a call can tell.
        let answered = self.exchange(smallest_request(default_model), key.as_ref(), &ProviderCheckSink).await;
        answered.map_err(|trouble| failure_without_key(&place, trouble, key.as_ref()))?;
        Ok(format!("{name}: {display_name} answers with “{default_model}”"))
    }
}

impl NetworkProvider {
    /// Refuses calls of an API that its provider ended: the server's own answer would not say so.
    fn require_supported_api(&self) -> Result<(), ProviderFailure> {
        self.config.require_supported_api(&self.info.name).map_err(|error| ProviderFailure {
            class: FailureClass::Misconfigured,
            message: error.to_string(),
            retry_after: None,
            usage: None,
        })
    }

    async fn exchange(
        &self,
        mut request: ModelRequest,
        key: Option<&SecretString>,
        sink: &dyn ReplySink,
    ) -> Result<ModelReply, WireFailure> {
        let settings = self.settings_of(&request)?;
        self.require_same_wire(&settings)?;
        let EncodedBody { bytes, digest } = encode_request(&request, &settings)?;
        // The body holds them, and an answer may take minutes.
        request.files = FileContents::default();
        let url = self.url(settings.dialect().path());
        let patience = self.config.call_timeouts(&request.model);
        let mut answer = self.transport.send(Method::POST, url, self.headers(key)?, bytes, patience).await?;
        if answer.status() != 200 {
            return Err(self.error_answer(answer, key).await);
        }
        let request_id = request_id(&answer);
        let content_type = answer.header("content-type").unwrap_or_default();
        if content_type.contains("html") {
            return Err(web_page());
        }
        let reading = self.reading(&settings, &request);
        let header_cost = answer.header(COST_HEADER).map(str::to_owned);
        // Some servers stream even if no stream was requested.
        let is_stream = settings.stream || content_type.contains("event-stream");
        let reply = if is_stream && !content_type.contains("json") {
            read_streamed_reply(settings.dialect(), &reading, answer, sink).await?
        } else {
            let tariff = reading.tariff.with_header_cost(header_cost.as_deref());
            let reading = ReplyDecodeContext { tariff, ..reading };
            read_whole_reply(settings.dialect(), &reading, &[], &mut answer, sink).await?
        };
        Ok(ModelReply {
            // The name of a conversation or an answer outlives the request.
            request_id: reply.request_id.or(request_id),
            body_digest: Some(digest.to_string()),
            ..reply
        })
    }

    /// The context for decoding the answer to a request that was sent with these settings.
    fn reading(&self, settings: &EncoderSettings, request: &ModelRequest) -> ReplyDecodeContext {
        let sent = settings.for_round(request);
        let reading = sent.for_model(&request.model).reading(&self.config, &request.model);
        ReplyDecodeContext { limits: reading.limits.with_window(self.window(&request.model)), ..reading }
    }

    /// Encodes the body of a call as it is sent.
    pub(crate) fn bytes(&self, request: &ModelRequest) -> Result<Vec<u8>, WireFailure> {
        Ok(encode_request(request, &*self.settings_of(request)?)?.bytes)
    }

    /// The model of this name; the default one if it is empty.
    fn asked_model<'a>(&'a self, model: &'a str) -> &'a str {
        if model.is_empty() { &self.info.default_model } else { model }
    }

    fn with_model<'a>(&self, request: &'a ModelRequest) -> Cow<'a, ModelRequest> {
        if !request.model.is_empty() {
            return Cow::Borrowed(request);
        }
        Cow::Owned(ModelRequest { model: self.info.default_model.clone(), ..request.clone() })
    }

    /// The settings to encode a request with: its generation's, or the entry's if it has none.
    pub(crate) fn settings_of(
        &self,
        request: &ModelRequest,
    ) -> Result<Cow<'_, EncoderSettings>, WireFailure> {
        if request.encoding.is_empty() {
            return Ok(Cow::Borrowed(&self.settings));
        }
        encoding::decode_settings(&request.encoding)
            .map(Cow::Owned)
            .map_err(|words| WireFailure::new((FailureClass::Misconfigured, FailureSubject::Encoding), words))
    }

    /// Requires that the address of the entry speaks the dialect in which a generation began.
    pub(crate) fn require_same_wire(&self, settings: &EncoderSettings) -> Result<(), WireFailure> {
        if settings.dialect().path() == self.settings.dialect().path() {
            return Ok(());
        }
        let (was, is) = (settings.profile.kind.word(), self.settings.profile.kind.word());
        let words = format!("the conversation was started with kind “{was}”, but the entry is now “{is}”");
        Err(WireFailure::new((FailureClass::Misconfigured, FailureSubject::Encoding), words))
    }

    pub(crate) async fn error_answer(
        &self,
        mut answer: PendingResponse,
        key: Option<&SecretString>,
    ) -> WireFailure {
        let status = answer.status();
        let (headers, now) = (answer.headers(), self.clock.now());
        let (retry_after, full_again) = (retry_after(headers, now), limit_reset_after(headers, now));
        let body = answer.body_start(ERROR_LIMIT_BYTES).await;
        // Scrubbed before anything is shortened: half a key would not be found any more.
        let error = ServerError::read(scrub_key(&String::from_utf8_lossy(&body), key).as_bytes());
        let (class, about) = failure_table::classify(status, &error);
        let full_again = full_again.filter(|_| class == FailureClass::Throttled);
        let retry_after = retry_after.or(full_again);
        WireFailure { status: Some(status), retry_after, ..WireFailure::new((class, about), error.words) }
    }

    pub(crate) fn headers(&self, key: Option<&SecretString>) -> Result<HeaderMap, WireFailure> {
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
                WireFailure::new((FailureClass::Misconfigured, FailureSubject::Key), words)
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

    /// Reads the key on a blocking thread: a program or a pipe that provides it may be slow, and other tasks must not
    /// wait.
    pub(crate) async fn read_key(
        &self,
        place: &CallDestination,
    ) -> Result<Option<SecretString>, ProviderFailure> {
        let key = self.key.clone();
        let wrong = |words: String| {
            place.failure(WireFailure::new((FailureClass::Misconfigured, FailureSubject::Key), words))
        };
        match &key.reference {
            Some(SecretReference::Command(_) | SecretReference::File(_)) => {
                let asked = tokio::task::spawn_blocking(move || key.key()).await;
                asked.map_err(|error| wrong(error.to_string()))?.map_err(|error| wrong(error.to_string()))
            }
            Some(SecretReference::Environment(_)) | None => {
                key.key().map_err(|error| wrong(error.to_string()))
            }
        }
    }

    pub(crate) fn call_destination(&self, model: &str) -> CallDestination {
        CallDestination {
            entry: self.info.name.clone(),
            display_name: self.settings.profile.display_name,
            base_url: shown_address(&self.base),
            key: self.key.describe(&self.info.name),
            model: model.to_owned(),
            lacks_version: self.lacks_version(),
            window: self.window(model),
        }
    }

    /// Whether the entry's address has no path and the dialect does not add the version to it.
    fn lacks_version(&self) -> bool {
        let adds_it = self.settings.dialect().path().starts_with("/v1");
        self.config.base_url.is_some() && self.base.path() == "/" && !adds_it
    }
}

/// Encodes the body of a call.
fn encode_request(request: &ModelRequest, settings: &EncoderSettings) -> Result<EncodedBody, WireFailure> {
    request_body::encode_body(settings.dialect(), request, settings).map_err(|error| {
        let words = format!("the request cannot be written: {error}");
        WireFailure::new((FailureClass::Misconfigured, FailureSubject::Request), words)
    })
}

/// Reads an answer in one piece, given its first bytes.
async fn read_whole_reply(
    dialect: &dyn WireDialect,
    reading: &ReplyDecodeContext,
    start: &[u8],
    answer: &mut PendingResponse,
    sink: &dyn ReplySink,
) -> Result<ModelReply, WireFailure> {
    let body = [start, &answer.body(ANSWER_LIMIT_BYTES).await?].concat();
    WireFailure::require_utf8(&body)?;
    let reply = dialect.decode_whole(&body, reading)?;
    if !reply.text.is_empty() {
        sink.text(&reply.text);
    }
    Ok(reply)
}

/// Reads an answer that should be a stream.
async fn read_streamed_reply(
    dialect: &dyn WireDialect,
    reading: &ReplyDecodeContext,
    mut answer: PendingResponse,
    sink: &dyn ReplySink,
) -> Result<ModelReply, WireFailure> {
    let start = answer.chunk().await?;
    let begins = start.as_deref().unwrap_or_default();
    match ResponseBodyKind::from_first_bytes(begins) {
        ResponseBodyKind::Events => {
            ReplyStreamReader::read_from(answer, dialect.assembler(reading), sink).read_reply(start).await
        }
        ResponseBodyKind::Json => read_whole_reply(dialect, reading, begins, &mut answer, sink).await,
        ResponseBodyKind::Page => Err(web_page()),
    }
}

fn web_page() -> WireFailure {
    WireFailure::foreign("it is a web page")
}

fn request_id(answer: &PendingResponse) -> Option<String> {
    answer.header("request-id").or_else(|| answer.header("x-request-id")).map(str::to_owned)
}

pub(crate) fn failure_without_key(
    place: &CallDestination,
    trouble: WireFailure,
    key: Option<&SecretString>,
) -> ProviderFailure {
    let words = scrub_key(&trouble.words, key);
    place.failure(WireFailure { words, ..trouble })
}

/// Formats an address for people. Everything after its path is left out, because it may be a key.
fn shown_address(address: &Url) -> String {
    let mut shown = address.clone();
    shown.set_query(None);
    shown.as_str().trim_end_matches('/').to_owned()
}

/// The header in which LiteLLM reports the cost of a whole answer in US dollars
/// (<https://docs.litellm.ai/docs/proxy/response_headers>).
const COST_HEADER: &str = "x-litellm-response-cost";
/// Most bytes of an answer in one piece (64 MiB).
const ANSWER_LIMIT_BYTES: usize = 64 << 20;
/// Most bytes of an error's body (64 KiB).
const ERROR_LIMIT_BYTES: usize = 64 << 10;
