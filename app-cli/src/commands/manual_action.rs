//! A local action run by hand. It passes the same steps as every call: a session of the person, the ledger, the rules
//! and the approvals, without exception.

use std::sync::Arc;

use entracte_application::journal::JournalEntry;
use entracte_application::texts::{LocalizedTexts, say};
use entracte_application::use_cases::{ApprovalView, ExternalCallOutcome, ExternalCaller, RunExternalCall};
use entracte_domain::call::CallStatus;
use entracte_domain::command::Command;
use entracte_domain::restriction::Restriction;
use serde_json::{Value, json};

use crate::app_services::AppServices;
use crate::command_context::CommandContext;
use crate::error::{CliError, CliExitCode};
use crate::follow::{SessionFollower, SessionWatcher, drain_before_exit};
use crate::render::approval::card;
use crate::render::text::block;
use crate::runtime_access::RuntimeAccess;

/// The seat of manual actions; clients of `entracte mcp` have other seats, even under the same name.
const SEAT: u32 = 0;

/// Shows only the outcome.
struct OutcomeOnlyWatcher;

impl SessionWatcher for OutcomeOnlyWatcher {
    fn on_entry(&mut self, _entry: &JournalEntry) -> Result<(), CliError> {
        Ok(())
    }
}

/// Formats a result for people; `None` shows it unchanged.
type ResultFormatter = fn(&Value, &LocalizedTexts) -> Option<String>;

/// Shows every result unchanged.
pub(super) fn format_unchanged(_: &Value, _: &LocalizedTexts) -> Option<String> {
    None
}

/// Runs the action, or shows the approval it waits for.
pub(super) async fn run_manual_action(
    context: &CommandContext,
    services: Arc<AppServices>,
    command: Command,
    words: ResultFormatter,
) -> Result<CliExitCode, CliError> {
    let runtime = RuntimeAccess::open(services.clone()).await?;
    run_manual_action_through(context, &services, &runtime, SEAT, &command, words).await
}

/// Runs the action from the given seat through an open runtime access, and drains its work at the end.
pub(super) async fn run_manual_action_through(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<RuntimeAccess>,
    seat: u32,
    command: &Command,
    words: ResultFormatter,
) -> Result<CliExitCode, CliError> {
    let ask = || answer(context, services, runtime, seat, command);
    let mut answered = ask().await;
    if answered.as_ref().is_ok_and(is_shown_schema) {
        // The refusal showed the schema, so the call is now checked against it.
        answered = ask().await;
    }
    drain_before_exit(services, runtime, |line| context.out.write_notice(line)).await?;
    let name = &command.name;
    match answered? {
        ExternalCallOutcome::Result { call, state, content, is_error: false, .. } => {
            let result: Value = serde_json::from_str(&content).unwrap_or_else(|_| json!(content));
            if context.out.json {
                context.out.write_json_line(&json!({
                    "schema": "entracte.result/1", "command": name, "result": result, "call": call.as_str(),
                    "status": state,
                }))?;
            } else {
                let texts = context.texts(services, &context.settings.workspace).await?;
                context.out.write_data_line(&block(&words(&result, texts).unwrap_or(content)))?;
            }
            Ok(CliExitCode::Done)
        }
        ExternalCallOutcome::Result { state, code, content, .. } => {
            let texts = context.texts(services, &context.settings.workspace).await?;
            let exit = exit_of(&state, code.as_deref());
            let text = match code {
                Some(code) => say!(texts, "by-hand-code", code = code, message = content),
                None => content,
            };
            Err(CliError::new(exit, text).or_next(format!("entracte command show {name}")))
        }
        ExternalCallOutcome::WaitsForApproval(approval) => report_pending_approval(context, &approval),
        ExternalCallOutcome::Failed(why) => Err(CliError::new(CliExitCode::Failure, why)),
    }
}

async fn answer(
    context: &CommandContext,
    services: &Arc<AppServices>,
    runtime: &Arc<RuntimeAccess>,
    seat: u32,
    command: &Command,
) -> Result<ExternalCallOutcome, CliError> {
    let who = ExternalCaller {
        workspace: context.settings.workspace.clone(),
        name: context.settings.author.clone(),
        seat,
        restriction: Restriction::Open,
    };
    let calls = RunExternalCall::new(runtime.clone(), services.store.clone(), services.log.clone())
        .for_person()
        .with_precheck(services.rows.clone(), services.catalog(), services.clock.clone());
    let taken = calls.accept_call(&who, command).await?;
    let follower = SessionFollower {
        services,
        runtime,
        author: &who.name,
        workspace: &who.workspace,
        session: &taken.session,
    };
    let ended = follower.until_rest(taken.after, &mut OutcomeOnlyWatcher).await?;
    Ok(calls.answer(&who, &taken, &ended.turn).await?)
}

/// The action needs an approval, perhaps by this person, who sees its effect on the card.
fn report_pending_approval(
    context: &CommandContext,
    approval: &ApprovalView,
) -> Result<CliExitCode, CliError> {
    let id = approval.id.as_str();
    if context.out.json {
        context.out.write_json_line(&json!({
            "schema": "entracte.result/1", "command": approval.call.effective_command().name, "result": null,
            "call": approval.call.id.as_str(), "status": "waiting_for_approval", "approval": id,
        }))?;
    } else {
        let texts = LocalizedTexts::for_language(approval.language);
        let card = card(&approval.into(), texts, context.out.message_style.colour, &context.zone).text;
        context.out.write_notice(&format!("{card}\n  entracte approve {id}\n  entracte reject {id}"));
    }
    Ok(CliExitCode::Waiting)
}

/// Whether the call was refused only because its schema had to be shown first.
fn is_shown_schema(answer: &ExternalCallOutcome) -> bool {
    matches!(answer, ExternalCallOutcome::Result { state, .. } if state == CallStatus::SchemaRequired.word())
}

/// The exit code for a failure code, or else for the state of the call.
fn exit_of(state: &str, code: Option<&str>) -> CliExitCode {
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
