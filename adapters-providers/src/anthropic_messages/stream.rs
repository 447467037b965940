//! The assembler of a streamed Messages answer.
//!
//! Pure. Unknown events, deltas and blocks are passed over or kept; an answer is whole when it has a stop
//! reason and `message_stop` came.

use std::collections::BTreeMap;

use entracte_application::ports::ModelReply;

use super::block::OpenBlock;
use super::error;
use super::response;
use super::wire::{Answer, Delta, Event, Usage};
use crate::dialect::{Assembler, Piece};
use crate::failure::Trouble;
use crate::settings::Reading;
use crate::sse::Frame;

/// Puts one answer together.
#[derive(Debug)]
pub(super) struct MessageAssembler {
    reading: Reading,
    answer: Answer,
    blocks: BTreeMap<u32, OpenBlock>,
    started: bool,
    stopped: bool,
}

impl MessageAssembler {
    /// An assembler of answers that are read with this.
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, answer: Answer::default(), blocks: BTreeMap::new(), started: false, stopped: false }
    }

    fn start(&mut self, event: Event) {
        let Some(message) = event.message else { return };
        self.started = true;
        self.answer.model = message.model;
        self.add_usage(message.usage);
    }

    fn open(&mut self, event: Event) {
        if let Some(start) = event.content_block {
            self.blocks.insert(event.index, OpenBlock::new(start));
        }
    }

    fn extend(&mut self, event: Event) -> Option<Piece> {
        let delta = event.delta?;
        self.blocks.get_mut(&event.index)?.extend(delta)
    }

    fn end(&mut self, event: Event) {
        self.add_usage(event.usage);
        let Some(Delta { stop_reason, stop_details, .. }) = event.delta else { return };
        self.answer.stop_reason = stop_reason.or(self.answer.stop_reason.take());
        self.answer.stop_details = stop_details.or(self.answer.stop_details.take());
    }

    /// Numbers are cumulative: a later one replaces an earlier one.
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
    }
}

impl Assembler for MessageAssembler {
    fn push(&mut self, frame: &Frame) -> Result<Option<Piece>, Trouble> {
        let event: Event = serde_json::from_str(&frame.data).map_err(Trouble::garbled)?;
        match event.kind.as_str() {
            "message_start" => self.start(event),
            "content_block_start" => self.open(event),
            "content_block_delta" => return Ok(self.extend(event)),
            "message_delta" => self.end(event),
            "message_stop" => self.stopped = true,
            "error" => {
                let usage = response::tokens(&self.answer, &self.reading);
                return Err(error::in_stream(&frame.data).with_usage(usage));
            }
            // `ping`, `content_block_stop` (a block is closed by the end of the message) and what is not known.
            _ => {}
        }
        Ok(None)
    }

    fn ended(&self) -> bool {
        self.stopped
    }

    fn is_whole(&self) -> bool {
        self.started && self.stopped && self.answer.stop_reason.is_some()
    }

    fn finish(mut self: Box<Self>) -> Result<ModelReply, Trouble> {
        if !self.is_whole() {
            return Err(Trouble::cut());
        }
        let (mut content, mut broken) = (Vec::new(), Vec::new());
        for block in self.blocks.into_values() {
            match block.close()? {
                Ok(raw) => content.push(raw),
                Err(call) => broken.push(call),
            }
        }
        self.answer.content = content;
        let mut reply = response::reply(self.answer, &self.reading)?;
        if !broken.is_empty() {
            // Arguments that are not JSON cannot be sent back as they came.
            reply.raw = None;
            reply.calls.extend(broken);
        }
        Ok(reply)
    }
}
