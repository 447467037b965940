//! Runs a query, or an action on the workspace's own data, by hand: with the same checks and approvals as every call,
//! journaled as that person's.

use entracte_adapters_http::api_transport::{ApiFault, ApiRequest};
use entracte_adapters_http::shapes::card::CardShape;
use entracte_adapters_http::shapes::command_outcome::{RefusedCallShape, ResultShape, RunShape, WORKS};
use entracte_application::json_value::{ExactJson, to_indented_text, to_text};
use entracte_application::ports::{Clock, IdGenerator};
use entracte_application::system::{RandomIdGenerator, SystemClock};
use entracte_application::texts::{LocalizedTexts, say};
use entracte_domain::call::CallStatus;
use entracte_domain::time::Millis;
use entracte_domain::value::JsonValue;

use crate::api_client::{ApiClient, post};
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::json::VersionedShape;
use crate::render::approval::card;
use crate::render::text::block;

/// The name of a result of a command.
const RESULT_SCHEMA: &str = "entracte.result/2";

/// The pause between two requests for a running action; the server waits for the action within each of them, too.
const LOOK_AGAIN: Millis = Millis(200);

/// Formats a result for people.
pub(super) type ResultFormatter = fn(&JsonValue, &LocalizedTexts) -> String;

/// A text as it is, anything else as indented JSON.
pub(super) fn format_indented(result: &JsonValue, _: &LocalizedTexts) -> String {
    result.as_text().map_or_else(|| to_indented_text(result), str::to_owned)
}

/// A text as it is, anything else as JSON on one line.
pub(super) fn format_compact(result: &JsonValue, _: &LocalizedTexts) -> String {
    result.as_text().map_or_else(|| to_text(result), str::to_owned)
}

/// Runs a query. It changes nothing, so this process takes up no work for it.
pub(super) async fn run_query(
    api: &ApiClient<'_>,
    name: &str,
    arguments: &JsonValue,
) -> Result<ResultShape, CliError> {
    api.read_by(run_request(api, name, arguments)).await
}

/// The request that runs a command. The arguments are sorted, so that those of one meaning have one text.
fn run_request(api: &ApiClient<'_>, name: &str, arguments: &JsonValue) -> ApiRequest {
    let run = RunShape { arguments: Some(ExactJson::sorted(arguments)) };
    post(&api.path(&["commands", name, "runs"]), &run)
}

/// Runs an action on the workspace's own data, and waits until it is done or waits for its approval. Says so if that takes
/// long.
pub(super) async fn run_action(
    context: &CommandContext,
    api: &ApiClient<'_>,
    name: &str,
    arguments: &JsonValue,
) -> Result<ResultShape, CliError> {
    api.open_runtime().await?;
    // By the key a repeated request finds the same action. Without it, one whose result was read meanwhile would run again.
    let request = run_request(api, name, arguments).with_idempotency_key(RandomIdGenerator.key());
    let mut has_said_so = false;
    let done = loop {
        let done = match api.answer(request.clone()).await {
            Ok(answer) => api.parse::<ResultShape>(&answer),
            Err(fault) => Err(refusal(api, name, fault)),
        };
        let Some(session) = working_session(&done) else { break done };
        if !has_said_so {
            let texts = api.texts().await?;
            context.out.write_notice(&say!(texts, "action-works", session = session));
            has_said_so = true;
        }
        // While the action works, the same request under its key finds it again. The process that works on it may be
        // gone: then this one goes on with it.
        if let Some((_, runtime)) = api.open_here_runtime().await? {
            runtime.take_ownership_now().await?;
        }
        SystemClock.sleep(LOOK_AGAIN).await;
    };
    api.drain().await?;
    done
}

/// The session of an action that still works.
fn working_session(done: &Result<ResultShape, CliError>) -> Option<&str> {
    let done = done.as_ref().ok().filter(|done| done.state == WORKS)?;
    Some(done.session.as_deref().unwrap_or_default())
}

/// Prints what became of a command: its result, or the card of the approval that it waits for.
pub(super) async fn report(
    context: &CommandContext,
    api: &ApiClient<'_>,
    done: ResultShape,
    words: ResultFormatter,
) -> Result<CliExitCode, CliError> {
    let waits_for = done.approval.clone();
    let exit = if waits_for.is_some() { CliExitCode::Waiting } else { CliExitCode::Done };
    if context.out.json {
        print_object(context, done)?;
        return Ok(exit);
    }
    let texts = api.texts().await?;
    let Some(id) = waits_for else {
        context.out.write_data_line(&block(&words(&done.result.0, texts)))?;
        return Ok(exit);
    };
    // The person who ran it may be the one who approves it, and sees its effect on the card.
    let shown: CardShape = api.get(&api.path(&["approvals", &id])).await?;
    let card = card(&shown, texts, context.out.message_style.colour, &context.zone).text;
    context.out.write_notice(&format!("{card}\n  entracte approve {id}\n  entracte reject {id}"));
    Ok(exit)
}

/// Prints the outcome as JSON.
pub(super) fn print_object(context: &CommandContext, done: ResultShape) -> Result<(), CliError> {
    context.out.write_json_line(&VersionedShape::new(RESULT_SCHEMA, done))
}

/// The error for an action that was not done; its exit code is that of the call's code or state.
fn refusal(api: &ApiClient<'_>, name: &str, fault: ApiFault) -> CliError {
    let ApiFault::Refused(problem) = &fault else { return api.error(fault) };
    let call = problem.current().map(|current| serde_json::from_str::<RefusedCallShape>(current.get()));
    let Some(Ok(call)) = call else { return api.error(fault) };
    let exit = exit_of(&call.state, call.code.as_deref());
    CliError::new(exit, problem.detail().clone()).or_next(format!("entracte command show {name}"))
}

/// The exit code for a failure code, or else for the state of the call.
pub(super) fn exit_of(state: &str, code: Option<&str>) -> CliExitCode {
    match code {
        Some("NOT_FOUND") => return CliExitCode::NotFound,
        Some("NAME_TAKEN" | "STALE_VERSION" | "STALE_PROPOSAL") => return CliExitCode::Conflict,
        Some(_) | None => {}
    }
    if state == CallStatus::Forbidden.word() {
        CliExitCode::NotAllowed
    } else if state == CallStatus::Unknown.word() {
        CliExitCode::Unknown
    } else if state == CallStatus::InvalidArguments.word() {
        CliExitCode::Usage
    } else {
        CliExitCode::Failure
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Input: the states and codes of actions that were not done; expected: an action that came to nothing is a failure, and
    /// not a conflict.
    #[test]
    fn exit_code_is_that_of_the_action() {
        let cases = [
            ("failed", None, CliExitCode::Failure),
            ("failed", Some("NAME_TAKEN"), CliExitCode::Conflict),
            ("failed", Some("NOT_FOUND"), CliExitCode::NotFound),
            ("forbidden", None, CliExitCode::NotAllowed),
        ];
        for (state, code, expected) in cases {
            assert_eq!(exit_of(state, code), expected, "{state} {code:?}");
        }
    }
}
