//! Adds the results of a batch to the conversation, each exactly once.

use crate::call::{Call, CallStatus};
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{CommandResult, SystemKind, SystemMessage};
use crate::session::{CallBatch, TransitionContext};

/// Adds all results of a batch to the conversation: query data first, then the calls that were not approved, then the
/// action results. `kind` is the type of the last message: `ACTIONS_EXECUTED`, or the trace of a wait that ended without
/// an answer, which cancelled calls belong to.
pub(crate) fn append_batch_results(step: &mut TransitionContext<'_>, batch: &CallBatch, kind: SystemKind) {
    let results = |belongs: &dyn Fn(&Call, CallStatus) -> bool| -> Vec<CommandResult> {
        let finished = batch.calls.iter().filter_map(|call| Some((call, call.result()?.status)));
        finished
            .filter(|(call, status)| belongs(call, *status))
            .filter_map(|(call, _)| command_result(call))
            .collect()
    };
    let queries = results(&|call, status| call.kind == CommandKind::Query && !is_refused(status, kind));
    let refused = results(&|_, status| is_refused(status, kind));
    let actions = results(&|call, status| call.kind == CommandKind::Action && !is_refused(status, kind));
    let mut remarks = Some(batch.remarks.as_slice());
    if !queries.is_empty() {
        let is_last = refused.is_empty() && actions.is_empty();
        let remarks = if is_last { remarks.take() } else { None };
        let summary = summary(&queries, remarks.unwrap_or_default());
        let formatted_data = Some(SystemMessage::format_results(&queries));
        step.append_system_message(SystemMessage {
            kind: SystemKind::DataAdded,
            results: queries,
            summary,
            formatted_data,
        });
    }
    let groups = [(SystemKind::ValidationCancelled, refused), (SystemKind::ActionsExecuted, actions)];
    for (kind, results) in groups.into_iter().filter(|(_, results)| !results.is_empty()) {
        let summary = summary(&results, remarks.take().unwrap_or_default());
        step.append_system_message(SystemMessage { kind, results, summary, formatted_data: None });
    }
}

/// Whether a call belongs to the trace of a wait: it was not approved, or the wait ended without an answer.
fn is_refused(status: CallStatus, kind: SystemKind) -> bool {
    status.is_unapproved() || (status == CallStatus::Cancelled && kind == SystemKind::ValidationCancelled)
}

fn command_result(call: &Call) -> Option<CommandResult> {
    call.result().map(|result| CommandResult {
        call: call.id.clone(),
        provider_call_id: call.provider_call_id.clone(),
        command: call.command.name.clone(),
        status: result.status,
        code: result.code.clone(),
        content: match call.decision().and_then(|decision| decision.edited.as_ref()) {
            Some(edit) => result
                .content
                .clone()
                .with_appended(" ")
                .with_appended(sentences::edited_arguments(&edit.command.arguments.to_json())),
            None => result.content.clone(),
        },
        files: result.files.clone(),
    })
}

/// The counts, followed by the remarks as separate parts.
fn summary(results: &[CommandResult], remarks: &[LocalizableText]) -> LocalizableText {
    let errors = results.iter().filter(|result| result.status.is_error()).count();
    let count = sentences::results(results.len() - errors, errors);
    remarks.iter().fold(count, |said, remark| said.with_appended(" ").with_appended(remark.clone()))
}
