//! What a check of a provider asks where no list of models names its own: the smallest call. Pure; the client asks it.

use std::sync::Arc;

use entracte_application::ports::{
    CommandRequestPolicy, EncodedRequestCache, ModelRequest, OutputShape, PromptTurn, ReplySink, UserTurnPart,
};
use entracte_domain::id::SessionId;

/// Ignores what is streamed, because a check has no watcher.
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
        written: EncodedRequestCache::default(),
    }
}
