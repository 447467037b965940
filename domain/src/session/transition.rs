//! The table of moves: one file per input, each a match over all phases.
//!
//! First the fence ([`fence`]): late, duplicate and inapplicable inputs change nothing and are not journaled.
//! Then the input's own file. Then the gate ([`super::start`]) lets work begin.

mod failed_round;
mod fence;
mod on_activation_requested;
mod on_ai_response;
mod on_answer;
mod on_attachment;
mod on_budget;
mod on_call_finished;
mod on_call_settled;
mod on_compaction;
mod on_completion;
mod on_copied;
mod on_created;
mod on_halt;
mod on_heartbeat;
mod on_network_available;
mod on_provider_error;
mod on_read;
mod on_rules_changed;
mod on_standing_changed;
mod on_system_error;
mod on_task_finished;
mod on_time_reached;
mod on_user_message;
mod on_validation;

use crate::call::CallOutcome;
use crate::session::batch::planning::guard;
use crate::session::start::start;
use crate::session::{Crashes, Ignored, Input, Phase, Record, Rules, SessionFacts, Step};
use crate::time::Timestamp;

/// Takes one input in; gives what it appended to the log and changed in the ledger. Pure: the same facts, phase, input,
/// instant and rules give the same result.
///
/// # Errors
/// Why the input counts for nothing: then nothing changed, and it is not journaled.
pub fn transition(
    facts: &mut SessionFacts,
    phase: &mut Phase,
    input: Input,
    now: Timestamp,
    rules: &Rules,
) -> Result<Record, Ignored> {
    if let Some(why) = fence::stale(facts, phase, &input, now, rules) {
        return Err(why);
    }
    facts.sequence += 1;
    if !is_watching(&input) {
        facts.last_event_at = now;
    }
    if is_progress(&input) {
        facts.crashes = Crashes::default();
    }
    let mut record = Record::default();
    let mut step = Step::new(facts, now, rules, &mut record);
    let moved = dispatch(&mut step, std::mem::replace(phase, Phase::Idle), input);
    let guarded = guard(&mut step, moved);
    *phase = start(&mut step, guarded);
    step.keep_time(phase);
    Ok(record)
}

fn dispatch(step: &mut Step<'_>, phase: Phase, input: Input) -> Phase {
    match input {
        Input::SessionCreated(creation) => on_created::on(step, phase, *creation),
        Input::SessionActivationRequested { author } => on_activation_requested::on(step, phase, &author),
        Input::StandingChanged { slot } => on_standing_changed::on(step, phase, slot),
        Input::UserMessageSent(sent) => on_user_message::on(step, phase, sent),
        Input::AiResponseReceived(response) => on_ai_response::on(step, phase, *response),
        Input::ValidationReceived { author, decisions } => on_validation::on(step, phase, &author, decisions),
        Input::CommunicationResponseReceived { author, .. } => on_answer::on(step, phase, &author),
        Input::CallFinished { call, outcome, .. } => on_call_finished::on(step, phase, &call, outcome),
        Input::CallSettled { call, command, happened, note, author } => {
            let text = on_call_settled::text(&command, happened, note.as_deref(), &author);
            on_call_settled::on(step, phase, &call, text)
        }
        Input::CompletionConfirmed { .. } => on_completion::confirmed(step, phase),
        Input::CompletionRejected { author, reason } => on_completion::rejected(step, phase, &author, reason),
        Input::NetworkErrorOccurred { failure, .. } => on_provider_error::on(step, phase, failure, None),
        Input::ProviderErrorOccurred { failure, usage, .. } => {
            on_provider_error::on(step, phase, failure, usage)
        }
        Input::NetworkAvailable => on_network_available::on(step, phase),
        Input::SystemErrorOccurred { message } => on_system_error::on(step, phase, message),
        Input::StopRequested { end, .. } => on_halt::stop(step, phase, end),
        Input::RoundInterrupted { .. } => on_halt::interrupt(step, phase),
        Input::TimeReached => on_time_reached::on(step, phase),
        Input::TaskFinished { task, outcome, late, content } => {
            on_task_finished::on(step, phase, &task, (outcome, late), content)
        }
        Input::BudgetReached { size, budget, method, .. } => {
            on_budget::on(step, phase, (size, budget), method)
        }
        Input::ContextCompacted { summary, usage, prefix, .. } => {
            on_compaction::compacted(step, phase, *summary, usage, prefix)
        }
        Input::CompactionFailed { message, fault, usage, .. } => {
            on_compaction::failed(step, phase, (message, fault), usage)
        }
        Input::RulesChanged(change) => on_rules_changed::on(step, phase, *change),
        Input::SessionCopied { how, policy, .. } => on_copied::on(step, phase, how, policy),
        Input::MessagesRead { reader, sequence } => on_read::on(step, phase, reader, sequence),
        Input::MessageWithdrawn { message, .. } => on_user_message::withdrawn(step, phase, &message),
        Input::EndSeen { .. } => on_read::end_seen(step, phase),
        Input::SessionOpened(opening) => on_attachment::opened(step, phase, opening),
        Input::SessionLeft { attachment, .. } => on_attachment::left(step, phase, &attachment),
        Input::SchedulerHeartbeat => on_heartbeat::on(step, phase),
    }
}

/// Whether an input only tells who looks at the session, which does not keep it busy. Who asks for its slot uses it.
fn is_watching(input: &Input) -> bool {
    match input {
        Input::MessagesRead { .. } | Input::EndSeen { .. } | Input::SessionLeft { .. } => true,
        Input::SessionOpened(opening) => !opening.asks_slot,
        Input::SessionCreated(_)
        | Input::SessionActivationRequested { .. }
        | Input::StandingChanged { .. }
        | Input::UserMessageSent(_)
        | Input::MessageWithdrawn { .. }
        | Input::AiResponseReceived(_)
        | Input::ValidationReceived { .. }
        | Input::CommunicationResponseReceived { .. }
        | Input::CallFinished { .. }
        | Input::CallSettled { .. }
        | Input::CompletionConfirmed { .. }
        | Input::CompletionRejected { .. }
        | Input::NetworkErrorOccurred { .. }
        | Input::ProviderErrorOccurred { .. }
        | Input::NetworkAvailable
        | Input::SystemErrorOccurred { .. }
        | Input::StopRequested { .. }
        | Input::RoundInterrupted { .. }
        | Input::TimeReached
        | Input::TaskFinished { .. }
        | Input::BudgetReached { .. }
        | Input::ContextCompacted { .. }
        | Input::CompactionFailed { .. }
        | Input::RulesChanged(_)
        | Input::SessionCopied { .. }
        | Input::SchedulerHeartbeat => false,
    }
}

/// Whether an input shows that the session got on, so that deaths of earlier starts no longer count.
fn is_progress(input: &Input) -> bool {
    match input {
        Input::CallFinished { outcome: CallOutcome::Lost { found_by_start: Some(_), .. }, .. }
        | Input::StandingChanged { .. }
        | Input::TimeReached
        | Input::SchedulerHeartbeat
        | Input::RulesChanged(_)
        | Input::MessagesRead { .. }
        | Input::MessageWithdrawn { .. }
        | Input::EndSeen { .. }
        | Input::SessionOpened(_)
        | Input::SessionLeft { .. } => false,
        Input::ProviderErrorOccurred { failure, .. } => failure.found_by_start.is_none(),
        Input::CallFinished { .. }
        | Input::SessionCreated(_)
        | Input::SessionActivationRequested { .. }
        | Input::UserMessageSent(_)
        | Input::AiResponseReceived(_)
        | Input::ValidationReceived { .. }
        | Input::CommunicationResponseReceived { .. }
        | Input::CallSettled { .. }
        | Input::CompletionConfirmed { .. }
        | Input::CompletionRejected { .. }
        | Input::NetworkErrorOccurred { .. }
        | Input::NetworkAvailable
        | Input::SystemErrorOccurred { .. }
        | Input::StopRequested { .. }
        | Input::RoundInterrupted { .. }
        | Input::TaskFinished { .. }
        | Input::BudgetReached { .. }
        | Input::ContextCompacted { .. }
        | Input::CompactionFailed { .. }
        | Input::SessionCopied { .. } => true,
    }
}
