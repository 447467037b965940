//! The smallest model call, with which a provider is checked if its model list does not contain the entry's model.
//! Pure; the client sends it.

use std::sync::Arc;

use entracte_application::ports::{
    CommandRequestPolicy, EncodedRequestCache, ModelRequest, OutputShape, PromptTurn, ReplySink, UserTurnPart,
};
use entracte_domain::id::SessionId;

/// Discards the streamed text, because a check has no watcher.
pub(crate) struct ProviderCheckSink;

impl ReplySink for ProviderCheckSink {
    fn text(&self, _piece: &str) {}
}

/// The smallest request that shows whether a model answers.
pub(crate) fn smallest_request(model: &str) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_check"),
        model: model.to_owned(),
        encoding: "".into(),
        system: Vec::new(),
        turns: vec![Arc::new(PromptTurn::User(vec![UserTurnPart::Text(
            "Answer with the word OK.".to_owned(),
        )]))],
        tools: Arc::new([]),
        commands: CommandRequestPolicy::None,
        relaunch: false,
        output_tokens: None,
        output: OutputShape::Text,
        files: Default::default(),
        written: EncodedRequestCache::default(),
    }
}
