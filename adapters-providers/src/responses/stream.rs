//! Assembles a streamed Responses answer.
//!
//! Pure. Complete items come with `response.output_item.done`; deltas are only shown. An answer is whole only after one
//! of the three closing events. Unknown events are ignored, whatever they contain.

use entracte_application::ports::ModelReply;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::response;
use super::wire::{Answer, Event};
use crate::dialect::{ReplyAssembler, ReplyStreamDelta};
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::WireFailure;
use crate::failure_table;
use crate::sse::SseFrame;
use crate::text::{is_blank, paragraph_break};

/// Builds one reply from stream events.
#[derive(Debug)]
pub(super) struct ResponseAssembler {
    reading: ReplyDecodeContext,
    /// In the order in which they were done. Some servers give them no index, or one index to all.
    items: Vec<(Option<u32>, Box<RawValue>)>,
    closing: Option<Answer>,
    /// The index of the item of the last shown text, and its last letter.
    last_text: Option<(Option<u32>, char)>,
}

impl ResponseAssembler {
    /// An empty assembler with this decode context.
    pub(super) fn new(reading: ReplyDecodeContext) -> Self {
        Self { reading, items: Vec::new(), closing: None, last_text: None }
    }

    /// Stores a completed item; a repeated one counts once.
    fn keep(&mut self, index: Option<u32>, item: Box<RawValue>) {
        let name = name_of(&item);
        let again = self.items.iter_mut().find(|(_, kept)| name_of(kept) == name);
        match again {
            Some((_, kept)) => *kept = item,
            None => self.items.push((index, item)),
        }
    }

    /// The text to show, with the break that the whole text has before another item.
    fn with_break(&mut self, index: Option<u32>, piece: &str) -> String {
        let between = match self.last_text.filter(|(last, _)| *last != index) {
            Some((_, letter)) => paragraph_break(letter.encode_utf8(&mut [0; 4]), piece),
            None => "",
        };
        self.last_text = piece.chars().last().map(|letter| (index, letter)).or(self.last_text);
        format!("{between}{piece}")
    }

    fn close(&mut self, event: Event, status: &str) {
        let mut answer = event.response.unwrap_or_default();
        answer.status.get_or_insert_with(|| status.to_owned());
        self.closing = Some(answer);
    }
}

impl ReplyAssembler for ResponseAssembler {
    fn push_frame(&mut self, frame: &SseFrame) -> Result<Option<ReplyStreamDelta>, WireFailure> {
        if frame.data.trim() == "[DONE]" {
            return Ok(None);
        }
        // Servers differ in what they put inside.
        if frame.event.as_deref() == Some("error") {
            return Err(failure_table::in_stream(&frame.data));
        }
        let event: Event = match serde_json::from_str(&frame.data) {
            Ok(event) => event,
            Err(_) if is_unknown(frame) => return Ok(None),
            Err(error) => return Err(WireFailure::garbled(error)),
        };
        let kind = match event.kind.as_str() {
            "" if event.error.is_some() => "error",
            "" => frame.event.as_deref().unwrap_or_default(),
            kind => kind,
        };
        match kind {
            "response.output_text.delta" => {
                let piece = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
                let shown = self.with_break(event.output_index, piece);
                return Ok(ReplyStreamDelta::text(&shown));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let piece = event.delta.as_ref().and_then(Value::as_str).unwrap_or_default();
                return Ok(ReplyStreamDelta::thought(piece));
            }
            // The parts of a summary are paragraphs.
            "response.reasoning_summary_part.done" => return Ok(ReplyStreamDelta::thought("\n\n")),
            "response.output_item.done" => {
                if let Some(item) = event.item {
                    self.keep(event.output_index, item);
                }
            }
            "response.completed" => self.close(event, "completed"),
            "response.incomplete" => self.close(event, "incomplete"),
            "response.failed" => self.close(event, "failed"),
            "error" => return Err(failure_table::in_stream(&frame.data)),
            _ => {}
        }
        Ok(None)
    }

    fn is_last_event_seen(&self) -> bool {
        self.closing.is_some()
    }

    fn is_whole(&self) -> bool {
        self.is_last_event_seen()
    }

    fn finish(self: Box<Self>) -> Result<ModelReply, WireFailure> {
        let mut answer = self.closing.ok_or_else(WireFailure::cut)?;
        // Some servers send some items only in the closing event.
        if self.items.len() >= answer.output.len() {
            let mut items = self.items;
            items.sort_by_key(|(index, _)| *index);
            answer.output = items.into_iter().map(|(_, item)| item).collect();
        }
        response::reply(answer, &self.reading)
    }
}

/// The server's id of an item, or else its whole content.
fn name_of(item: &RawValue) -> String {
    let names: OutputItemIds = serde_json::from_str(item.get()).unwrap_or_default();
    // The result of a call refers to its call id; some servers give an item a different id each time.
    let mut given = [names.call_id, names.id].into_iter().flatten().filter(|name| !name.is_empty());
    given.next().unwrap_or_else(|| item.get().to_owned())
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OutputItemIds {
    id: Option<String>,
    call_id: Option<String>,
}

/// Whether an unreadable frame has a type that this version does not know; such a frame may have any shape.
fn is_unknown(frame: &SseFrame) -> bool {
    if is_blank(&frame.data) {
        return true;
    }
    let data: Value = serde_json::from_str(&frame.data).unwrap_or_default();
    let kind = data["type"].as_str().or(frame.event.as_deref());
    kind.is_some_and(|kind| !EVENTS.contains(&kind))
}

const EVENTS: [&str; 9] = [
    "response.output_text.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary_part.done",
    "response.output_item.done",
    "response.completed",
    "response.incomplete",
    "response.failed",
    "error",
];
