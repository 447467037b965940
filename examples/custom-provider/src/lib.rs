//! A custom model provider: a clerk that answers by rules, without a network.
//!
//! It shows everything the port requires: a body that is a pure function of the request, an encoding that running
//! conversations keep when the clerk's own settings change, streamed words, classified failures. To call a real API,
//! send `body` in `call` and read the response stream there.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ModelReply, ModelRequest, OutputShape, PromptTurn, Provider, ProviderDescription, ProviderFailure,
    ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::system::sha256;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage;
use serde_json::{Value, json};

/// Version of the bytes that [`RuleClerk::body`] writes. A change must keep writing earlier versions for running
/// conversations.
const ENCODER: u32 = 1;

/// Answers by rules: the first rule whose word occurs in the last message applies.
pub struct RuleClerk {
    /// The form of address; part of every body, so it is frozen with a conversation.
    pub courtesy: String,
    /// Pairs of a word and its answer.
    pub rules: Vec<(String, String)>,
}

impl RuleClerk {
    /// Creates a clerk with these rules.
    pub fn new(courtesy: &str, rules: &[(&str, &str)]) -> Self {
        let rules = rules.iter().map(|(word, answer)| ((*word).to_owned(), (*answer).to_owned())).collect();
        Self { courtesy: courtesy.to_owned(), rules }
    }

    /// The courtesy the request started with: that of its encoding, or the current one if it has no encoding yet.
    fn courtesy(&self, request: &ModelRequest) -> Result<String, ProviderFailure> {
        if request.encoding.is_empty() {
            return Ok(self.courtesy.clone());
        }
        let frozen: Value = serde_json::from_str(&request.encoding).unwrap_or_default();
        match (frozen["encoder"].as_u64(), frozen["courtesy"].as_str()) {
            (Some(version), Some(courtesy)) if version == u64::from(ENCODER) => Ok(courtesy.to_owned()),
            _ => Err(failure(
                FailureClass::Misconfigured,
                format!("“{}” is none of its encodings", request.encoding),
            )),
        }
    }

    fn answer(&self, heard: &str) -> Result<&str, ProviderFailure> {
        let rule = self.rules.iter().find(|(word, _)| heard.contains(word));
        let nothing = || failure(FailureClass::Refused, "no rule is for this message; add one".to_owned());
        rule.map(|(_, answer)| answer.as_str()).ok_or_else(nothing)
    }
}

#[async_trait]
impl Provider for RuleClerk {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: "clerk".into(),
            kind: "clerk".into(),
            display_name: "Clerk".into(),
            default_model: "rules-1".into(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        json!({ "encoder": ENCODER, "courtesy": self.courtesy }).to_string().into()
    }

    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        let courtesy = self.courtesy(request)?;
        let turns: Vec<Value> = request.turns.iter().map(|turn| line(turn)).collect();
        let body =
            json!({ "model": request.model, "courtesy": courtesy, "system": request.system, "turns": turns });
        Ok(body.to_string().into_bytes())
    }

    async fn call(
        &self,
        request: ModelRequest,
        sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let body = self.body(&request)?;
        let heard = request.turns.last().map(|turn| line(turn).to_string()).unwrap_or_default();
        let said = format!("{}, {}", self.courtesy(&request)?, self.answer(&heard)?);
        let text = match request.output {
            OutputShape::Text => said,
            // Sessions of the envelope dialect read one JSON object; `pre_text` is the text shown to the person.
            OutputShape::Json { .. } => json!({ "pre_text": said }).to_string(),
        };
        for word in text.split_inclusive(' ') {
            sink.text(word);
            tokio::task::yield_now().await;
        }
        let usage = Usage { input: body.len() as u64, output: text.len() as u64, ..Usage::default() };
        Ok(ModelReply {
            text,
            calls: Vec::new(),
            end: ReplyEnd::Done,
            usage: Some(usage),
            model: Some(self.info().default_model),
            raw: None,
            request_id: None,
            body_digest: Some(sha256(&body).to_string()),
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok(format!("clerk: {} rules", self.rules.len()))
    }
}

fn line(turn: &PromptTurn) -> Value {
    match turn {
        PromptTurn::Assistant(said) => json!({ "assistant": said.text }),
        PromptTurn::User(parts) => json!({ "user": parts.iter().map(part).collect::<Vec<_>>() }),
    }
}

fn part(part: &UserTurnPart) -> &str {
    match part {
        UserTurnPart::Text(text) | UserTurnPart::System(text) => text,
        UserTurnPart::Result { content, .. } => content,
        // The part before it names it; this model cannot look at it.
        UserTurnPart::File(_) => "",
    }
}

fn failure(class: FailureClass, what: String) -> ProviderFailure {
    ProviderFailure { class, message: format!("clerk: {what}"), retry_after: None, usage: None }
}
