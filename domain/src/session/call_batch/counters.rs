//! Updates of the session counters from a batch.

use crate::call::CallStatusGroup;
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::session::{CallBatch, FailureStreak, TransitionContext};

pub(super) fn note_progress(step: &mut TransitionContext<'_>, batch: &CallBatch) {
    for call in &batch.calls {
        let Some(result) = call.result() else { continue };
        let counts = match result.status.group() {
            CallStatusGroup::Success => true,
            CallStatusGroup::Cached | CallStatusGroup::Failed | CallStatusGroup::Cancelled => false,
        };
        let digest = result.digest.clone().unwrap_or_else(|| call.command_id.clone());
        if counts && step.facts.record_result_if_new(call.effective_command_id(), &digest) {
            step.facts.counters.without_progress = 0;
        }
    }
}

pub(super) fn count_batch(step: &mut TransitionContext<'_>, batch: &CallBatch) {
    let counters = &mut step.facts.counters;
    let failed = |kind| {
        batch.calls.iter().any(|call| {
            call.kind == kind
                && call.result().is_some_and(|result| result.status.group() == CallStatusGroup::Failed)
        })
    };
    if !batch.has_call_of_kind(CommandKind::Action) {
        counters.query_rounds = counters.query_rounds.saturating_add(1);
        counters.failed_action_rounds = 0;
    } else if failed(CommandKind::Action) {
        counters.failed_action_rounds = counters.failed_action_rounds.saturating_add(1);
        counters.query_rounds = 0;
    } else {
        counters.query_rounds = 0;
        counters.failed_action_rounds = 0;
        counters.format_errors = 0;
    }
    note_failure(step, failure_signature(batch));
}

/// Counts the failure of a round; a round without failures resets the count.
pub(crate) fn note_failure(step: &mut TransitionContext<'_>, signature: Option<LocalizableText>) {
    let known = step.facts.counters.equal_failures.take();
    step.facts.counters.equal_failures = signature.map(|signature| match known {
        Some(known) if known.signature == signature => {
            FailureStreak { count: known.count.saturating_add(1), signature }
        }
        Some(_) | None => FailureStreak { signature, count: 1 },
    });
}

/// Command, code and path of every failure of a batch; `None` if nothing failed.
pub(crate) fn failure_signature(batch: &CallBatch) -> Option<LocalizableText> {
    let mut faults: Vec<(&str, &str, Option<&str>)> = batch
        .calls
        .iter()
        .filter_map(|call| call.result().map(|result| (call, result)))
        .filter(|(_, result)| result.status.group() == CallStatusGroup::Failed)
        .map(|(call, result)| {
            (call.command.name.as_str(), result.code.as_deref().unwrap_or("FAILED"), result.path.as_deref())
        })
        .collect();
    faults.sort_unstable();
    faults.dedup();
    let said = faults.into_iter().map(|(command, code, path)| match path {
        Some(path) => sentences::failure_at(command, code, path),
        None => LocalizableText::from_words(format!("{command} {code}")),
    });
    said.reduce(|before, fault| before.with_appended(", ").with_appended(fault))
}
