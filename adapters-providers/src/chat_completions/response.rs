//! Decodes a Chat Completions answer into the neutral reply.
//!
//! Pure. The presence of calls decides whether the reply requests calls, not the finish reason: some servers send
//! `stop` with them.

use entracte_application::ports::{ModelReply, ReplyEnd};
use entracte_domain::dollars::Dollars;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;

use super::error;
use super::message::PartialMessage;
use super::wire::{Answer, Usage};
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, WireFailure};
use crate::prices::{MeteredUsage, TokenCounts, nonstandard_tier};

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let mut answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    if let Some(error) = answer.error.filter(|error| !error.is_null()) {
        return Err(error::in_answer(&error));
    }
    if answer.object == "error" {
        let error = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
        return Err(error::in_answer(&error));
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
        // `length`, or an unknown reason: none of the calls run.
        Some(_) => ReplyEnd::Cut,
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
    let known = usage.prompt_cache_hit_tokens.unwrap_or_default();
    let cache_read = details.cached_tokens.max(known);
    let cache_write = details.cache_write_tokens;
    let cached = cache_read.saturating_add(cache_write);
    let counts = TokenCounts { input, output, total: usage.total_tokens, cache_read, cache_write };
    let tokens = Tokens {
        input: input.saturating_sub(cached),
        cache_read,
        cache_write,
        output: counts.billed_output(),
        ..Tokens::default()
    };
    Some(reading.tariff.with_cost(&MeteredUsage {
        usage: tokens,
        answered: ending.model.as_deref(),
        tier: ending.tier.as_deref().and_then(nonstandard_tier),
        told: reported_cost(usage).filter(|_| reading.profile.tells_cost),
        ..MeteredUsage::default()
    }))
}

/// The cost that a server reports, directly or as a total of its parts, rounded to twelve decimal places. `None` if
/// another provider bills the tokens separately.
fn reported_cost(usage: &Usage) -> Option<Dollars> {
    let cost = usage.cost.as_f64().or_else(|| usage.cost["total_cost"].as_f64())?;
    (!usage.is_byok).then(|| format!("{cost:.12}").parse().ok())?
}

fn refused(words: &str) -> WireFailure {
    WireFailure::new((FailureClass::Refused, FailureSubject::Content), words)
}
