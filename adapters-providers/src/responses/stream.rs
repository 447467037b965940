//! The assembler of a streamed Responses answer.
//!
//! Pure. Whole items come with `response.output_item.done`; deltas are only shown. An answer is whole only after
//! one of the three closing events.

use std::collections::BTreeMap;

use entracte_application::ports::ModelReply;
use serde_json::Value;
use serde_json::value::RawValue;

use super::wire::{Answer, Event};
use super::{error, response};
use crate::dialect::{Assembler, Piece};
use crate::failure::Trouble;
use crate::settings::Reading;
use crate::sse::Frame;

/// Puts one answer together.
#[derive(Debug)]
pub(super) struct ResponseAssembler {
    reading: Reading,
    items: BTreeMap<u32, Box<RawValue>>,
    closing: Option<Answer>,
}

impl ResponseAssembler {
    /// An assembler of answers that are read with this.
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, items: BTreeMap::new(), closing: None }
    }

    fn close(&mut self, event: Event, status: &str) {
        let mut answer = event.response.unwrap_or_default();
        answer.status.get_or_insert_with(|| status.to_owned());
        self.closing = Some(answer);
    }
}

impl Assembler for ResponseAssembler {
    fn push(&mut self, frame: &Frame) -> Result<Option<Piece>, Trouble> {
        if frame.data.trim() == "[DONE]" {
            return Ok(None);
        }
        let event: Event = serde_json::from_str(&frame.data).map_err(Trouble::garbled)?;
        match event.kind.as_str() {
            "response.output_text.delta" => {
                let piece = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
                return Ok(Piece::text(piece));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let piece = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
                return Ok(Piece::thought(piece));
            }
            // Its parts are paragraphs.
            "response.reasoning_summary_part.done" => return Ok(Piece::thought("\n\n")),
            "response.output_item.done" => {
                self.items.extend(event.item.map(|item| (event.output_index, item)));
            }
            "response.completed" => self.close(event, "completed"),
            "response.incomplete" => self.close(event, "incomplete"),
            "response.failed" => self.close(event, "failed"),
            "error" => return Err(error::in_stream(&frame.data)),
            _ => {}
        }
        Ok(None)
    }

    fn ended(&self) -> bool {
        self.closing.is_some()
    }

    fn is_whole(&self) -> bool {
        self.ended()
    }

    fn finish(self: Box<Self>) -> Result<ModelReply, Trouble> {
        let mut answer = self.closing.ok_or_else(Trouble::cut)?;
        if !self.items.is_empty() {
            answer.output = self.items.into_values().collect();
        }
        response::reply(answer, &self.reading)
    }
}
