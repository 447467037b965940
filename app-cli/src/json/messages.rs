use entracte_application::journal::JournalEntry;
use entracte_application::json_value::to_serde;
use entracte_domain::agent::{MissionExit, PrincipalQuestion};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::message::{
    AiMessage, Author, BuiltinToolCall, CommandResult, ExecutionMetadata, Message, MessageBody, Segment,
};
use entracte_domain::session::{Input, RequestedCall, SessionFacts};
use serde::Serialize;
use serde_json::Value;

use super::turn::QuestionObject;
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
    /// The references of a user message in order; `text` contains their sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    enrichments: Vec<EnrichmentObject>,
    results: Vec<CallResultObject>,
    /// The data of the event that the message delivers.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    in_prompt: bool,
    /// The parts of a model's message besides its text.
    #[serde(flatten)]
    ai: Option<AiMessageObject>,
    /// Why a run was started.
    #[serde(flatten)]
    execution: Option<ExecutionMetadataObject>,
}

/// Every field of a model's message; its text before any command runs is the message's `text`.
#[derive(Serialize)]
struct AiMessageObject {
    queries: Vec<RequestedCommandObject>,
    actions: Vec<RequestedCommandObject>,
    validation_request: bool,
    post_text: Option<String>,
    keep_control: bool,
    question: Option<QuestionObject>,
    completed: bool,
    plan: Vec<String>,
    /// The end of an agent's mission.
    exit: Option<AgentExitObject>,
    /// The question of an agent.
    asks: Option<AgentQuestionObject>,
    /// The original reply.
    original: String,
    /// Calls of built-in tools, which are answered in the conversation and never run.
    own_calls: Vec<ProviderToolCallObject>,
    /// The wire protocol of the provider's own blocks; these are sent back to it and never displayed.
    provider_turn: Option<String>,
}

#[derive(Serialize)]
struct RequestedCommandObject {
    command: String,
    arguments: Value,
}

#[derive(Serialize)]
struct ProviderToolCallObject {
    provider_call: String,
    name: String,
    arguments: Value,
    answer: Option<String>,
    is_error: Option<bool>,
}

#[derive(Serialize)]
struct AgentExitObject {
    reason: String,
    result: Value,
    conclusion: String,
}

#[derive(Serialize)]
struct AgentQuestionObject {
    question: String,
    /// Whether the question is for the user, not for the calling session.
    user: bool,
}

#[derive(Serialize)]
struct ExecutionMetadataObject {
    trigger: String,
    automation: Option<String>,
    automation_version: u32,
    /// The instant that the run was due at.
    occurrence: Option<String>,
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
struct CallResultObject {
    call: String,
    /// The provider's id of the call.
    provider_call: Option<String>,
    command: String,
    status: &'static str,
    code: Option<String>,
    content: String,
}

impl MessagesObject {
    /// The messages of a session. `unread` are those that the reader has not seen.
    pub(crate) fn new(
        facts: &SessionFacts,
        messages: &[Message],
        unread: &[Message],
        entries: &[JournalEntry],
    ) -> Self {
        let is_new = |message: &Message| unread.iter().any(|new| new.id == message.id);
        let automation = facts.automation.as_deref();
        let shape =
            |message| MessageObject { unread: is_new(message), ..MessageObject::of(message, automation) };
        let mut messages: Vec<MessageObject> = messages.iter().map(shape).collect();
        entries.iter().for_each(|entry| complete(&mut messages, entry));
        Self { schema: "entracte.messages/1", session: facts.id.to_string(), messages }
    }
}

/// Adds the native tool calls of an entry to the message that they came with.
fn complete(messages: &mut [MessageObject], entry: &JournalEntry) {
    let Input::AiResponseReceived(response) = &entry.input else { return };
    for said in entry.messages() {
        let object = messages.iter_mut().find(|object| object.id == said.id.as_str());
        let Some(ai) = object.and_then(|object| object.ai.as_mut()) else { continue };
        if !(ai.queries.is_empty() && ai.actions.is_empty()) {
            continue;
        }
        let of = |kind| response.calls.iter().filter(move |call| call.kind == kind);
        let shape = |call: &RequestedCall| RequestedCommandObject::from(&call.command);
        ai.queries = of(CommandKind::Query).map(shape).collect();
        ai.actions = of(CommandKind::Action).map(shape).collect();
    }
}

impl MessageObject {
    /// A message of a session; `automation` is set for a run.
    fn of(message: &Message, automation: Option<&str>) -> Self {
        let (role, author) = match &message.author {
            Author::Person(name) => ("user", name.clone()),
            Author::Model => ("ai", "model".to_owned()),
            Author::System => ("system", "entracte".to_owned()),
        };
        let (kind, text, results, in_prompt) = match &message.body {
            MessageBody::Rich(said) => ("rich", said.linear_text(), Vec::new(), true),
            MessageBody::Text(text) => ("text", text.to_plain_text().into_owned(), Vec::new(), true),
            MessageBody::Ai(said) => ("ai", said.pre_text.clone(), Vec::new(), true),
            MessageBody::System(system) => {
                let results = system.results.iter().map(CallResultObject::from).collect();
                (
                    system.kind.word(),
                    system.summary.to_plain_text().into_owned(),
                    results,
                    system.kind.goes_to_prompt(),
                )
            }
            MessageBody::Execution(started) => ("execution", started.trigger.clone(), Vec::new(), true),
        };
        let (id, at) = (message.id.to_string(), iso(message.at));
        let in_prompt = in_prompt && !message.exclude_from_prompt;
        let enrichments = enrichments(&message.body);
        let data = match &message.body {
            MessageBody::System(system) => own_data(system).map(|data| data.to_plain_text().into_owned()),
            MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::Ai(_) | MessageBody::Execution(_) => {
                None
            }
        };
        let (ai, execution) = match &message.body {
            MessageBody::Ai(said) => (Some(AiMessageObject::from(said)), None),
            MessageBody::Execution(started) => (None, Some(ExecutionMetadataObject::of(started, automation))),
            MessageBody::Rich(_) | MessageBody::Text(_) | MessageBody::System(_) => (None, None),
        };
        Self {
            id,
            at,
            role,
            author,
            unread: false,
            kind,
            text,
            enrichments,
            results,
            data,
            in_prompt,
            ai,
            execution,
        }
    }
}

fn enrichments(body: &MessageBody) -> Vec<EnrichmentObject> {
    let MessageBody::Rich(said) = body else { return Vec::new() };
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

// Every field is destructured, so that a new one fails to compile until it is shown.

impl From<&AiMessage> for AiMessageObject {
    fn from(said: &AiMessage) -> Self {
        let AiMessage {
            pre_text: _,
            queries,
            actions,
            validation_request,
            post_text,
            keep_control,
            question,
            completed,
            original,
            provider_turn,
            own_calls,
            plan,
            exit,
            asks,
        } = said;
        Self {
            queries: queries.iter().map(RequestedCommandObject::from).collect(),
            actions: actions.iter().map(RequestedCommandObject::from).collect(),
            validation_request: *validation_request,
            post_text: post_text.clone(),
            keep_control: *keep_control,
            question: question.as_ref().map(QuestionObject::from),
            completed: *completed,
            plan: plan.clone(),
            exit: exit.as_ref().map(AgentExitObject::from),
            asks: asks.as_ref().map(AgentQuestionObject::from),
            original: original.clone(),
            own_calls: own_calls.iter().map(ProviderToolCallObject::from).collect(),
            provider_turn: provider_turn.as_ref().map(|turn| turn.dialect.clone()),
        }
    }
}

impl From<&MissionExit> for AgentExitObject {
    fn from(MissionExit { reason, result, conclusion }: &MissionExit) -> Self {
        Self { reason: reason.clone(), result: to_serde(result), conclusion: conclusion.clone() }
    }
}

impl From<&PrincipalQuestion> for AgentQuestionObject {
    fn from(PrincipalQuestion { question, user }: &PrincipalQuestion) -> Self {
        Self { question: question.clone(), user: *user }
    }
}

impl From<&Command> for RequestedCommandObject {
    fn from(Command { name, arguments }: &Command) -> Self {
        Self { command: name.clone(), arguments: to_serde(arguments) }
    }
}

impl From<&BuiltinToolCall> for ProviderToolCallObject {
    fn from(BuiltinToolCall { provider_call_id, name, arguments, answer }: &BuiltinToolCall) -> Self {
        Self {
            provider_call: provider_call_id.clone(),
            name: name.clone(),
            arguments: to_serde(arguments),
            answer: answer.as_ref().map(|(text, _)| text.clone()),
            is_error: answer.as_ref().map(|(_, is_error)| *is_error),
        }
    }
}

impl ExecutionMetadataObject {
    fn of(started: &ExecutionMetadata, automation: Option<&str>) -> Self {
        let ExecutionMetadata { trigger, scheduled_at, automation_version } = started;
        Self {
            trigger: trigger.clone(),
            automation: automation.map(str::to_owned),
            automation_version: *automation_version,
            occurrence: scheduled_at.map(iso),
        }
    }
}

impl From<&CommandResult> for CallResultObject {
    fn from(result: &CommandResult) -> Self {
        Self {
            call: super::text(&result.call),
            provider_call: result.provider_call_id.clone(),
            command: result.command.clone(),
            status: result.status.word(),
            code: result.code.clone(),
            content: result.content.to_plain_text().into_owned(),
        }
    }
}

#[cfg(test)]
#[path = "every_field_tests.rs"]
mod every_field_tests;
