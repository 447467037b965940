//! What `chat` and other commands print of a turn while it goes on.

use entracte_adapters_http::shapes::frame::{CallProgressShape, LevelCallShape};
use serde::Serialize;

/// `entracte.delta/1`: a part of the model's reply; void if its attempt fails, as the entries show.
#[derive(Serialize)]
pub(crate) struct ReplyDeltaObject {
    schema: &'static str,
    session: String,
    text: String,
}

impl ReplyDeltaObject {
    /// An object of this part.
    pub(crate) fn new(session: &str, text: &str) -> Self {
        Self { schema: "entracte.delta/1", session: session.to_owned(), text: text.to_owned() }
    }
}

/// `entracte.progress/1`: how far a running call is; its latest report counts.
#[derive(Serialize)]
pub(crate) struct CallProgressObject {
    schema: &'static str,
    session: String,
    call: String,
    command: String,
    text: String,
    percent: Option<u8>,
}

impl CallProgressObject {
    /// An object of this report.
    pub(crate) fn new(session: &str, call: &LevelCallShape, progress: &CallProgressShape) -> Self {
        Self {
            schema: "entracte.progress/1",
            session: session.to_owned(),
            call: call.id.clone(),
            command: call.command.clone(),
            text: progress.text.clone(),
            percent: progress.percent,
        }
    }
}

/// `entracte.thought/1`: a part of the model's visible reasoning, or of its summary. Not part of the reply.
#[derive(Serialize)]
pub(crate) struct ReasoningDeltaObject {
    schema: &'static str,
    session: String,
    text: String,
}

impl ReasoningDeltaObject {
    /// An object of this part.
    pub(crate) fn new(session: &str, text: &str) -> Self {
        Self { schema: "entracte.thought/1", session: session.to_owned(), text: text.to_owned() }
    }
}
