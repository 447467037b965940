//! The dispatch: runs the handler of an input that the table applies.

use crate::session::{EndReason, Input, Phase, TransitionContext, child_agents};

use super::on_budget::OversizedRequest;
use super::on_call_settled::CallSettlement;
use super::{
    on_activation_requested, on_ai_response, on_answer, on_attachment, on_budget, on_call_finished,
    on_call_settled, on_compaction, on_completion, on_copied, on_created, on_halt, on_heartbeat, on_mission,
    on_policy, on_provider_error, on_read, on_rules_changed, on_spending, on_standing_changed,
    on_system_error, on_task_finished, on_time_reached, on_user_message, on_validation,
};

/// Runs the handler of an input; each input has one.
pub(super) fn apply_input(step: &mut TransitionContext<'_>, phase: Phase, input: Input) -> Phase {
    match input {
        Input::SessionCreated(creation) => on_created::on(step, phase, *creation),
        Input::SessionActivationRequested { author } => on_activation_requested::on(step, phase, &author),
        Input::StandingChanged { slot } => on_standing_changed::on(step, phase, slot),
        Input::UserMessageSent(sent) => on_user_message::on(step, phase, sent),
        Input::AiResponseReceived(response) => on_ai_response::on(step, phase, *response),
        Input::ValidationReceived { author, decisions } => on_validation::on(step, phase, &author, decisions),
        Input::CommunicationResponseReceived { author, .. } => on_answer::on(step, &author),
        Input::CallFinished { call, outcome, .. } => on_call_finished::on(step, phase, &call, outcome),
        Input::PolicyAnswered { call, answer, reasons, card } => {
            on_policy::on(step, phase, &call, *answer, on_policy::CardUnderPolicy { reasons, card })
        }
        Input::CallSettled { call, command, happened, note, author } => {
            let (command, note, author) = (command.as_str(), note.as_deref(), author.as_str());
            on_call_settled::on(step, phase, &call, &CallSettlement { command, happened, note, author })
        }
        Input::CompletionConfirmed { .. } => step.close_session(EndReason::Completed),
        Input::CompletionRejected { author, reason } => on_completion::rejected(step, &author, reason),
        Input::NetworkErrorOccurred { failure, .. } => on_provider_error::on(step, phase, failure, None),
        Input::ProviderErrorOccurred { failure, usage, .. } => {
            on_provider_error::on(step, phase, failure, usage)
        }
        Input::NetworkAvailable => on_provider_error::retry_now(step, phase),
        Input::SystemErrorOccurred { message } => on_system_error::on(step, phase, message),
        Input::StopRequested { author, end, reply } => {
            on_halt::mark_stopped_reply(step, &author, reply.as_ref());
            on_halt::stop(step, phase, end)
        }
        Input::RoundInterrupted { author, reply } => {
            on_halt::mark_stopped_reply(step, &author, reply.as_ref());
            on_halt::interrupt(step, phase)
        }
        Input::TimeReached => on_time_reached::on(step, phase),
        Input::MissionContinued { call, answer } => child_agents::resume_with_answer(step, call, answer),
        Input::MissionEnded { .. } => on_mission::end(step, phase),
        Input::ChildEnded { report } => on_mission::record_report(step, phase, &report),
        Input::TaskFinished { task, outcome, late, content } => {
            on_task_finished::on(step, phase, &task, outcome, late, content)
        }
        Input::CompactionRequested { .. } => on_compaction::requested(step),
        Input::BudgetReached { files_from: Some(_), .. } => on_budget::drop_files(step, phase),
        Input::BudgetReached { size, budget, method, files_from: None, .. } => {
            on_budget::on(step, phase, OversizedRequest { size, budget }, method)
        }
        Input::SpendingRefused { why, .. } => on_spending::on(step, phase, why),
        Input::SpendingAnswered { answer, .. } => on_spending::answered(step, phase, answer),
        Input::UsageSettled { usage, .. } => on_spending::settle(step, phase, usage),
        Input::ContextCompacted { summary, usage, prefix, .. } => {
            on_compaction::compacted(step, phase, *summary, usage, prefix)
        }
        Input::CompactionFailed { message, fault, usage, .. } => {
            on_compaction::failed(step, phase, message, fault, usage)
        }
        Input::RulesChanged(change) => on_rules_changed::on(step, phase, *change),
        Input::SessionCopied { how, policy, counts_authors, call, .. } => {
            on_copied::on(step, phase, how, counts_authors, policy, call)
        }
        Input::MessagesRead { reader, sequence } => on_read::on(step, phase, reader, sequence),
        Input::MessageWithdrawn { message, .. } => on_user_message::withdraw_message(step, phase, &message),
        Input::EndSeen { .. } => on_read::record_end_seen(step, phase),
        // The journal has it; nothing depends on it.
        Input::DecisionCommented { .. } => phase,
        Input::SessionOpened(opening) => on_attachment::attach_session(step, phase, opening),
        Input::SessionLeft { attachment, .. } => on_attachment::detach_session(step, phase, &attachment),
        Input::SchedulerHeartbeat => on_heartbeat::on(step, phase),
    }
}
