//! What became of a call, in the machine's words.

use entracte_domain::command::{CallOutcome, Failure};
use rmcp::model::{CallToolResult, ErrorCode};
use rmcp::service::ServiceError;

use super::content::{capped, text_of};
use super::http;
use super::text::line;
use crate::answer::{failure, retryable, succeeded};
use crate::secret::Scrubber;

/// What a call came to.
#[derive(Debug, PartialEq)]
pub(super) enum Fate {
    /// The server answered.
    Answered(CallOutcome),
    /// Nothing reached the server, or it says that it did nothing; the conversation is over.
    Unsent(String),
    /// Nobody knows; the conversation is over.
    Broken,
}

/// The fate of a call that ended with `answer`.
pub(super) fn fate(
    answer: Result<CallToolResult, ServiceError>,
    scrubber: &Scrubber,
    bytes_max: usize,
) -> Fate {
    match answer {
        Ok(result) => Fate::Answered(of_result(&result, scrubber, bytes_max)),
        Err(ServiceError::McpError(error)) => {
            let text = capped(scrubber.scrubbed(error.message.into_owned()), bytes_max);
            Fate::Answered(CallOutcome::Failed(failure(code(error.code), text)))
        }
        Err(ServiceError::InputRequiredRoundsExceeded { .. }) => {
            let message = "the tool wants more input from a person or a model, which it cannot get here";
            Fate::Answered(CallOutcome::Failed(failure("INPUT_REQUIRED", message)))
        }
        Err(ServiceError::TransportSend(error)) => {
            let cause = error.error.as_ref();
            if http::never_connected(cause) || http::turned_away(cause) {
                return Fate::Unsent(line(&scrubber.scrubbed(http::says(cause)), SAYS_MAX_CHARS));
            }
            Fate::Broken
        }
        Err(_) => Fate::Broken,
    }
}

fn of_result(result: &CallToolResult, scrubber: &Scrubber, bytes_max: usize) -> CallOutcome {
    let text = capped(scrubber.scrubbed(text_of(result)), bytes_max);
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

/// The server could not be used; nothing was sent, and a later try may succeed.
pub(super) fn unavailable(why: String) -> CallOutcome {
    retryable("SERVER_UNAVAILABLE", why)
}

/// The tool is not what a person accepted. Says which parts changed, never what they say now.
pub(super) fn changed(command: &str, parts: &[&str]) -> Failure {
    let message = format!(
        "“{command}” is not what was accepted: its {} changed on the server. Nothing was sent. A person has to look \
         at it and accept it: entracte command accept {command}",
        parts.join(" and ")
    );
    failure("TOOL_CHANGED", message)
}

/// The server does not have the tool any more.
pub(super) fn gone(command: &str) -> Failure {
    failure("UNKNOWN_COMMAND", format!("“{command}” is not offered by its server any more; nothing was sent"))
}

/// Longest complaint of a server in an error, in characters.
const SAYS_MAX_CHARS: usize = 500;

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorData;
    use serde_json::json;

    use super::*;

    fn check(answer: Result<CallToolResult, ServiceError>, expected: &str) {
        let said = match fate(answer, &Scrubber::default(), 100) {
            Fate::Answered(CallOutcome::Succeeded { content, .. }) => format!("done: {content}"),
            Fate::Answered(CallOutcome::Failed(failure)) => format!("{}: {}", failure.code, failure.message),
            other => format!("{other:?}"),
        };
        assert_eq!(said, expected);
    }

    fn error(code: ErrorCode) -> Result<CallToolResult, ServiceError> {
        Err(ServiceError::McpError(ErrorData::new(code, "no", None)))
    }

    #[test]
    fn each_answer_has_its_outcome() {
        let result = |json| Ok(serde_json::from_value::<CallToolResult>(json).unwrap());
        check(result(json!({"content": [{"type": "text", "text": "a"}]})), "done: a");
        check(result(json!({"content": [{"type": "text", "text": "a"}], "isError": true})), "TOOL_ERROR: a");
        check(error(ErrorCode::INVALID_PARAMS), "INVALID_ARGUMENTS: no");
        check(error(ErrorCode::METHOD_NOT_FOUND), "UNKNOWN_COMMAND: no");
        check(error(ErrorCode::INTERNAL_ERROR), "EXECUTOR_ERROR: no");
        check(Err(ServiceError::TransportClosed), "Broken");
        check(Err(ServiceError::UnexpectedResponse), "Broken");
    }
}
