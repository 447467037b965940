//! Turns outcomes of effects into inputs: parses replies and resolves their calls.

use entracte_domain::call::{Call, CallOutcome};
use entracte_domain::command::{Command, CommandKind};
use entracte_domain::id::{CallId, Digest, RoundAttempt, SessionId};
use entracte_domain::message::AiMessage;
use entracte_domain::session::failure::{FailureClass, ModelFailure};
use entracte_domain::session::{AiResponse, AlwaysSendSection, Dialect, FormatFault, Input, SessionFacts};
use entracte_domain::validation::{PolicyAnswer, PolicyCheck};

use crate::agents::command_name_of_agent;
use crate::commands::{CallLookupContext, Catalog, CommandInvocation};
use crate::ports::{HANDLE_MAX_CHARS, ModelReply, ProviderFailure, SchemaFault};
use crate::protocol::envelope;
use crate::protocol::tools::{self, NativeToolReply};
use crate::runtime::context_budget::ContextBudgetExcess;
use crate::runtime::garbled_batch::refuse_garbled_actions;
use crate::runtime::partial_reply::{partial_message, reply_end};
use crate::runtime::prefix_cache::PrefixAudience;
use crate::runtime::round_spans::span_of;
use crate::runtime::turn::context::{TurnContext, TurnStop};
use crate::runtime::turn::draft::TurnDraft;
use crate::runtime::turn::family::drop_cross_principal_answers;
use crate::runtime::turn::lookups::{draw_jitter, look_up_calls, lookup_context, read_card};
use crate::runtime::turn::outcomes::fallback::fallback_model;
use crate::runtime::turn::placement::draft_session;
use crate::runtime::turn::prefix::{
    append_data_changes_now, begin_generation, count_prompt_authors, count_text_authors, current_sections,
};
use crate::runtime::turn::rechecks::{recheck_session, restrict_to_current_rights};
use crate::runtime::workspace_input::EffectOutcome;
use crate::settings::Language;
use crate::texts::{LocalizedTexts, say};

/// Applies one outcome to the draft. A late one changes nothing.
pub(crate) fn apply_outcome(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    outcome: &EffectOutcome,
) -> Result<(), TurnStop> {
    if !draft_session(turn, draft, session)? {
        return Ok(());
    }
    let known = turn.memory.sessions.get(session).and_then(|live| live.round.as_ref());
    let drafted = draft.sessions.get(session);
    let span = drafted.map_or_else(tracing::Span::none, |drafted| span_of(drafted, known));
    let _in_round = span.enter();
    recheck_session(turn, draft, session)?;
    if may_start_round(outcome) {
        append_data_changes_now(turn, draft, session)?;
    }
    if let EffectOutcome::Call { call, outcome: CallOutcome::Succeeded { content, .. }, .. } = outcome {
        count_text_authors(turn, draft, session, call, content)?;
    }
    let input = match outcome {
        EffectOutcome::Model { round, attempt, result: Ok(reply) } => {
            build_reply_input(turn, draft, session, RoundAttempt { round: *round, attempt: *attempt }, reply)?
        }
        EffectOutcome::Model { round, attempt, result: Err(failure) } => build_failure_input(
            turn,
            draft,
            session,
            RoundAttempt { round: *round, attempt: *attempt },
            failure,
        )?,
        EffectOutcome::Call { call, attempt, outcome } => {
            Input::CallFinished { call: call.clone(), attempt: *attempt, outcome: outcome.clone() }
        }
        EffectOutcome::Policy { call, answer } => build_policy_input(turn, draft, session, call, answer)?,
        EffectOutcome::Broken(message) => Input::SystemErrorOccurred { message: message.clone() },
        EffectOutcome::TooLarge { round, attempt, excess } => {
            let ContextBudgetExcess { size, budget, method, files_from } = *excess;
            Input::BudgetReached { round: *round, attempt: *attempt, size, budget, method, files_from }
        }
        EffectOutcome::Compaction { round, attempt, result: Ok(done) } => Input::ContextCompacted {
            round: *round,
            attempt: *attempt,
            summary: Box::new(done.summary.clone()),
            asked: done.asked.clone().map(Box::new),
            usage: done.usage,
            prefix: begin_generation_after_compaction(turn, draft, session)?,
        },
        EffectOutcome::Compaction { round, attempt, result: Err(failed) } => Input::CompactionFailed {
            round: *round,
            attempt: *attempt,
            message: failed.message.clone(),
            fault: failed.fault.clone(),
            asked: failed.asked.clone().map(Box::new),
            usage: failed.usage,
        },
    };
    if let Some(why) = draft.apply_input(session, input, turn.memory.rules)? {
        tracing::debug!(%session, ?why, "an outcome came too late and changed nothing");
    }
    Ok(())
}

/// The answer of the policy hook, with the card that the call has by it.
fn build_policy_input(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    id: &CallId,
    answer: &PolicyAnswer,
) -> Result<Input, TurnStop> {
    let Some(drafted) = draft.sessions.get(session) else { return Err(TurnStop::missing_session(session)) };
    let (facts, open) = (drafted.facts.clone(), drafted.phase.batch().and_then(|batch| batch.call(id)));
    let open = open.cloned();
    let facts = restrict_to_current_rights(turn, draft, &facts)?;
    let shown = match open {
        Some(call) => {
            let call = Call { policy: Some(PolicyCheck::Answered(answer.clone())), ..call };
            let settings = draft.body.settings.with_process_requirements(turn.memory.runtime);
            let context = lookup_context(draft, &facts, &settings);
            Some(read_card(turn, context, &call, call.effective_command())?)
        }
        // The answer comes too late.
        None => None,
    };
    let (reasons, card) = shown.map(|shown| (shown.reasons, shown.digest)).unwrap_or_default();
    Ok(Input::PolicyAnswered { call: id.clone(), answer: Box::new(answer.clone()), reasons, card })
}

/// The current prefix, for the generation that begins with a summary.
fn begin_generation_after_compaction(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
) -> Result<Option<(Digest, Vec<AlwaysSendSection>)>, TurnStop> {
    count_prompt_authors(turn, draft, session)?;
    let sections = current_sections(turn, draft)?;
    let Some(drafted) = draft.sessions.get(session) else { return Ok(None) };
    let audience = PrefixAudience::of_session(&drafted.facts);
    begin_generation(turn, draft, &audience, &sections).map(Some)
}

fn build_reply_input(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    number: RoundAttempt,
    reply: &ModelReply,
) -> Result<Input, TurnStop> {
    let Some(facts) = draft.sessions.get(session).map(|drafted| drafted.facts.clone()) else {
        return Err(TurnStop::missing_session(session));
    };
    let facts = &restrict_to_current_rights(turn, draft, &facts)?;
    let dialect = facts.dialect;
    let end = reply_end(reply);
    let NativeToolReply { mut message, faults, mut asked } =
        parse_reply(turn.memory.catalog, dialect, reply, turn.memory.settings.language);
    let mut faults = faults;
    faults.extend(list_ending_faults(turn, facts, &message));
    if faults.is_empty() || dialect == Dialect::Envelope {
        message.provider_turn = reply.raw.clone();
    }
    if !faults.is_empty() {
        // None of its calls runs; raw blocks with calls that have no result would be refused for ever.
        asked.clear();
        if dialect == Dialect::Tools {
            message.own_calls.clear();
        }
    }
    let asks_at_limit = message.question.is_some();
    // A setting changed in this turn already applies: work that starts now starts under it.
    let settings = draft.body.settings.with_process_requirements(turn.memory.runtime);
    let setting = CallLookupContext {
        ai_request: message.validation_request,
        ..lookup_context(draft, facts, &settings)
    };
    let calls = look_up_calls(turn, setting, asked)?;
    let calls = drop_cross_principal_answers(turn, draft, facts, calls)?;
    let texts = LocalizedTexts::for_language(turn.memory.settings.language);
    let calls = refuse_garbled_actions(calls, reply, texts);
    Ok(Input::AiResponseReceived(Box::new(AiResponse {
        round: number.round,
        attempt: number.attempt,
        message,
        end,
        asks_at_limit,
        faults,
        calls,
        usage: reply.usage,
        request: reply.body_digest.clone().map(Digest::new),
        handle: reply.request_id.clone().filter(|id| is_handle(id)),
    })))
}

/// The faults in how a session ends or asks: only agents have a caller, and an agent's result must have the
/// declared shape.
fn list_ending_faults(turn: &TurnContext<'_>, facts: &SessionFacts, said: &AiMessage) -> Vec<FormatFault> {
    let texts = LocalizedTexts::for_language(turn.memory.settings.language);
    let fault = |code: &str, text: String| FormatFault { code: code.to_owned(), place: None, text };
    let Some(agent) = &facts.agent else {
        let ends = said.exit.is_some() || said.asks.is_some();
        return if ends { vec![fault("not_an_agent", say!(texts, "reply-no-agent"))] } else { Vec::new() };
    };
    let Some(exit) = &said.exit else { return Vec::new() };
    let Some(known) = turn.memory.catalog.find(&command_name_of_agent(&agent.name)) else {
        return Vec::new();
    };
    let faults = known.result_faults(&exit.result, texts);
    let said = |found: SchemaFault| FormatFault {
        place: Some(found.path.clone()),
        ..fault("result_schema", say!(texts, "reply-result", fault = found.sentence()))
    };
    faults.into_iter().map(said).collect()
}

fn build_failure_input(
    turn: &TurnContext<'_>,
    draft: &mut TurnDraft,
    session: &SessionId,
    number: RoundAttempt,
    failure: &ProviderFailure,
) -> Result<Input, TurnStop> {
    let usage = failure.usage.as_deref().copied();
    let mut failure = ModelFailure {
        class: failure.class,
        message: failure.message.clone(),
        retry_after: failure.retry_after,
        jitter: draw_jitter(turn, draft)?,
        found_by_start: None,
        instead: None,
    };
    failure.instead = fallback_model(turn, draft, session, number, &failure)?;
    let RoundAttempt { round, attempt } = number;
    Ok(match failure.class {
        FailureClass::Unreachable => Input::NetworkErrorOccurred { round, attempt, failure },
        FailureClass::Lost
        | FailureClass::Throttled
        | FailureClass::Overloaded
        | FailureClass::Exhausted
        | FailureClass::Refused
        | FailureClass::ContextTooLong
        | FailureClass::Repairable
        | FailureClass::Misconfigured => Input::ProviderErrorOccurred { round, attempt, failure, usage },
    })
}

/// Whether a provider's session handle is plausible: it goes into every stored reply.
fn is_handle(id: &str) -> bool {
    !id.is_empty() && id.chars().count() <= HANDLE_MAX_CHARS && !id.chars().any(char::is_control)
}

/// Whether the outcome may start another round, so that the session needs notices of changes. A failed attempt is
/// retried with the same request, and after a summary the new prefix holds the current data.
fn may_start_round(outcome: &EffectOutcome) -> bool {
    match outcome {
        EffectOutcome::Model { result, .. } => result.is_ok(),
        // A refused call may end the batch.
        EffectOutcome::Call { .. } | EffectOutcome::Policy { .. } => true,
        EffectOutcome::TooLarge { .. } | EffectOutcome::Compaction { .. } | EffectOutcome::Broken(_) => false,
    }
}

/// Parses the reply according to the dialect.
fn parse_reply(
    catalog: &Catalog,
    dialect: Dialect,
    reply: &ModelReply,
    language: Language,
) -> NativeToolReply {
    if !reply_end(reply).is_intended() {
        let message = partial_message(dialect, reply);
        return NativeToolReply { message, faults: Vec::new(), asked: Vec::new() };
    }
    match dialect {
        Dialect::Envelope => {
            let mut reading = envelope::parse_reply(&reply.text, language);
            let message = &mut reading.message;
            for command in message.queries.iter_mut().chain(&mut message.actions) {
                if let Some(known) = catalog.find(&command.name) {
                    command.arguments =
                        envelope::fit_arguments(command.arguments.clone(), &known.spec.schema);
                }
            }
            let asked = envelope_commands(&reading.message);
            NativeToolReply { message: reading.message, faults: reading.faults, asked }
        }
        Dialect::Tools => tools::parse_tool_reply(catalog, reply, language),
    }
}

/// The commands of an envelope, queries first.
fn envelope_commands(message: &AiMessage) -> Vec<CommandInvocation> {
    let of = |kind: CommandKind| {
        move |command: &Command| CommandInvocation {
            provider_call_id: None,
            command: command.clone(),
            listed_as: Some(kind),
            wishes_approval: false,
        }
    };
    let queries = message.queries.iter().map(of(CommandKind::Query));
    queries.chain(message.actions.iter().map(of(CommandKind::Action))).collect()
}
