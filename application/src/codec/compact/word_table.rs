//! The built-in names and words with their numbers. Part of the format: words are appended, and never moved or
//! removed.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The length of the longest word; longer texts are not looked up.
const LONGEST: usize = 40;

/// The number of a built-in word; `None` for any other text.
pub(super) fn word_number(text: &str) -> Option<u16> {
    if text.len() > LONGEST {
        return None;
    }
    NUMBERS.get(text).copied()
}

/// The built-in word with this number.
pub(super) fn word_by_number(number: u64) -> Option<&'static str> {
    WORDS.get(usize::try_from(number).ok()?).copied()
}

/// Uses a fast hash: the keys are fixed, so an attacker cannot choose colliding ones.
static NUMBERS: LazyLock<FxHashMap<&'static str, u16>> =
    LazyLock::new(|| WORDS.iter().copied().zip(0..).collect());

/// The first words take one byte, so they are the most frequent ones.
#[rustfmt::skip]
static WORDS: [&str; 558] = [
    "input", "appended", "rules", "round", "attempt", "message", "calls", "usage", "request", "handle", "in",
    "out", "turn", "dialect", "bytes", "pid", "command", "name", "args", "hash", "kind", "lookup", "known",
    "terms", "version", "effect", "key_lifetime_ms", "pre", "commands", "original", "call", "outcome",
    "succeeded", "content", "digest", "system", "results", "summary", "status", "round_started",
    "attempt_started", "passed_through", "ai_response_received", "call_finished", "ai_response_parsed",
    "actions_executed", "data_queries_executed", "state", "finished", "result", "started", "asked_by",
    "people", "acts_as", "queries", "actions", "reasons", "card", "level", "text", "data", "action", "query",
    "once", "read", "local", "ACTION_RESULT", "DATA_RESPONSE", "ACTIONS_EXECUTED", "DATA_ADDED",
    "parsing_ai_response", "chat_completions/compatible", "tools", "chat", "cache_read", "cache_write", "usd",
    "priced", "v", "about", "accepted", "action_failure_occurred", "active_before_ms", "active_since",
    "agent", "ai", "allow_other", "answer", "approve", "approved", "approved_by", "approved_by_policy",
    "as_results", "ask", "asked", "asked_until", "asks", "asks_slot", "at", "attached", "attachment",
    "author", "automation", "awaiting_session_closure", "batch", "below", "body", "budget", "budget_reached",
    "call_settled", "calling_ai", "calls_total", "carried", "cause", "certain", "chain", "child",
    "child_ended", "children", "class", "client_key", "close", "closing", "closing_done",
    "closing_round_started", "closure_delay_elapsed", "code", "communication_response_received", "compacted",
    "compacting_context", "compaction_failed", "compaction_requested", "completed", "completion",
    "completion_confirmed", "completion_rejected", "conclusion", "config", "confirm", "context",
    "context_compacted", "count", "counters", "covers_to", "crashes", "create", "created", "decision",
    "decisions", "delayed", "depth", "destructive", "edited", "end", "end_seen", "enrichment", "enrichments",
    "enrichments_executed", "equal_failures", "event", "exchange", "executing_actions",
    "executing_data_queries", "executing_enrichments", "execution", "exhausted", "exit", "exits", "expired",
    "expires", "facts", "failed", "failed_action_rounds", "failure", "fault", "faults", "faulty", "fell_back",
    "folded", "follows", "format_errors", "found_by_start", "fresh", "from", "generation", "generation_begun",
    "halt", "happened", "held", "hidden", "how", "id", "idle", "in_words", "independent", "instead",
    "interrupted", "items", "jitter_ms", "keep", "kept_from", "key", "lands_by", "last", "last_event",
    "last_human", "last_start", "late", "lease", "leave_asked_again", "left", "lent", "limit_reached",
    "limits", "lost", "message_withdrawn", "messages", "messages_joined", "messages_read", "method",
    "mission", "mission_continued", "mission_ended", "mode", "model", "model_ms", "modify_config",
    "multiple_choice", "network_available", "network_error_occurred", "network_retry_scheduled", "no_answer",
    "none", "note", "nothing", "notice", "now", "number", "open", "options", "origin", "output", "overdue",
    "owes_round", "own", "parent", "parked", "parse_error_occurred", "path", "person", "phase", "piece",
    "plan", "plan_approved", "plan_stepped", "pointer", "policy", "poll_after_ms", "post", "prefix", "probed",
    "profile", "proposed", "provider", "provider_error_occurred", "providers", "quarantined", "query_rounds",
    "question", "queue", "queued", "reader", "reason", "rechecks", "refusal", "refused",
    "refused_with_reason", "reject", "relaunches", "remarks", "remote", "repaired", "replaced_in_queue",
    "report", "reported", "requested", "rest", "rests", "retry", "retry_after_ms", "retry_scheduled",
    "retryable", "rich", "rights", "root", "round_interrupted", "rounds", "rounds_since_human",
    "rounds_total", "rule", "rules_changed", "run", "s", "said", "scheduled", "scheduler_heartbeat",
    "schemas", "seen", "sequence", "session", "session_activation_requested", "session_completed",
    "session_copied", "session_created", "session_left", "session_opened", "session_parked",
    "session_resumed", "session_suspended", "settle_ms", "shows", "signature", "size", "slot", "spent",
    "standing_changed", "step", "steps", "stop_requested", "summing", "suspended", "system_error_occurred",
    "task", "task_finished", "tasks", "time_reached", "timed_out", "title", "to", "told", "trigger", "twin",
    "unattended", "unfinished", "unknown_attempts", "unsettled", "until", "use", "user", "user_message_sent",
    "validate", "validation", "validation_received", "verdict", "voice", "wait_expired",
    "waiting_communication_response", "waiting_completion_confirmation", "waiting_decision",
    "waiting_network_retry", "waiting_task", "waiting_validation", "waits", "why", "wish", "withdrawn",
    "without_progress", "words_only", "words_round_started", "workspace", "ACTION_FAILURE", "ANSWER",
    "CANCELLED", "COMMUNICATION_CANCELLED", "COMPACTION", "COMPLETED", "COMPLETION_CHECK", "CONTEXT_SUMMARY",
    "CONTINUATION", "ERROR", "EVENT_PAYLOAD", "FORMAT_ERROR", "FORMAT_ERROR_CORRECTION", "INTERRUPTED",
    "LIMIT_NOTIFICATION", "LIMIT_REACHED", "MANUAL_TRIGGER", "MAX_TURNS_REACHED", "MISSION", "MISSION_ANSWER",
    "MISSION_COMPLETED", "NETWORK_ERROR", "NETWORK_RETRY", "NO_IA_ACTION", "PROVIDER_ERROR", "RESUME",
    "RULES_CHANGED", "SCHEMA_REQUIRED", "SESSION_TIMEOUT", "TASK_RESULT", "TERMINATED", "TEXT_OUTPUT",
    "TIMEOUT", "USER_MESSAGE", "VALIDATION_CANCELLED", "a2a", "ai_request", "allow", "always", "ask_once",
    "autonomous", "backoff", "cached", "cancelled", "catalog", "confirmed", "context_too_long", "continue",
    "deadline", "doing", "done", "duplicate", "envelope", "fact", "forbidden", "forever", "fork", "four_eyes",
    "free", "go_on", "halted", "http", "idempotent", "import", "invalid_arguments", "malformed", "manual",
    "mcp", "mechanical", "misconfigured", "never", "on_error", "over_limit", "overlap", "overloaded",
    "parent_ended", "park", "patch", "pending", "plan_first", "probe", "promise", "refuse", "rejected",
    "repairable", "repeated", "repeated_reply", "retrying_after_action_failure",
    "retrying_after_format_error", "schema_required", "seed", "skip", "skipped", "stop", "strict",
    "superseded", "throttled", "too_late", "tool", "trust", "unconfirmed", "unknown", "unknown_command",
    "unreachable", "unusable", "words", "zone", "anthropic_messages/2026-10-21", "chat_completions/deepseek",
    "chat_completions/gemini", "chat_completions/groq", "chat_completions/mistral", "chat_completions/ollama",
    "chat_completions/openrouter", "chat_completions/perplexity", "chat_completions/vllm", "responses/1",
    "responses/azure", "acted", "died", "lined_up", "by", "counts_authors", "covers", "grant", "policy_at",
    "prompt_authors", "output_limit", "paused", "CUT_REPLY", "PAUSED_TURN",
    "asks_at_limit", "limit", "place", "state_scopes", "end_cause", "records",
    "lost_read", "fails", "form", "turns", "reply", "REPLY_STOPPED",
    "comment", "decision_commented", "failure_notice", "keeps", "approver", "blocked_by",
    "instead_of",
    "spending_refused", "usage_settled", "cap", "unknown_price", "scope", "numbers", "cost", "tokens", "used",
    "needed", "spending",
    "file", "files", "media", "pixels", "pages", "files_from",
    "spending_answered", "soft_line", "excess", "extra", "since", "spent_for", "amount",
    "SPENDING_QUESTION", "run_report",
    "policy_answered", "answered", "deny",
    "approvers", "approvals", "named", "seats", "quorum",
    "first_frame",
    "after", "role", "stand_ins",
];
