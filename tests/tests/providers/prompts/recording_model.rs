//! A model that plays given answers, and keeps every request with its sent bytes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::ports::{
    ModelReply, ModelRequest, NativeCall, PromptTurn, Provider, ProviderDescription, ProviderFailure,
    ProviderRegistry, ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;

/// The next answer of the model.
pub(crate) enum RecordingModelStep {
    Says(String),
    Calls(&'static str, serde_json::Value),
    Fails(FailureClass),
}

/// A request as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct RecordedModelRequest {
    pub(crate) request: ModelRequest,
    pub(crate) body: Vec<u8>,
}

impl RecordedModelRequest {
    /// All texts of Entracte itself in the conversation.
    pub(crate) fn system_parts(&self) -> Vec<String> {
        let parts = self.request.turns.iter().flat_map(|turn| match &**turn {
            PromptTurn::User(parts) => parts.clone(),
            PromptTurn::Assistant(_) => Vec::new(),
        });
        let system = parts.filter_map(|part| match part {
            UserTurnPart::System(text) => Some(text),
            UserTurnPart::Text(_) | UserTurnPart::Result { .. } | UserTurnPart::File(_) => None,
        });
        system.collect()
    }
}

#[derive(Default)]
pub(crate) struct RecordingModel {
    answers: Mutex<VecDeque<RecordingModelStep>>,
    pub(crate) seen: Mutex<Vec<RecordedModelRequest>>,
}

impl RecordingModel {
    pub(crate) fn will(&self, answers: impl IntoIterator<Item = RecordingModelStep>) {
        self.answers.lock().unwrap().extend(answers);
    }

    pub(crate) fn all(&self) -> Vec<RecordedModelRequest> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> RecordedModelRequest {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

#[async_trait]
impl Provider for RecordingModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "fake".into(),
            kind: "fake".into(),
            display_name: "Fake".into(),
            default_model: "fake-1".into(),
            base_url: None,
            context_tokens: Some(200_000),
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "entry as it was".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    async fn call(
        &self,
        request: ModelRequest,
        _: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let body = self.body(&request)?;
        let digest = sha256(&body).to_string();
        self.seen.lock().unwrap().push(RecordedModelRequest { request, body });
        let (text, calls) = match self.answers.lock().unwrap().pop_front() {
            Some(RecordingModelStep::Says(text)) => (text, Vec::new()),
            Some(RecordingModelStep::Calls(name, arguments)) => {
                ("One moment.".to_owned(), vec![native(name, &arguments)])
            }
            Some(RecordingModelStep::Fails(class)) => return Err(failure(class)),
            None => return Err(failure(FailureClass::Misconfigured)),
        };
        let raw = ProviderTurn { dialect: "fake".into(), bytes: format!("raw of {text}") };
        Ok(ModelReply {
            text,
            calls,
            end: ReplyEnd::Done,
            usage: None,
            model: None,
            raw: Some(raw),
            request_id: None,
            body_digest: Some(digest),
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("fake".into())
    }
}

fn native(name: &str, arguments: &serde_json::Value) -> NativeCall {
    NativeCall { provider_call_id: "call_1".into(), name: name.into(), arguments: arguments.to_string() }
}

fn failure(class: FailureClass) -> ProviderFailure {
    ProviderFailure { class, message: format!("it is {}", class.word()), retry_after: None, usage: None }
}

/// Providers by name.
pub(crate) struct NamedProviderRegistry(pub(crate) BTreeMap<String, Arc<dyn Provider>>);

impl NamedProviderRegistry {
    pub(crate) fn single_provider(name: &str, provider: Arc<dyn Provider>) -> Arc<dyn ProviderRegistry> {
        Arc::new(Self(BTreeMap::from([(name.to_owned(), provider)])))
    }
}

impl ProviderRegistry for NamedProviderRegistry {
    fn provider(&self, name: &str) -> Result<Arc<dyn Provider>, ProviderFailure> {
        let gone = || ProviderFailure {
            message: format!("there is no provider “{name}”"),
            ..failure(FailureClass::Misconfigured)
        };
        self.0.get(name).cloned().ok_or_else(gone)
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}
