//! `AiResponseReceived`: decides the consequence of a reply, in the order of the rules.

use crate::agent::{AgentEndClass, AgentOutput};
use crate::call::CallStatus;
use crate::command::CommandKind;
use crate::localizable_text::{LocalizableText, sentences};
use crate::message::{AiMessage, Author, MessageBody, SystemKind};
use crate::question::Question;
use crate::session::call_batch::{self, CallBatch, requested_calls};
use crate::session::round::{self, Round, RoundReason};
use crate::session::{
    AiResponse, CompletionCheck, Dialect, EmptyReplyPolicy, EndReason, FormatFault, JournalNote, Phase,
    PlanOnlyReplyPolicy, ReplyEnd, RequestedCall, SessionKind, TextOnlyEndPolicy, TransientPhase,
    TransitionContext, child_agents, limits,
};
use crate::time::{Deadline, Millis};

use super::failed_round::give_up_round;

pub(super) fn on(step: &mut TransitionContext<'_>, phase: Phase, response: AiResponse) -> Phase {
    let Phase::CallingAi(round) = phase else { return step.keep_unexpected(phase) };
    note_usage(step, &response);
    step.record.add_note(JournalNote::PassedThrough(TransientPhase::ParsingAiResponse));
    decide_reply(step, &round, response)
}

fn note_usage(step: &mut TransitionContext<'_>, response: &AiResponse) {
    match response.usage {
        Some(usage) => step.facts.usage.add(usage),
        None => step.facts.usage.add_unknown_attempt(),
    }
}

fn decide_reply(step: &mut TransitionContext<'_>, round: &Round, response: AiResponse) -> Phase {
    if round.closing {
        return finish_closing_call(step, response);
    }
    if !response.end.is_intended() {
        child_agents::record_last_text(step, &response.message.pre_text);
    }
    match &response.end {
        ReplyEnd::Done => {}
        ReplyEnd::OutputLimit { limit } => return continue_cut_reply(step, round, *limit),
        ReplyEnd::Paused => return round::begin_round(step, RoundReason::PausedTurn),
        ReplyEnd::Unknown(reason) => {
            let text = sentences::reply_ended_by_unknown(reason);
            return give_up_round(step, round, AgentEndClass::UnknownReplyEnd, text);
        }
    }
    if !response.faults.is_empty() {
        return format_error(step, &response.faults);
    }
    step.record.add_note(JournalNote::AiResponseParsed);
    step.facts.counters.format_errors = 0;
    child_agents::record_last_text(step, &response.message.pre_text);
    let remarks = remarks(step.facts.kind, &response);
    if let Some(question) = response.message.question.clone() {
        return ask(step, question);
    }
    if response.calls.iter().any(|call| call.kind == CommandKind::Query)
        && step.facts.queue.is_empty()
        && limits::refuses_queries(step.facts, step.rules)
    {
        return refuse_excess_queries(step, response.calls);
    }
    if round.words_only && !response.calls.is_empty() {
        return refuse_calls_in_text_round(step, response.calls);
    }
    if !response.calls.is_empty() {
        let calls = requested_calls::admit_reply_calls(step, response.calls);
        let batch = CallBatch {
            post_text: response.message.post_text,
            keep_control: response.message.keep_control,
            remarks,
            ..CallBatch::from_calls(calls)
        };
        return call_batch::advance(step, batch);
    }
    call_batch::note_failure(step, None);
    if step.facts.agent.is_some() && is_about_mission(&response.message) {
        return handle_agent_text(step, round, &response.message);
    }
    if !remarks.is_empty() {
        step.append_system_text(SystemKind::Continuation, joined(remarks));
    }
    if is_plan_alone(step, &response) {
        return continue_after_plan(step);
    }
    handle_text_reply(step, round, &response.message)
}

/// Whether a reply contains only a plan.
fn is_plan_alone(step: &TransitionContext<'_>, response: &AiResponse) -> bool {
    match step.rules.plan_alone {
        PlanOnlyReplyPolicy::GoOn => !response.message.plan.is_empty() && !response.message.completed,
        PlanOnlyReplyPolicy::Rest => false,
    }
}

/// Shows a plan that needs no approval, and lets the model begin. With native tools its call already has an answer.
fn continue_after_plan(step: &mut TransitionContext<'_>) -> Phase {
    match step.facts.dialect {
        Dialect::Envelope => step.append_system_text(SystemKind::Continuation, sentences::plan_shown()),
        Dialect::Tools => {}
    }
    round::begin_round(step, RoundReason::Continuation)
}

/// Refuses all queries of a reply that exceeds the limit on consecutive read-only rounds.
fn refuse_excess_queries(step: &mut TransitionContext<'_>, calls: Vec<RequestedCall>) -> Phase {
    let calls =
        requested_calls::refuse_all_calls(step, calls, CallStatus::OverLimit, &sentences::queries_refused());
    call_batch::append_batch_results(step, &CallBatch::from_calls(calls), SystemKind::ActionsExecuted);
    step.facts.counters.query_rounds = step.facts.counters.query_rounds.saturating_add(1);
    round::begin_round(step, RoundReason::DataResponse)
}

/// Refuses commands in a words-only round, from models whose server does not enforce it. The refusal is a failure, so
/// the next round may request commands again.
fn refuse_calls_in_text_round(step: &mut TransitionContext<'_>, calls: Vec<RequestedCall>) -> Phase {
    let calls = requested_calls::refuse_all_calls(
        step,
        calls,
        CallStatus::OverLimit,
        &sentences::words_only_refusal(),
    );
    let batch = CallBatch::from_calls(calls);
    call_batch::append_batch_results(step, &batch, SystemKind::ActionsExecuted);
    call_batch::note_failure(step, call_batch::failure_signature(&batch));
    round::begin_round(step, RoundReason::DataResponse)
}

/// Ends the closing call at a limit: refuses its commands and lets the session rest.
fn finish_closing_call(step: &mut TransitionContext<'_>, response: AiResponse) -> Phase {
    if !response.calls.is_empty() {
        let refusal = sentences::closing_refusal();
        let calls = requested_calls::refuse_all_calls(step, response.calls, CallStatus::OverLimit, &refusal);
        call_batch::append_batch_results(step, &CallBatch::from_calls(calls), SystemKind::ActionsExecuted);
    }
    if let Some(question) = &response.message.question
        && response.asks_at_limit
        && response.faults.is_empty()
        && !step.facts.kind.is_run()
    {
        return ask(step, question.clone());
    }
    let says_nothing = !response.faults.is_empty() || is_refused_silence(step, &response.message);
    if says_nothing && !step.has_pending_input() {
        return round::finish_without_closing_call(step);
    }
    if step.facts.kind.is_run() && !step.has_pending_input() {
        return round::stop_work(step);
    }
    step.finish_round()
}

/// Lets the model continue a reply that the output limit cut, once; a second cut reply in a row is handed back.
fn continue_cut_reply(step: &mut TransitionContext<'_>, round: &Round, limit: Option<u32>) -> Phase {
    if round.reason == RoundReason::CutReply {
        let text = limit.map_or_else(sentences::reply_cut_again_by_model, sentences::reply_cut_again);
        return give_up_round(step, round, AgentEndClass::CutReplies, text);
    }
    let next = match step.facts.dialect {
        Dialect::Envelope => sentences::cut_envelope_again(),
        Dialect::Tools => sentences::cut_reply_goes_on(),
    };
    let text = limit.map_or_else(sentences::reply_cut_by_model, sentences::reply_cut);
    step.append_system_text(SystemKind::Continuation, text.with_appended(" ").with_appended(next));
    round::begin_round(step, RoundReason::CutReply)
}

fn format_error(step: &mut TransitionContext<'_>, faults: &[FormatFault]) -> Phase {
    let codes: Vec<&str> = faults.iter().map(|fault| fault.code.as_str()).collect();
    let texts: String = faults.iter().map(|fault| format!("\n- {}", fault.text)).collect();
    step.record.add_note(JournalNote::ParseErrorOccurred {
        faults: codes.iter().map(|&code| code.to_owned()).collect(),
    });
    step.append_system_text(SystemKind::FormatError, sentences::reply_unreadable().with_appended(texts));
    step.facts.counters.format_errors = step.facts.counters.format_errors.saturating_add(1);
    let placed = |fault: &FormatFault| match &fault.place {
        Some(place) => format!("{} {place}", fault.code),
        None => fault.code.clone(),
    };
    let placed: Vec<String> = faults.iter().map(placed).collect();
    call_batch::note_failure(step, Some(sentences::failure_of_format(&placed.join(", "))));
    step.record.add_note(JournalNote::PassedThrough(TransientPhase::RetryingAfterFormatError));
    round::begin_round(step, RoundReason::FormatErrorCorrection)
}

fn ask(step: &mut TransitionContext<'_>, question: Question) -> Phase {
    call_batch::note_failure(step, None);
    if step.facts.agent.is_some() {
        return wait_for_user(step, question);
    }
    match step.facts.kind {
        // A message that arrived meanwhile replaces the wait before it begins.
        SessionKind::Chat if !step.facts.queue.is_empty() => {
            step.append_system_text(
                SystemKind::CommunicationCancelled,
                sentences::question_unanswered(question.text()),
            );
            step.finish_round()
        }
        SessionKind::Chat | SessionKind::Seed => {
            let span = step.rules.question_expires;
            let expires = (span > Millis(0)).then(|| Deadline::after(step.now, span));
            Phase::WaitingCommunicationResponse { question, expires }
        }
        SessionKind::Automation | SessionKind::Agent => {
            step.append_system_text(SystemKind::Continuation, sentences::nobody_to_answer());
            round::begin_round(step, RoundReason::Continuation)
        }
    }
}

/// Whether an agent's reply exits its mission or asks its caller or the user.
fn is_about_mission(said: &AiMessage) -> bool {
    said.exit.is_some() || said.asks.is_some()
}

/// Handles an agent's reply without commands: its exit, question or text goes to its caller or the user.
fn handle_agent_text(step: &mut TransitionContext<'_>, round: &Round, said: &AiMessage) -> Phase {
    // The reply was written without the input that arrived meanwhile.
    if step.has_pending_input() {
        return step.finish_round();
    }
    if !step.facts.tasks.is_empty() {
        return Phase::WaitingTask;
    }
    if let Some(exit) = said.exit.clone() {
        return if is_checked(step, round) {
            child_agents::end_with_output(step, AgentOutput::Exits(exit), EndReason::Completed)
        } else {
            step.append_system_text(SystemKind::Continuation, sentences::check_exit());
            round::begin_round(step, RoundReason::CompletionCheck)
        };
    }
    match &said.asks {
        Some(asks) if asks.user => wait_for_user(step, Question::Open { question: asks.question.clone() }),
        Some(asks) => child_agents::rest_for_answer(step, &asks.question),
        None if said.is_empty() => handle_silent_agent(step, round),
        None => child_agents::rest_for_answer(step, &said.pre_text),
    }
}

/// Whether an agent's exit is accepted without a check: it was asked once, or has no round left for the check.
fn is_checked(step: &TransitionContext<'_>, round: &Round) -> bool {
    match step.rules.completion_check {
        CompletionCheck::Trust => true,
        CompletionCheck::AskOnce => {
            round.reason == RoundReason::CompletionCheck
                || limits::reached_limit(step.facts, step.rules).is_some()
        }
    }
}

/// Handles an agent's empty reply: the model is told once, and a second one in a row ends the agent.
fn handle_silent_agent(step: &mut TransitionContext<'_>, round: &Round) -> Phase {
    if round.reason == RoundReason::Continuation {
        let why = AgentEndClass::EmptyReplies;
        child_agents::record_end_cause(step, why, why.usual_text());
        return child_agents::end_with_output(step, AgentOutput::Nothing, EndReason::Error);
    }
    step.append_system_text(SystemKind::Continuation, sentences::agent_silent());
    round::begin_round(step, RoundReason::Continuation)
}

/// Waits for the user's answer to an agent's question: it is shown in the inbox, and the parent's call stays open.
fn wait_for_user(step: &mut TransitionContext<'_>, question: Question) -> Phase {
    step.record.add_note(JournalNote::SessionParked);
    let span = step.rules.question_expires;
    let expires = (span > Millis(0)).then(|| Deadline::after(step.now, span));
    Phase::WaitingCommunicationResponse { question, expires }
}

fn handle_text_reply(step: &mut TransitionContext<'_>, round: &Round, said: &AiMessage) -> Phase {
    if step.facts.agent.is_some() {
        return handle_agent_text(step, round, said);
    }
    match (step.facts.kind, said.completed) {
        (SessionKind::Chat, _) if !step.has_pending_input() && is_refused_silence(step, said) => {
            handle_empty_reply(step, round)
        }
        (SessionKind::Chat | SessionKind::Seed, _) => step.finish_round(),
        (SessionKind::Automation | SessionKind::Agent, _) if step.has_pending_input() => step.finish_round(),
        (SessionKind::Automation | SessionKind::Agent, _) if !step.facts.tasks.is_empty() => {
            Phase::WaitingTask
        }
        (SessionKind::Automation | SessionKind::Agent, true) => complete_run(step, round),
        (SessionKind::Agent, false) => step.close_session(EndReason::Completed),
        (SessionKind::Automation, false) => handle_run_text(step, round),
    }
}

/// Handles a run's words-only reply: runs of models that never declare completion must end, too.
fn handle_run_text(step: &mut TransitionContext<'_>, round: &Round) -> Phase {
    match (step.rules.words_end_run, round.reason == RoundReason::CompletionCheck) {
        (TextOnlyEndPolicy::Never, _) => {
            step.append_system_text(SystemKind::Continuation, sentences::reply_without_commands());
            round::begin_round(step, RoundReason::Continuation)
        }
        (TextOnlyEndPolicy::AskOnce, false) => {
            step.append_system_text(SystemKind::Continuation, sentences::check_words());
            round::begin_round(step, RoundReason::CompletionCheck)
        }
        (TextOnlyEndPolicy::AskOnce, true) => complete_run(step, round),
    }
}

/// Whether an empty reply does not count as an answer.
fn is_refused_silence(step: &TransitionContext<'_>, said: &AiMessage) -> bool {
    let is_looked_at = match (step.rules.empty_reply, step.facts.dialect) {
        (EmptyReplyPolicy::AskOnce, Dialect::Tools) => true,
        (EmptyReplyPolicy::AskOnce, Dialect::Envelope)
        | (EmptyReplyPolicy::Rest, Dialect::Envelope | Dialect::Tools) => false,
    };
    is_looked_at && said.is_empty()
}

/// Handles an empty answer in a chat: the model is told once, then the person. Only here does a chat continue without
/// commands.
fn handle_empty_reply(step: &mut TransitionContext<'_>, round: &Round) -> Phase {
    if round.reason == RoundReason::Continuation {
        step.append_message(Author::System, MessageBody::Text(sentences::empty_reply_again()), true);
        return step.finish_round();
    }
    step.append_system_text(SystemKind::Continuation, sentences::empty_reply());
    round::begin_round(step, RoundReason::Continuation)
}

fn complete_run(step: &mut TransitionContext<'_>, round: &Round) -> Phase {
    match (step.rules.completion_check, round.reason) {
        (CompletionCheck::AskOnce, reason) if reason != RoundReason::CompletionCheck => {
            step.append_system_text(SystemKind::Continuation, sentences::check_completion());
            round::begin_round(step, RoundReason::CompletionCheck)
        }
        (CompletionCheck::AskOnce | CompletionCheck::Trust, _) => Phase::WaitingCompletionConfirmation {
            confirm: Deadline::after(step.now, step.rules.completion_delay),
        },
    }
}

/// Remarks about ignored parts of a reply.
fn remarks(kind: SessionKind, response: &AiResponse) -> Vec<LocalizableText> {
    let message = &response.message;
    let has_actions = response.calls.iter().any(|call| call.kind == CommandKind::Action);
    let mut remarks = Vec::new();
    if is_about_mission(message) && !response.calls.is_empty() {
        remarks.push(sentences::exit_alone());
    }
    if message.completed && kind == SessionKind::Chat {
        remarks.push(sentences::completed_ignored_in_chat());
    } else if message.completed && !response.calls.is_empty() {
        remarks.push(sentences::completed_ignored_beside_commands());
    }
    if message.keep_control && !has_actions {
        remarks.push(sentences::keep_control_ignored());
    }
    if message.validation_request && !has_actions {
        remarks.push(sentences::validation_request_ignored());
    }
    remarks
}

fn joined(remarks: Vec<LocalizableText>) -> LocalizableText {
    remarks
        .into_iter()
        .reduce(|said, remark| said.with_appended(" ").with_appended(remark))
        .unwrap_or_default()
}
