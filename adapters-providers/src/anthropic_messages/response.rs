//! Decodes a Messages answer into the neutral reply.
//!
//! Pure. Blocks are picked by type, never by position. Blank text blocks are left out of the raw turn, because the API
//! refuses to take them back; all other blocks are stored byte for byte, unless the API would refuse one.

use entracte_application::ports::{ModelReply, NativeCall, ReplyEnd};
use entracte_domain::message::ProviderTurn;
use entracte_domain::session::failure::FailureClass;
use entracte_domain::usage::Usage as Tokens;
use serde_json::value::RawValue;

use super::usage::tokens;
use super::wire::{Answer, ReadBlock, StopDetails};
use crate::answer_limits::window_full;
use crate::call_id_format::have_valid_ids;
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::{FailureSubject, REASON_MAX_CHARS, WireFailure};
use crate::failure_table;
use crate::text::{array_of, is_blank, paragraph_break, raw_object, shortened};

/// Decodes an answer that came in one piece.
pub(super) fn whole(body: &[u8], reading: &ReplyDecodeContext) -> Result<ModelReply, WireFailure> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| WireFailure::unreadable(&error))?;
    // Some servers report a failure with a success status.
    if answer.error.is_some() {
        return Err(failure_table::in_stream(&String::from_utf8_lossy(body)));
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
    let end = end(answer.stop_reason.as_deref(), usage.as_ref(), reading)?;
    let blocks = AnthropicContent::read(answer.content)?;
    let raw = match end {
        ReplyEnd::Done | ReplyEnd::Paused => blocks.raw_turn(reading.profile.raw_dialect, &end),
        // A cut turn may end in an open call or in thinking, which the API refuses to take back.
        ReplyEnd::OutputLimit { .. } | ReplyEnd::Unknown(_) => None,
    };
    Ok(ModelReply {
        raw,
        text: blocks.text,
        calls: blocks.calls,
        end,
        usage,
        model: answer.model,
        request_id: None,
        body_digest: None,
    })
}

fn end(
    stop_reason: Option<&str>,
    usage: Option<&Tokens>,
    reading: &ReplyDecodeContext,
) -> Result<ReplyEnd, WireFailure> {
    match stop_reason {
        Some("end_turn" | "stop_sequence" | "tool_use") => Ok(ReplyEnd::Done),
        // Without a reason it may be cut, and none of its calls runs.
        Some("max_tokens") | None => reading.limits.cut_end(usage),
        Some("model_context_window_exceeded") => Err(window_full(usage)),
        // The server paused its own tools, or has compacted the context.
        Some("pause_turn" | "compaction") => Ok(ReplyEnd::Paused),
        Some(unknown) => Ok(ReplyEnd::Unknown(shortened(unknown, REASON_MAX_CHARS))),
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
        // Adjacent texts are one, cut at their citations.
        let mut is_apart = false;
        for raw in content {
            let block: ReadBlock = serde_json::from_str(raw.get()).map_err(WireFailure::foreign)?;
            let is_text = block.kind == "text";
            match block.kind.as_str() {
                "text" if is_blank(&block.text) => continue,
                "text" => {
                    let between = if is_apart { paragraph_break(&blocks.text, &block.text) } else { "" };
                    blocks.text.push_str(between);
                    blocks.text.push_str(&block.text);
                }
                "tool_use" => blocks.calls.push(call(block)),
                _ => {}
            }
            is_apart = !is_text;
            blocks.kept.push(raw);
        }
        Ok(blocks)
    }

    fn raw_turn(&self, dialect: &str, end: &ReplyEnd) -> Option<ProviderTurn> {
        // A paused turn may hold nothing but work of the server.
        let is_paused = *end == ReplyEnd::Paused && !self.kept.is_empty();
        let says_something = is_paused || !is_blank(&self.text) || !self.calls.is_empty();
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
