//! Tool calls that a server runs as long tasks: the extension `io.modelcontextprotocol/tasks` (SEP-2663) of protocol
//! 2026-07-28. Tasks are polled, because the protocol has no notification of their end. A server of an earlier
//! generation answers each call with its final result, and creates no tasks.
//!
//! A call that asks a person for input becomes a task of ours: `call_handle`, `held_gateway`.

mod call_handle;
mod held_gateway;
mod input_responses;

use std::sync::Arc;

use async_trait::async_trait;
use entracte_application::json_value::to_text;
use entracte_application::ports::{TaskGateway, TaskGatewayRequest};
use entracte_application::system::sha256;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallOutcome;
use entracte_domain::id::{Digest, TaskId};
use entracte_domain::task::{CancelResponse, TaskHandle, TaskOutcome, TaskUpdate};
use entracte_domain::time::{Millis, Timestamp};
use rmcp::model::{
    CallToolResult, CreateTaskResult, DetailedTask, ErrorCode, InputRequests, JsonObject, Task, TaskPayload,
};
use rmcp::service::ServiceError;

use super::McpServers;
use super::connection::McpConnection;
use super::content::{capped, text_of};
use super::exact_numbers::from_library;
use super::input_request;
use super::server::McpServer;
use super::text::line;
use entracte_application::system::SecretScrubber;

pub(super) use call_handle::{CallHandle, McpTaskRemote, target_digest};
pub(super) use held_gateway::InputRequiredCall;

/// The default polling interval, if the server requests none.
const POLL_UNSAID: Millis = Millis::seconds(5);
/// The shortest and the longest polling interval that a server may request.
const POLL: (Millis, Millis) = (Millis::seconds(1), Millis::minutes(5));
/// The most characters of a progress text.
const PROGRESS_MAX_CHARS: usize = 500;

/// Follows the tasks of all servers.
#[derive(Clone)]
pub(super) struct McpTasks {
    servers: Arc<McpServers>,
}

/// Identifies a task: the server's name in the configuration, what that led to, and the server's id of the task.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct McpTaskAddress {
    pub(super) server: String,
    pub(super) task: String,
    /// What the server's entry led to when the task began; `None` in a row that an earlier program wrote.
    pub(super) destination: Option<Digest>,
}

impl McpTaskAddress {
    /// The address of a task that this server began.
    pub(super) fn of(server: &McpServer, task: String) -> Self {
        Self { server: server.name.clone(), task, destination: Some(server.config.destination()) }
    }

    /// Encodes it as one text, stored in the task's row.
    pub(super) fn write(&self) -> String {
        match &self.destination {
            Some(destination) => serde_json::json!([self.server, self.task, destination.as_str()]),
            None => serde_json::json!([self.server, self.task]),
        }
        .to_string()
    }

    /// Decodes a stored text; `None` if it has another format.
    pub(super) fn read(text: &str) -> Option<Self> {
        let parts: Vec<String> = serde_json::from_str(text).ok()?;
        match <[String; 3]>::try_from(parts) {
            Ok([server, task, destination]) => {
                Some(Self { server, task, destination: Some(Digest::new(destination)) })
            }
            Err(parts) => {
                let [server, task] = <[String; 2]>::try_from(parts).ok()?;
                Some(Self { server, task, destination: None })
            }
        }
    }
}

/// The outcome of a call that became a task.
pub(super) fn accepted(
    server: &McpServer,
    created: CreateTaskResult,
    task: &TaskId,
    now: Timestamp,
    texts: &LocalizedTexts,
) -> CallOutcome {
    let theirs = created.task;
    let place = McpTaskAddress::of(server, theirs.task_id.clone());
    // The server's clock may differ, so the retention is counted from now.
    let kept = theirs.ttl_ms.map(|ttl| Millis(i64::try_from(ttl).unwrap_or(i64::MAX)));
    CallOutcome::Accepted {
        task: task.clone(),
        content: say!(texts, "tools-task-accepted", task = task.as_str()),
        handle: TaskHandle {
            remote: Some(place.write()),
            poll_after: Some(pause(&theirs)),
            until: kept.map(|kept| now.plus(kept)),
        },
    }
}

/// The outcome of a call that asks a person, and becomes a task until it has its answers. `remote` is its handle.
pub(super) fn accepted_question(remote: String, task: &TaskId, texts: &LocalizedTexts) -> CallOutcome {
    CallOutcome::Accepted {
        task: task.clone(),
        content: say!(texts, "tools-mcp-input-accepted", task = task.as_str()),
        handle: TaskHandle { remote: Some(remote), poll_after: Some(POLL.0), until: None },
    }
}

fn pause(task: &Task) -> Millis {
    let said = task.poll_interval_ms.map(|said| Millis(i64::try_from(said).unwrap_or(i64::MAX)));
    said.unwrap_or(POLL_UNSAID).clamp(POLL.0, POLL.1)
}

/// A connection to the server of a task, and the server's id of it.
struct McpTaskConnection<'a> {
    server: &'a McpServer,
    connection: Arc<McpConnection>,
    task: String,
}

impl McpTasks {
    pub(super) fn new(servers: Arc<McpServers>) -> Self {
        Self { servers }
    }

    /// The update to report if the server cannot be reached now, or is not the one that the task is at; logs the reason.
    async fn connect_task(&self, asked: &TaskGatewayRequest) -> Result<McpTaskConnection<'_>, TaskUpdate> {
        let id = asked.task.id.as_str();
        let Some(McpTaskRemote::Task(place)) = remote(asked) else { return Err(TaskUpdate::Unreachable) };
        let Some(server) = self.servers.get(&place.server).map(Arc::as_ref) else {
            tracing::warn!(target: "entracte::mcp", task = id, server = place.server, "the configuration has no such server any more");
            return Err(TaskUpdate::Unreachable);
        };
        if place.destination.is_some_and(|destination| destination != server.config.destination()) {
            tracing::warn!(target: "entracte::mcp", task = id, server = place.server, "the server of a task is another one now, which is not asked about it");
            return Err(TaskUpdate::Gone);
        }
        match server.connection(Some(asked.now)).await {
            Ok(connection) => Ok(McpTaskConnection { server, connection, task: place.task }),
            Err(error) => {
                tracing::warn!(target: "entracte::mcp", task = id, %error, "a task cannot be asked about");
                Err(TaskUpdate::Unreachable)
            }
        }
    }

    /// The current state of the task, or the update to report if it is unknown.
    async fn fetch_task_state(
        &self,
        reached: &McpTaskConnection<'_>,
        asked: &TaskGatewayRequest,
    ) -> Result<DetailedTask, TaskUpdate> {
        match reached.connection.task(&reached.task).await {
            Ok(found) => Ok(found.task),
            Err(error) => Err(self.arrival_from_error(reached, asked, &error).await),
        }
    }

    /// Maps an error answer to a task update.
    async fn arrival_from_error(
        &self,
        reached: &McpTaskConnection<'_>,
        asked: &TaskGatewayRequest,
        error: &ServiceError,
    ) -> TaskUpdate {
        tracing::warn!(
            target: "entracte::mcp", task = asked.task.id.as_str(), server = reached.server.name, %error,
            "a task cannot be asked about"
        );
        match error {
            ServiceError::McpError(error) if error.code == ErrorCode::INVALID_PARAMS => TaskUpdate::Gone,
            ServiceError::McpError(_) => TaskUpdate::Unreachable,
            _ => {
                reached.server.drop_connection(&reached.connection, asked.now).await;
                TaskUpdate::Unreachable
            }
        }
    }
}

#[async_trait]
impl TaskGateway for McpTasks {
    async fn poll(&self, asked: TaskGatewayRequest) -> TaskUpdate {
        if let Some(McpTaskRemote::Call(call)) = remote(&asked) {
            return self.poll_call(&asked, &call).await;
        }
        let reached = match self.connect_task(&asked).await {
            Ok(reached) => reached,
            Err(arrival) => return arrival,
        };
        let found = match self.fetch_task_state(&reached, &asked).await {
            Ok(found) => found,
            Err(arrival) => return arrival,
        };
        let heard = task_state_arrival(&found, &McpTaskReader::of(&reached, &asked));
        if let (TaskPayload::InputRequired { .. }, TaskUpdate::Final { .. }) = (&found.payload, &heard) {
            // The client never provides the requested input, so the task would wait for ever.
            let _ = reached.connection.stop_task(&reached.task).await;
        }
        heard
    }

    /// Cancels the task. The server only acknowledges; the next poll reads the result.
    async fn cancel(&self, asked: TaskGatewayRequest) -> TaskUpdate {
        if let Some(McpTaskRemote::Call(call)) = remote(&asked) {
            return self.cancel_call(&asked, &call);
        }
        let unconfirmed = TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed);
        let Ok(reached) = self.connect_task(&asked).await else { return unconfirmed };
        if let Err(error) = reached.connection.stop_task(&reached.task).await {
            self.arrival_from_error(&reached, &asked, &error).await;
            return unconfirmed;
        }
        match self
            .fetch_task_state(&reached, &asked)
            .await
            .map(|found| task_state_arrival(&found, &McpTaskReader::of(&reached, &asked)))
        {
            Ok(TaskUpdate::Final { outcome: TaskOutcome::Cancelled, .. }) => {
                TaskUpdate::CancelAnswered(CancelResponse::Confirmed)
            }
            Ok(ended @ TaskUpdate::Final { .. }) => ended,
            Ok(_) | Err(_) => TaskUpdate::CancelAnswered(CancelResponse::Pending),
        }
    }

    async fn answer(&self, asked: TaskGatewayRequest) -> TaskUpdate {
        if let Some(McpTaskRemote::Call(call)) = remote(&asked) {
            return self.answer_call(&asked, &call);
        }
        let reached = match self.connect_task(&asked).await {
            Ok(reached) => reached,
            Err(arrival) => return arrival,
        };
        let found = match self.fetch_task_state(&reached, &asked).await {
            Ok(found) => found,
            Err(arrival) => return arrival,
        };
        let TaskPayload::InputRequired { input_requests } = &found.payload else {
            return TaskUpdate::AnswerRefused;
        };
        // The answer belongs to the question that the person read, not to a later one.
        let reading = McpTaskReader::of(&reached, &asked);
        if asked.task.question.as_deref() != Some(reading.question(input_requests).as_str()) {
            return TaskUpdate::AnswerRefused;
        }
        let answer = asked.task.answer.as_deref().unwrap_or_default();
        let Some(responses) = input_responses::responses(input_requests, answer) else {
            return TaskUpdate::AnswerRefused;
        };
        match reached.connection.answer_task(&reached.task, responses).await {
            Ok(()) => TaskUpdate::answer_taken(),
            Err(ServiceError::McpError(error)) => {
                tracing::warn!(target: "entracte::mcp", task = asked.task.id.as_str(), %error, "an answer was refused");
                TaskUpdate::AnswerRefused
            }
            Err(error) => self.arrival_from_error(&reached, &asked, &error).await,
        }
    }
}

/// What the row of a task names, if this program wrote it.
fn remote(asked: &TaskGatewayRequest) -> Option<McpTaskRemote> {
    asked.task.remote.as_deref().and_then(McpTaskRemote::read)
}

/// Interprets the server's reports about one task.
pub(super) struct McpTaskReader {
    pub(super) scrubber: SecretScrubber,
    pub(super) bytes_max: usize,
    pub(super) texts: &'static LocalizedTexts,
}

impl McpTaskReader {
    fn of(reached: &McpTaskConnection<'_>, asked: &TaskGatewayRequest) -> Self {
        Self::of_server(reached.server, reached.connection.scrubber(), asked)
    }

    fn of_server(server: &McpServer, scrubber: SecretScrubber, asked: &TaskGatewayRequest) -> Self {
        Self {
            scrubber,
            bytes_max: server.config.result_max_bytes(),
            texts: LocalizedTexts::for_language(asked.locale.language),
        }
    }

    fn scrub_text(&self, text: String) -> String {
        capped(self.scrubber.scrub_owned(text), self.bytes_max, self.texts)
    }

    /// The requested inputs, as a person reads them.
    fn question(&self, requests: &InputRequests) -> String {
        self.scrub_text(input_request::question(requests, self.texts))
    }

    /// The update of a task that asks a person for these inputs.
    pub(super) fn asks(&self, requests: &InputRequests, remote: Option<String>) -> TaskUpdate {
        let form = self.scrubber.scrub_owned(input_request::form(requests));
        // A form is whole, or there is none: then the text of the question says all.
        let is_whole = serde_json::from_str::<serde_json::Value>(&form).is_ok();
        let form = (is_whole && form.len() <= self.bytes_max).then_some(form);
        TaskUpdate::Asks { question: self.question(requests), form, remote }
    }

    fn ended(&self, outcome: TaskOutcome, content: String) -> TaskUpdate {
        let content = self.scrub_text(content);
        TaskUpdate::Final { outcome, digest: sha256(content.as_bytes()), content }
    }
}

/// Maps the state of a task to a task update.
fn task_state_arrival(found: &DetailedTask, reading: &McpTaskReader) -> TaskUpdate {
    match &found.payload {
        TaskPayload::Working => TaskUpdate::Progress {
            text: reading.scrub_text(line(
                found.task.status_message.as_deref().unwrap_or_default(),
                PROGRESS_MAX_CHARS,
            )),
            at: None,
            poll_after: Some(pause(&found.task)),
        },
        TaskPayload::InputRequired { input_requests } => {
            if input_request::can_be_asked(input_requests) {
                return reading.asks(input_requests, None);
            }
            let why = say!(reading.texts, "tools-mcp-task-wants", asked = reading.question(input_requests));
            reading.ended(TaskOutcome::Failed, why)
        }
        TaskPayload::Completed { result } => completed(result, reading),
        TaskPayload::Failed { error } => {
            let message = error.get("message").and_then(|message| message.as_str());
            let none = || say!(reading.texts, "tools-task-no-reason");
            reading.ended(TaskOutcome::Failed, message.map_or_else(none, str::to_owned))
        }
        TaskPayload::Cancelled => reading.ended(TaskOutcome::Cancelled, String::new()),
        // The protocol may grow; an unknown state is polled until the deadline.
        _ => TaskUpdate::Unreachable,
    }
}

fn completed(result: &JsonObject, reading: &McpTaskReader) -> TaskUpdate {
    let read = serde_json::from_value::<CallToolResult>(serde_json::Value::Object(result.clone()));
    match read {
        Ok(result) if result.is_error == Some(true) => {
            reading.ended(TaskOutcome::Failed, text_of(&result, reading.texts))
        }
        Ok(result) => reading.ended(TaskOutcome::Completed, text_of(&result, reading.texts)),
        // The tool was executed; only its result has an unknown format.
        Err(_) => {
            let raw = from_library(&serde_json::Value::Object(result.clone()));
            reading.ended(TaskOutcome::Completed, to_text(&raw))
        }
    }
}

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use serde_json::{Value, json};

    use super::*;

    fn check(said: Value, expected: &str) {
        let mut whole = json!({
            "taskId": "t-1", "createdAt": "2026-11-22T10:30:00Z", "lastUpdatedAt": "2026-11-22T10:30:00Z", "ttlMs": null,
        });
        for (key, value) in said.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let reading = McpTaskReader {
            scrubber: SecretScrubber::default(),
            bytes_max: 1_000,
            texts: LocalizedTexts::for_language(Language::En),
        };
        let heard = match task_state_arrival(&serde_json::from_value(whole).unwrap(), &reading) {
            TaskUpdate::Final { outcome, content, digest } => {
                assert_eq!(digest, sha256(content.as_bytes()));
                format!("{}: {content}", outcome.word())
            }
            TaskUpdate::Progress { text, poll_after, .. } => format!("{text} {}", poll_after.unwrap().0),
            TaskUpdate::Asks { question, form: _, remote: None } => format!("asks: {question}"),
            other => format!("{other:?}"),
        };
        assert_eq!(heard, expected, "{said}");
    }

    #[test]
    fn each_server_task_state_is_mapped() {
        let form = json!({"method": "elicitation/create", "params": {
            "mode": "form", "message": "Which account?",
            "requestedSchema": {"type": "object", "properties": {"iban": {"type": "string"}}},
        }});
        let sampling =
            json!({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}});
        check(json!({"status": "working", "statusMessage": "3 of 15\nok"}), "3 of 15 ok 5000");
        check(json!({"status": "working", "pollIntervalMs": 1}), " 1000");
        check(json!({"status": "working", "pollIntervalMs": 9_999_999}), " 300000");
        check(
            json!({"status": "input_required", "inputRequests": {"q": form}}),
            "asks: │ Which account? [iban]",
        );
        check(
            json!({"status": "input_required", "inputRequests": {"q": form, "s": sampling}}),
            "failed: its server asked for what nobody gives it:\n│ q:\n│ Which account? [iban]\n│ s:\n│ (sampling/createMessage)",
        );
        let text = |text: &str| json!([{"type": "text", "text": text}]);
        check(json!({"status": "completed", "result": {"content": text("done")}}), "completed: done");
        check(
            json!({"status": "completed", "result": {"content": text("no"), "isError": true}}),
            "failed: no",
        );
        check(json!({"status": "failed", "error": {"code": -32603, "message": "boom"}}), "failed: boom");
        check(json!({"status": "cancelled"}), "cancelled: ");
    }

    #[test]
    fn task_address_round_trips() {
        for destination in [None, Some(Digest::new("abc"))] {
            let place = McpTaskAddress { server: "s".into(), task: "a\"b".into(), destination };
            assert_eq!(McpTaskAddress::read(&place.write()), Some(place));
        }
        let earlier = McpTaskAddress { server: "s".into(), task: "t".into(), destination: None };
        assert_eq!(McpTaskAddress::read(r#"["s","t"]"#), Some(earlier));
        assert_eq!(McpTaskAddress::read(r#"["s"]"#), None);
        assert_eq!(McpTaskAddress::read("https://books.example/tasks/77"), None);
    }
}
