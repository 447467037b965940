//! Follows the tool calls that ask a person for input.
//!
//! In protocol 2026-07-28 the server answers such a call with its requests, and gets the call again with the
//! responses. The task's row has all that this needs, so it survives a restart. The row says that the call is sent
//! before it is sent, and it is sent only by the process that wrote this: an action whose answer was lost is never sent
//! twice. In earlier generations the call stays open at the server while a person is asked, and ends with
//! its connection.

use std::sync::Arc;

use entracte_application::ports::TaskGatewayRequest;
use entracte_application::system::SecretScrubber;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallOutcome;
use entracte_domain::command::CommandKind;
use entracte_domain::task::{CancelResponse, TaskOutcome, TaskUpdate};
use rmcp::model::{CallToolRequestParams, InputRequest, InputRequests, InputRequiredResult, JsonObject};

use super::call_handle::{CallContinuation, CallHandle, CallHandleError, target_digest};
use super::{McpTaskAddress, McpTaskReader, McpTasks, POLL, input_responses, pause};
use crate::mcp::call_outcome::{McpCallOutcome, classify_call_result};
use crate::mcp::held_calls::{HeldCallAnswer, HeldCallEnd, HeldCallQuestions, HeldCallView};
use crate::mcp::input_request;
use crate::mcp::open_calls::CallProgressReceiver;
use crate::mcp::server::McpServer;

/// A call that asks a person: the text of its handle, and what it asks for.
pub(in crate::mcp) struct WaitingCall {
    pub(in crate::mcp) handle: String,
    pub(in crate::mcp) requests: InputRequests,
}

/// Why nobody is asked for the input that a call wants.
pub(in crate::mcp) enum InputRefusal {
    /// It asks for something that nobody gives, or that cannot be shown whole.
    Unanswerable,
    Unstorable(CallHandleError),
    /// The tool is not as it was accepted any more.
    Changed,
}

/// The call of a tool, as the server answered it with requests for input.
pub(in crate::mcp) struct InputRequiredCall<'a> {
    pub(in crate::mcp) server: &'a McpServer,
    pub(in crate::mcp) tool: &'a str,
    pub(in crate::mcp) arguments: &'a JsonObject,
    pub(in crate::mcp) round: u32,
    /// The hash of what the call was approved for, taken before it was sent; `None` if the tool was not as it was
    /// accepted any more.
    pub(in crate::mcp) target: Option<String>,
}

impl InputRequiredCall<'_> {
    /// The call as its task's row stores it while a person is asked.
    pub(in crate::mcp) fn wait(
        &self,
        asked: InputRequiredResult,
        reading: &McpTaskReader,
    ) -> Result<WaitingCall, InputRefusal> {
        let requests = asked.input_requests.unwrap_or_default();
        if !input_request::can_be_asked(&requests) {
            return Err(InputRefusal::Unanswerable);
        }
        let target = self.target.clone().ok_or(InputRefusal::Changed)?;
        let again = CallContinuation {
            tool: self.tool.to_owned(),
            target,
            arguments: self.arguments.clone(),
            state: asked.request_state,
            requests: requests.clone(),
            responses: None,
            sender: None,
        };
        let handle = CallHandle { server: self.server.name.clone(), round: self.round, again: Some(again) };
        let handle = handle.write(&reading.scrubber).map_err(InputRefusal::Unstorable)?;
        Ok(WaitingCall { handle, requests })
    }
}

impl InputRefusal {
    /// The reason for the model; `None` if the requests themselves say it.
    pub(in crate::mcp) fn message(&self, texts: &LocalizedTexts) -> Option<String> {
        match self {
            Self::Unanswerable => None,
            Self::Unstorable(CallHandleError::TooLarge) => {
                Some(say!(texts, "tools-mcp-input-large", most = super::call_handle::HANDLE_MAX_BYTES))
            }
            Self::Unstorable(CallHandleError::Secret) => Some(say!(texts, "tools-mcp-input-secret")),
            Self::Changed => Some(say!(texts, "tools-mcp-input-changed")),
        }
    }
}

impl McpTasks {
    pub(super) async fn poll_call(&self, asked: &TaskGatewayRequest, handle: &CallHandle) -> TaskUpdate {
        let Some(server) = self.server_of_call(asked, handle) else { return TaskUpdate::Unreachable };
        let reading = McpTaskReader::of_server(server, SecretScrubber::default(), asked);
        let task = &asked.task.id;
        match &handle.again {
            Some(CallContinuation { requests, responses: None, .. }) => {
                return reading.asks(requests, None);
            }
            Some(again) if again.sender.is_none() => return announce_sending(server, asked, handle, again),
            Some(_) | None => {}
        }
        let is_of_this_process =
            handle.again.as_ref().is_none_or(|again| again.sender.as_deref() == Some(server.held.process()));
        let view = match is_of_this_process {
            true => server.held.look(task, handle.round),
            false => HeldCallView::Missing,
        };
        match (view, &handle.again) {
            (HeldCallView::Prepared, Some(again)) => self.send_again(server, asked, handle, again).await,
            (HeldCallView::Missing, Some(again)) if asked.task.kind == CommandKind::Query => {
                match is_of_this_process {
                    false => announce_sending(server, asked, handle, again),
                    true if server.held.prepare(task, handle.round) => {
                        self.send_again(server, asked, handle, again).await
                    }
                    true => TaskUpdate::Unreachable,
                }
            }
            (HeldCallView::Missing | HeldCallView::Prepared, _) => TaskUpdate::Gone,
            (HeldCallView::Working, _) => working(),
            (HeldCallView::Asks { question, scrubber }, _) => {
                let reading = McpTaskReader::of_server(server, scrubber, asked);
                reading.asks(&single(question), None)
            }
            (HeldCallView::Reported(update), _) => update,
            (HeldCallView::Answered(answer), _) => {
                self.report_call_answer(server, asked, handle, *answer).await
            }
        }
    }

    /// Checks an answer. The call itself is sent by later polls, when the row has the answer.
    pub(super) fn answer_call(&self, asked: &TaskGatewayRequest, handle: &CallHandle) -> TaskUpdate {
        let Some(server) = self.server_of_call(asked, handle) else { return TaskUpdate::AnswerRefused };
        let answer = asked.task.answer.as_deref().unwrap_or_default();
        let is_asked = |requests: &InputRequests, scrubber: SecretScrubber| {
            let reading = McpTaskReader::of_server(server, scrubber, asked);
            asked.task.question.as_deref() == Some(reading.question(requests).as_str())
        };
        match &handle.again {
            Some(again) if again.responses.is_none() => {
                if !is_asked(&again.requests, SecretScrubber::default()) {
                    return TaskUpdate::AnswerRefused;
                }
                let Some(responses) = input_responses::responses(&again.requests, answer) else {
                    return TaskUpdate::AnswerRefused;
                };
                let again = CallContinuation { responses: Some(responses), ..again.clone() };
                let round = handle.round.saturating_add(1);
                let next = CallHandle { server: server.name.clone(), round, again: Some(again.clone()) };
                let sender = Some(server.held.process().to_owned());
                let sending =
                    CallHandle { again: Some(CallContinuation { sender, ..again }), ..next.clone() };
                // The row has held the answer already, so it is not searched for secrets again.
                let none = SecretScrubber::default();
                match sending.write(&none).and_then(|_| next.write(&none)) {
                    Ok(remote) => TaskUpdate::AnswerTaken { remote: Some(remote), poll_after: Some(POLL.0) },
                    Err(_) => {
                        tracing::warn!(target: "entracte::mcp", task = asked.task.id.as_str(), server = server.name, "an answer is too long");
                        TaskUpdate::AnswerRefused
                    }
                }
            }
            // A call that was sent again may ask while it runs.
            Some(_) | None => {
                let Some(HeldCallQuestions { open, answered, scrubber }) =
                    server.held.questions(&asked.task.id)
                else {
                    return TaskUpdate::AnswerRefused;
                };
                let taken = TaskUpdate::AnswerTaken { remote: None, poll_after: Some(POLL.0) };
                match (open, answered) {
                    (Some(open), _) if is_asked(&single(open.clone()), scrubber.clone()) => {
                        let requests = single(open.clone());
                        let response = input_responses::responses(&requests, answer)
                            .and_then(|mut responses| responses.remove(QUESTION))
                            .and_then(|response| serde_json::from_value(response).ok());
                        let is_given = response
                            .is_some_and(|response| server.held.answer(&asked.task.id, &open, response));
                        if is_given { taken } else { TaskUpdate::AnswerRefused }
                    }
                    // The server has the answer, and the row missed that.
                    (_, Some(answered)) if is_asked(&single(answered.clone()), scrubber) => taken,
                    (_, _) => TaskUpdate::AnswerRefused,
                }
            }
        }
    }

    pub(super) fn cancel_call(&self, asked: &TaskGatewayRequest, handle: &CallHandle) -> TaskUpdate {
        let is_waiting = handle.again.as_ref().is_some_and(|again| again.sender.is_none());
        let Some(server) = self.server_of_call(asked, handle) else {
            return TaskUpdate::CancelAnswered(CancelResponse::Unconfirmed);
        };
        let answer = match server.held.end(&asked.task.id) {
            Some(HeldCallEnd::Reported(ended @ TaskUpdate::Final { .. })) => return ended,
            // While a person is asked, nothing runs at the server.
            Some(HeldCallEnd::NotSent) => CancelResponse::Confirmed,
            Some(HeldCallEnd::Reported(_)) | None if is_waiting => CancelResponse::Confirmed,
            // The server was told, and does not say what it had done until then.
            Some(HeldCallEnd::Stopped | HeldCallEnd::Reported(_)) | None => CancelResponse::Unconfirmed,
        };
        TaskUpdate::CancelAnswered(answer)
    }

    fn server_of_call(&self, asked: &TaskGatewayRequest, handle: &CallHandle) -> Option<&McpServer> {
        let server = self.servers.get(&handle.server).map(Arc::as_ref);
        if server.is_none() {
            tracing::warn!(target: "entracte::mcp", task = asked.task.id.as_str(), server = handle.server, "the configuration has no such server any more");
        }
        server
    }

    /// Sends a prepared call, if it still reaches what was approved.
    async fn send_again(
        &self,
        server: &McpServer,
        asked: &TaskGatewayRequest,
        handle: &CallHandle,
        again: &CallContinuation,
    ) -> TaskUpdate {
        let task = &asked.task.id;
        let connection = match server.connection(Some(asked.now)).await {
            Ok(connection) => connection,
            Err(error) => {
                tracing::warn!(target: "entracte::mcp", task = task.as_str(), %error, "an answered call cannot be sent");
                return TaskUpdate::Unreachable;
            }
        };
        // An approval is for one program or address, and one declaration.
        if target_digest(server, &again.tool).is_none_or(|target| target.as_str() != again.target) {
            let reading = McpTaskReader::of_server(server, connection.scrubber(), asked);
            let changed = say!(reading.texts, "tools-mcp-input-changed");
            return server.held.report(task, reading.ended(TaskOutcome::Failed, changed));
        }
        let mut params =
            CallToolRequestParams::new(again.tool.clone()).with_arguments(again.arguments.clone());
        if connection.has_initialize {
            // A server of such a generation refused the call until a person had visited an address; it takes no answers.
            if !again.responses.as_ref().is_some_and(input_responses::are_accepted) {
                let reading = McpTaskReader::of_server(server, connection.scrubber(), asked);
                let declined = say!(reading.texts, "tools-mcp-input-declined");
                return server.held.report(task, reading.ended(TaskOutcome::Failed, declined));
            }
        } else {
            params.input_responses.clone_from(&again.responses);
            params.request_state.clone_from(&again.state);
        }
        let call = connection.begin_call(params, true, CallProgressReceiver::default());
        match server.held.send_prepared(task, handle.round, call, &connection) {
            true => working(),
            false => TaskUpdate::Unreachable,
        }
    }

    async fn report_call_answer(
        &self,
        server: &McpServer,
        asked: &TaskGatewayRequest,
        handle: &CallHandle,
        answer: HeldCallAnswer,
    ) -> TaskUpdate {
        let HeldCallAnswer { answer, connection, scrubber } = answer;
        let (task, connection) = (&asked.task.id, connection.upgrade());
        let reading = McpTaskReader::of_server(server, scrubber, asked);
        let outcome = match answer {
            None => McpCallOutcome::Broken,
            Some(answer) => classify_call_result(answer, &reading.scrubber, reading.bytes_max, reading.texts),
        };
        match outcome {
            McpCallOutcome::Answered(outcome) => server.held.report(task, final_update(outcome, &reading)),
            McpCallOutcome::InputRequired(input) => {
                server.held.report(task, asks_again(server, handle, *input, &reading))
            }
            McpCallOutcome::Task(created) => {
                let place = McpTaskAddress::of(server, created.task.task_id.clone());
                let poll_after = Some(pause(&created.task));
                server.held.report(task, TaskUpdate::AnswerTaken { remote: Some(place.write()), poll_after })
            }
            // It did not reach the server, which gets it once more.
            McpCallOutcome::NotDone(_) | McpCallOutcome::LoggedOut if handle.again.is_some() => {
                let update = match server.held.prepare_resend(task) {
                    true => working(),
                    false => {
                        let why = say!(reading.texts, "tools-mcp-input-unsent", server = &server.name);
                        server.held.report(task, reading.ended(TaskOutcome::Failed, why))
                    }
                };
                if let Some(connection) = connection {
                    server.discard_session(&connection).await;
                }
                update
            }
            McpCallOutcome::NotDone(_) | McpCallOutcome::LoggedOut | McpCallOutcome::Broken => {
                let may_repeat = asked.task.kind == CommandKind::Query && handle.again.is_some();
                let update = match may_repeat && server.held.prepare_resend(task) {
                    true => working(),
                    false => server.held.report(task, TaskUpdate::Gone),
                };
                if let Some(connection) = connection {
                    server.drop_connection(&connection, asked.now).await;
                }
                update
            }
        }
    }
}

/// Allows this process to send the call, and lets the row say so first.
fn announce_sending(
    server: &McpServer,
    asked: &TaskGatewayRequest,
    handle: &CallHandle,
    again: &CallContinuation,
) -> TaskUpdate {
    let again = CallContinuation { sender: Some(server.held.process().to_owned()), ..again.clone() };
    let sending = CallHandle { again: Some(again), ..handle.clone() };
    match sending.write(&SecretScrubber::default()) {
        Ok(remote) if server.held.prepare(&asked.task.id, handle.round) => {
            TaskUpdate::AnswerTaken { remote: Some(remote), poll_after: Some(POLL.0) }
        }
        Ok(_) | Err(_) => {
            tracing::warn!(target: "entracte::mcp", task = asked.task.id.as_str(), server = server.name, "too many calls of the server are open; an answered one waits");
            TaskUpdate::Unreachable
        }
    }
}

fn working() -> TaskUpdate {
    TaskUpdate::Progress { text: String::new(), at: None, poll_after: None }
}

/// A question of an open call as one of several requests.
fn single(question: InputRequest) -> InputRequests {
    [(QUESTION.to_owned(), question)].into()
}

fn final_update(outcome: CallOutcome, reading: &McpTaskReader) -> TaskUpdate {
    match outcome {
        CallOutcome::Succeeded { content, .. } => reading.ended(TaskOutcome::Completed, content),
        CallOutcome::Failed(failure) => reading.ended(TaskOutcome::Failed, failure.message),
        // None of these is the answer of a server.
        CallOutcome::Accepted { .. }
        | CallOutcome::TimedOut
        | CallOutcome::Lost { .. }
        | CallOutcome::Probed { .. }
        | CallOutcome::Reported { .. } => TaskUpdate::Gone,
    }
}

fn asks_again(
    server: &McpServer,
    handle: &CallHandle,
    input: InputRequiredResult,
    reading: &McpTaskReader,
) -> TaskUpdate {
    let Some(again) = &handle.again else {
        // A generation that keeps calls open does not answer with requests.
        return TaskUpdate::Gone;
    };
    let lines = reading.scrub_text(input_request::input_request_text(&input));
    let call = InputRequiredCall {
        server,
        tool: &again.tool,
        arguments: &again.arguments,
        round: handle.round,
        target: Some(again.target.clone()),
    };
    match call.wait(input, reading) {
        Ok(WaitingCall { handle, requests }) => reading.asks(&requests, Some(handle)),
        Err(why) => {
            let why = why
                .message(reading.texts)
                .unwrap_or_else(|| say!(reading.texts, "tools-mcp-task-wants", asked = lines));
            reading.ended(TaskOutcome::Failed, why)
        }
    }
}

/// The key of the question of an open call, which the protocol does not name.
const QUESTION: &str = "question";
