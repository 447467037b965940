use entracte_application::json::to_serde;
use entracte_domain::message::{Author, Body, CommandResult, Message, Segment};
use serde::Serialize;
use serde_json::Value;

use crate::render::messages::own_data;
use crate::render::time::iso;

/// `entracte.messages/1`: a conversation.
#[derive(Serialize)]
pub(crate) struct MessagesObject {
    schema: &'static str,
    session: String,
    messages: Vec<MessageObject>,
}

#[derive(Serialize)]
struct MessageObject {
    id: String,
    at: String,
    role: &'static str,
    author: String,
    unread: bool,
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
    /// What a user message refers to, in its order; `text` has their sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    enrichments: Vec<EnrichmentObject>,
    results: Vec<ResultObject>,
    /// What the message brings by itself, as the data of an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    in_prompt: bool,
}

#[derive(Serialize)]
struct EnrichmentObject {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    config: Value,
    text: String,
}

#[derive(Serialize)]
struct ResultObject {
    call: String,
    command: String,
    status: &'static str,
    code: Option<String>,
    content: String,
}

impl MessagesObject {
    /// The messages of a session.
    /// `unread` are those that are new to whoever reads them.
    pub(crate) fn new(session: &str, messages: &[Message], unread: &[Message]) -> Self {
        let is_new = |message: &Message| unread.iter().any(|new| new.id == message.id);
        let shape = |message| MessageObject { unread: is_new(message), ..MessageObject::from(message) };
        let messages = messages.iter().map(shape).collect();
        Self { schema: "entracte.messages/1", session: session.to_owned(), messages }
    }
}

impl From<&Message> for MessageObject {
    fn from(message: &Message) -> Self {
        let (role, author) = match &message.author {
            Author::Person(name) => ("user", name.clone()),
            Author::Model => ("ai", "model".to_owned()),
            Author::System => ("system", "entracte".to_owned()),
        };
        let (kind, text, results, in_prompt) = match &message.body {
            Body::Rich(said) => ("rich", said.linear_text(), Vec::new(), true),
            Body::Text(text) => ("text", text.spoken().into_owned(), Vec::new(), true),
            Body::Ai(said) => ("ai", said.pre_text.clone(), Vec::new(), true),
            Body::System(system) => {
                let results = system.results.iter().map(ResultObject::from).collect();
                (
                    system.kind.word(),
                    system.summary.spoken().into_owned(),
                    results,
                    system.kind.goes_to_prompt(),
                )
            }
            Body::Execution(started) => ("execution", started.trigger.clone(), Vec::new(), true),
        };
        let (id, at) = (message.id.to_string(), iso(message.at));
        let in_prompt = in_prompt && !message.exclude_from_prompt;
        let enrichments = enrichments(&message.body);
        let data = match &message.body {
            Body::System(system) => own_data(system).map(|data| data.spoken().into_owned()),
            Body::Rich(_) | Body::Text(_) | Body::Ai(_) | Body::Execution(_) => None,
        };
        Self { id, at, role, author, unread: false, kind, text, enrichments, results, data, in_prompt }
    }
}

fn enrichments(body: &Body) -> Vec<EnrichmentObject> {
    let Body::Rich(said) = body else { return Vec::new() };
    let object = |segment: &Segment| match segment {
        Segment::Enrichment(enrichment) => Some(EnrichmentObject {
            kind: enrichment.kind.word(),
            config: to_serde(&enrichment.config),
            text: enrichment.summary.clone(),
        }),
        Segment::Text(_) => None,
    };
    said.segments.iter().filter_map(object).collect()
}

impl From<&CommandResult> for ResultObject {
    fn from(result: &CommandResult) -> Self {
        Self {
            call: super::text(&result.call),
            command: result.command.clone(),
            status: result.status.word(),
            code: result.code.clone(),
            content: result.content.spoken().into_owned(),
        }
    }
}
