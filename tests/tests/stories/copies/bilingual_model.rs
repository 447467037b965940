//! A model that answers in the dialect of the request, so that one test runs in both; it checks that every request is
//! legal.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use entracte_application::ports::{
    ModelReply, ModelRequest, NativeCall, OutputShape, PromptTurn, Provider, ProviderDescription,
    ProviderFailure, ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::protocol::tools::tool_name;
use entracte_domain::session::failure::FailureClass;
use serde_json::{Value, json};

/// The next step of the model.
#[derive(Clone, Debug)]
pub(crate) enum BilingualModelStep {
    /// A text reply.
    Words(&'static str),
    /// Requests these commands: word of the envelope, name, parameters, and whether it is a query.
    Asks(Vec<(&'static str, &'static str, Value, bool)>),
    /// Asks the person a question; in the envelope only.
    Question(&'static str),
    /// Never answers.
    Hangs,
}

/// A step that requests a query.
pub(crate) fn look_step(at: &str) -> BilingualModelStep {
    BilingualModelStep::Asks(vec![("LOOK", "outside.look", json!({ "at": at }), true)])
}

/// A step that requests an external action.
pub(crate) fn send_step(to: &str) -> BilingualModelStep {
    BilingualModelStep::Asks(vec![("SEND", "outside.send", json!({ "to": to }), false)])
}

#[derive(Default)]
pub(crate) struct BilingualModel {
    lines: Mutex<VecDeque<BilingualModelStep>>,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl BilingualModel {
    pub(crate) fn push_steps(&self, lines: impl IntoIterator<Item = BilingualModelStep>) {
        self.lines.lock().unwrap().extend(lines);
    }

    /// Drops the steps that were not needed.
    pub(crate) fn clear_steps(&self) {
        self.lines.lock().unwrap().clear();
    }

    pub(crate) fn last_request(&self) -> ModelRequest {
        self.requests.lock().unwrap().last().unwrap().clone()
    }

    fn reply(&self, line: &BilingualModelStep, native: bool, number: usize) -> ModelReply {
        let (text, calls) = match line {
            BilingualModelStep::Words(words) if native => ((*words).to_owned(), Vec::new()),
            BilingualModelStep::Words(words) => (json!({ "pre_text": words }).to_string(), Vec::new()),
            BilingualModelStep::Question(question) => {
                let asked = json!({ "type": "Validation", "message": question });
                (json!({ "pre_text": "One thing.", "question": asked }).to_string(), Vec::new())
            }
            BilingualModelStep::Asks(commands) if native => {
                let call = |(index, (_, name, params, _)): (usize, &(_, &str, Value, _))| NativeCall {
                    provider_call_id: format!("toolu_{number}_{index}"),
                    name: tool_name(name),
                    arguments: params.to_string(),
                };
                ("One moment.".to_owned(), commands.iter().enumerate().map(call).collect())
            }
            BilingualModelStep::Asks(commands) => {
                let of = |wanted: bool| -> Vec<Value> {
                    let list = commands.iter().filter(|command| command.3 == wanted);
                    list.map(|(word, _, params, _)| json!({ "type": word, "params": params })).collect()
                };
                let text = json!({
                    "pre_text": "One moment.", "queries": of(true), "actions": of(false), "keep_control": true
                });
                (text.to_string(), Vec::new())
            }
            BilingualModelStep::Hangs => (String::new(), Vec::new()),
        };
        ModelReply {
            text,
            calls,
            end: ReplyEnd::Done,
            usage: None,
            model: None,
            raw: None,
            request_id: None,
            body_digest: None,
        }
    }
}

/// User and assistant turns alternate, and each native call has one result, in the turn after it.
pub(crate) fn check_legal(request: &ModelRequest) {
    let shown = || format!("{:#?}", request.turns);
    let mut open: HashSet<&str> = HashSet::new();
    for (index, turn) in request.turns.iter().enumerate() {
        match &**turn {
            PromptTurn::User(parts) => {
                assert!(index % 2 == 0, "two user turns in a row: {}", shown());
                assert!(!parts.is_empty(), "an empty turn: {}", shown());
                for part in parts {
                    if let UserTurnPart::Result { provider_call_id, .. } = part {
                        assert!(open.remove(provider_call_id.as_str()), "a result of no call: {}", shown());
                    }
                }
                assert!(open.is_empty(), "calls without a result: {}", shown());
            }
            PromptTurn::Assistant(said) => {
                assert!(index % 2 == 1, "two assistant turns in a row: {}", shown());
                assert!(!said.text.is_empty() || !said.calls.is_empty(), "it said nothing: {}", shown());
                let next = request.turns.get(index + 1).map(|turn| &**turn);
                let is_offered = |call: &NativeCall| request.tools.iter().any(|tool| tool.name == call.name);
                let is_legal = |call: &NativeCall| is_offered(call) || is_refused(next, call);
                assert!(said.calls.iter().all(is_legal), "no such tool: {}", shown());
                open.extend(said.calls.iter().map(|call| call.provider_call_id.as_str()));
            }
        }
    }
    assert!(matches!(request.turns.last().map(|turn| &**turn), Some(PromptTurn::User(_))), "{}", shown());
}

/// Whether a requested command that was never offered was refused.
fn is_refused(next: Option<&PromptTurn>, call: &NativeCall) -> bool {
    let Some(PromptTurn::User(parts)) = next else { return false };
    parts.iter().any(|part| {
        matches!(part, UserTurnPart::Result { provider_call_id, is_error: true, .. }
            if *provider_call_id == call.provider_call_id)
    })
}

#[async_trait]
impl Provider for BilingualModel {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "fake".into(),
            kind: "fake".into(),
            display_name: "Fake".into(),
            default_model: "fake-1".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(format!("{request:?}").into_bytes())
    }

    async fn call(
        &self,
        request: ModelRequest,
        _sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        check_legal(&request);
        let native = request.output == OutputShape::Text;
        let number = {
            let mut requests = self.requests.lock().unwrap();
            requests.push(request);
            requests.len()
        };
        let line = self.lines.lock().unwrap().pop_front();
        match line {
            Some(BilingualModelStep::Hangs) => std::future::pending().await,
            Some(line) => Ok(self.reply(&line, native, number)),
            None => Err(ProviderFailure {
                class: FailureClass::Misconfigured,
                message: "the model has nothing to say".into(),
                retry_after: None,
                usage: None,
            }),
        }
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("fake".into())
    }
}
