use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::message::ProviderTurn;
pub use entracte_domain::session::ReplyEnd;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::{
    CallCeiling, CallSize, ContextWindow, ContextWindowSource, FileTokenFormula, ModelRequest, NativeCall,
};

/// A complete answer of a model that ended regularly.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    /// All text of the answer, in order.
    pub text: String,
    /// Native calls, in order.
    pub calls: Vec<NativeCall>,
    /// How the answer ended.
    pub end: ReplyEnd,
    /// Token usage; `None` if the server did not report it.
    pub usage: Option<Usage>,
    /// The model that answered, as reported by the server.
    pub model: Option<String>,
    /// Raw blocks to send back in later requests.
    pub raw: Option<ProviderTurn>,
    /// The provider's id of the conversation or the answer, or else of the request, cut to at most
    /// [`HANDLE_MAX_CHARS`] characters.
    pub request_id: Option<String>,
    /// SHA-256 (hex) of the request body.
    pub body_digest: Option<String>,
}

/// The maximum length of a provider's id that is stored with an answer, in characters; no real id is longer.
pub const HANDLE_MAX_CHARS: usize = 256;

/// A model call that gave no complete answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderFailure {
    /// The failure class the state machine acts on.
    pub class: FailureClass,
    /// The message for people: provider, address, status, the cause and how to fix it; never a secret.
    pub message: String,
    /// The delay that the provider requests before a retry.
    pub retry_after: Option<Millis>,
    /// Token usage, if the failed answer reported it.
    pub usage: Option<Box<Usage>>,
}

/// The description of a provider, for lists and checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderDescription {
    /// Its name in the configuration.
    pub name: String,
    /// The provider kind: `claude`, `openai`, `groq`, `compatible`, `rehearsal`.
    pub kind: String,
    /// Display name.
    pub display_name: String,
    /// The model used when a session names none.
    pub default_model: String,
    /// The base address of the API; `None` if it has no network.
    pub base_url: Option<String>,
    /// The context window of its default model in tokens, if known.
    pub context_tokens: Option<u64>,
    /// The configured maximum tokens of one answer, if any.
    pub max_output_tokens: Option<u32>,
}

/// A model in the list of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// The model's name in requests.
    pub id: String,
    /// Display name, if the server reports one.
    pub name: Option<String>,
    /// The context window in tokens, if the server reports it.
    pub context_tokens: Option<u64>,
    /// The maximum tokens of one answer, if the server reports it.
    pub max_output_tokens: Option<u64>,
}

impl OfferedModel {
    /// Whether `model`, as configured, names this model; some servers prefix the name with a folder.
    pub fn matches_name(&self, model: &str) -> bool {
        self.id == model || self.id.strip_prefix("models/") == Some(model)
    }
}

/// The models a provider offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelList {
    /// In the order of the server, without duplicates.
    pub models: Vec<OfferedModel>,
    /// Whether the server has more models than were requested.
    pub is_cut: bool,
}

/// A request as sent to the server. Two requests are the same if all parts are equal: some servers have the model in
/// the address, not in the body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireRequest {
    /// Path and query, as in the request line; empty if there is no network.
    pub target: String,
    /// The headers, by lower-case name; without secrets and without headers that the connection adds.
    pub headers: Vec<(String, String)>,
    /// The encoded request body.
    pub body: Vec<u8>,
}

/// The time limits of one model call; 0 means no limit. The runtime enforces them for every provider, independent of
/// its adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelCallLimits {
    /// Until the first sign of life.
    pub first_byte: Millis,
    /// Between two signs of life.
    pub idle: Millis,
    /// For the whole answer.
    pub whole: Millis,
}

impl ModelCallLimits {
    /// Caps the time of the whole call; 0 leaves the limits unchanged.
    #[must_use]
    pub fn with_time_cap(self, most: Millis) -> Self {
        let is_none = |limit: Millis| limit.0 <= 0;
        let less = |limit| if is_none(limit) || is_none(most) { most.max(limit) } else { most.min(limit) };
        Self { first_byte: less(self.first_byte), idle: less(self.idle), whole: less(self.whole) }
    }
}

impl Default for ModelCallLimits {
    fn default() -> Self {
        Self { first_byte: Millis::seconds(120), idle: Millis::seconds(120), whole: Millis::seconds(600) }
    }
}

/// Receives the model's text as it arrives.
///
/// ```
/// use std::sync::Mutex;
///
/// use entracte_application::ports::ReplySink;
///
/// /// Collects the text.
/// #[derive(Default)]
/// struct Heard(Mutex<String>);
///
/// impl ReplySink for Heard {
///     fn text(&self, piece: &str) {
///         self.0.lock().unwrap().push_str(piece);
///     }
/// }
///
/// let heard = Heard::default();
/// ["At ", "nine."].iter().for_each(|piece| heard.text(piece));
/// assert_eq!(*heard.0.lock().unwrap(), "At nine.");
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait ReplySink: Send + Sync {
    /// The next piece of the answer's text.
    fn text(&self, piece: &str);

    /// The next piece of the model's reasoning, or of a summary of it.
    fn thinking_text(&self, _piece: &str) {}

    /// Reports a sign of life that is not text: the model reasons, writes arguments, or the server sends a keep-alive.
    /// A call without signs of life for too long is aborted ([`ModelCallLimits`]).
    fn keep_alive(&self) {}
}

/// A model API.
///
/// Contract: each call is one attempt, without retry or sleep; failures are classified at their source; a stream that
/// ends without its closing event is [`FailureClass::Lost`]; dropping the future closes the connection.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use std::sync::Arc;
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     ModelReply, ModelRequest, Provider, ProviderDescription, ProviderFailure, ReplyEnd, ReplySink,
/// };
/// use entracte_application::system::sha256;
///
/// /// Answers everything with the same text.
/// struct Parrot;
///
/// #[async_trait]
/// impl Provider for Parrot {
///     fn info(&self) -> ProviderDescription {
///         ProviderDescription {
///             name: "parrot".into(),
///             // …
/// #             kind: "parrot".into(),
/// #             display_name: "Parrot".into(),
/// #             default_model: "grey".into(),
/// #             base_url: None,
/// #             context_tokens: None,
/// #             max_output_tokens: None,
///         }
///     }
///     fn encoding(&self) -> Arc<str> {
///         "".into()
///     }
///     fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
///         Ok(format!("{:?} {:?}", request.system, request.turns).into_bytes())
///     }
///     async fn call(
///         &self,
///         request: ModelRequest,
///         sink: Arc<dyn ReplySink>,
///     ) -> Result<ModelReply, ProviderFailure> {
///         sink.text("Hello!");
///         Ok(ModelReply {
///             text: "Hello!".into(),
///             end: ReplyEnd::Done,
///             body_digest: Some(sha256(&self.body(&request)?).to_string()),
///             // …
/// #             calls: Vec::new(),
/// #             usage: None,
/// #             model: None,
/// #             raw: None,
/// #             request_id: None,
///         })
///     }
///     async fn check(&self) -> Result<String, ProviderFailure> {
///         Ok("the parrot is awake".into())
///     }
/// }
///
/// # let mut sink = MockReplySink::new();
/// # sink.expect_text().times(1).return_const(());
/// # let sink = Arc::new(sink);
/// let reply = Parrot.call(samples::request("Who are you?"), sink).await?;
/// assert_eq!(reply.text, "Hello!");
/// # Ok(()) });
/// ```
///
/// # Cancel safety
/// [`call`](Self::call) is dropped whenever its answer is no longer needed: a person interrupts or stops it, the
/// session yields its slot, a time limit is reached, the process stops. The connection must be closed then, so that
/// the server stops working and billing, and no other work may continue. The answer is discarded and requested again
/// by another attempt. The other methods may be dropped at any time.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Provider: Send + Sync {
    /// The description of this provider.
    fn info(&self) -> ProviderDescription;

    /// The part of its configuration entry that every request body contains, with the encoder version, as JSON text;
    /// empty if there is nothing to freeze. The runtime stores it with a prompt generation and passes it in each
    /// request of that generation ([`ModelRequest::encoding`]), so that a changed entry does not change the bytes of a
    /// running generation.
    fn encoding(&self) -> Arc<str>;

    /// The exact body that [`Provider::call`] sends for this request. Pure: the same request and encoding give the
    /// same bytes, also in a later process.
    ///
    /// # Errors
    /// [`FailureClass::Misconfigured`] when the request's encoding is not one of this provider's versions.
    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure>;

    /// The complete request that [`Provider::call`] sends, without secrets. Pure like [`Provider::body`].
    ///
    /// # Errors
    /// Same as [`Provider::body`].
    fn wire(&self, request: &ModelRequest) -> Result<WireRequest, ProviderFailure> {
        Ok(WireRequest { body: self.body(request)?, ..WireRequest::default() })
    }

    /// Sends one request and returns the whole answer; its text goes to `sink` as it arrives.
    ///
    /// # Errors
    /// One failure per attempt, of the class that determines what may be done about it: [`FailureClass::Unreachable`]
    /// when nothing was sent, [`FailureClass::Lost`] when no answer, or only a part of one, was received.
    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure>;

    /// The time limits of a call to this model; an empty name is the default model.
    fn limits(&self, _model: &str) -> ModelCallLimits {
        ModelCallLimits::default()
    }

    /// The context window of this model; an empty name is the default model. Makes no request.
    fn window(&self, _model: &str) -> ContextWindow {
        let info = self.info();
        let output = info.max_output_tokens.map(u64::from);
        match info.context_tokens {
            Some(tokens) => ContextWindow { tokens, output, told: ContextWindowSource::Setting },
            None => ContextWindow { output, ..ContextWindow::GUESS },
        }
    }

    /// The context window of this model, as [`Provider::window`]; a server that may know a guessed one is asked, once in a
    /// process and for a limited time. Its failure leaves the guess.
    async fn learn_window(&self, model: &str) -> ContextWindow {
        self.window(model)
    }

    /// How this model counts files; an empty name is the default model. Makes no request.
    fn file_tokens(&self, _model: &str) -> FileTokenFormula {
        FileTokenFormula::UNPUBLISHED
    }

    /// The most that a call of this size can use and cost, as far as that is known; an empty model name is the default
    /// model. Makes no request.
    fn call_ceiling(&self, size: &CallSize) -> CallCeiling {
        let output = size.output_ceiling(self.window(&size.model));
        CallCeiling { tokens: size.input.saturating_add(output), cost: None }
    }

    /// Most tools that one request may declare; `None` if no limit is known.
    fn most_tools(&self) -> Option<usize> {
        None
    }

    /// The models that the server lists, at most `_most`; `None` if it has no list.
    ///
    /// # Errors
    /// A failure of the class that names the cause (address, key, server), with a message for people; never a secret.
    /// It concerns the list only: calls may succeed all the same.
    async fn models(&self, _most: usize) -> Result<Option<ModelList>, ProviderFailure> {
        Ok(None)
    }

    /// The server's token count of a request, without answering it; `None` if the server cannot count. Callers do not
    /// wait for it: the counts reported with earlier answers are exact already.
    ///
    /// # Errors
    /// Same as [`Provider::call`].
    async fn count(&self, _request: ModelRequest) -> Result<Option<u64>, ProviderFailure> {
        Ok(None)
    }

    /// Makes the cheapest request that shows whether address, key and model are right; returns a sentence for people.
    ///
    /// # Errors
    /// The failure a call would have, classified alike, with a message for people that names provider, address and
    /// setting; never a secret.
    async fn check(&self) -> Result<String, ProviderFailure>;
}

/// The providers of a configuration.
///
/// Contract: a name always gives the same provider, in whatever order they are requested; an unavailable provider does
/// not make the others unavailable.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::ProviderRegistry;
/// use entracte_application::runtime::StaticProviderRegistry;
///
/// // The registry of a program that constructs its providers itself.
/// let none = StaticProviderRegistry::new([]);
/// let failure = none.provider("claude").err().unwrap();
/// assert!(failure.message.contains("claude"));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait ProviderRegistry: Send + Sync {
    /// The provider of that name.
    ///
    /// # Errors
    /// A [`FailureClass::Misconfigured`] failure that names the setting, when there is no provider of that name or it
    /// cannot be constructed; only a changed configuration helps.
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure>;

    /// The names of all providers, sorted.
    fn names(&self) -> Vec<String>;
}
