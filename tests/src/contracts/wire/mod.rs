//! The contract suite of a [`Provider`] that calls a server. The suite has its own server: real connections on this
//! machine, with responses that each check scripts ([`server`]).
//!
//! A [`WireFixture`] describes how the provider is created and how its server encodes a reply. `open` is an `async fn()
//! -> Arc<dyn WireFixture>`:
//!
//! ```ignore
//! entracte_tests::wire_contracts!(open);
//! ```

mod completeness;
mod encodings;
mod failures;
mod request_bodies;
pub mod requests;
mod responses;
pub mod server;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use entracte_application::ports::{
    ModelReply, ModelRequest, NativeCall, Provider, ProviderFailure, ReplySink,
};
use entracte_domain::usage::Usage;
use tokio::sync::watch;

pub use completeness::*;
pub use encodings::*;
pub use failures::*;
pub use request_bodies::*;
pub use responses::*;
use server::{ScriptedResponse, ScriptedWireServer};

/// A wire: a provider and the encoding of its server.
pub trait WireFixture: Send + Sync {
    /// The configured provider for a server at this address (`http://127.0.0.1:…`) with this key.
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider>;

    /// The server's encoding of a reply; `None` if the protocol cannot express it.
    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes>;

    /// Content type of such a response.
    fn content_type(&self) -> &str {
        "text/event-stream"
    }

    /// Status and body with which the server refuses a call.
    fn refusal(&self, refusal: WireServerRefusal) -> (u16, String) {
        let (status, words) = match refusal {
            WireServerRefusal::Key => (401, "this key is not known"),
            WireServerRefusal::TooMany => (429, "too many requests"),
            WireServerRefusal::Busy => (503, "come back later"),
        };
        (status, format!("{{\"error\":{{\"message\":\"{words}\"}}}}"))
    }

    /// Whether the server streams its reply in pieces. Otherwise no text reaches the sink before the end.
    fn streams(&self) -> bool {
        true
    }

    /// Whether requests declare the schema of the reply.
    fn declares_reply_schema(&self) -> bool {
        true
    }

    /// Whether requests can say that no command may be called.
    fn declares_call_policy(&self) -> bool {
        true
    }

    /// What the server sends when it fails in the middle of a reply; `None` if its protocol has no word for it.
    fn mid_reply_error(&self) -> Option<Vec<u8>> {
        None
    }

    /// The bytes that the server sends now and then while its model thinks; `None` if it sends nothing.
    fn keep_alive(&self) -> Option<Vec<u8>> {
        Some(b": there\n\n".to_vec())
    }

    /// Maximum number of bytes of a response that the provider reads before it gives up, with some margin.
    fn limit_bytes(&self) -> usize {
        128 << 20
    }

    /// The same provider with a changed configuration; `None` if no part of a configuration goes into a body.
    fn reconfigured_provider(&self, _address: &str, _key: &str) -> Option<Arc<dyn Provider>> {
        None
    }

    /// Encodings of earlier versions, each with the body of [`requests::plain_request`] as that version wrote it.
    fn legacy_encodings(&self) -> Vec<LegacyEncodingSample> {
        Vec::new()
    }
}

/// An encoding of an earlier version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegacyEncodingSample {
    /// The value that [`Provider::encoding`] returned.
    pub encoding: String,
    /// The body of [`requests::plain_request`] for “Hello.”.
    pub body: String,
}

/// The meaning of a server's reply.
#[derive(Clone, Debug, PartialEq)]
pub struct WireReplySpec {
    /// Its text, in the pieces in which it is sent.
    pub text: Vec<String>,
    /// The calls that it requests.
    pub calls: Vec<NativeCall>,
    /// A value without meaning for the client that the server wants back in the next request: a signature, encrypted
    /// reasoning. Left out if the server has none.
    pub opaque: Option<String>,
    /// How it ends.
    pub ending: WireReplyEnding,
    /// The reported token counts: `input`, `cache_read` and `output`.
    pub usage: Usage,
    /// The reported model name.
    pub model: String,
}

/// How a server's reply ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireReplyEnding {
    /// The model is done, or requests calls.
    Done,
    /// The output limit cut it.
    Length,
    /// The server refuses to continue.
    Refused,
}

/// Why a server refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireServerRefusal {
    /// The key is unknown.
    Key,
    /// Too many requests.
    TooMany,
    /// The server is busy or broken.
    Busy,
}

/// A response in the pieces in which it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireReplyBytes {
    /// The pieces that a complete response needs. Cut anywhere in them, also before the first, it is lost.
    pub pieces: Vec<Vec<u8>>,
    /// The pieces after the server has reported how the model ended.
    pub end: Vec<Vec<u8>>,
}

impl WireReplySpec {
    /// A reply of text alone, in pieces.
    pub fn words(text: &[&str]) -> Self {
        Self {
            text: text.iter().map(|piece| (*piece).to_owned()).collect(),
            calls: Vec::new(),
            opaque: None,
            ending: WireReplyEnding::Done,
            usage: Usage { input: 11, cache_read: 5, output: 7, ..Usage::default() },
            model: "model-of-the-kit".to_owned(),
        }
    }

    /// Adds these calls.
    #[must_use]
    pub fn with_calls(self, calls: Vec<NativeCall>) -> Self {
        Self { calls, ..self }
    }

    /// Sets how it ends.
    #[must_use]
    pub fn ending(self, ending: WireReplyEnding) -> Self {
        Self { ending, ..self }
    }
}

/// The key of every check. It occurs nowhere else, so any occurrence comes from the request.
pub const KEY: &str = "kit-key-3f9a71c2d85e";

/// Maximum wait for something that a usable provider does at once.
const MOMENT: Duration = Duration::from_secs(10);
/// Maximum wait for the end of a call that may have much to read.
const PATIENCE: Duration = Duration::from_secs(120);

/// Awaits `work`; fails the test after [`MOMENT`].
async fn soon<T>(what: &str, work: impl Future<Output = T>) -> T {
    await_within(MOMENT, what, work).await
}

async fn await_within<T>(most: Duration, what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(most, work).await.unwrap_or_else(|_| panic!("this never came: {what}"))
}

/// A provider connected to its server.
struct WireConnectionFixture {
    wire: Arc<dyn WireFixture>,
    server: ScriptedWireServer,
    provider: Arc<dyn Provider>,
}

impl WireConnectionFixture {
    /// Connects to a server that sends these responses.
    async fn with_responses(
        wire: Arc<dyn WireFixture>,
        script: impl IntoIterator<Item = ScriptedResponse>,
    ) -> Self {
        let server = ScriptedWireServer::start(script).await;
        let provider = wire.provider(server.address(), KEY);
        Self { wire, server, provider }
    }

    /// Connects to a server that sends the same reply to each of `times` requests.
    async fn with_repeated_reply(wire: Arc<dyn WireFixture>, said: &WireReplySpec, times: usize) -> Self {
        let answer = whole(wire.as_ref(), said);
        Self::with_responses(wire, vec![answer; times]).await
    }

    /// Calls, and returns the outcome with the streamed text.
    async fn call(
        &self,
        request: &ModelRequest,
    ) -> (Result<ModelReply, ProviderFailure>, Arc<AwaitableReplySink>) {
        let ear = Arc::new(AwaitableReplySink::default());
        let call = self.provider.call(request.clone(), ear.clone());
        let reply = await_within(PATIENCE, "the end of a call", call).await;
        (reply, ear)
    }

    /// Calls, and expects a reply.
    async fn answer(&self, request: &ModelRequest) -> ModelReply {
        self.call(request).await.0.unwrap_or_else(|failure| panic!("it answers: {failure}"))
    }

    /// Calls, and expects a failure.
    async fn failure(&self, request: &ModelRequest) -> ProviderFailure {
        match self.call(request).await.0 {
            Err(failure) => failure,
            Ok(reply) => panic!("it fails, and does not answer “{}”", reply.text),
        }
    }

    fn body(&self, request: &ModelRequest) -> String {
        let wire = self.provider.wire(request).unwrap_or_else(|failure| panic!("it is written: {failure}"));
        String::from_utf8(wire.body).expect("a body is text")
    }
}

/// Encodes a plain text reply, which every server can express.
fn encode_required_reply(wire: &dyn WireFixture, said: &WireReplySpec) -> WireReplyBytes {
    wire.encode_reply(said).expect("every server can say plain words")
}

/// The complete response of a server for this reply.
fn whole(wire: &dyn WireFixture, said: &WireReplySpec) -> ScriptedResponse {
    let WireReplyBytes { pieces, end } = encode_required_reply(wire, said);
    ScriptedResponse::from_pieces(wire.content_type(), pieces.into_iter().chain(end))
}

/// Records the streamed text of a call and lets other tasks wait for it.
#[derive(Default)]
struct AwaitableReplySink {
    heard: watch::Sender<String>,
    signs: watch::Sender<usize>,
    thoughts: Mutex<String>,
}

impl AwaitableReplySink {
    fn text(&self) -> String {
        self.heard.borrow().clone()
    }

    /// Returns when this text was received.
    async fn wait_for_text(&self, text: &str) {
        let mut heard = self.heard.subscribe();
        let _ = soon(&format!("the words “{text}”"), heard.wait_for(|heard| heard == text)).await;
    }

    /// Returns after more than `beyond` keep-alive signals.
    async fn wait_for_keep_alive(&self, beyond: usize) {
        let mut signs = self.signs.subscribe();
        let _ = soon("a sign of life", signs.wait_for(|signs| *signs > beyond)).await;
    }
}

impl ReplySink for AwaitableReplySink {
    fn text(&self, piece: &str) {
        self.heard.send_modify(|heard| heard.push_str(piece));
        self.signs.send_modify(|signs| *signs += 1);
    }

    fn thinking_text(&self, piece: &str) {
        self.thoughts.lock().unwrap_or_else(PoisonError::into_inner).push_str(piece);
        self.signs.send_modify(|signs| *signs += 1);
    }

    fn keep_alive(&self) {
        self.signs.send_modify(|signs| *signs += 1);
    }
}

/// One test per behaviour of a provider that calls a server. Takes the name of an `async fn() -> Arc<dyn WireFixture>`.
#[macro_export]
macro_rules! wire_contracts {
    ($open:ident) => {
        $crate::wire_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of a wire to another macro.
#[macro_export]
macro_rules! wire_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            wire,
            $($open,)?
            [
                what_is_sent_is_the_wire,
                every_part_of_a_request_is_in_its_wire,
                the_key_goes_to_the_server_alone,
                tools_are_declared,
                results_stand_by_their_calls,
                results_keep_their_order,
                a_turn_goes_back_as_it_came,
                a_turn_of_another_dialect_is_written_anew,
                a_shape_is_asked_for,
                words_and_reply_are_all_that_was_said,
                words_are_heard_as_they_come,
                however_it_is_split_it_says_the_same,
                native_calls_come_back,
                an_answer_at_its_limit_is_cut,
                a_refusal_to_say_more_is_refused,
                tokens_are_those_that_the_server_told,
                signs_of_life_are_passed_on,
                an_answer_in_json_is_its_text,
                a_cut_answer_is_lost,
                what_is_not_an_answer_is_a_failure,
                no_connection_is_unreachable,
                no_answer_is_lost,
                silence_is_no_answer,
                statuses_have_their_classes,
                a_failure_says_when_to_come_back,
                one_call_is_one_request,
                a_redirect_is_not_followed,
                a_dropped_call_closes_its_connection,
                the_key_is_in_no_failure,
                an_answer_without_end_is_given_up,
                a_changed_entry_changes_no_conversation,
                former_encodings_are_written_as_they_were,
                no_part_of_a_conversation_is_left_out,
                every_limit_of_a_request_is_in_its_wire,
                a_failed_result_is_told_apart,
                tools_keep_what_they_allow,
                numbers_of_calls_keep_their_digits,
                an_error_after_words_is_a_failure,
                calls_of_a_wire_block_no_other_task,
                what_is_known_of_a_model_needs_no_request,
                a_failed_check_names_the_provider_alone,
            ]
        }
    };
}
