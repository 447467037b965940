//! The rules a session runs under. Every field of the first version is written, so that equal rules have equal bytes
//! whatever the defaults are; later fields are omitted if they equal the earlier behaviour.

use entracte_domain::plan::PlanMode;
use entracte_domain::session::{
    self as domain, ActionFailurePolicy, AllowPolicyCoverage, ClockSetbackPolicy, CompletionCheck,
    CrashRecoveryPolicy, EmptyReplyPolicy, EndCausePolicy, FailureNoticePolicy, LostReadPolicy,
    NetworkPolicy, PlanOnlyReplyPolicy, RelaunchCommandPolicy, RunReportPolicy, TextOnlyEndPolicy,
    UnattendedPolicy, UnknownOutcomePolicy,
};

use super::is_default;
use super::shape::shape;
use super::words::WordV1;
use crate::codec::format_version::FormatVersion1;

shape! {
    pub(crate) struct RulesV1 = domain::SessionRules, as FormatVersion1 {
        rounds: u32,
        query_rounds: u32,
        failed_action_rounds: u32,
        format_errors: u32,
        equal_failures: u32,
        relaunches: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        relaunch_commands: WordV1<RelaunchCommandPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        plan_alone: WordV1<PlanOnlyReplyPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        mode: WordV1<PlanMode>,
        without_progress: u32,
        #[serde(rename = "run_duration_ms")]
        run_duration: i64,
        calls_per_reply: u32,
        calls_per_session: u32,
        #[serde(rename = "call_timeout_ms")]
        call_timeout: i64,
        call_retries: u32,
        #[serde(rename = "call_retry_delay_ms")]
        call_retry_delay: i64,
        queries_parallel: u32,
        actions_on_failure: WordV1<ActionFailurePolicy>,
        message_queue: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        context_tokens: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        history_messages: u32,
        completion_check: WordV1<CompletionCheck>,
        #[serde(default, skip_serializing_if = "is_default")]
        words_end_run: WordV1<TextOnlyEndPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        empty_reply: WordV1<EmptyReplyPolicy>,
        #[serde(rename = "completion_delay_ms")]
        completion_delay: i64,
        #[serde(rename = "closing_delay_ms")]
        closing_delay: i64,
        #[serde(rename = "validation_expires_ms")]
        validation_expires: i64,
        #[serde(rename = "question_expires_ms")]
        question_expires: i64,
        unattended: WordV1<UnattendedPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        allow_covers: WordV1<AllowPolicyCoverage>,
        network: WordV1<NetworkPolicy>,
        #[serde(rename = "network_retry_ms")]
        network_retry: i64,
        #[serde(rename = "chat_wait_ms")]
        chat_wait: i64,
        chat_waits: u32,
        #[serde(rename = "cache_window_ms")]
        cache_window: i64,
        #[serde(rename = "anti_loop_window_ms")]
        anti_loop_window: i64,
        on_unknown: WordV1<UnknownOutcomePolicy>,
        #[serde(rename = "watchdog_ms")]
        watchdog: i64,
        quarantine_after: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        own_crash: WordV1<CrashRecoveryPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        set_back: WordV1<ClockSetbackPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        lost_read: WordV1<LostReadPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        end_cause: WordV1<EndCausePolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        failure_notice: WordV1<FailureNoticePolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        run_report: WordV1<RunReportPolicy>,
        #[serde(default, skip_serializing_if = "is_default")]
        output_tokens: u32,
        #[serde(default, rename = "model_time_ms", skip_serializing_if = "is_default")]
        model_time: i64,
        #[serde(default, skip_serializing_if = "is_default")]
        agent_depth: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        agents_at_once: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        agents_in_tree: u32,
        #[serde(default, skip_serializing_if = "is_default")]
        agent_rounds: u32,
        #[serde(default, rename = "agent_rest_ms", skip_serializing_if = "is_default")]
        agent_rest: i64,
    }
}
