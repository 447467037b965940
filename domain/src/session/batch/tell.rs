//! Brings the results of a batch into the conversation, each once.

use crate::command::{Call, CallStatus, CommandKind};
use crate::message::{CommandResult, SystemKind, SystemMessage};
use crate::session::{Batch, Step};

/// Brings all results of a batch into the conversation: data, then what became of the actions. `kind` is the
/// type of the second message: `ACTIONS_EXECUTED`, or the trace of a wait that ended without an answer.
pub(crate) fn tell(step: &mut Step<'_>, batch: &Batch, kind: SystemKind) {
    let results = |wanted: CommandKind| -> Vec<CommandResult> {
        batch.calls.iter().filter(|call| call.kind == wanted).filter_map(command_result).collect()
    };
    let mut remarks = batch.remarks.join(" ");
    let queries = results(CommandKind::Query);
    let actions = results(CommandKind::Action);
    if !queries.is_empty() {
        let remark = if actions.is_empty() { std::mem::take(&mut remarks) } else { String::new() };
        let summary = with_remark(summary(&queries), remark);
        let formatted_data = Some(formatted(&queries));
        step.system(SystemMessage { kind: SystemKind::DataAdded, results: queries, summary, formatted_data });
    }
    if !actions.is_empty() {
        tell_actions(step, actions, kind, remarks);
    }
}

/// Refused ones leave the trace of their wait; the others are told as carried out. Each result is told once.
fn tell_actions(step: &mut Step<'_>, actions: Vec<CommandResult>, kind: SystemKind, remarks: String) {
    let (refused, done): (Vec<_>, Vec<_>) = actions.into_iter().partition(|result| {
        kind == SystemKind::ValidationCancelled
            || matches!(result.status, CallStatus::Rejected | CallStatus::Expired)
    });
    let groups = [(SystemKind::ValidationCancelled, refused), (SystemKind::ActionsExecuted, done)];
    let mut remarks = Some(remarks);
    for (kind, results) in groups.into_iter().filter(|(_, results)| !results.is_empty()) {
        let summary = with_remark(summary(&results), remarks.take().unwrap_or_default());
        step.system(SystemMessage { kind, results, summary, formatted_data: None });
    }
}

fn with_remark(summary: String, remark: String) -> String {
    if remark.is_empty() { summary } else { format!("{summary} {remark}") }
}

fn command_result(call: &Call) -> Option<CommandResult> {
    call.result().map(|result| CommandResult {
        call: call.id.clone(),
        provider_call_id: call.provider_call_id.clone(),
        command: call.command.name.clone(),
        status: result.status,
        code: result.code.clone(),
        content: match call.decision().and_then(|decision| decision.edited.as_ref()) {
            Some(edit) => format!(
                "{} (the user changed the arguments; what ran: {})",
                result.content,
                edit.command.arguments.to_json()
            ),
            None => result.content.clone(),
        },
    })
}

fn summary(results: &[CommandResult]) -> String {
    let failed = results.iter().filter(|result| result.status.is_error()).count();
    let done = results.len() - failed;
    match (done, failed) {
        (done, 0) => format!("{done} done."),
        (0, failed) => format!("{failed} not done."),
        (done, failed) => format!("{done} done, {failed} not done."),
    }
}

fn formatted(results: &[CommandResult]) -> String {
    results
        .iter()
        .map(|result| format!("## {}\n{}", result.command, result.content))
        .collect::<Vec<_>>()
        .join("\n\n")
}
