//! Maps the answer of a server to the outcome of a call.

use std::borrow::Cow;
use std::time::Duration;

use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::{CallFailure, CallOutcome};
use rmcp::model::{CallToolResponse, CallToolResult, CreateTaskResult, ErrorCode, InputRequiredResult};
use rmcp::service::ServiceError;

use super::content::{capped, text_of};
use super::http::{self, RequestFate};
use super::input_request;
use super::text::line;
use super::tool_offer::ToolSizeExcess;
use crate::call_outcome::{failure, retryable, succeeded};
use entracte_application::system::SecretScrubber;

/// The names of a tool, for failure texts.
pub(super) struct ToolCallLabel<'a> {
    /// Its name for the model.
    pub(super) name: Cow<'a, str>,
    /// Its command name, which a person types.
    pub(super) command: &'a str,
}

/// The result of one attempt to call a tool.
#[derive(Debug)]
pub(super) enum McpCallOutcome {
    /// The server answered.
    Answered(CallOutcome),
    /// The server answered with a long task.
    Task(Box<CreateTaskResult>),
    /// The server answered that it needs input, and gets the call again with it.
    InputRequired(Box<InputRequiredResult>),
    /// Nothing reached the server, or the server reports that it did nothing.
    NotDone(UnsentCall),
    /// The server rejected the call until a person logs in; the connection has ended.
    LoggedOut,
    /// It is unknown whether the call was carried out; the connection has ended.
    Broken,
}

/// A call that was surely not carried out.
#[derive(Debug)]
pub(super) struct UnsentCall {
    pub(super) why: String,
    /// When it may be sent once more; `None` if the server would refuse it again.
    pub(super) resend: Option<ResendTime>,
}

/// When a call that was not carried out may be sent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResendTime {
    /// At once, on a new session.
    NewSession,
    /// After a wait, on a new connection.
    NewConnection(Duration),
    /// After a wait, on the same connection.
    Later(Duration),
}

/// Classifies the result of a call request.
pub(super) fn classify_call_result(
    answer: Result<CallToolResponse, ServiceError>,
    scrubber: &SecretScrubber,
    bytes_max: usize,
    texts: &LocalizedTexts,
) -> McpCallOutcome {
    match answer {
        Ok(CallToolResponse::Complete(result)) => {
            McpCallOutcome::Answered(of_result(&result, scrubber, bytes_max, texts))
        }
        Ok(CallToolResponse::InputRequired(asked)) => McpCallOutcome::InputRequired(Box::new(asked)),
        Err(ServiceError::McpError(error)) => {
            if let Some(asked) = input_request::required_addresses(&error) {
                return McpCallOutcome::InputRequired(Box::new(asked));
            }
            let text = capped(scrubber.scrub_owned(error.message.into_owned()), bytes_max, texts);
            McpCallOutcome::Answered(CallOutcome::Failed(failure(code(error.code), text)))
        }
        Err(ServiceError::TransportSend(error)) => {
            let cause = error.error.as_ref();
            if http::needs_login(cause) {
                return McpCallOutcome::LoggedOut;
            }
            let resend = match http::request_fate(cause) {
                RequestFate::Unknown => return McpCallOutcome::Broken,
                RequestFate::Refused => None,
                RequestFate::SessionLost => Some(ResendTime::NewSession),
                RequestFate::NotSent => Some(ResendTime::NewConnection(RESEND_WAIT)),
                RequestFate::Limited { wait } => Some(ResendTime::Later(wait.unwrap_or(RESEND_WAIT))),
            };
            let why = line(&scrubber.scrub_owned(http::transport_error_text(cause)), SAYS_MAX_CHARS);
            McpCallOutcome::NotDone(UnsentCall { why, resend })
        }
        Ok(CallToolResponse::Task(created)) => McpCallOutcome::Task(Box::new(created)),
        Ok(_) | Err(_) => McpCallOutcome::Broken,
    }
}

fn of_result(
    result: &CallToolResult,
    scrubber: &SecretScrubber,
    bytes_max: usize,
    texts: &LocalizedTexts,
) -> CallOutcome {
    let text = capped(scrubber.scrub_owned(text_of(result, texts)), bytes_max, texts);
    if result.is_error == Some(true) {
        return CallOutcome::Failed(failure("TOOL_ERROR", text));
    }
    succeeded(text)
}

fn code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::INVALID_PARAMS => "INVALID_ARGUMENTS",
        ErrorCode::METHOD_NOT_FOUND => "UNKNOWN_COMMAND",
        _ => "EXECUTOR_ERROR",
    }
}

/// The outcome of a call whose server asks for input that cannot be given.
pub(super) fn input_not_given(asked: String, texts: &LocalizedTexts) -> CallOutcome {
    CallOutcome::Failed(failure("INPUT_REQUIRED", say!(texts, "bounds-input-required", asked = asked)))
}

/// The outcome when the server was unavailable: nothing was sent, and a later attempt may succeed.
pub(super) fn unavailable(why: String) -> CallOutcome {
    retryable("SERVER_UNAVAILABLE", why)
}

/// The outcome when the server requires a login: nothing was done, and an attempt after the login may succeed.
pub(super) fn login_required(why: String) -> CallOutcome {
    retryable("LOGIN_REQUIRED", why)
}

/// The failure of a tool that differs from its accepted declaration. Names the changed parts, never their new
/// content.
pub(super) fn declaration_changed_failure(
    tool: &ToolCallLabel<'_>,
    parts: &[&str],
    texts: &LocalizedTexts,
) -> CallFailure {
    let parts = parts.iter().map(|part| say!(texts, "tools-mcp-part", part = *part));
    let parts = parts.reduce(|first, next| say!(texts, "tools-mcp-parts", first = first, next = next));
    let parts = parts.unwrap_or_default();
    failure(
        "TOOL_CHANGED",
        say!(texts, "tools-mcp-changed", tool = tool.name.as_ref(), parts = parts, command = tool.command),
    )
}

/// The failure of a tool whose current declaration is too large to compare.
pub(super) fn oversized_tool_failure(
    tool: &ToolCallLabel<'_>,
    refused: &ToolSizeExcess,
    texts: &LocalizedTexts,
) -> CallFailure {
    let why = refused.message(texts);
    failure("TOOL_REFUSED", say!(texts, "bounds-tool-refused", command = tool.name.as_ref(), why = why))
}

/// The failure of a tool that no person has accepted yet.
pub(super) fn not_accepted_failure(tool: &ToolCallLabel<'_>, texts: &LocalizedTexts) -> CallFailure {
    failure(
        "TOOL_CHANGED",
        say!(texts, "tools-mcp-undecided", tool = tool.name.as_ref(), command = tool.command),
    )
}

/// The failure of a tool that the server no longer offers.
pub(super) fn tool_removed_failure(tool: &ToolCallLabel<'_>, texts: &LocalizedTexts) -> CallFailure {
    failure("UNKNOWN_COMMAND", say!(texts, "tools-mcp-gone", command = tool.name.as_ref()))
}

/// The outcome of a call that the server refused: it was not carried out, and would be refused again.
pub(super) fn refused(why: String) -> CallOutcome {
    CallOutcome::Failed(failure("SERVER_REFUSED", why))
}

/// The wait before a call is sent once more, unless the server says another.
const RESEND_WAIT: Duration = Duration::from_secs(1);
/// The most characters of a server's error text that are repeated.
const SAYS_MAX_CHARS: usize = 500;

#[cfg(test)]
mod tests {
    use entracte_application::settings::Language;
    use rmcp::model::ErrorData;
    use serde_json::json;

    use super::*;

    fn check(answer: Result<CallToolResponse, ServiceError>, expected: &str) {
        let said = match classify_call_result(
            answer,
            &SecretScrubber::default(),
            100,
            LocalizedTexts::for_language(Language::En),
        ) {
            McpCallOutcome::Answered(CallOutcome::Succeeded { content, .. }) => format!("done: {content}"),
            McpCallOutcome::Answered(CallOutcome::Failed(failure)) => {
                format!("{}: {}", failure.code, failure.message)
            }
            other => format!("{other:?}"),
        };
        assert_eq!(said, expected);
    }

    fn error(code: ErrorCode) -> Result<CallToolResponse, ServiceError> {
        Err(ServiceError::McpError(ErrorData::new(code, "no", None)))
    }

    #[test]
    fn each_server_answer_has_its_outcome() {
        let result =
            |json| Ok(CallToolResponse::Complete(serde_json::from_value::<CallToolResult>(json).unwrap()));
        check(result(json!({"content": [{"type": "text", "text": "a"}]})), "done: a");
        check(result(json!({"content": [{"type": "text", "text": "a"}], "isError": true})), "TOOL_ERROR: a");
        check(error(ErrorCode::INVALID_PARAMS), "INVALID_ARGUMENTS: no");
        check(error(ErrorCode::METHOD_NOT_FOUND), "UNKNOWN_COMMAND: no");
        check(error(ErrorCode::INTERNAL_ERROR), "EXECUTOR_ERROR: no");
        check(Err(ServiceError::TransportClosed), "Broken");
        check(Err(ServiceError::UnexpectedResponse), "Broken");
    }
}
