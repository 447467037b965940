//! The dispatch: ignores late, duplicate and inapplicable inputs, with the reason. Other inputs go to their handlers
//! together with the phase data they need, so the handlers need no guards.

use crate::id::RoundAttempt;
use crate::session::call_batch::BatchHalt;
use crate::session::child_agents;
use crate::session::wake::{needs_wake, watchdog_at};
use crate::session::{
    EndReason, IgnoreReason, Input, Phase, PhaseLabel, Round, SessionFacts, SessionKind, SessionRules,
    SummaryProgress, TransitionContext, unseen_end,
};
use crate::time::Timestamp;

use super::applicability::{decision_rejection, has_work, is_awaited_call, is_creation_allowed};
use super::on_budget::OversizedRequest;
use super::on_validation::DecidableBatch;
use super::{
    on_activation_requested, on_ai_response, on_answer, on_attachment, on_budget, on_call_finished,
    on_call_settled, on_compaction, on_completion, on_copied, on_created, on_halt, on_heartbeat,
    on_provider_error, on_read, on_rules_changed, on_standing_changed, on_system_error, on_task_finished,
    on_time_reached, on_user_message, on_validation,
};

/// The handler of an applicable input.
pub(super) type InputHandler = Box<dyn FnOnce(&mut TransitionContext<'_>) -> Phase>;

/// Why an input was ignored, with the unchanged phase.
pub(super) struct IgnoredInput {
    pub(super) phase: Phase,
    pub(super) why: IgnoreReason,
}

type DispatchResult = Result<InputHandler, Box<IgnoredInput>>;

/// The handler of this input.
///
/// # Errors
/// The reason why the input is ignored.
pub(super) fn dispatch_input(
    facts: &SessionFacts,
    phase: Phase,
    input: Input,
    now: Timestamp,
    rules: &SessionRules,
) -> DispatchResult {
    match reject_after_end(&phase, &input).or_else(|| reject_for_seed(facts, &input)) {
        Some(why) => ignore_input(phase, why),
        None => match_input_to_phase(facts, phase, input, now, rules),
    }
}

fn reject_after_end(phase: &Phase, input: &Input) -> Option<IgnoreReason> {
    match phase {
        Phase::Completed { .. } => match input {
            // An unknown outcome may be settled after the end, too.
            Input::CallSettled { .. } => None,
            // A new name does not resume work.
            Input::RulesChanged(change) if change.only_renames() => None,
            // An ended session may be read, and a copy reopens it.
            Input::MessagesRead { .. } | Input::EndSeen { .. } | Input::SessionCopied { .. } => None,
            Input::SessionCreated(_)
            | Input::SessionActivationRequested { .. }
            | Input::StandingChanged { .. }
            | Input::UserMessageSent(_)
            | Input::MessageWithdrawn { .. }
            | Input::AiResponseReceived(_)
            | Input::ValidationReceived { .. }
            | Input::CommunicationResponseReceived { .. }
            | Input::CallFinished { .. }
            | Input::CompletionConfirmed { .. }
            | Input::CompletionRejected { .. }
            | Input::NetworkErrorOccurred { .. }
            | Input::ProviderErrorOccurred { .. }
            | Input::NetworkAvailable
            | Input::SystemErrorOccurred { .. }
            | Input::StopRequested { .. }
            | Input::RoundInterrupted { .. }
            | Input::TimeReached
            | Input::MissionContinued { .. }
            | Input::MissionEnded { .. }
            | Input::ChildEnded { .. }
            | Input::TaskFinished { .. }
            | Input::CompactionRequested { .. }
            | Input::BudgetReached { .. }
            | Input::ContextCompacted { .. }
            | Input::CompactionFailed { .. }
            | Input::RulesChanged(_)
            | Input::SessionOpened(_)
            | Input::SessionLeft { .. }
            | Input::SchedulerHeartbeat => Some(IgnoreReason::Ended),
        },
        Phase::Idle
        | Phase::Parked(_)
        | Phase::ExecutingEnrichments(_)
        | Phase::CallingAi(_)
        | Phase::WaitingValidation { .. }
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::ExecutingDataQueries(_)
        | Phase::ExecutingActions(_)
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => None,
    }
}

/// The reason to ignore an input of a seed, which stores messages and is never run.
fn reject_for_seed(facts: &SessionFacts, input: &Input) -> Option<IgnoreReason> {
    let kept = matches!(
        input,
        Input::SessionCreated(_)
            | Input::UserMessageSent(_)
            | Input::StopRequested { .. }
            | Input::SessionCopied { .. }
            | Input::MessagesRead { .. }
    );
    match facts.kind {
        SessionKind::Seed if !kept => Some(IgnoreReason::NeverRun),
        SessionKind::Seed | SessionKind::Chat | SessionKind::Automation | SessionKind::Agent => None,
    }
}

/// Matches the input against the current phase and returns the handler to run. Data of that phase is moved out here, so
/// that the handler need not look for it again.
fn match_input_to_phase(
    facts: &SessionFacts,
    phase: Phase,
    input: Input,
    now: Timestamp,
    rules: &SessionRules,
) -> DispatchResult {
    match input {
        Input::SessionCreated(_) if facts.sequence > 0 => ignore_input(phase, IgnoreReason::Duplicate),
        Input::SessionCreated(creation) => handle_unless_ignored(
            is_creation_allowed(facts, &creation),
            IgnoreReason::NotApplicable,
            phase,
            |step, phase| on_created::on(step, phase, *creation),
        ),
        Input::MissionContinued { call, answer } => {
            let asks = facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer());
            let rests = matches!(phase, Phase::Idle);
            if !(asks && rests) {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            }
            handle_with(|step| child_agents::resume_with_answer(step, call, answer))
        }
        Input::MissionEnded { .. } => {
            handle_unless_ignored(facts.agent.is_some(), IgnoreReason::NotApplicable, phase, |step, phase| {
                on_halt::halt(step, phase, BatchHalt::End(EndReason::Cancelled))
            })
        }
        Input::ChildEnded { report } => {
            let rested = child_agents::has_resting_child(facts, &report.child);
            handle_unless_ignored(rested, IgnoreReason::NotApplicable, phase, move |step, phase| {
                child_agents::apply_child_report(step.facts, &report);
                phase
            })
        }
        Input::SessionActivationRequested { author } => {
            // An agent with a question to its caller continues only with that answer.
            let asks = facts.agent.as_ref().is_some_and(|agent| agent.awaits_answer());
            // There is something to continue once a person has written.
            let has_begun = facts.counters.rounds_total > 0 || facts.exchange > 0;
            if asks {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            }
            if let Phase::WaitingNetworkRetry { round, .. } = phase {
                return handle_with(move |step| on_activation_requested::retry_now(step, round, &author));
            }
            if !(phase.label() == PhaseLabel::Idle && has_begun) {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            }
            handle_with(move |step| on_activation_requested::activate_resting(step, &author))
        }
        Input::StandingChanged { slot } => {
            handle_unless_ignored(facts.slot != slot, IgnoreReason::Duplicate, phase, move |step, phase| {
                on_standing_changed::on(step, phase, slot)
            })
        }
        // It works for its caller: people only decide on its calls, and may stop it.
        Input::UserMessageSent(_) if facts.agent.is_some() => {
            ignore_input(phase, IgnoreReason::NotApplicable)
        }
        Input::UserMessageSent(sent) => {
            let most = usize::try_from(rules.message_queue).unwrap_or(usize::MAX);
            // A resting session takes up all queued messages at once.
            let rests = phase.label() == PhaseLabel::Idle;
            let has_room = most == 0 || rests || facts.queue.len() < most;
            handle_unless_ignored(has_room, IgnoreReason::QueueFull, phase, |step, phase| {
                on_user_message::on(step, phase, sent)
            })
        }
        Input::AiResponseReceived(response) => {
            let round = take_calling_round(phase, response.number())?;
            handle_with(move |step| on_ai_response::on(step, &round, *response))
        }
        Input::NetworkErrorOccurred { round, attempt, failure } => {
            let round = take_calling_round(phase, RoundAttempt { round, attempt })?;
            handle_with(|step| on_provider_error::on(step, round, failure, None))
        }
        Input::ProviderErrorOccurred { round, attempt, failure, usage } => {
            let round = take_calling_round(phase, RoundAttempt { round, attempt })?;
            handle_with(move |step| on_provider_error::on(step, round, failure, usage))
        }
        Input::CompactionRequested { .. } => {
            let rests = matches!(phase, Phase::Idle) && facts.kind == SessionKind::Chat;
            // Before the first round there is nothing to summarize.
            if !(rests && facts.counters.rounds_total > 0) {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            }
            handle_with(on_compaction::requested)
        }
        Input::BudgetReached { round, attempt, size, budget, method } => {
            let round = take_calling_round(phase, RoundAttempt { round, attempt })?;
            handle_with(move |step| on_budget::on(step, round, OversizedRequest { size, budget }, method))
        }
        Input::ContextCompacted { round, attempt, summary, usage, prefix, asked: _ } => {
            let (round, _) = take_compacting_round(phase, RoundAttempt { round, attempt })?;
            handle_with(move |step| on_compaction::compacted(step, round, *summary, usage, prefix))
        }
        Input::CompactionFailed { round, attempt, message, fault, usage, asked: _ } => {
            let (round, summing) = take_compacting_round(phase, RoundAttempt { round, attempt })?;
            handle_with(move |step| on_compaction::failed(step, round, summing, message, fault, usage))
        }
        Input::ValidationReceived { author, decisions } => {
            let Some(batch) = phase.batch() else { return ignore_input(phase, IgnoreReason::NotApplicable) };
            if let Some(why) = decision_rejection(batch, &author, &decisions, now) {
                return ignore_input(phase, why);
            }
            let held = take_decidable_batch(phase)?;
            handle_with(move |step| on_validation::on(step, held, &author, decisions))
        }
        Input::CommunicationResponseReceived { author, .. } => {
            let Phase::WaitingCommunicationResponse { .. } = phase else {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            };
            handle_with(move |step| on_answer::on(step, &author))
        }
        Input::CallFinished { call, attempt, outcome } => {
            if !is_awaited_call(facts, &phase, &call, attempt, &outcome, rules.set_back, now) {
                return ignore_input(phase, IgnoreReason::Stale);
            }
            let DecidableBatch { batch, .. } = take_decidable_batch(phase)?;
            handle_with(move |step| on_call_finished::on(step, batch, &call, outcome))
        }
        Input::CallSettled { call, command, happened, note, author } => {
            let is_open = facts.unsettled.contains(&call);
            handle_unless_ignored(is_open, IgnoreReason::NotApplicable, phase, move |step, phase| {
                let text = on_call_settled::text(&command, happened, note.as_deref(), &author);
                if note.is_some() {
                    step.facts.record_prompt_authors([Some(author.as_str())]);
                }
                on_call_settled::on(step, phase, &call, text)
            })
        }
        Input::CompletionConfirmed { .. } => {
            let Phase::WaitingCompletionConfirmation { .. } = phase else {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            };
            handle_with(|step| step.close_session(EndReason::Completed))
        }
        Input::CompletionRejected { author, reason } => {
            let (Phase::WaitingCompletionConfirmation { .. } | Phase::AwaitingSessionClosure { .. }) = phase
            else {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            };
            handle_with(move |step| on_completion::rejected(step, &author, reason))
        }
        Input::NetworkAvailable => {
            let Phase::WaitingNetworkRetry { round, .. } = phase else {
                return ignore_input(phase, IgnoreReason::NotApplicable);
            };
            handle_with(|_| Phase::CallingAi(round.next_attempt()))
        }
        Input::SystemErrorOccurred { message } => {
            handle_with(|step| on_system_error::on(step, phase, message))
        }
        Input::StopRequested { end, .. } => {
            let applies = end || facts.kind != SessionKind::Chat || has_work(&phase);
            handle_unless_ignored(applies, IgnoreReason::NotApplicable, phase, move |step, phase| {
                on_halt::stop(step, phase, end)
            })
        }
        Input::RoundInterrupted { .. } => {
            handle_unless_ignored(has_work(&phase), IgnoreReason::NotApplicable, phase, on_halt::interrupt)
        }
        Input::TimeReached => handle_unless_ignored(
            needs_wake(facts, &phase, rules, now),
            IgnoreReason::NotDue,
            phase,
            on_time_reached::on,
        ),
        Input::TaskFinished { task, outcome, late, content } => {
            let is_known = facts.tasks.contains(&task) || facts.overdue.contains(&task);
            handle_unless_ignored(is_known, IgnoreReason::Stale, phase, move |step, phase| {
                on_task_finished::on(step, phase, &task, outcome, late, content)
            })
        }
        Input::RulesChanged(change) => {
            // The called model must be the one whose reply is awaited.
            let is_calling = matches!(phase.label(), PhaseLabel::CallingAi | PhaseLabel::CompactingContext);
            let applies = !(change.is_empty() || is_calling && change.voice.is_some());
            handle_unless_ignored(applies, IgnoreReason::NotApplicable, phase, |step, phase| {
                on_rules_changed::on(step, phase, *change)
            })
        }
        Input::SessionCopied { how, policy, counts_authors, .. } => handle_unless_ignored(
            facts.sequence > 0,
            IgnoreReason::NotApplicable,
            phase,
            move |step, phase| on_copied::on(step, phase, how, counts_authors, policy),
        ),
        Input::MessagesRead { reader, sequence } => {
            let is_new = sequence > facts.read_mark_of(&reader) && sequence <= facts.sequence;
            handle_unless_ignored(is_new, IgnoreReason::Duplicate, phase, move |step, phase| {
                on_read::on(step, phase, reader, sequence)
            })
        }
        Input::MessageWithdrawn { message, .. } => {
            let waits = facts.queue.iter().any(|queued| queued.message == message);
            handle_unless_ignored(waits, IgnoreReason::NotApplicable, phase, move |step, phase| {
                on_user_message::withdraw_message(step, phase, &message)
            })
        }
        Input::EndSeen { .. } if facts.is_end_seen => ignore_input(phase, IgnoreReason::Duplicate),
        Input::EndSeen { .. } => {
            let is_unseen = unseen_end(facts, &phase).is_some();
            handle_unless_ignored(is_unseen, IgnoreReason::NotApplicable, phase, on_read::record_end_seen)
        }
        Input::SessionOpened(opening) => {
            let may_open = !opening.asks_slot || on_attachment::can_request_slot(facts.kind);
            let why = if may_open { IgnoreReason::Duplicate } else { IgnoreReason::NotApplicable };
            let mut known = facts.attached.iter().filter(|known| known.id == opening.attachment);
            let lasts = known.any(|known| {
                let holds = !rules.set_back.has_lapsed(known.lease, now);
                // A lease that was set by a later clock is renewed, whatever its end.
                known.lease.due_at >= opening.until
                    && holds
                    && !rules.set_back.must_rebase_deadline(known.lease, now)
            });
            handle_unless_ignored(may_open && (opening.asks_slot || !lasts), why, phase, |step, phase| {
                on_attachment::attach_session(step, phase, opening)
            })
        }
        Input::SessionLeft { attachment, .. } => {
            let is_known = facts.attached.iter().any(|known| known.id == attachment);
            handle_unless_ignored(is_known, IgnoreReason::Duplicate, phase, move |step, phase| {
                on_attachment::detach_session(step, phase, &attachment)
            })
        }
        Input::SchedulerHeartbeat => {
            let is_due = watchdog_at(facts, &phase, rules).is_some_and(|at| now >= at);
            handle_unless_ignored(is_due, IgnoreReason::NotDue, phase, on_heartbeat::on)
        }
    }
}

/// Returns the handler if the input applies, in any phase.
fn handle_unless_ignored(
    applies: bool,
    why: IgnoreReason,
    phase: Phase,
    then: impl FnOnce(&mut TransitionContext<'_>, Phase) -> Phase + 'static,
) -> DispatchResult {
    if applies { handle_with(|step| then(step, phase)) } else { ignore_input(phase, why) }
}

fn handle_with(then: impl FnOnce(&mut TransitionContext<'_>) -> Phase + 'static) -> DispatchResult {
    Ok(Box::new(then))
}

fn ignore_input<T>(phase: Phase, why: IgnoreReason) -> Result<T, Box<IgnoredInput>> {
    Err(Box::new(IgnoredInput { phase, why }))
}

/// The round whose current attempt this is.
fn take_calling_round(phase: Phase, number: RoundAttempt) -> Result<Round, Box<IgnoredInput>> {
    let Phase::CallingAi(open) = phase else { return ignore_input(phase, IgnoreReason::Stale) };
    if open.is_open(number) { Ok(open) } else { ignore_input(Phase::CallingAi(open), IgnoreReason::Stale) }
}

/// The round whose current summary attempt this is.
fn take_compacting_round(
    phase: Phase,
    number: RoundAttempt,
) -> Result<(Round, SummaryProgress), Box<IgnoredInput>> {
    let Phase::CompactingContext { round: open, summing } = phase else {
        return ignore_input(phase, IgnoreReason::Stale);
    };
    if open.is_open(number) {
        Ok((open, summing))
    } else {
        ignore_input(Phase::CompactingContext { round: open, summing }, IgnoreReason::Stale)
    }
}

/// The open calls of a phase that has some.
fn take_decidable_batch(phase: Phase) -> Result<DecidableBatch, Box<IgnoredInput>> {
    match phase {
        Phase::WaitingValidation { batch, expires } => Ok(DecidableBatch { batch, expires: Some(expires) }),
        Phase::ExecutingEnrichments(batch)
        | Phase::ExecutingDataQueries(batch)
        | Phase::ExecutingActions(batch) => Ok(DecidableBatch { batch, expires: None }),
        Phase::Idle
        | Phase::Parked(_)
        | Phase::CallingAi(_)
        | Phase::WaitingCommunicationResponse { .. }
        | Phase::WaitingCompletionConfirmation { .. }
        | Phase::WaitingNetworkRetry { .. }
        | Phase::AwaitingSessionClosure { .. }
        | Phase::Completed { .. }
        | Phase::WaitingTask
        | Phase::CompactingContext { .. } => ignore_input(phase, IgnoreReason::NotApplicable),
    }
}
