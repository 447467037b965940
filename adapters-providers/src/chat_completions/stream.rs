//! Assembles a streamed Chat Completions answer.
//!
//! Pure. Token counts may arrive in a last chunk without choices. An answer is whole if it has a finish reason: some
//! servers never send `[DONE]`, and some send it after breaking off.

use entracte_application::ports::ModelReply;

use super::message::PartialMessage;
use super::response::{CompletionEnd, reply, tokens};
use super::wire::{Answer, Groq};
use crate::dialect::{ReplyAssembler, ReplyStreamDelta as Shown};
use crate::encoder_settings::ReplyDecodeContext;
use crate::failure::WireFailure;
use crate::failure_table;
use crate::sse::SseFrame;
use crate::text::is_blank;

/// Builds one reply from stream chunks.
#[derive(Debug)]
pub(super) struct ChunkAssembler {
    reading: ReplyDecodeContext,
    said: PartialMessage,
    ending: CompletionEnd,
    done: bool,
}

impl ChunkAssembler {
    /// An empty assembler with this decode context.
    pub(super) fn new(reading: ReplyDecodeContext) -> Self {
        Self { reading, said: PartialMessage::default(), ending: CompletionEnd::default(), done: false }
    }

    fn take(&mut self, chunk: Answer) -> Result<Option<Shown>, WireFailure> {
        let groq = chunk.x_groq.unwrap_or_default();
        self.ending.tier = chunk.service_tier.or(self.ending.tier.take());
        self.note(chunk.id, chunk.model, chunk.usage, &groq);
        let failed = [chunk.error, groq.error].into_iter().flatten().find(|error| !error.is_null());
        if let Some(failed) = failed {
            return Err(
                failure_table::in_value(Some(&failed)).with_usage(tokens(&self.ending, &self.reading))
            );
        }
        let Some(choice) = chunk.choices.into_iter().next() else { return Ok(None) };
        // Some servers send an empty reason while there is none.
        let finish_reason = choice.finish_reason.filter(|reason| !reason.is_empty());
        self.ending.finish_reason = finish_reason.or(self.ending.finish_reason.take());
        Ok(choice.delta.or(choice.message).and_then(|piece| self.said.extend(piece)))
    }

    fn note(
        &mut self,
        id: Option<String>,
        model: Option<String>,
        usage: Option<super::wire::Usage>,
        groq: &Groq,
    ) {
        let ending = &mut self.ending;
        ending.id = groq.id.clone().or(ending.id.take()).or(id);
        ending.model = ending.model.take().or(model);
        ending.usage = usage.or(groq.usage.clone()).or(ending.usage.take());
    }
}

impl ReplyAssembler for ChunkAssembler {
    fn push_frame(&mut self, frame: &SseFrame) -> Result<Option<Shown>, WireFailure> {
        if frame.data.trim() == "[DONE]" {
            self.done = true;
            return Ok(None);
        }
        if is_blank(&frame.data) {
            return Ok(None);
        }
        let mut chunk: Answer = serde_json::from_str(&frame.data).map_err(WireFailure::garbled)?;
        if frame.event.as_deref() == Some("error") || chunk.object == "error" {
            // Some servers put the error text beside the error mark instead of inside.
            chunk.error = serde_json::from_str(&frame.data).ok();
        }
        self.take(chunk)
    }

    fn is_last_event_seen(&self) -> bool {
        self.done
    }

    fn is_whole(&self) -> bool {
        self.ending.finish_reason.is_some()
    }

    fn finish(self: Box<Self>) -> Result<ModelReply, WireFailure> {
        if !self.is_whole() {
            return Err(WireFailure::cut());
        }
        reply(&self.said, self.ending, &self.reading)
    }
}
