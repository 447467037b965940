//! Adds the results of a batch to the conversation, each exactly once.

use crate::call::{Call, CallStatus};
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{CommandResult, SystemKind, SystemMessage};
use crate::session::{CallBatch, TransitionContext};

/// Adds all results of a batch to the conversation: query data first, then the action results. `kind` is the type of
/// the second message: `ACTIONS_EXECUTED`, or the trace of a wait that ended without an answer.
pub(crate) fn append_batch_results(step: &mut TransitionContext<'_>, batch: &CallBatch, kind: SystemKind) {
    let results = |wanted: CommandKind| -> Vec<CommandResult> {
        batch.calls.iter().filter(|call| call.kind == wanted).filter_map(command_result).collect()
    };
    let queries = results(CommandKind::Query);
    let actions = results(CommandKind::Action);
    if !queries.is_empty() {
        let remarks: &[LocalizableText] = if actions.is_empty() { &batch.remarks } else { &[] };
        let summary = summary(&queries, remarks);
        let formatted_data = Some(formatted(&queries));
        step.append_system_message(SystemMessage {
            kind: SystemKind::DataAdded,
            results: queries,
            summary,
            formatted_data,
        });
    }
    if !actions.is_empty() {
        append_action_results(step, actions, kind, &batch.remarks);
    }
}

/// Adds the action results. Rejected calls, and calls cancelled by a wait without an answer, go into the trace of the
/// wait; executed calls go into a message of executed actions.
fn append_action_results(
    step: &mut TransitionContext<'_>,
    actions: Vec<CommandResult>,
    kind: SystemKind,
    remarks: &[LocalizableText],
) {
    let (refused, done): (Vec<_>, Vec<_>) = actions.into_iter().partition(|result| match result.status {
        CallStatus::Rejected | CallStatus::Expired => true,
        CallStatus::Cancelled => kind == SystemKind::ValidationCancelled,
        CallStatus::Succeeded
        | CallStatus::Cached
        | CallStatus::Duplicate
        | CallStatus::Accepted
        | CallStatus::Failed
        | CallStatus::InvalidArguments
        | CallStatus::UnknownCommand
        | CallStatus::Malformed
        | CallStatus::SchemaRequired
        | CallStatus::Forbidden
        | CallStatus::PlanFirst
        | CallStatus::OverLimit
        | CallStatus::Repeated
        | CallStatus::RepeatedReply
        | CallStatus::TimedOut
        | CallStatus::Unknown => false,
    });
    let groups = [(SystemKind::ValidationCancelled, refused), (SystemKind::ActionsExecuted, done)];
    let mut remarks = Some(remarks);
    for (kind, results) in groups.into_iter().filter(|(_, results)| !results.is_empty()) {
        let summary = summary(&results, remarks.take().unwrap_or_default());
        step.append_system_message(SystemMessage { kind, results, summary, formatted_data: None });
    }
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
    })
}

/// The counts, followed by the remarks as separate parts.
fn summary(results: &[CommandResult], remarks: &[LocalizableText]) -> LocalizableText {
    let errors = results.iter().filter(|result| result.status.is_error()).count();
    let count = sentences::results(results.len() - errors, errors);
    remarks.iter().fold(count, |said, remark| said.with_appended(" ").with_appended(remark.clone()))
}

fn formatted(results: &[CommandResult]) -> LocalizableText {
    let mut data = LocalizableText::default();
    for (index, result) in results.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n\n" };
        data.push_words(&format!("{gap}## {}\n", result.command));
        data.push(&result.content);
    }
    data
}
