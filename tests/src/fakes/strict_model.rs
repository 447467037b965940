//! A model behind a strict server: the real adapter writes each request, which must pass the server's rules, and reads
//! each answer.

#![expect(clippy::unwrap_used, reason = "these are tests, in a library")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use entracte_adapters_providers::answer_decoding;
use entracte_adapters_providers::config::{ProviderConfig, ProviderKind};
use entracte_adapters_providers::registry::ConfigProviderRegistry;
use entracte_application::ports::{
    MockClock, MockSecretStore, ModelReply, ModelRequest, Provider, ProviderDescription, ProviderFailure,
    ProviderRegistry as _, ReplySink,
};
use entracte_application::system::sha256;
use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use crate::cryptography::crypto;
use crate::strict::{StrictApi, StrictApiPeer, StrictReplyPart};

/// The next step of the server.
#[derive(Clone, Debug)]
pub enum StrictModelStep {
    /// Answers, sealed.
    Says(Vec<StrictReplyPart>),
    /// Answers with these bytes.
    Answers(Vec<u8>),
    /// Streams these bytes, then ends.
    Streams(Vec<u8>),
    /// Fails with this class.
    Fails(FailureClass),
}

/// A model that plays its steps in order.
pub struct StrictModel {
    api: StrictApi,
    entry: ProviderConfig,
    provider: Arc<dyn Provider>,
    turns: Mutex<VecDeque<StrictModelStep>>,
    peer: Mutex<(u32, StrictApiPeer)>,
    seen: Mutex<Vec<(ModelRequest, Value)>>,
    refusals: Mutex<Vec<String>>,
}

impl StrictModel {
    /// A model of a provider with this wire dialect.
    pub fn new(api: StrictApi) -> Self {
        let kind = match api {
            StrictApi::Messages => ProviderKind::Claude,
            StrictApi::Responses => ProviderKind::Openai,
            StrictApi::Chat => ProviderKind::Compatible,
        };
        let entry = ProviderConfig {
            model: Some("fake-1".to_owned()),
            base_url: Some("http://127.0.0.1:9".to_owned()),
            ..ProviderConfig::new(kind)
        };
        let entries = BTreeMap::from([("fake".to_owned(), entry.clone())]);
        let registry = ConfigProviderRegistry::new(
            entries,
            Arc::new(MockSecretStore::new()),
            Arc::new(MockClock::new()),
            crypto(),
        );
        let provider = registry.provider("fake").unwrap();
        let peer = Mutex::new((0, StrictApiPeer::new(api)));
        Self {
            api,
            entry,
            provider,
            turns: Mutex::default(),
            peer,
            seen: Mutex::default(),
            refusals: Mutex::default(),
        }
    }

    /// Adds these steps.
    pub fn push_steps(&self, turns: impl IntoIterator<Item = StrictModelStep>) {
        self.turns.lock().unwrap().extend(turns);
    }

    /// Replaces the remaining steps.
    pub fn replace_steps(&self, turns: impl IntoIterator<Item = StrictModelStep>) {
        *self.turns.lock().unwrap() = turns.into_iter().collect();
    }

    /// Reasons of refused requests; a legal history has none.
    pub fn refusals(&self) -> Vec<String> {
        self.refusals.lock().unwrap().clone()
    }

    /// The requests so far, with their bodies.
    pub fn requests(&self) -> Vec<(ModelRequest, Value)> {
        self.seen.lock().unwrap().clone()
    }

    /// Accepts a legal request. Seals reveal changes before them, in any generation.
    fn accept_request(&self, request: ModelRequest, body: &[u8]) -> Result<(), ProviderFailure> {
        let mut peer = self.peer.lock().unwrap();
        peer.0 += 1;
        let number = peer.0;
        if let Err(refusal) = peer.1.accept_body(number, body) {
            let body = String::from_utf8_lossy(body);
            let refusal = format!("{:?} refuses request {number}: {refusal:?}\n{body}", self.api);
            self.refusals.lock().unwrap().push(refusal);
            return Err(failure(FailureClass::Misconfigured));
        }
        self.seen.lock().unwrap().push((request, serde_json::from_slice(body).unwrap()));
        Ok(())
    }
}

#[async_trait]
impl Provider for StrictModel {
    fn info(&self) -> ProviderDescription {
        self.provider.info()
    }

    fn encoding(&self) -> Arc<str> {
        self.provider.encoding()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        self.provider.body(request)
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let body = self.body(&request)?;
        self.accept_request(request, &body)?;
        // It takes a moment, so that no two things happen at the same instant; on a paused clock no time passes.
        tokio::time::sleep(THINKING).await;
        let turn = self.turns.lock().unwrap().pop_front();
        let reply = match turn {
            Some(StrictModelStep::Says(said)) => {
                let answer = self.peer.lock().unwrap().1.answer(&said);
                answer_decoding::decode_whole_answer(&self.entry, &answer)
            }
            Some(StrictModelStep::Answers(bytes)) => {
                answer_decoding::decode_whole_answer(&self.entry, &bytes)
            }
            Some(StrictModelStep::Streams(bytes)) => {
                answer_decoding::decode_streamed_answer(&self.entry, [bytes.as_slice()])
            }
            Some(StrictModelStep::Fails(class)) => Err(failure(class)),
            None => Err(failure(FailureClass::Misconfigured)),
        }?;
        sink.text(&reply.text);
        Ok(ModelReply { body_digest: Some(sha256(&body).to_string()), ..reply })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("fake".into())
    }
}

const THINKING: Duration = Duration::from_millis(1);

fn failure(class: FailureClass) -> ProviderFailure {
    ProviderFailure {
        class,
        message: format!("the model is {}", class.word()),
        retry_after: None,
        usage: None,
    }
}

/// A step that answers with this text only.
pub fn says(text: &str) -> StrictModelStep {
    StrictModelStep::Says(vec![StrictReplyPart::Says(text.to_owned())])
}

/// A step that thinks, then calls these tools, given as id, name and arguments.
pub fn calls(calls: &[(&str, &str, Value)]) -> StrictModelStep {
    let call = |(id, name, arguments): &(&str, &str, Value)| StrictReplyPart::Calls {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: arguments.to_string(),
    };
    let thought = StrictReplyPart::Thinks("which one?".to_owned());
    StrictModelStep::Says(std::iter::once(thought).chain(calls.iter().map(call)).collect())
}
