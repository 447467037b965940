//! `settle … again`: proposes an action anew that did not happen.

use entracte_application::protocol::tools::with_approval_request;
use entracte_application::texts::{RefusalText, say, saying};
use entracte_application::use_cases::{ReadCalls, SettleCall};
use entracte_domain::id::CallId;

use super::manual_action::{format_unchanged, run_manual_action_through};
use super::request_follow_up::RequestFollowUp;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::user_text::message;

/// Proposes a new call, with its own card, for an action that did not happen. The old call is settled first, so that
/// only one of two people proposes it.
pub(super) async fn retry_settled_call(
    context: &CommandContext,
    follow_up: &RequestFollowUp<'_>,
    call: String,
    note: Option<String>,
) -> Result<CliExitCode, CliError> {
    let call = CallId::new(call);
    let Some(stage) = follow_up.here() else {
        let text = message!("settle-again-here", call = call.as_str());
        let next = format!("entracte settle {call} did-not-happen");
        return Err(CliError::with_next(CliExitCode::Usage, text, next));
    };
    let services = &stage.services;
    let read = ReadCalls::new(services.store.clone(), services.log.clone());
    let calls = read.run(&stage.workspace, &stage.session).await;
    let calls = stage.finish_request(calls).await?;
    let Some(view) = calls.into_iter().find(|view| view.call.id == call) else {
        stage.drain_owned_work().await?;
        let missing = RefusalText::from(saying!("request-no-call", call = call.as_str()));
        return Err(CliError::new(CliExitCode::NotFound, missing));
    };
    let command = view.call.effective_command();
    let Some(wanted) = with_approval_request(&services.catalog(), command) else {
        stage.drain_owned_work().await?;
        let text = message!("settle-no-again", command = command.name.as_str());
        let next = format!("entracte settle {call} did-not-happen");
        return Err(CliError::with_next(CliExitCode::NotAllowed, text, next));
    };
    let texts = context.workspace_texts().await;
    let note = note.unwrap_or_else(|| say!(texts, "settle-again-note"));
    let settle = SettleCall::new(stage.runtime.clone());
    let settled =
        settle.run(&stage.workspace, &stage.session, stage.author(), call.clone(), false, Some(note)).await;
    stage.finish_request(settled).await?;
    let seat = seat_of(&call);
    run_manual_action_through(context, services, &stage.runtime, seat, &wanted, format_unchanged).await
}

/// A seat for the proposal that replaces a call; different for each replaced call.
fn seat_of(call: &CallId) -> u32 {
    // FNV-1a, equal in every process.
    call.as_str()
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
