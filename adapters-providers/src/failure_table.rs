//! Classifies failures of every wire and gateway: one table of codes and types, statuses, and words.
//!
//! Pure. Gateways translate the errors of one API into those of another, so each wire meets the codes and words of all.
//! Codes come first, then statuses that say something; words decide only where both are silent (400, 404, 422, 5xx),
//! because messages may change.

use entracte_domain::session::failure::FailureClass;
use serde_json::Value;

use crate::failure::{FailureClassification, FailureSubject, WireFailure, classify_status};
use crate::server_error::ServerError;

#[cfg(test)]
mod tests;

/// Classifies an error answer.
pub(crate) fn classify(status: u16, error: &ServerError) -> FailureClassification {
    // One request that exceeds a minute's tokens is refused with a rate code, and waiting does not help.
    if status == 413 || error.says(&["request too large"]) {
        return SIZE;
    }
    if let Some(known) = by_code(error) {
        return known;
    }
    match status {
        400 | 404 | 422 => by_words(status, error).unwrap_or_else(|| classify_status(status)),
        403 => by_permission_words(error).unwrap_or_else(|| classify_status(status)),
        429 if error.says(&SPEND_WORDS) && !error.says(&["per minute", "perminute", "retry in"]) => SPEND,
        500.. if is_too_long(error) => SIZE,
        _ => classify_status(status),
    }
}

/// The failure of an error inside an answer, or in place of one, with a success status.
pub(crate) fn in_answer(error: &ServerError) -> WireFailure {
    let words = if error.words.is_empty() { "the answer failed" } else { &error.words };
    WireFailure::new(classify(status_in_answer(error), error), words)
}

/// The failure of an `error` event or another error in the text form of JSON.
pub(crate) fn in_stream(data: &str) -> WireFailure {
    in_answer(&ServerError::read(data.as_bytes()))
}

/// The failure of an error in an already parsed answer, if it has one.
pub(crate) fn in_value(error: Option<&Value>) -> WireFailure {
    in_answer(&error.map(ServerError::of).unwrap_or_default())
}

/// The status that an error without one would have: its code, or that of its type. A server fault is likeliest.
fn status_in_answer(error: &ServerError) -> u16 {
    let told = error.code.parse().ok().filter(|status| (400..600).contains(status));
    told.unwrap_or(match error.kind.as_str() {
        "invalid_request_error" => 400,
        "not_found_error" => 404,
        _ => 500,
    })
}

fn by_code(error: &ServerError) -> Option<FailureClassification> {
    CODES.iter().find(|(names, _)| error.is(names)).map(|(_, classified)| *classified)
}

fn by_words(status: u16, error: &ServerError) -> Option<FailureClassification> {
    if error.says(&OUTPUT_LIMIT_WORDS) && !needs_shorter_prompt(&error.words) {
        return Some(OUTPUT_LIMIT);
    }
    if is_too_long(error) {
        return Some(SIZE);
    }
    if error.says(&["thinking"]) && error.says(&["signature", "cannot be modified"]) {
        return Some(REPAIR);
    }
    if error.says(&["model"])
        && (status == 404 || error.says(&["not found", "does not exist", "decommissioned"]))
    {
        return Some(MODEL);
    }
    WORDS.iter().find(|(phrases, _)| error.says(phrases)).map(|(_, classified)| *classified)
}

fn by_permission_words(error: &ServerError) -> Option<FailureClassification> {
    let table = [(&SPEND_WORDS[..], SPEND), (&REFUSED_WORDS[..], REFUSED)];
    table.into_iter().find(|(phrases, _)| error.says(phrases)).map(|(_, classified)| classified)
}

/// Whether the prompt is too long, by the server's words.
fn is_too_long(error: &ServerError) -> bool {
    error.says(&TOO_LONG_WORDS)
}

/// Whether a refused output limit is refused because of the prompt: the limit alone is at most half of the window. The
/// first number is the limit, the second the window.
fn needs_shorter_prompt(words: &str) -> bool {
    let mut numbers =
        words.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    let (limit, window): (Option<u64>, Option<u64>) = (numbers.next(), numbers.next());
    limit.zip(window).is_some_and(|(limit, window)| limit <= window / 2)
}

/// Names of codes or types with one classification.
type CodeRow = (&'static [&'static str], FailureClassification);

const SIZE: FailureClassification = (FailureClass::ContextTooLong, FailureSubject::Size);
const SPEND: FailureClassification = (FailureClass::Exhausted, FailureSubject::Spend);
const REFUSED: FailureClassification = (FailureClass::Refused, FailureSubject::Content);
const REPAIR: FailureClassification = (FailureClass::Repairable, FailureSubject::Repair);
const MODEL: FailureClassification = (FailureClass::Misconfigured, FailureSubject::Model);
const KEY: FailureClassification = (FailureClass::Misconfigured, FailureSubject::Key);
const PERMISSION: FailureClassification = (FailureClass::Misconfigured, FailureSubject::Permission);
const SUMMARY: FailureClassification = (FailureClass::Misconfigured, FailureSubject::Summary);
const CACHE_KEY: FailureClassification = (FailureClass::Misconfigured, FailureSubject::CacheKey);
const OUTPUT_LIMIT: FailureClassification = (FailureClass::Misconfigured, FailureSubject::OutputLimit);
const RATE: FailureClassification = (FailureClass::Throttled, FailureSubject::Rate);
const BUSY: FailureClassification = (FailureClass::Overloaded, FailureSubject::Busy);

/// Codes and types, most specific first: a server may send a general type beside a specific code.
const CODES: [CodeRow; 9] = [
    (
        &[
            "insufficient_quota",
            "credit_balance_exhausted",
            "organization_spend_limit_exceeded",
            "project_spend_limit_exceeded",
            "organization_usage_limit_exceeded",
            "enforced_spend_limit_reached",
            "contract_spend_limit_reached",
            "linked_organization_spend_limit_reached",
            "billing_error",
        ],
        SPEND,
    ),
    (
        &[
            "context_length_exceeded",
            "exceed_context_size_error",
            "string_above_max_length",
            "model_max_prompt_tokens_exceeded",
            "request_too_large",
        ],
        SIZE,
    ),
    (&["tool_use_failed", "json_validate_failed", "invalid_encrypted_content"], REPAIR),
    (&["invalid_prompt", "content_policy_violation", "content_filter"], REFUSED),
    (&["model_not_found"], MODEL),
    (&["invalid_api_key", "authentication_error"], KEY),
    (&["permission_error"], PERMISSION),
    (&["rate_limit_exceeded", "slow_down", "rate_limit_error"], RATE),
    (&["overloaded_error", "timeout_error", "unavailable_error", "capacity_exceeded"], BUSY),
];

/// Words that name a case for which their server has no code, in order.
const WORDS: [CodeRow; 7] = [
    (&SPEND_WORDS, SPEND),
    // Reasoning that the server no longer finds, or that has no item after it.
    (&["required following item", "items are not persisted"], REPAIR),
    (&["reasoning summaries", "reasoning.summary"], SUMMARY),
    (&["prompt_cache_key"], CACHE_KEY),
    (&REFUSED_WORDS, REFUSED),
    (&["api key not valid", "invalid api key", "incorrect api key"], KEY),
    (&["throttlingexception", "ratelimiterror", "rate limit exceeded", "too many requests"], RATE),
];

const SPEND_WORDS: [&str; 8] = [
    "usage limit",
    "credit balance",
    "insufficient_quota",
    "insufficient credits",
    "insufficient balance",
    "key limit exceeded",
    "exceeded your current quota",
    "budget has been exceeded",
];

const REFUSED_WORDS: [&str; 4] =
    ["content management policy", "contentpolicyviolation", "requires moderation", "flagged by"];

const OUTPUT_LIMIT_WORDS: [&str; 3] =
    ["max_completion_tokens' is too large", "max_tokens is too large", "allowed number of output tokens"];

const TOO_LONG_WORDS: [&str; 20] = [
    "context length",
    "context size",
    "context window",
    "contextwindowexceeded",
    "context_length_exceeded",
    "context limit",
    "exceeds limit of context",
    "exceed_context_size",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "maximum prompt length",
    "maximum model length",
    "prompt token count",
    "exceeds the maximum number of tokens",
    "exceeded model token limit",
    "range of input length should be",
    "reduce the length of the messages",
    "reduce the length of either one",
    "tokens to keep from the initial prompt",
];
