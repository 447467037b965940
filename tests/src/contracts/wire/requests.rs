//! Requests for the checks of a wire, with words that occur nowhere else.

use std::sync::Arc;

use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, ModelRequest, NativeCall, OutputShape,
    PromptTurn, ToolDeclaration, UserTurnPart,
};
use entracte_domain::id::SessionId;
use serde_json::json;

/// One user turn for plain text, without tools.
pub fn plain_request(text: &str) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_kit"),
        model: "model-of-the-kit".to_owned(),
        encoding: "".into(),
        system: vec!["You answer in one sentence.".into()],
        turns: vec![user_turn(text)],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}

/// The same request with two callable tools.
pub fn with_tools(text: &str) -> ModelRequest {
    ModelRequest { tools: tools(), commands: CommandRequestPolicy::Allowed, ..plain_request(text) }
}

/// Two tools.
pub fn tools() -> Arc<[ToolDeclaration]> {
    let tool = |name: &str, description: &str, argument: &str| ToolDeclaration {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({
            "type": "object",
            "properties": { argument: { "type": "string" } },
            "required": [argument],
            "additionalProperties": false,
        })
        .into(),
    };
    Arc::new([
        tool("harbour_depth", "Says how deep a harbour is.", "harbour_name"),
        tool("tide_table", "Says when the tide turns.", "coast_name"),
    ])
}

/// A call of each tool. The arguments are formatted as a model may write them, not as a serializer would.
pub fn calls() -> Vec<NativeCall> {
    let call = |id: &str, name: &str, arguments: &str| NativeCall {
        provider_call_id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    vec![
        call("call_of_a", "harbour_depth", r#"{"harbour_name": "Quay \"9\""}"#),
        call("call_of_b", "tide_table", r#"{"coast_name":"Côte d’Émeraude"}"#),
    ]
}

/// The turns after the calls: the assistant turn, and one result per call in the same order.
pub fn answered(said: AssistantTurn, results: &[&str]) -> Vec<Arc<PromptTurn>> {
    let results = said.calls.iter().zip(results).map(|(call, content)| UserTurnPart::Result {
        provider_call_id: call.provider_call_id.clone(),
        name: call.name.clone(),
        content: (*content).to_owned(),
        is_error: false,
        files: Vec::new(),
    });
    let results = PromptTurn::User(results.collect());
    vec![user_turn("How deep is it, and when?"), Arc::new(PromptTurn::Assistant(said)), Arc::new(results)]
}

/// A user turn.
pub fn user_turn(text: &str) -> Arc<PromptTurn> {
    Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.to_owned())]))
}
