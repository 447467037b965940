//! The model of sessions that somebody outside drives: it asks for exactly what the last message says.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ModelReply, ModelRequest, NativeCall, PromptTurn, Provider, ProviderDescription, ProviderFailure,
    ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::protocol::relay::{self, RELAY};
use entracte_application::protocol::tools::tool_name;

/// Asks for the call that the last message of a person says ([`relay::message`]), and for nothing else. It sends
/// nothing anywhere.
pub(crate) struct RelayProvider;

/// What it says when there is nothing to ask for: the answer is in the ledger. Of what was refused or failed it says why,
/// so that a person who approved it is told.
const NOTHING: &str = "ok";

#[async_trait]
impl Provider for RelayProvider {
    fn info(&self) -> ProviderDescription {
        ProviderDescription {
            name: RELAY.to_owned(),
            kind: "relay".to_owned(),
            display_name: "Calls from outside".to_owned(),
            default_model: "relay".to_owned(),
            base_url: None,
            context_tokens: None,
            max_output_tokens: None,
        }
    }

    fn encoding(&self) -> Arc<str> {
        "".into()
    }

    /// There is no request; this is the message that one would be made of.
    fn body(&self, request: &ModelRequest) -> Result<Vec<u8>, ProviderFailure> {
        Ok(last_person_text(request).unwrap_or_default().as_bytes().to_vec())
    }

    async fn call(
        &self,
        request: ModelRequest,
        _sink: Arc<dyn ReplySink>,
    ) -> Result<ModelReply, ProviderFailure> {
        let command = last_person_text(&request).and_then(relay::parse_relay_message);
        let number = request.turns.len();
        let calls = command.into_iter().map(|command| NativeCall {
            provider_call_id: format!("relay_{number}"),
            name: tool_name(&command.name),
            arguments: command.arguments.to_json(),
        });
        let calls: Vec<NativeCall> = calls.collect();
        let text = if calls.is_empty() { outcome(&request) } else { String::new() };
        Ok(ModelReply {
            text,
            calls,
            end: ReplyEnd::Done,
            usage: None,
            model: None,
            raw: None,
            request_id: None,
            body_digest: None,
        })
    }

    async fn check(&self) -> Result<String, ProviderFailure> {
        Ok("it is part of this program".to_owned())
    }
}

/// What became of the calls whose results came last.
fn outcome(request: &ModelRequest) -> String {
    let parts = match request.turns.last().map(|turn| &**turn) {
        Some(PromptTurn::User(parts)) => parts.as_slice(),
        Some(PromptTurn::Assistant(_)) | None => &[],
    };
    let faults: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            UserTurnPart::Result { content, is_error: true, .. } => Some(content.trim()),
            UserTurnPart::Text(_) | UserTurnPart::System(_) | UserTurnPart::Result { .. } => None,
        })
        .filter(|fault| !fault.is_empty())
        .collect();
    if faults.is_empty() { NOTHING.to_owned() } else { faults.join("\n") }
}

/// What a person said last; none when only results and notices came since the last reply.
fn last_person_text(request: &ModelRequest) -> Option<&str> {
    let PromptTurn::User(parts) = &**request.turns.last()? else { return None };
    parts.iter().rev().find_map(|part| match part {
        UserTurnPart::Text(text) => Some(text.as_str()),
        UserTurnPart::System(_) | UserTurnPart::Result { .. } => None,
    })
}
