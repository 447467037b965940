//! What a check of a provider asks: the list of models, and the smallest call. Pure; the client asks it.

use std::sync::Arc;

use entracte_application::ports::{
    CommandUse, ModelRequest, OutputShape, ReplySink, Turn, UserPart, Written,
};
use entracte_domain::id::SessionId;
use serde_json::Value;

/// Ignores what is streamed, because a check has no watcher.
pub(crate) struct Deaf;

impl ReplySink for Deaf {
    fn text(&self, _piece: &str) {}
}

/// The smallest request that shows whether a model answers.
pub(crate) fn smallest_request(model: &str) -> ModelRequest {
    ModelRequest {
        session: SessionId::new("ses_check"),
        model: model.to_owned(),
        encoding: "".into(),
        system: Vec::new(),
        turns: vec![Arc::new(Turn::User(vec![UserPart::Text("Answer with the word OK.".to_owned())]))],
        tools: Arc::new([]),
        commands: CommandUse::None,
        output: OutputShape::Text,
        written: Written::default(),
    }
}

/// Whether a list of models names this one.
pub(crate) fn names_model(list: &[u8], model: &str) -> bool {
    let list: Value = serde_json::from_slice(list).unwrap_or_default();
    let models = list.get("data").and_then(Value::as_array);
    models.is_some_and(|all| all.iter().any(|one| one.get("id").and_then(Value::as_str) == Some(model)))
}
