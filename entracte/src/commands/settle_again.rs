//! `settle … again`: proposes an action anew that did not happen.

use entracte_adapters_http::shapes::command_outcome::{self, DONE, ResultShape, WAITS_FOR_APPROVAL};
use entracte_application::journal::JournalEntry;
use entracte_application::protocol::tools::with_approval_request;
use entracte_application::texts::{LocalizedTexts, RefusalText, say, saying};
use entracte_application::use_cases::{
    ExternalCallOutcome, ExternalCaller, ReadCalls, RunExternalCall, SettleCall, settings_of,
};
use entracte_domain::command::Command;
use entracte_domain::file::append_file_lines;
use entracte_domain::id::{CallId, SessionId};
use entracte_domain::restriction::Restriction;

use super::command_run::{exit_of, format_compact, report};
use super::request_follow_up::RequestFollowUp;
use super::turn::SessionContext;
use crate::api_client::ApiClient;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{SessionFollower, SessionWatcher};
use crate::user_text::message;

/// Shows only the outcome.
struct OutcomeOnlyWatcher;

impl SessionWatcher for OutcomeOnlyWatcher {
    fn on_entry(&mut self, _entry: &JournalEntry) -> Result<(), CliError> {
        Ok(())
    }
}

/// Proposes a new call, with its own card, for an action that did not happen. The old call is settled first, so that
/// only one of two people proposes it.
pub(super) async fn retry_settled_call(
    context: &CommandContext,
    api: &ApiClient<'_>,
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
    // The note is stored, and read by the model: it is in the language of the workspace.
    let settings = stage.finish_request(settings_of(&*services.store, &stage.workspace).await).await?;
    let stored = LocalizedTexts::for_language(settings.language);
    let note = note.unwrap_or_else(|| say!(stored, "settle-again-note"));
    let settle = SettleCall::new(stage.runtime.clone());
    let settled =
        settle.run(&stage.workspace, &stage.session, stage.author(), call.clone(), false, Some(note)).await;
    stage.finish_request(settled).await?;
    let proposed = propose(stage, seat_of(&call), &wanted, context.workspace_texts().await).await;
    stage.drain_owned_work().await?;
    report(context, api, proposed?, format_compact).await
}

/// Proposes an action from this seat, and waits until it is done or waits for its approval.
async fn propose(
    stage: &SessionContext<'_>,
    seat: u32,
    command: &Command,
    texts: &LocalizedTexts,
) -> Result<ResultShape, CliError> {
    let (mut session, mut answered) = answer(stage, seat, command).await?;
    if answered.is_shown_schema() {
        // The refusal showed the schema, so the call is now checked against it.
        (session, answered) = answer(stage, seat, command).await?;
    }
    let (session, name) = (Some(session.to_string()), &command.name);
    match answered {
        ExternalCallOutcome::Result { call, mut content, files, is_error: false, .. } => {
            append_file_lines(&mut content, &files);
            Ok(ResultShape {
                result: command_outcome::read(content),
                session,
                call: Some(call.to_string()),
                ..ResultShape::in_state(name, DONE)
            })
        }
        ExternalCallOutcome::Result { state, code, content, .. } => {
            let exit = exit_of(&state, code.as_deref());
            let text = match code {
                Some(code) => say!(texts, "by-hand-code", code = code, message = content),
                None => content,
            };
            Err(CliError::new(exit, text).or_next(format!("entracte command show {name}")))
        }
        ExternalCallOutcome::WaitsForApproval(approval) => Ok(ResultShape {
            session,
            call: Some(approval.call.id.to_string()),
            approval: Some(approval.id.to_string()),
            ..ResultShape::in_state(name, WAITS_FOR_APPROVAL)
        }),
        ExternalCallOutcome::Failed(why) => Err(CliError::new(CliExitCode::Failure, why)),
    }
}

/// Makes the call, and waits for its answer.
async fn answer(
    stage: &SessionContext<'_>,
    seat: u32,
    command: &Command,
) -> Result<(SessionId, ExternalCallOutcome), CliError> {
    let services = &stage.services;
    let who = ExternalCaller {
        workspace: stage.workspace.clone(),
        name: stage.author(),
        seat,
        restriction: Restriction::Open,
    };
    let calls = RunExternalCall::new(stage.runtime.clone(), services.store.clone(), services.log.clone())
        .for_person()
        .with_precheck(services.rows.clone(), services.catalog(), services.clock.clone());
    let taken = calls.accept_call(&who, command).await?;
    let follower = SessionFollower {
        services,
        runtime: &stage.runtime,
        author: &who.name,
        workspace: &who.workspace,
        session: &taken.session,
    };
    let ended = follower.until_rest(taken.after, &mut OutcomeOnlyWatcher).await?;
    let answer = calls.answer(&who, &taken, &ended.turn).await?;
    Ok((taken.session, answer))
}

/// A seat for the proposal that replaces a call; different for each replaced call.
fn seat_of(call: &CallId) -> u32 {
    // FNV-1a, equal in every process.
    call.as_str()
        .bytes()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
