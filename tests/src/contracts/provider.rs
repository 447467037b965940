//! The suite of [`Provider`], whatever answers it. One that speaks to a server has a suite more: [`wire`](super::wire).
//!
//! A provider proves itself with one line in a test file, where `open` is an `async fn() -> ProviderFixture`:
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

/// A provider, and what can be seen of it.
pub struct ProviderFixture {
    /// The provider.
    pub provider: Arc<dyn Provider>,
    /// Another one of the same entry, as a later process makes it.
    pub again: Arc<dyn Provider>,
    /// A request that it answers, as often as it is sent.
    pub answered: ModelRequest,
    /// A call that fails.
    pub failing: FailingCallFixture,
    /// The body that the server received last; none where there is no server to ask.
    pub received: Option<Box<dyn Fn() -> Vec<u8> + Send + Sync>>,
    /// Whatever must live as long as the provider: a server, a directory.
    pub keep: Box<dyn Any + Send + Sync>,
}

/// A call that fails: what the provider does not take, or a provider that cannot do anything.
pub struct FailingCallFixture {
    /// Who is called.
    pub provider: Arc<dyn Provider>,
    /// The request that fails.
    pub request: ModelRequest,
    /// How it fails.
    pub class: FailureClass,
}

/// A request of one user turn, for plain text.
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
        written: EncodedRequestCache::default(),
    }
}

/// Keeps what it is told.
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

/// Lists and sessions name it by these.
pub async fn it_has_a_name_a_kind_and_a_model(model: ProviderFixture) {
    let info = model.provider.info();
    for (what, text) in [("name", &info.name), ("kind", &info.kind), ("model", &info.default_model)] {
        assert!(!text.is_empty(), "{what}");
    }
    assert_eq!(model.provider.info(), info);
    assert_eq!(model.again.info(), info);
}

/// Asked twice, and in a later process.
pub async fn the_same_request_gives_the_same_bytes(model: ProviderFixture) {
    let first = bytes(&model.provider, &model.answered);
    assert_eq!(bytes(&model.provider, &model.answered.clone()), first);
    assert_eq!(bytes(&model.again, &model.answered), first);
    answer(&model).await.0.expect("it answers");
    assert_eq!(bytes(&model.provider, &model.answered), first, "a call changes nothing");
}

/// No part of a request is left out. Some servers have one in the address: what counts is all that is sent.
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

/// What runs keeps the encoding it began with; here it began with the present one.
pub async fn the_encoding_of_now_gives_the_bytes_of_now(model: ProviderFixture) {
    let encoding = model.provider.encoding();
    assert_eq!(model.again.encoding(), encoding);
    let frozen = ModelRequest { encoding, ..model.answered.clone() };
    assert_eq!(bytes(&model.provider, &frozen), bytes(&model.provider, &model.answered));
}

/// Bytes that were recorded are not to be guessed at. A provider that freezes nothing has no versions.
pub async fn an_encoding_of_no_version_is_misconfigured(model: ProviderFixture) {
    if model.provider.encoding().is_empty() {
        return;
    }
    let foreign = ModelRequest { encoding: "{\"v\":\"of nobody\"}".into(), ..model.answered.clone() };
    let failure = model.provider.body(&foreign).expect_err("nobody wrote so");
    assert_eq!(failure.class, FailureClass::Misconfigured);
}

/// What is sent is the body, where a server can tell; and the reply's hash is of it, where there is one.
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

/// All of it, in order, and before the call returns.
pub async fn the_text_reaches_the_sink_before_the_reply(model: ProviderFixture) {
    let (reply, heard) = answer(&model).await;
    let reply = reply.expect("it answers");
    assert!(!reply.text.is_empty(), "the request is one that is answered in words");
    assert_eq!(heard, reply.text);
    assert_eq!(reply.end, ReplyEnd::Done);
}

/// Each hears its own words.
pub async fn calls_at_once_do_not_mix(model: ProviderFixture) {
    let ((one, heard_one), (two, heard_two)) = tokio::join!(answer(&model), answer(&model));
    assert_eq!(heard_one, one.expect("it answers").text);
    assert_eq!(heard_two, two.expect("it answers").text);
}

/// Before it began, and in its midst.
pub async fn a_call_that_is_dropped_harms_no_other(model: ProviderFixture) {
    drop(model.provider.call(model.answered.clone(), Arc::new(TextCollectingSink::default())));
    let mut begun = model.provider.call(model.answered.clone(), Arc::new(TextCollectingSink::default()));
    let _ = Pin::new(&mut begun).poll(&mut Context::from_waker(Waker::noop()));
    drop(begun);
    let (reply, heard) = answer(&model).await;
    assert_eq!(heard, reply.expect("it answers as if nothing had been").text);
}

/// The machine decides by the class, and a person reads the rest: who failed comes first to mind.
pub async fn a_failure_has_its_class_and_says_who_failed(model: ProviderFixture) {
    let FailingCallFixture { provider, request, class } = model.failing;
    let failure =
        provider.call(request, Arc::new(TextCollectingSink::default())).await.expect_err("it fails");
    assert_eq!(failure.class, class, "{failure}");
    let info = provider.info();
    let names_it = failure.message.contains(&info.name) || failure.message.contains(&info.display_name);
    assert!(names_it, "“{}” does not name {}", failure.message, info.name);
}

/// A sentence for people, or a failure of a class.
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
        $crate::contract_cases!(
            provider,
            $open,
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
        );
    };
}
