//! Requests for the checks of a wire, with words that stand nowhere else.

use std::sync::Arc;

use entracte_application::ports::{
    AssistantTurn, CommandRequestPolicy, EncodedRequestCache, ModelRequest, NativeCall, OutputShape,
    PromptTurn, ToolDeclaration, UserTurnPart,
};
use entracte_domain::id::SessionId;
use serde_json::json;

/// One user turn, for plain text, without tools.
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
        written: EncodedRequestCache::default(),
    }
}

/// The same with two tools that may be called.
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
        }),
    };
    Arc::new([
        tool("harbour_depth", "Says how deep a harbour is.", "harbour_name"),
        tool("tide_table", "Says when the tide turns.", "coast_name"),
    ])
}

/// A call of each of them. The arguments are written as a model may write them, not as a program would.
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

/// The turns after them: what the model said, and a result of each call, in the order of the calls.
pub fn answered(said: AssistantTurn, results: &[&str]) -> Vec<Arc<PromptTurn>> {
    let results = said.calls.iter().zip(results).map(|(call, content)| UserTurnPart::Result {
        provider_call_id: call.provider_call_id.clone(),
        name: call.name.clone(),
        content: (*content).to_owned(),
        is_error: false,
    });
    let results = PromptTurn::User(results.collect());
    vec![user_turn("How deep is it, and when?"), Arc::new(PromptTurn::Assistant(said)), Arc::new(results)]
}

/// A turn of a person.
pub fn user_turn(text: &str) -> Arc<PromptTurn> {
    Arc::new(PromptTurn::User(vec![UserTurnPart::Text(text.to_owned())]))
}
