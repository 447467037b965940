//! The relay model of sessions that an external caller drives: it requests exactly the call that the last message
//! contains.

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::ports::{
    ModelReply, ModelRequest, NativeCall, PromptTurn, Provider, ProviderDescription, ProviderFailure,
    ReplyEnd, ReplySink, UserTurnPart,
};
use entracte_application::protocol::relay::{self, RELAY};
use entracte_application::protocol::tools::tool_name;

/// Requests the call that a person's last message contains ([`relay::message`]), and nothing else. Sends nothing over a
/// network.
pub(crate) struct RelayProvider;

/// Reply if there is no call to request: the results are in the ledger. Refused and failed calls are reported instead,
/// so that a person who approved one sees the reason.
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

    /// The message that a request would be built from; no request is sent.
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

/// Describes the outcome of the calls with the latest results.
fn outcome(request: &ModelRequest) -> String {
    let parts = match request.turns.last().map(|turn| &**turn) {
        Some(PromptTurn::User(parts)) => parts.as_slice(),
        Some(PromptTurn::Assistant(_)) | None => &[],
    };
    let faults: Vec<&str> = parts
        .iter()
        .filter_map(|part| match part {
            UserTurnPart::Result { content, is_error: true, .. } => Some(content.trim()),
            UserTurnPart::Text(_)
            | UserTurnPart::System(_)
            | UserTurnPart::Result { .. }
            | UserTurnPart::File(_) => None,
        })
        .filter(|fault| !fault.is_empty())
        .collect();
    if faults.is_empty() { NOTHING.to_owned() } else { faults.join("\n") }
}

/// The person's last text; `None` if only results and notices followed the last reply.
fn last_person_text(request: &ModelRequest) -> Option<&str> {
    let PromptTurn::User(parts) = &**request.turns.last()? else { return None };
    parts.iter().rev().find_map(|part| match part {
        UserTurnPart::Text(text) => Some(text.as_str()),
        UserTurnPart::System(_) | UserTurnPart::Result { .. } | UserTurnPart::File(_) => None,
    })
}
