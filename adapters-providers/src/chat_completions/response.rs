//! Decodes a Chat Completions answer into the neutral reply.
//!
//! Pure. The presence of calls decides whether the reply requests calls, not the finish reason: some servers send
//! `stop` with them.

use entracte_application::ports::{ModelReply, ReplyEnd};
use entracte_domain::dollars::Dollars;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;

use super::message::PartialMessage;
use super::wire::{Answer, Usage};
use crate::answer_limits::window_full;
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, REASON_MAX_CHARS, WireFailure};
use crate::failure_table;
use crate::prices::{MeteredUsage, TokenCounts, dollars, nonstandard_tier, reported_cost};
use crate::text::shortened;

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let mut answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        return Err(failure_table::in_value(Some(&error)));
    }
    if answer.object == "error" {
        let error = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
        return Err(failure_table::in_value(Some(&error)));
    }
    if answer.choices.is_empty() {
        return Err(WireFailure::foreign("it has no choices"));
    }
    let choice = answer.choices.swap_remove(0);
    let mut said = PartialMessage::default();
    said.extend(choice.message.unwrap_or_default());
    let end = CompletionEnd {
        finish_reason: choice.finish_reason,
        usage: answer.usage,
        model: answer.model,
        tier: answer.service_tier,
        id: answer.id,
    };
    reply(&said, end, reading)
}

/// The end of an answer and its metadata.
#[derive(Debug, Default)]
pub(super) struct CompletionEnd {
    pub(super) finish_reason: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<String>,
    pub(super) tier: Option<String>,
    pub(super) id: Option<String>,
}

/// Converts a complete message into a reply.
pub(super) fn reply(
    said: &PartialMessage,
    ending: CompletionEnd,
    reading: &ReplyDecodeContext,
) -> Result<ModelReply, WireFailure> {
    let usage = tokens(&ending, reading);
    if !said.refusal.is_empty() {
        return Err(refused(&said.refusal).with_usage(usage));
    }
    let end = match ending.finish_reason.as_deref() {
        Some("content_filter") => {
            return Err(refused("the content filter stopped it").with_usage(usage));
        }
        Some(reason @ ("error" | "insufficient_system_resource")) => {
            let words = format!("the server broke off ({reason})");
            return Err(
                WireFailure::new((FailureClass::Overloaded, FailureSubject::Busy), words).with_usage(usage)
            );
        }
        // Servers use these words for a regular end; an answer in one piece may have none.
        None
        | Some("")
        | Some("stop" | "tool_calls" | "function_call" | "eos" | "eos_token" | "end_turn" | "tool_use")
        | Some("stop_sequence") => ReplyEnd::Done,
        Some("length" | "max_tokens" | "max_output_tokens") => reading.limits.cut_end(usage.as_ref())?,
        Some("model_context_window_exceeded" | "model_length") => return Err(window_full(usage.as_ref())),
        Some(unknown) => ReplyEnd::Unknown(shortened(unknown, REASON_MAX_CHARS)),
    };
    Ok(ModelReply {
        raw: (end == ReplyEnd::Done).then(|| said.raw_turn(reading.profile)).flatten(),
        text: said.text.clone(),
        calls: said.calls(),
        end,
        usage,
        model: ending.model,
        request_id: ending.id,
        body_digest: None,
    })
}

/// The four kinds of tokens; `prompt_tokens` includes the cached ones. `None` if the server left out the counts, which
/// is not 0.
pub(super) fn tokens(ending: &CompletionEnd, reading: &ReplyDecodeContext) -> Option<Tokens> {
    let usage = ending.usage.as_ref()?;
    let (input, output) = (usage.prompt_tokens?, usage.completion_tokens?);
    let details = &usage.prompt_tokens_details;
    let second = &usage.prompt_token_details;
    // Each server has names of its own; none reports two different numbers.
    let read = [
        usage.prompt_cache_hit_tokens,
        usage.cache_read_input_tokens,
        usage.cached_tokens,
        usage.num_cached_tokens,
        Some(second.cached_tokens),
    ];
    let cache_read = read.into_iter().flatten().fold(details.cached_tokens, u64::max);
    let cache_write = usage.cache_creation_input_tokens.unwrap_or_default();
    let cache_write = cache_write.max(details.cache_write_tokens).max(details.cache_creation_tokens);
    let counts = TokenCounts { input, output, total: usage.total_tokens, cache_read, cache_write };
    let tier = usage.service_tier.as_deref().or(ending.tier.as_deref());
    Some(reading.tariff.with_cost(&MeteredUsage {
        usage: counts.billed_usage(),
        more: is_billed_beside_text(usage),
        answered: ending.model.as_deref(),
        tier: tier.and_then(nonstandard_tier),
        told: billed_cost(usage),
        ..MeteredUsage::default()
    }))
}

/// Whether the bill contains sound, images or searches.
fn is_billed_beside_text(usage: &Usage) -> bool {
    let Usage { prompt_tokens_details: read, prompt_token_details: second, .. } = usage;
    let written = &usage.completion_tokens_details;
    let sound = [read.audio_tokens, second.audio_tokens, written.audio_tokens];
    let other = [read.image_tokens, written.image_tokens, usage.num_sources_used.unwrap_or_default()];
    sound.iter().chain(&other).any(|counted| *counted > 0)
        || usage.prompt_audio_seconds.as_f64().is_some_and(|seconds| seconds > 0.0)
}

/// The cost that a server reports. If another provider bills the tokens to the user's own account, its bill is added;
/// `None` if the server does not report that.
fn billed_cost(usage: &Usage) -> Option<Dollars> {
    let cost = reported_cost(&usage.cost)?;
    if !usage.is_byok {
        return Some(cost);
    }
    Some(cost.plus(dollars(usage.cost_details.upstream_inference_cost?)?))
}

fn refused(words: &str) -> WireFailure {
    WireFailure::new((FailureClass::Refused, FailureSubject::Content), words)
}
