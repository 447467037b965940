//! The contract suite of any [`Provider`]. A provider that calls a server has one more suite: [`wire`](super::wire).
//!
//! A provider is tested with one line in a test file, where `open` is an `async fn() -> ProviderFixture`:
//!
//! ```ignore
//! entracte_tests::provider_contracts!(open);
//! ```

use std::any::Any;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use entracte_application::ports::{
    CommandRequestPolicy, EncodedRequestCache, ModelReply, ModelRequest, OutputShape, PromptTurn, Provider,
    ProviderFailure, ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::id::SessionId;
use entracte_domain::session::failure::FailureClass;

/// A provider and its observable parts.
pub struct ProviderFixture {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// A second instance from the same configuration, as a later process creates it.
    pub again: Arc<dyn Provider>,
    /// A request that is answered every time it is sent.
    pub answered: ModelRequest,
    /// A call that fails.
    pub failing: FailingCallFixture,
    /// Returns the body that the server received last; `None` if there is no server.
    pub received: Option<Box<dyn Fn() -> Vec<u8> + Send + Sync>>,
    /// Resources that must outlive the provider: a server, a directory.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A failing call: a request that the provider refuses, or a provider that cannot work.
pub struct FailingCallFixture {
    /// The provider to call.
    pub provider: Arc<dyn Provider>,
    /// The request that fails.
    pub request: ModelRequest,
    /// The expected failure class.
    pub class: FailureClass,
}

/// A request of one user turn for plain text.
pub fn request(text: &str) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_a"),
        model: String::new(),
        encoding: "".into(),
        system: vec!["You answer in one sentence.".into()],
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.to_owned())]))],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

/// Collects the streamed text.
#[derive(Default)]
struct TextCollectingSink(Mutex<String>);

impl ReplySink for TextCollectingSink {
    fn text(&self, piece: &str) {
        self.0.lock().unwrap().push_str(piece);
    }
}

async fn answer(model: &ProviderFixture) -> (Result<ModelReply, ProviderFailure>, String) {
    let heard = Arc::new(TextCollectingSink::default());
    let reply = model.provider.call(model.answered.clone(), heard.clone()).await;
    let text = heard.0.lock().unwrap().clone();
    (reply, text)
}

fn bytes(provider: &Arc<dyn Provider>, request: &ModelRequest) -> Vec<u8> {
    provider.body(request).expect("the request can be written")
}

/// Lists and sessions identify it by these.
pub async fn it_has_a_name_a_kind_and_a_model(model: ProviderFixture) {
    let info = model.provider.info();
    for (what, text) in [("name", &info.name), ("kind", &info.kind), ("model", &info.default_model)] {
        assert!(!text.is_empty(), "{what}");
    }
    assert_eq!(model.provider.info(), info);
    assert_eq!(model.again.info(), info);
}

/// Computed twice, and in a later process.
pub async fn the_same_request_gives_the_same_bytes(model: ProviderFixture) {
    let first = bytes(&model.provider, &model.answered);
    assert_eq!(bytes(&model.provider, &model.answered.clone()), first);
    assert_eq!(bytes(&model.again, &model.answered), first);
    answer(&model).await.0.expect("it answers");
    assert_eq!(bytes(&model.provider, &model.answered), first, "a call changes nothing");
}

/// No part of a request is left out. Some servers take one in the address, so everything sent counts.
pub async fn another_request_gives_other_bytes(model: ProviderFixture) {
    let sent = |request: &ModelRequest| model.provider.wire(request).expect("the request can be written");
    let first = sent(&model.answered);
    assert_eq!(first.body, bytes(&model.provider, &model.answered), "the body is the same by both names");
    let mut spoken = model.answered.clone();
    spoken.turns.pop();
    spoken.turns.push(Arc::new(PromptTurn::User(vec![UserTurnPart::Text("Something else.".into())])));
    let instructed = ModelRequest { system: vec!["Be brief.".into()], ..model.answered.clone() };
    let voiced = ModelRequest { model: "another-model".into(), ..model.answered.clone() };
    for other in [spoken, instructed, voiced] {
        assert_ne!(sent(&other), first, "{other:?}");
    }
}

/// A running conversation keeps the encoding it started with; here that is the current one.
pub async fn the_encoding_of_now_gives_the_bytes_of_now(model: ProviderFixture) {
    let encoding = model.provider.encoding();
    assert_eq!(model.again.encoding(), encoding);
    let frozen = ModelRequest { encoding, ..model.answered.clone() };
    assert_eq!(bytes(&model.provider, &frozen), bytes(&model.provider, &model.answered));
}

/// Recorded bytes must not be guessed. A provider that freezes nothing has no versions.
pub async fn an_encoding_of_no_version_is_misconfigured(model: ProviderFixture) {
    if model.provider.encoding().is_empty() {
        return;
    }
    let foreign = ModelRequest { encoding: "{\"v\":\"of nobody\"}".into(), ..model.answered.clone() };
    let failure = model.provider.body(&foreign).expect_err("nobody wrote so");
    assert_eq!(failure.class, FailureClass::Misconfigured);
}

/// The sent bytes are the body, if a server can confirm it; the reply's hash, if present, is of that body.
pub async fn a_call_sends_the_body(model: ProviderFixture) {
    let body = bytes(&model.provider, &model.answered);
    let reply = answer(&model).await.0.expect("it answers");
    if let Some(digest) = reply.body_digest {
        assert_eq!(digest, sha256(&body).as_str());
    }
    if let Some(received) = &model.received {
        assert_eq!(received(), body);
    }
}

/// The whole text, in order, before the call returns.
pub async fn the_text_reaches_the_sink_before_the_reply(model: ProviderFixture) {
    let (reply, heard) = answer(&model).await;
    let reply = reply.expect("it answers");
    assert!(!reply.text.is_empty(), "the request is one that is answered in words");
    assert_eq!(heard, reply.text);
    assert_eq!(reply.end, ReplyEnd::Done);
}

/// Each call receives only its own text.
pub async fn calls_at_once_do_not_mix(model: ProviderFixture) {
    let ((one, heard_one), (two, heard_two)) = tokio::join!(answer(&model), answer(&model));
    assert_eq!(heard_one, one.expect("it answers").text);
    assert_eq!(heard_two, two.expect("it answers").text);
}

/// A call is dropped before it starts, and while it runs.
pub async fn a_call_that_is_dropped_harms_no_other(model: ProviderFixture) {
    drop(model.provider.call(model.answered.clone(), Arc::new(TextCollectingSink::default())));
    let mut begun = model.provider.call(model.answered.clone(), Arc::new(TextCollectingSink::default()));
    let _ = Pin::new(&mut begun).poll(&mut Context::from_waker(Waker::noop()));
    drop(begun);
    let (reply, heard) = answer(&model).await;
    assert_eq!(heard, reply.expect("it answers as if nothing had been").text);
}

/// The machine decides by the class; a person reads the text, which begins with the name of the failing provider.
pub async fn a_failure_has_its_class_and_says_who_failed(model: ProviderFixture) {
    let FailingCallFixture { provider, request, class } = model.failing;
    let failure =
        provider.call(request, Arc::new(TextCollectingSink::default())).await.expect_err("it fails");
    assert_eq!(failure.class, class, "{failure}");
    let info = provider.info();
    let names_it = failure.message.contains(&info.name) || failure.message.contains(&info.display_name);
    assert!(names_it, "“{}” does not name {}", failure.message, info.name);
}

/// A sentence for people, or a classified failure.
pub async fn a_check_says_something(model: ProviderFixture) {
    match model.provider.check().await {
        Ok(sentence) => assert!(!sentence.trim().is_empty()),
        Err(failure) => assert!(!failure.message.trim().is_empty()),
    }
}

/// One test per behaviour of a provider. Takes the name of an `async fn() -> ProviderFixture`.
#[macro_export]
macro_rules! provider_contracts {
    ($open:ident) => {
        $crate::provider_suite!(contract_cases, $open);
    };
}

/// Passes the behaviours of a provider to another macro.
#[macro_export]
macro_rules! provider_suite {
    ($with:ident $(, $open:ident)?) => {
        $crate::$with! {
            provider,
            $($open,)?
            [
                it_has_a_name_a_kind_and_a_model,
                the_same_request_gives_the_same_bytes,
                another_request_gives_other_bytes,
                the_encoding_of_now_gives_the_bytes_of_now,
                an_encoding_of_no_version_is_misconfigured,
                a_call_sends_the_body,
                the_text_reaches_the_sink_before_the_reply,
                calls_at_once_do_not_mix,
                a_call_that_is_dropped_harms_no_other,
                a_failure_has_its_class_and_says_who_failed,
                a_check_says_something,
            ]
        }
    };
}
