//! The suite of a [`Provider`] that speaks to a server. The server is the kit's own: real connections on this machine, with
//! answers that each check scripts ([`server`]).
//!
//! Who writes a wire says in [`WireFixture`] how the provider is made, and how its server would say what a check wants to hear.
//! `open` is an `async fn() -> Arc<dyn WireFixture>`:
//!
//! ```ignore
//! entracte_tests::wire_contracts!(open);
//! ```

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

pub use encodings::*;
pub use failures::*;
pub use request_bodies::*;
pub use responses::*;
use server::{ScriptedResponse, ScriptedWireServer};

/// A wire: a provider, and how its server speaks.
pub trait WireFixture: Send + Sync {
    /// The provider as its entry makes it, of a server at this address (`http://127.0.0.1:…`) that takes this key.
    fn provider(&self, address: &str, key: &str) -> Arc<dyn Provider>;

    /// How the server says this; none where it has no words for it.
    fn encode_reply(&self, said: &WireReplySpec) -> Option<WireReplyBytes>;

    /// What the server calls such an answer.
    fn content_type(&self) -> &str {
        "text/event-stream"
    }

    /// The status and the body with which the server refuses a call.
    fn refusal(&self, refusal: WireServerRefusal) -> (u16, String) {
        let (status, words) = match refusal {
            WireServerRefusal::Key => (401, "this key is not known"),
            WireServerRefusal::TooMany => (429, "too many requests"),
            WireServerRefusal::Busy => (503, "come back later"),
        };
        (status, format!("{{\"error\":{{\"message\":\"{words}\"}}}}"))
    }

    /// Whether it has an answer sent piece by piece. Who gets it whole shows no words before.
    fn streams(&self) -> bool {
        true
    }

    /// Whether the server is told which shape an answer must have.
    fn declares_reply_schema(&self) -> bool {
        true
    }

    /// What the server sends now and then while its model thinks; none where it sends nothing.
    fn keep_alive(&self) -> Option<Vec<u8>> {
        Some(b": there\n\n".to_vec())
    }

    /// The most that the provider reads of an answer before it gives up, in bytes, with some room above.
    fn limit_bytes(&self) -> usize {
        128 << 20
    }

    /// The same provider after somebody changed its entry; none where nothing of an entry goes into a body.
    fn reconfigured_provider(&self, _address: &str, _key: &str) -> Option<Arc<dyn Provider>> {
        None
    }

    /// Encodings of former versions, each with the body of [`requests::plain`] as that version wrote it.
    fn legacy_encodings(&self) -> Vec<LegacyEncodingSample> {
        Vec::new()
    }
}

/// An encoding of a former version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegacyEncodingSample {
    /// As [`Provider::encoding`] gave it.
    pub encoding: String,
    /// The body of [`requests::plain`] for “Hello.”.
    pub body: String,
}

/// What a server says in an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct WireReplySpec {
    /// Its words, in the pieces in which they come.
    pub text: Vec<String>,
    /// The calls that it asks for.
    pub calls: Vec<NativeCall>,
    /// Something that says nothing to anybody else, and that it wants back in the next request: a signature, an encrypted
    /// thought. A wire whose server has none leaves it out.
    pub opaque: Option<String>,
    /// How it ends.
    pub ending: WireReplyEnding,
    /// The tokens that it tells of: `input`, `cache_read` and `output`.
    pub usage: Usage,
    /// The model that it says it is.
    pub model: String,
}

/// How an answer of a server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireReplyEnding {
    /// The model is done, or asks for calls.
    Done,
    /// The limit of the output cut it.
    Length,
    /// The server refuses to say more.
    Refused,
}

/// Why a server refuses a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireServerRefusal {
    /// It does not know the key.
    Key,
    /// There are too many requests.
    TooMany,
    /// It is busy or broken.
    Busy,
}

/// An answer in the pieces in which it comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WireReplyBytes {
    /// The pieces without which it is no whole answer. Cut anywhere in them, also before the first, it is lost.
    pub pieces: Vec<Vec<u8>>,
    /// What comes once the server has said that, and how, the model ended.
    pub end: Vec<Vec<u8>>,
}

impl WireReplySpec {
    /// Words, in pieces, and nothing else.
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

    /// With these calls.
    #[must_use]
    pub fn with_calls(self, calls: Vec<NativeCall>) -> Self {
        Self { calls, ..self }
    }

    /// That ends so.
    #[must_use]
    pub fn ending(self, ending: WireReplyEnding) -> Self {
        Self { ending, ..self }
    }
}

/// The key of every check. It stands nowhere else, so where it is found it was put.
pub const KEY: &str = "kit-key-3f9a71c2d85e";

/// Longest time that a check waits for something that a provider of any use does at once.
const MOMENT: Duration = Duration::from_secs(10);
/// Longest time that a check waits for the end of a call, which may have much to read.
const PATIENCE: Duration = Duration::from_secs(120);

/// What comes within a moment.
async fn soon<T>(what: &str, work: impl Future<Output = T>) -> T {
    await_within(MOMENT, what, work).await
}

async fn await_within<T>(most: Duration, what: &str, work: impl Future<Output = T>) -> T {
    tokio::time::timeout(most, work).await.unwrap_or_else(|_| panic!("this never came: {what}"))
}

/// A provider and its server.
struct WireConnectionFixture {
    wire: Arc<dyn WireFixture>,
    server: ScriptedWireServer,
    provider: Arc<dyn Provider>,
}

impl WireConnectionFixture {
    /// With a server that answers so.
    async fn with_responses(
        wire: Arc<dyn WireFixture>,
        script: impl IntoIterator<Item = ScriptedResponse>,
    ) -> Self {
        let server = ScriptedWireServer::start(script).await;
        let provider = wire.provider(server.address(), KEY);
        Self { wire, server, provider }
    }

    /// With a server that says the same to every one of so many requests.
    async fn with_repeated_reply(wire: Arc<dyn WireFixture>, said: &WireReplySpec, times: usize) -> Self {
        let answer = whole(wire.as_ref(), said);
        Self::with_responses(wire, vec![answer; times]).await
    }

    /// Calls, and gives what became of it, with the words that were heard.
    async fn call(
        &self,
        request: &ModelRequest,
    ) -> (Result<ModelReply, ProviderFailure>, Arc<AwaitableReplySink>) {
        let ear = Arc::new(AwaitableReplySink::default());
        let call = self.provider.call(request.clone(), ear.clone());
        let reply = await_within(PATIENCE, "the end of a call", call).await;
        (reply, ear)
    }

    /// Calls, and expects an answer.
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

/// The answer of a server that says this in plain words, which every server can.
fn encode_required_reply(wire: &dyn WireFixture, said: &WireReplySpec) -> WireReplyBytes {
    wire.encode_reply(said).expect("every server can say plain words")
}

/// The whole answer of a server that says this.
fn whole(wire: &dyn WireFixture, said: &WireReplySpec) -> ScriptedResponse {
    let WireReplyBytes { pieces, end } = encode_required_reply(wire, said);
    ScriptedResponse::from_pieces(wire.content_type(), pieces.into_iter().chain(end))
}

/// Hears what a call says, and lets others wait for it.
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

    /// Returns once so much was heard.
    async fn wait_for_text(&self, text: &str) {
        let mut heard = self.heard.subscribe();
        let _ = soon(&format!("the words “{text}”"), heard.wait_for(|heard| heard == text)).await;
    }

    /// Returns once there was a sign of life more than so many.
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

/// One test per behaviour of a provider that speaks to a server. Takes the name of an `async fn() -> Arc<dyn WireFixture>`.
#[macro_export]
macro_rules! wire_contracts {
    ($open:ident) => {
        $crate::wire_suite!(contract_cases, $open);
    };
}

/// The behaviours of a wire, given to another macro.
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
            ]
        }
    };
}
