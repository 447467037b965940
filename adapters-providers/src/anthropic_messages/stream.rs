//! Assembles a streamed Messages answer.
//!
//! Pure. Unknown events, deltas and blocks are ignored or stored, whatever they contain. An answer is whole if it has a
//! stop reason and `message_stop` arrived.

use entracte_application::ports::ModelReply;
use serde_json::Value;
use serde_json::value::RawValue;

use super::block::{ClosedBlock, PartialBlock};
use super::response;
use super::usage;
use super::wire::{Answer, Delta, Event, ReadBlock, Usage};
use crate::dialect::{ReplyAssembler, ReplyStreamDelta};
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::WireFailure;
use crate::failure_table;
use crate::sse::SseFrame;
use crate::text::{is_blank, paragraph_break};

/// Builds one reply from stream events.
#[derive(Debug)]
pub(super) struct MessageAssembler {
    reading: ReplyDecodeContext,
    answer: Answer,
    /// In the order in which they began. Some gateways give one index to all of them, one after the other.
    blocks: Vec<IndexedBlock>,
    /// The block of the last shown text, and its last letter.
    last_text: Option<(usize, char)>,
    started: bool,
    stopped: bool,
}

/// A content block with the index its server gave it.
#[derive(Debug)]
struct IndexedBlock {
    index: u32,
    has_stopped: bool,
    block: PartialBlock,
}

impl MessageAssembler {
    /// An empty assembler with this decode context.
    pub(super) fn new(reading: ReplyDecodeContext) -> Self {
        Self {
            reading,
            answer: Answer::default(),
            blocks: Vec::new(),
            last_text: None,
            started: false,
            stopped: false,
        }
    }

    fn start(&mut self, event: Event) {
        let Some(message) = event.message else { return };
        self.started = true;
        self.answer.model = message.model;
        self.add_usage(message.usage);
    }

    fn open(&mut self, event: Event) {
        let Some(start) = event.content_block else { return };
        let placed = IndexedBlock { index: event.index, has_stopped: false, block: PartialBlock::new(start) };
        match self.last_at(event.index).filter(|last| !last.has_stopped) {
            // A repeated start event replaces the block instead of adding one.
            Some(last) => *last = placed,
            None => self.blocks.push(placed),
        }
    }

    fn last_at(&mut self, index: u32) -> Option<&mut IndexedBlock> {
        self.blocks.iter_mut().rfind(|placed| placed.index == index)
    }

    fn close(&mut self, index: u32) {
        if let Some(last) = self.last_at(index) {
            last.has_stopped = true;
        }
    }

    fn extend(&mut self, event: Event) -> Option<ReplyStreamDelta> {
        let delta = event.delta?;
        let place = self.blocks.iter().rposition(|placed| placed.index == event.index)?;
        let shown = self.blocks.get_mut(place)?.block.extend(delta)?;
        Some(match shown {
            ReplyStreamDelta::Text(text) => ReplyStreamDelta::Text(self.with_break(place, text)),
            thought @ ReplyStreamDelta::Thought(_) => thought,
        })
    }

    /// The text to show, with the break that the whole text has before this block.
    fn with_break(&mut self, place: usize, text: String) -> String {
        let earlier = self.last_text.filter(|(last, _)| *last != place);
        let is_apart = |last: usize| {
            let between = self.blocks.get(last + 1..place).unwrap_or_default();
            between.iter().any(|placed| !placed.block.is_text())
        };
        let between = match earlier {
            Some((last, letter)) if is_apart(last) => paragraph_break(letter.encode_utf8(&mut [0; 4]), &text),
            _ => "",
        };
        self.last_text = text.chars().last().map(|letter| (place, letter)).or(self.last_text);
        format!("{between}{text}")
    }

    fn end(&mut self, event: Event) {
        self.add_usage(event.usage);
        let Some(Delta { stop_reason, stop_details, .. }) = event.delta else { return };
        self.answer.stop_reason = stop_reason.or(self.answer.stop_reason.take());
        self.answer.stop_details = stop_details.or(self.answer.stop_details.take());
    }

    /// Marks the block that an unreadable delta belongs to.
    fn skip_unknown(&mut self, frame: &SseFrame) {
        let data: Value = serde_json::from_str(&frame.data).unwrap_or_default();
        let index = data["index"].as_u64().and_then(|index| u32::try_from(index).ok());
        if data["type"] == "content_block_delta"
            && let Some(placed) = self.last_at(index.unwrap_or_default())
        {
            placed.block.mark_partial();
        }
    }

    fn failure(&self, frame: &SseFrame) -> WireFailure {
        let usage = usage::tokens(&self.answer, &self.reading);
        failure_table::in_stream(&frame.data).with_usage(usage)
    }

    /// Merges usage counts. They are cumulative: a later count replaces an earlier one.
    fn add_usage(&mut self, later: Option<Usage>) {
        let Some(later) = later else { return };
        let usage = self.answer.usage.get_or_insert_default();
        usage.input_tokens = later.input_tokens.or(usage.input_tokens);
        usage.output_tokens = later.output_tokens.or(usage.output_tokens);
        usage.cache_read_input_tokens = later.cache_read_input_tokens.or(usage.cache_read_input_tokens);
        usage.cache_creation_input_tokens =
            later.cache_creation_input_tokens.or(usage.cache_creation_input_tokens);
        let kept = &mut usage.cache_creation.ephemeral_1h_input_tokens;
        *kept = later.cache_creation.ephemeral_1h_input_tokens.or(*kept);
        usage.service_tier = later.service_tier.or(usage.service_tier.take());
        usage.speed = later.speed.or(usage.speed.take());
        usage.inference_geo = later.inference_geo.or(usage.inference_geo.take());
        usage.server_tool_use.extend(later.server_tool_use);
        if !later.cost.is_null() {
            usage.cost = later.cost;
        }
        if !later.iterations.is_empty() {
            usage.iterations = later.iterations;
        }
    }
}

impl ReplyAssembler for MessageAssembler {
    fn push_frame(&mut self, frame: &SseFrame) -> Result<Option<ReplyStreamDelta>, WireFailure> {
        // Servers differ in what they put inside.
        if frame.event.as_deref() == Some("error") {
            return Err(self.failure(frame));
        }
        let event: Event = match serde_json::from_str(&frame.data) {
            Ok(event) => event,
            Err(_) if is_unknown(frame) => {
                self.skip_unknown(frame);
                return Ok(None);
            }
            Err(error) => return Err(WireFailure::garbled(error)),
        };
        let kind = match event.kind.as_str() {
            "" if event.error.is_some() => "error",
            "" => frame.event.as_deref().unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "message_start" => self.start(event),
            "content_block_start" => self.open(event),
            "content_block_delta" => return Ok(self.extend(event)),
            "content_block_stop" => self.close(event.index),
            "message_delta" => self.end(event),
            "message_stop" => self.stopped = true,
            "error" => return Err(self.failure(frame)),
            // `ping`, and unknown events.
            _ => {}
        }
        Ok(None)
    }

    fn is_last_event_seen(&self) -> bool {
        self.stopped
    }

    fn is_whole(&self) -> bool {
        self.started && self.stopped && self.answer.stop_reason.is_some()
    }

    fn finish(mut self: Box<Self>) -> Result<ModelReply, WireFailure> {
        if !self.is_whole() {
            return Err(WireFailure::cut());
        }
        let (mut content, mut broken, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        self.blocks.sort_by_key(|placed| placed.index);
        for placed in self.blocks {
            match placed.block.close()? {
                ClosedBlock::Whole(raw) => content.push(raw),
                ClosedBlock::Garbled(call) => broken.push(call),
                ClosedBlock::Partial(id) => dropped.push(id),
            }
        }
        // A result without its call would be refused.
        content.retain(|raw| !is_result_of(raw, &dropped));
        self.answer.content = content;
        let mut reply = response::reply(self.answer, &self.reading)?;
        if !broken.is_empty() {
            // Arguments that are not JSON cannot be sent back unchanged.
            reply.raw = None;
            reply.calls.extend(broken);
        }
        Ok(reply)
    }
}

/// Whether a block is the result of one of these calls of the server.
fn is_result_of(raw: &RawValue, calls: &[String]) -> bool {
    let block: ReadBlock = serde_json::from_str(raw.get()).unwrap_or_default();
    !block.tool_use_id.is_empty() && calls.contains(&block.tool_use_id)
}

/// Whether an unreadable frame has a type that this version does not know; such a frame may have any shape.
fn is_unknown(frame: &SseFrame) -> bool {
    if is_blank(&frame.data) {
        return true;
    }
    let data: Value = serde_json::from_str(&frame.data).unwrap_or_default();
    match data["type"].as_str().or(frame.event.as_deref()) {
        Some("content_block_delta") => {
            data["delta"]["type"].as_str().is_some_and(|kind| !DELTAS.contains(&kind))
        }
        Some(kind) => !EVENTS.contains(&kind),
        None => false,
    }
}

const EVENTS: [&str; 6] =
    ["message_start", "content_block_start", "content_block_stop", "message_delta", "message_stop", "error"];
const DELTAS: [&str; 6] = [
    "text_delta",
    "thinking_delta",
    "signature_delta",
    "input_json_delta",
    "citations_delta",
    "compaction_delta",
];
