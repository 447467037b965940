use std::sync::Arc;

use async_trait::async_trait;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::time::Millis;
use entracte_domain::usage::Usage;

use super::{ContextWindow, ContextWindowSource, ModelRequest, NativeCall};

/// A whole, well-ended answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    /// All text the model said, in order.
    pub text: String,
    /// Native calls, in order.
    pub calls: Vec<NativeCall>,
    /// How it ended.
    pub end: ReplyEnd,
    /// Tokens; none when the server did not say.
    pub usage: Option<Usage>,
    /// The model that answered, as the server says.
    pub model: Option<String>,
    /// Raw blocks to send back in later requests.
    pub raw: Option<ProviderTurn>,
    /// What the provider calls this by: the conversation or the answer, or else the request. At most
    /// [`HANDLE_MAX_CHARS`] characters of it are kept.
    pub request_id: Option<String>,
    /// SHA-256 (hex) of the body that was sent.
    pub body_digest: Option<String>,
}

/// The longest handle of a provider that is kept with an answer, in characters; a longer one is none that a provider
/// gives.
pub const HANDLE_MAX_CHARS: usize = 256;

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplyEnd {
    /// The model was done, or asks for calls.
    Done,
    /// The output limit cut it; nothing of it may be run.
    Cut,
}

/// A model call that did not give a complete answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderFailure {
    /// What the machine decides by.
    pub class: FailureClass,
    /// For people: provider, address, status, what was wrong and how to fix it; never a secret.
    pub message: String,
    /// When the provider says to come back.
    pub retry_after: Option<Millis>,
    /// Tokens, when the failed answer told them.
    pub usage: Option<Box<Usage>>,
}

/// What a provider is, for lists and checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderDescription {
    /// Its name in the configuration.
    pub name: String,
    /// Its kind: `claude`, `openai`, `groq`, `compatible`, `rehearsal`.
    pub kind: String,
    /// Name for people.
    pub display_name: String,
    /// The model that is used when a session names none.
    pub default_model: String,
    /// The address of its API; none when it has no network.
    pub base_url: Option<String>,
    /// Tokens that its default model reads and writes at once, when that is known.
    pub context_tokens: Option<u64>,
    /// Most tokens of one answer, when the entry tells.
    pub max_output_tokens: Option<u32>,
}

/// A model that a provider says it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedModel {
    /// What a request calls it.
    pub id: String,
    /// Name for people, where the server gives one.
    pub name: Option<String>,
    /// Tokens that it reads and writes at once, where the server says it.
    pub context_tokens: Option<u64>,
    /// Most tokens of one answer, where the server says it.
    pub max_output_tokens: Option<u64>,
}

impl OfferedModel {
    /// Whether a model that an entry names is this one; some servers put a folder before the name.
    pub fn matches_name(&self, model: &str) -> bool {
        self.id == model || self.id.strip_prefix("models/") == Some(model)
    }
}

/// The models that a provider says it has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelList {
    /// In the order of the server, each once.
    pub models: Vec<OfferedModel>,
    /// Whether there are more of them than were asked for.
    pub is_cut: bool,
}

/// A request as its server gets it. Two requests are the same when all of this is the same: some servers have the model
/// in the address, and not in the body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireRequest {
    /// Path and query, as in the first line of the request; empty where there is no network.
    pub target: String,
    /// The headers that it is sent with, by lower-case name; never one with a secret, nor one that a connection adds.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// How long one call to a model may take; 0 is no limit. The runtime holds every provider to it, whatever its adapter
/// does.
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
    /// The same, where the whole call may take at most so long; 0 = as long as it may anyway.
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

/// Takes the model's words as they come.
///
/// ```
/// use std::sync::Mutex;
///
/// use entracte_application::ports::ReplySink;
///
/// /// Keeps what is said.
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

    /// The next piece of what the model thinks aloud, or of a summary of that.
    fn thinking_text(&self, _piece: &str) {}

    /// Something came that is no text: the model thinks, writes arguments, or the server says that it is there. A call
    /// that gives no sign of life for too long is ended ([`ModelCallLimits`]).
    fn keep_alive(&self) {}
}

/// A model API.
///
/// Contract: one attempt and no retry, no sleep; failures are classified where they happen; a stream that ends
/// without its closing event is [`FailureClass::Lost`]; dropping the future closes the connection.
///
/// ```
/// # use entracte_application::samples::example::*;
/// # example(async {
/// use std::sync::Arc;
///
/// use async_trait::async_trait;
/// use entracte_application::ports::{
///     ModelReply, ModelRequest, Provider, ProviderFailure, ProviderInfo, ReplyEnd, ReplySink,
/// };
/// use entracte_application::system::sha256;
///
/// /// Says the same to everything.
/// struct Parrot;
///
/// #[async_trait]
/// impl Provider for Parrot {
///     fn info(&self) -> ProviderInfo {
///         ProviderInfo {
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
/// [`call`](Self::call) is dropped whenever its answer is no longer wanted: a person interrupts or stops, the session
/// gives way, a limit of time is reached, the process stops. The connection is closed then, so that the server stops
/// to work and to bill; nothing else may go on. What it would have answered counts for nothing, and is asked for
/// again by another attempt. The others may be dropped at any time.
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
#[async_trait]
pub trait Provider: Send + Sync {
    /// What it is.
    fn info(&self) -> ProviderDescription;

    /// What of its entry goes into every body, with the version of its encoder, as JSON text; empty when there is
    /// nothing to freeze. The runtime keeps it with a prompt generation and hands it back in each request of that
    /// generation ([`ModelRequest::encoding`]), so a changed entry does not change the bytes of what runs.
    fn encoding(&self) -> Arc<str>;

    /// The exact bytes of the body that [`Provider::call`] sends for this request. Pure: the same request and
    /// encoding give the same bytes, also in a later process.
    ///
    /// # Errors
    /// [`FailureClass::Misconfigured`] when the request's encoding is not one of this provider's versions.
    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure>;

    /// All that [`Provider::call`] sends for this request, as far as it is no secret. As pure as the body.
    ///
    /// # Errors
    /// As for the body.
    fn wire(&self, request: &ModelRequest) -> Result<WireRequest, ProviderFailure> {
        Ok(WireRequest { body: self.body(request)?, ..WireRequest::default() })
    }

    /// Sends one request and gives the whole answer; its text goes to `sink` while it comes.
    ///
    /// # Errors
    /// One failure for one attempt, of the class that says what may be done about it: [`FailureClass::Unreachable`] when
    /// nothing was sent, [`FailureClass::Lost`] when no answer, or a part of one, came back.
    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure>;

    /// How long a call to this model may take; an empty name is the default model.
    fn limits(&self, _model: &str) -> ModelCallLimits {
        ModelCallLimits::default()
    }

    /// How much this model reads and writes at once; an empty name is the default model. Nothing is asked for it.
    fn window(&self, _model: &str) -> ContextWindow {
        let info = self.info();
        let output = info.max_output_tokens.map(u64::from);
        match info.context_tokens {
            Some(tokens) => ContextWindow { tokens, output, told: ContextWindowSource::Setting },
            None => ContextWindow { output, ..ContextWindow::GUESS },
        }
    }

    /// The models that the server lists, at most so many; none where there is no list.
    ///
    /// # Errors
    /// A failure of the class that says what is wrong (address, key, server), with words for people; never a secret.
    /// It is about the list alone: calls may succeed all the same.
    async fn models(&self, _most: usize) -> Result<Option<ModelList>, ProviderFailure> {
        Ok(None)
    }

    /// The tokens that the server counts in a request, without answering it; none where it counts none. Nothing waits for
    /// it: what the server counted for the answers before is exact already.
    ///
    /// # Errors
    /// As of a call.
    async fn count(&self, _request: ModelRequest) -> Result<Option<u64>, ProviderFailure> {
        Ok(None)
    }

    /// Asks the cheapest question that shows whether address, key and model are right; gives a sentence for
    /// people.
    ///
    /// # Errors
    /// The failure that a call would have, classified alike, with words for people that name provider, address and
    /// setting; never a secret.
    async fn check(&self) -> Result<String, ProviderFailure>;
}

/// The providers of a configuration.
///
/// Contract: one name, one provider, whatever the order of asking; a provider that cannot be had does not keep the
/// others from being had.
///
/// ```
/// use std::sync::Arc;
///
/// use entracte_application::ports::ProviderRegistry;
/// use entracte_application::runtime::Providers;
///
/// // The registry of a program that makes its providers itself.
/// let none = Providers::new([]);
/// let failure = none.provider("claude").err().unwrap();
/// assert!(failure.message.contains("claude"));
/// ```
#[cfg_attr(any(test, feature = "test-helpers"), mockall::automock)]
pub trait ProviderRegistry: Send + Sync {
    /// The provider of that name.
    ///
    /// # Errors
    /// A [`FailureClass::Misconfigured`] failure that names the setting, when there is no provider of that name or it
    /// cannot be made; only another configuration helps.
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure>;

    /// The names of all providers, sorted.
    fn names(&self) -> Vec<String>;
}
