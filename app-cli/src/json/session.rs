use entracte_application::codec::{CodecError, Entry, encode_entry};
use entracte_application::json::to_serde;
use entracte_application::ports::SessionRow;
use entracte_application::use_cases::{CallView, SessionView, Waiting};
use entracte_domain::message::{Author, Body, CommandResult, Message};
use serde::Serialize;
use serde_json::value::RawValue;

use super::turn::{QuestionItem, UsageObject};
use crate::render::time::iso;
use crate::render::words;

/// `entracte.sessions/1`: sessions, what waits for a person first.
#[derive(Serialize)]
pub(crate) struct SessionsObject {
    schema: &'static str,
    sessions: Vec<RowObject>,
}

#[derive(Serialize)]
struct RowObject {
    id: String,
    workspace: String,
    name: String,
    kind: String,
    standing: String,
    phase: String,
    waiting: bool,
    working: bool,
    created_at: String,
    last_activity: String,
    end_reason: Option<String>,
}

impl From<&[SessionRow]> for SessionsObject {
    fn from(rows: &[SessionRow]) -> Self {
        let shape = |row: &SessionRow| RowObject {
            id: row.id.to_string(),
            workspace: row.workspace.to_string(),
            name: row.name.clone(),
            kind: row.kind.clone(),
            standing: row.standing.clone(),
            phase: row.phase.clone(),
            waiting: row.waiting,
            working: row.working,
            created_at: iso(row.created_at),
            last_activity: iso(row.last_activity),
            end_reason: row.end_reason.clone(),
        };
        Self { schema: "entracte.sessions/1", sessions: rows.iter().map(shape).collect() }
    }
}

/// `entracte.session/1`: one session.
#[derive(Serialize)]
pub(crate) struct SessionObject {
    schema: &'static str,
    id: String,
    workspace: String,
    name: String,
    kind: &'static str,
    standing: &'static str,
    phase: &'static str,
    provider: String,
    model: String,
    dialect: &'static str,
    require_validation: bool,
    rounds: u32,
    rounds_since_human: u32,
    calls: u32,
    approvals: Vec<String>,
    question: Option<QuestionItem>,
    unsettled: Vec<String>,
    created_at: String,
    last_activity: String,
    wake_at: Option<String>,
    usage: UsageObject,
    end_reason: Option<&'static str>,
}

impl SessionObject {
    /// The session, and what it waits for.
    pub(crate) fn new(view: &SessionView, waiting: Option<&Waiting>) -> Self {
        let facts = &view.facts;
        let (approvals, question) = match waiting {
            Some(Waiting::Validation(all)) => (all.iter().map(|one| one.id.to_string()).collect(), None),
            Some(Waiting::Question(question)) => (Vec::new(), Some(QuestionItem::from(question))),
            None => (Vec::new(), None),
        };
        Self {
            schema: "entracte.session/1",
            id: facts.id.to_string(),
            workspace: facts.workspace.to_string(),
            name: facts.name.clone(),
            kind: facts.kind.word(),
            standing: view.standing.word(),
            phase: view.phase.label().word(),
            provider: facts.provider.clone(),
            model: facts.model.clone(),
            dialect: words::dialect(facts.dialect),
            require_validation: facts.require_validation,
            rounds: facts.counters.rounds_total,
            rounds_since_human: facts.counters.rounds_since_human,
            calls: facts.counters.calls_total,
            approvals,
            question,
            unsettled: facts.unsettled.iter().map(super::text).collect(),
            created_at: iso(facts.created_at),
            last_activity: iso(facts.last_event_at),
            wake_at: view.wake_at.map(iso),
            usage: UsageObject::from(facts.usage),
            end_reason: facts.end_reason.map(|reason| reason.word()),
        }
    }
}

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
    author: Option<String>,
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
    results: Vec<ResultObject>,
    in_prompt: bool,
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
    pub(crate) fn new(session: &str, messages: &[Message]) -> Self {
        let messages = messages.iter().map(MessageObject::from).collect();
        Self { schema: "entracte.messages/1", session: session.to_owned(), messages }
    }
}

impl From<&Message> for MessageObject {
    fn from(message: &Message) -> Self {
        let (role, author) = match &message.author {
            Author::Person(name) => ("user", Some(name.clone())),
            Author::Model => ("ai", None),
            Author::System => ("system", None),
        };
        let (kind, text, results, in_prompt) = match &message.body {
            Body::Rich(said) => ("rich", said.linear_text(), Vec::new(), true),
            Body::Text(text) => ("text", text.clone(), Vec::new(), true),
            Body::Ai(said) => ("ai", said.pre_text.clone(), Vec::new(), true),
            Body::System(system) => {
                let results = system.results.iter().map(ResultObject::from).collect();
                (system.kind.word(), system.summary.clone(), results, system.kind.goes_to_prompt())
            }
            Body::Execution(started) => ("execution", started.trigger.clone(), Vec::new(), true),
        };
        let (id, at) = (message.id.to_string(), iso(message.at));
        let in_prompt = in_prompt && !message.exclude_from_prompt;
        Self { id, at, role, author, kind, text, results, in_prompt }
    }
}

impl From<&CommandResult> for ResultObject {
    fn from(result: &CommandResult) -> Self {
        Self {
            call: super::text(&result.call),
            command: result.command.clone(),
            status: result.status.word(),
            code: result.code.clone(),
            content: result.content.clone(),
        }
    }
}

/// `entracte.calls/1`: the ledger of a session.
#[derive(Serialize)]
pub(crate) struct CallsObject {
    schema: &'static str,
    session: String,
    calls: Vec<LedgerObject>,
}

#[derive(Serialize)]
struct LedgerObject {
    id: String,
    command: String,
    kind: &'static str,
    effect: &'static str,
    arguments: serde_json::Value,
    state: String,
    attempt: u32,
    decided_by: Option<String>,
    requested_at: String,
    finished_at: Option<String>,
    content: Option<String>,
}

impl CallsObject {
    /// The calls of a session.
    pub(crate) fn new(session: &str, views: &[CallView]) -> Self {
        let shape = |view: &CallView| LedgerObject {
            id: super::text(&view.call.id),
            command: view.call.effective().name.clone(),
            kind: words::kind(view.call.kind),
            effect: words::effect(view.call.effect()),
            arguments: to_serde(&view.call.effective().arguments),
            state: view.state.clone(),
            attempt: view.call.attempt,
            decided_by: view.call.decision().map(|decision| decision.author.clone()),
            requested_at: iso(view.call.requested_at),
            finished_at: view.finished_at.map(iso),
            content: view.content.clone(),
        };
        let calls = views.iter().map(shape).collect();
        Self { schema: "entracte.calls/1", session: session.to_owned(), calls }
    }
}

/// `entracte.entry/1`: an entry of the log, with all of it as it is stored.
#[derive(Serialize)]
pub(crate) struct EntryObject {
    schema: &'static str,
    seq: u64,
    session: String,
    sequence: u64,
    at: String,
    event: &'static str,
    entry: Box<RawValue>,
}

impl EntryObject {
    /// The entry.
    pub(crate) fn new(entry: &Entry) -> Result<Self, CodecError> {
        let row = encode_entry(entry)?;
        let malformed = |detail: String| CodecError::Malformed { what: "log entry", detail };
        let text = String::from_utf8(row.body).map_err(|error| malformed(error.to_string()))?;
        let raw = RawValue::from_string(text).map_err(|error| malformed(error.to_string()))?;
        Ok(Self {
            schema: "entracte.entry/1",
            seq: entry.seq,
            session: entry.session.to_string(),
            sequence: entry.sequence,
            at: iso(entry.at),
            event: entry.input.label(),
            entry: raw,
        })
    }
}
