//! Runs commands that a person requests manually, like every other action: with ledger, rules and approvals.

use entracte_application::use_cases::{
    ExternalCaller, ManualActionOutcome, ManualActionPorts, RunManualAction, RunQueryCommand,
};
use entracte_domain::call::CallStatus;
use entracte_domain::command::Command;
use entracte_domain::restriction::Restriction;
use entracte_domain::value::JsonValue;
use http::StatusCode;

use crate::authentication::WorkspacePrincipal;
use crate::problem::{Problem, ProblemCode};
use crate::server_state::ServerState;
use crate::shapes::command_outcome::{DONE, RefusedCallShape, ResultShape, WAITS_FOR_APPROVAL, WORKS, read};

/// The seat of manual sessions. The clients of the MCP server and proposals of settled actions have other seats, even for the
/// same person.
const SEAT: u32 = u32::MAX;

/// Runs a local action as the principal, once under the request's idempotency key.
pub(crate) async fn run_manual_action(
    server_state: &ServerState,
    caller: &WorkspacePrincipal,
    command: &str,
    arguments: JsonValue,
) -> Result<ResultShape, Problem> {
    let ports = &server_state.ports;
    let who = ExternalCaller {
        workspace: caller.workspace().clone(),
        name: caller.author(),
        seat: SEAT,
        restriction: Restriction::Open,
    };
    let through = ManualActionPorts {
        mail_sender: caller.mail_sender_without_key(server_state),
        store: ports.store.clone(),
        log: ports.log.clone(),
        rows: ports.rows.clone(),
        catalog: ports.catalog.get(),
        clock: ports.clock.clone(),
        live: ports.live.clone(),
    };
    let act =
        RunManualAction::new(through, server_state.manual_action_queue(caller.workspace(), &caller.author()));
    let act = match caller.idempotent_request().is_some() {
        true => act.with_idempotency_key(
            caller.mail_sender(server_state),
            caller.find_replayed_answer(server_state).await?,
        ),
        false => act,
    };
    let wanted = Command { name: command.to_owned(), arguments };
    outcome_shape(command, act.run(&who, &wanted, server_state.terms.limits.action_wait).await?)
}

/// Runs a query and returns its result.
pub(crate) async fn run_manual_query(
    server_state: &ServerState,
    caller: &WorkspacePrincipal,
    command: &str,
    arguments: JsonValue,
) -> Result<String, Problem> {
    let ports = &server_state.ports;
    let run = RunQueryCommand::new(
        ports.catalog.get(),
        ports.store.clone(),
        ports.clock.clone(),
        ports.ids.clone(),
    )
    .for_reader(caller.reader());
    Ok(run.run(caller.workspace(), command, arguments).await?)
}

/// The status of an answer: `done` once the action is done, otherwise 202.
pub(crate) fn status(shape: &ResultShape, done: StatusCode) -> StatusCode {
    if shape.is_done() { done } else { StatusCode::ACCEPTED }
}

fn outcome_shape(command: &str, done: ManualActionOutcome) -> Result<ResultShape, Problem> {
    Ok(match done {
        ManualActionOutcome::Done { session, call, content } => ResultShape {
            result: read(content),
            session: Some(session.to_string()),
            call: Some(call.to_string()),
            ..ResultShape::in_state(command, DONE)
        },
        ManualActionOutcome::Waits { session, approval } => ResultShape {
            session: Some(session.to_string()),
            call: Some(approval.call.id.to_string()),
            approval: Some(approval.id.to_string()),
            ..ResultShape::in_state(command, WAITS_FOR_APPROVAL)
        },
        ManualActionOutcome::Works { session } => {
            ResultShape { session: Some(session.to_string()), ..ResultShape::in_state(command, WORKS) }
        }
        ManualActionOutcome::Refused { state, code, content } => {
            return Err(action_refusal_problem(state, code, content));
        }
        ManualActionOutcome::Failed(why) => {
            let call = RefusedCallShape { state: CallStatus::Failed.word().to_owned(), code: None };
            let problem = Problem::new(ProblemCode::NotApplicable, why);
            return Err(problem.with_current(&call));
        }
    })
}

/// Distinguishes invalid requests from requests that the current state does not allow.
fn action_refusal_problem(state: String, code: Option<String>, content: String) -> Problem {
    let word = code.as_deref().unwrap_or_default();
    let as_code = match word {
        "NOT_FOUND" => ProblemCode::NotFound,
        "NAME_TAKEN" | "STALE_VERSION" | "STALE_PROPOSAL" => ProblemCode::Conflict,
        _ if state == CallStatus::Failed.word() => ProblemCode::Invalid,
        _ => ProblemCode::NotApplicable,
    };
    let detail = code.as_ref().map_or_else(|| content.clone(), |code| format!("{code}: {content}"));
    let call = RefusedCallShape { state, code };
    Problem::new(as_code, detail).with_current(&call)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    /// Input: an action that came to nothing; expected: a conflict with the state of a failure, which tells it from a request
    /// that was not accepted.
    #[test]
    fn action_that_came_to_nothing_has_its_state() {
        let failed = ManualActionOutcome::Failed("the call was stopped before it began".to_owned());
        let problem = outcome_shape("zones.create", failed).unwrap_err();
        assert_eq!(problem.code(), ProblemCode::NotApplicable);
        let current = problem.current().map(RawValue::get);
        assert_eq!(current, Some(r#"{"state":"failed","code":null}"#));
    }
}
