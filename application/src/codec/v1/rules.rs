//! The rules a session runs under. Every field of the first version is written, so that the bytes of equal rules are
//! equal whatever the defaults are; what came later is left out where it says what was so before it came.

use entracte_domain::plan::Mode;
use entracte_domain::session::{
    self as domain, CompletionCheck, EmptyReply, NetworkPolicy, OnFailure, OnUnknown, PlanAlone,
    RelaunchCommands, Unattended, WordsEndRun,
};
use entracte_domain::time::Millis;
use serde::{Deserialize, Serialize};

use super::is_default;
use super::words::Word;
use crate::codec::version::V1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    v: V1,
    rounds: u32,
    query_rounds: u32,
    failed_action_rounds: u32,
    format_errors: u32,
    equal_failures: u32,
    relaunches: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relaunch_commands: Option<Word<RelaunchCommands>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan_alone: Option<Word<PlanAlone>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mode: Option<Word<Mode>>,
    without_progress: u32,
    run_duration_ms: i64,
    calls_per_reply: u32,
    calls_per_session: u32,
    call_timeout_ms: i64,
    call_retries: u32,
    call_retry_delay_ms: i64,
    queries_parallel: u32,
    actions_on_failure: Word<OnFailure>,
    message_queue: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    context_tokens: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    history_messages: u32,
    completion_check: Word<CompletionCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words_end_run: Option<Word<WordsEndRun>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    empty_reply: Option<Word<EmptyReply>>,
    completion_delay_ms: i64,
    closing_delay_ms: i64,
    validation_expires_ms: i64,
    question_expires_ms: i64,
    unattended: Word<Unattended>,
    network: Word<NetworkPolicy>,
    network_retry_ms: i64,
    chat_wait_ms: i64,
    chat_waits: u32,
    cache_window_ms: i64,
    anti_loop_window_ms: i64,
    on_unknown: Word<OnUnknown>,
    watchdog_ms: i64,
    quarantine_after: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    output_tokens: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    model_time_ms: i64,
    #[serde(default, skip_serializing_if = "is_default")]
    agent_depth: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    agents_at_once: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    agents_in_tree: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    agent_rounds: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    agent_rest_ms: i64,
}

impl From<&domain::Rules> for Rules {
    fn from(rules: &domain::Rules) -> Self {
        let domain::Rules {
            rounds,
            query_rounds,
            failed_action_rounds,
            format_errors,
            equal_failures,
            relaunches,
            relaunch_commands,
            plan_alone,
            mode,
            without_progress,
            run_duration,
            calls_per_reply,
            calls_per_session,
            call_timeout,
            call_retries,
            call_retry_delay,
            queries_parallel,
            actions_on_failure,
            message_queue,
            context_tokens,
            history_messages,
            completion_check,
            words_end_run,
            empty_reply,
            completion_delay,
            closing_delay,
            validation_expires,
            question_expires,
            unattended,
            network,
            network_retry,
            chat_wait,
            chat_waits,
            cache_window,
            anti_loop_window,
            on_unknown,
            watchdog,
            quarantine_after,
            output_tokens,
            model_time,
            agent_depth,
            agents_at_once,
            agents_in_tree,
            agent_rounds,
            agent_rest,
        } = rules;
        Self {
            v: V1,
            rounds: *rounds,
            query_rounds: *query_rounds,
            failed_action_rounds: *failed_action_rounds,
            format_errors: *format_errors,
            equal_failures: *equal_failures,
            relaunches: *relaunches,
            relaunch_commands: match relaunch_commands {
                RelaunchCommands::Always => None,
                RelaunchCommands::OnError => Some(relaunch_commands.into()),
            },
            plan_alone: match plan_alone {
                PlanAlone::Rest => None,
                PlanAlone::GoOn => Some(plan_alone.into()),
            },
            mode: match mode {
                Mode::Free => None,
                Mode::Plan => Some(mode.into()),
            },
            without_progress: *without_progress,
            run_duration_ms: run_duration.0,
            calls_per_reply: *calls_per_reply,
            calls_per_session: *calls_per_session,
            call_timeout_ms: call_timeout.0,
            call_retries: *call_retries,
            call_retry_delay_ms: call_retry_delay.0,
            queries_parallel: *queries_parallel,
            actions_on_failure: actions_on_failure.into(),
            message_queue: *message_queue,
            context_tokens: *context_tokens,
            history_messages: *history_messages,
            completion_check: completion_check.into(),
            words_end_run: match words_end_run {
                WordsEndRun::Never => None,
                WordsEndRun::AskOnce => Some(words_end_run.into()),
            },
            empty_reply: match empty_reply {
                EmptyReply::Rest => None,
                EmptyReply::AskOnce => Some(empty_reply.into()),
            },
            completion_delay_ms: completion_delay.0,
            closing_delay_ms: closing_delay.0,
            validation_expires_ms: validation_expires.0,
            question_expires_ms: question_expires.0,
            unattended: unattended.into(),
            network: network.into(),
            network_retry_ms: network_retry.0,
            chat_wait_ms: chat_wait.0,
            chat_waits: *chat_waits,
            cache_window_ms: cache_window.0,
            anti_loop_window_ms: anti_loop_window.0,
            on_unknown: on_unknown.into(),
            watchdog_ms: watchdog.0,
            quarantine_after: *quarantine_after,
            output_tokens: *output_tokens,
            model_time_ms: model_time.0,
            agent_depth: *agent_depth,
            agents_at_once: *agents_at_once,
            agents_in_tree: *agents_in_tree,
            agent_rounds: *agent_rounds,
            agent_rest_ms: agent_rest.0,
        }
    }
}

impl From<Rules> for domain::Rules {
    fn from(rules: Rules) -> Self {
        Self {
            rounds: rules.rounds,
            query_rounds: rules.query_rounds,
            failed_action_rounds: rules.failed_action_rounds,
            format_errors: rules.format_errors,
            equal_failures: rules.equal_failures,
            relaunches: rules.relaunches,
            relaunch_commands: rules.relaunch_commands.map_or(RelaunchCommands::Always, |word| word.0),
            plan_alone: rules.plan_alone.map_or(PlanAlone::Rest, |word| word.0),
            mode: rules.mode.map_or(Mode::Free, |word| word.0),
            without_progress: rules.without_progress,
            run_duration: Millis(rules.run_duration_ms),
            calls_per_reply: rules.calls_per_reply,
            calls_per_session: rules.calls_per_session,
            call_timeout: Millis(rules.call_timeout_ms),
            call_retries: rules.call_retries,
            call_retry_delay: Millis(rules.call_retry_delay_ms),
            queries_parallel: rules.queries_parallel,
            actions_on_failure: rules.actions_on_failure.0,
            message_queue: rules.message_queue,
            context_tokens: rules.context_tokens,
            history_messages: rules.history_messages,
            completion_check: rules.completion_check.0,
            words_end_run: rules.words_end_run.map_or(WordsEndRun::Never, |word| word.0),
            empty_reply: rules.empty_reply.map_or(EmptyReply::Rest, |word| word.0),
            completion_delay: Millis(rules.completion_delay_ms),
            closing_delay: Millis(rules.closing_delay_ms),
            validation_expires: Millis(rules.validation_expires_ms),
            question_expires: Millis(rules.question_expires_ms),
            unattended: rules.unattended.0,
            network: rules.network.0,
            network_retry: Millis(rules.network_retry_ms),
            chat_wait: Millis(rules.chat_wait_ms),
            chat_waits: rules.chat_waits,
            cache_window: Millis(rules.cache_window_ms),
            anti_loop_window: Millis(rules.anti_loop_window_ms),
            on_unknown: rules.on_unknown.0,
            watchdog: Millis(rules.watchdog_ms),
            quarantine_after: rules.quarantine_after,
            output_tokens: rules.output_tokens,
            model_time: Millis(rules.model_time_ms),
            agent_depth: rules.agent_depth,
            agents_at_once: rules.agents_at_once,
            agents_in_tree: rules.agents_in_tree,
            agent_rounds: rules.agent_rounds,
            agent_rest: Millis(rules.agent_rest_ms),
        }
    }
}
