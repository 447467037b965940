//! Decodes a Messages answer into the neutral reply.
//!
//! Pure. Blocks are picked by type, never by position. Blank text blocks are left out of the raw turn, because the API
//! refuses to take them back; all other blocks are stored byte for byte, unless the API would refuse one.

use entracte_application::ports::{ModelReply, NativeCall, ReplyEnd};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;
use serde_json::value::RawValue;

use super::error;
use super::wire::{Answer, ReadBlock, StopDetails, Usage};
use crate::call_id_format::have_valid_ids;
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, WireFailure};
use crate::prices::MeteredUsage;
use crate::text::{array_of, is_blank, raw_object};

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    // Some servers report a failure with a success status.
    if answer.error.is_some() {
        return Err(error::in_stream(&String::from_utf8_lossy(body)));
    }
    if answer.model.is_none() && answer.stop_reason.is_none() && answer.content.is_empty() {
        return Err(WireFailure::foreign("it has neither content nor stop_reason"));
    }
    reply(answer, reading)
}

/// Converts a complete answer into a reply.
pub(super) fn reply(answer: Answer, reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let usage = tokens(&answer, reading);
    if answer.stop_reason.as_deref() == Some("refusal") {
        return Err(refusal(answer.stop_details.unwrap_or_default()).with_usage(usage));
    }
    let end = end(answer.stop_reason.as_deref());
    let blocks = AnthropicContent::read(answer.content)?;
    Ok(ModelReply {
        // A cut turn may end in an open call or in thinking, which the API refuses to take back.
        raw: (end == ReplyEnd::Done).then(|| blocks.raw_turn(reading.profile.raw_dialect)).flatten(),
        text: blocks.text,
        calls: blocks.calls,
        end,
        usage,
        model: answer.model,
        request_id: None,
        body_digest: None,
    })
}

/// The four kinds of tokens; `input_tokens` counts only uncached ones. `None` if the server left out the counts, which
/// is not 0.
pub(super) fn tokens(answer: &Answer, reading: &ReplyDecodeContext) -> Option<Tokens> {
    let usage = answer.usage.as_ref()?;
    let tokens = Tokens {
        input: usage.input_tokens?,
        cache_read: usage.cache_read_input_tokens.unwrap_or_default(),
        cache_write: usage.cache_creation_input_tokens.unwrap_or_default(),
        output: usage.output_tokens?,
        ..Tokens::default()
    };
    Some(reading.tariff.with_cost(&MeteredUsage {
        usage: tokens,
        kept_an_hour: usage.cache_creation.ephemeral_1h_input_tokens,
        answered: answer.model.as_deref(),
        tier: tier(usage),
        more: usage.server_tool_use.values().any(|used| used.as_u64() != Some(0)),
        told: None,
    }))
}

/// The tier, speed or region that made the price differ from the usual one.
fn tier(usage: &Usage) -> Option<&str> {
    let unusual = |word: &Option<String>, usual: &[&str]| -> bool {
        word.as_deref().is_some_and(|word| !usual.contains(&word))
    };
    let differs = [
        (&usage.service_tier, unusual(&usage.service_tier, &["standard"])),
        (&usage.speed, unusual(&usage.speed, &["standard"])),
        (&usage.inference_geo, unusual(&usage.inference_geo, &["global", "not_available"])),
    ];
    differs.into_iter().find(|(_, differs)| *differs).and_then(|(word, _)| word.as_deref())
}

fn end(stop_reason: Option<&str>) -> ReplyEnd {
    match stop_reason {
        Some("end_turn" | "stop_sequence" | "tool_use") => ReplyEnd::Done,
        // A paused turn, or an unknown stop reason, is not an end the model intended: none of its calls run.
        _ => ReplyEnd::Cut,
    }
}

fn refusal(details: StopDetails) -> WireFailure {
    let words = match (details.explanation, details.category) {
        (Some(explanation), _) => explanation,
        (None, Some(category)) => format!("the model refuses this content ({category})"),
        (None, None) => "the model refuses this content".to_owned(),
    };
    WireFailure::new((FailureClass::Refused, FailureSubject::Content), words)
}

#[derive(Default)]
struct AnthropicContent {
    text: String,
    calls: Vec<NativeCall>,
    kept: Vec<Box<RawValue>>,
}

impl AnthropicContent {
    fn read(content: Vec<Box<RawValue>>) -> Result<Self, WireFailure> {
        let mut blocks = Self::default();
        for raw in content {
            let block: ReadBlock = serde_json::from_str(raw.get()).map_err(WireFailure::foreign)?;
            match block.kind.as_str() {
                "text" if is_blank(&block.text) => continue,
                "text" => blocks.text.push_str(&block.text),
                "tool_use" => blocks.calls.push(call(block)),
                _ => {}
            }
            blocks.kept.push(raw);
        }
        Ok(blocks)
    }

    fn raw_turn(&self, dialect: &str) -> Option<ProviderTurn> {
        let says_something = !is_blank(&self.text) || !self.calls.is_empty();
        let is_good = |call: &NativeCall| raw_object(&call.arguments).is_some();
        let can_go_back = have_valid_ids(&self.calls) && self.calls.iter().all(is_good);
        (says_something && can_go_back)
            .then(|| ProviderTurn { dialect: dialect.to_owned(), bytes: array_of(&self.kept) })
    }
}

fn call(block: ReadBlock) -> NativeCall {
    let arguments = block.input.map_or_else(|| "{}".to_owned(), |input| input.get().to_owned());
    NativeCall { provider_call_id: block.id, name: block.name, arguments }
}
