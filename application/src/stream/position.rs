use std::sync::Arc;

use entracte_domain::id::SessionId;

use super::frame::{CHUNK_MAX, boundary};
use super::{
    AttemptEnd, AttemptOffset, Cursor, CursorFrame, LiveTextDelta, ReplyChannel, ResyncReason, StreamFrame,
    SupersessionReason, attempt_end, started_attempt,
};
use crate::journal::JournalEntry;
use crate::ports::ResourceChangeRow;
use crate::system::sha256;

/// Where a reader stands. Everything that it is told goes through here, so its cursor and its frames cannot differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPosition {
    seq: u64,
    /// Words are told.
    hears: bool,
    speech: Option<AttemptPosition>,
}

/// An attempt that is under way for the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptPosition {
    /// Number of the entry in which it began.
    pub attempt: u64,
    /// The session.
    pub session: SessionId,
    /// Round and number of it.
    pub number: (u32, u32),
    /// Bytes of its text and of its reasoning that were told; none before its beginning was.
    pub told: Option<(u64, u64)>,
}

impl StreamPosition {
    /// After this entry, among the entries of all sessions: no words.
    pub fn in_workspace(seq: u64) -> Self {
        Self { seq, hears: false, speech: None }
    }

    /// After this entry, in one session, while this attempt is under way.
    pub fn in_session(seq: u64, speech: Option<AttemptPosition>) -> Self {
        Self { seq, hears: true, speech }
    }

    /// It as a cursor.
    pub fn cursor(&self) -> Cursor {
        let spoken = self.speech.as_ref().and_then(|speech| {
            speech.told.map(|(text, thoughts)| AttemptOffset { attempt: speech.attempt, text, thoughts })
        });
        Cursor { seq: self.seq, spoken }
    }

    /// The attempt that is under way.
    pub fn speech(&self) -> Option<&AttemptPosition> {
        self.speech.as_ref()
    }

    /// Tells that an attempt is under way, where that was not told.
    pub fn attempt_start_frame(&mut self) -> Option<CursorFrame> {
        let speech = self.speech.as_mut().filter(|speech| speech.told.is_none())?;
        speech.told = Some((0, 0));
        let (round, attempt) = speech.number;
        let model_call = speech.session.model_call_id(round, attempt);
        let number = speech.number;
        let frame = StreamFrame::StreamStart { attempt: speech.attempt, number, model_call };
        Some(self.frame_at_cursor(frame))
    }

    /// Tells an entry. Where it ends the attempt that is under way, the rest of what is stored comes before it, and how it
    /// ended after it. `was_corrected`: what was told of the attempt is not the beginning of what is stored.
    pub fn entry_frames(&mut self, entry: Arc<JournalEntry>, was_corrected: bool) -> Vec<CursorFrame> {
        let mut told: Vec<CursorFrame> = self.attempt_start_frame().into_iter().collect();
        let ended = self.speech.as_ref().and_then(|speech| attempt_end(&entry, speech.number));
        let ended = ended.map(|ended| match self.is_beginning_of(&ended) && !was_corrected {
            true => ended,
            false => AttemptEnd::Superseded(SupersessionReason::Corrected),
        });
        if let Some(AttemptEnd::Complete { text, .. }) = &ended {
            let from =
                self.speech.as_ref().and_then(|speech| speech.told).map_or(0, |(text, _)| length(text));
            told.extend(self.pieces(ReplyChannel::Text, text.get(from..).unwrap_or_default()));
        }
        let next = started_attempt(&entry).filter(|_| self.hears);
        let (seq, session) = (entry.seq, entry.session.clone());
        self.seq = seq;
        told.push(self.frame_at_cursor(StreamFrame::Entry(entry)));
        if let Some(ended) = ended
            && let Some(speech) = self.speech.take()
        {
            told.push(self.frame_at_cursor(attempt_end_frame(&speech, ended)));
        }
        if let Some(number) = next {
            self.speech = Some(AttemptPosition { attempt: seq, session, number, told: None });
            told.extend(self.attempt_start_frame());
        }
        told
    }

    /// Tells a change; where those before it were forgotten, that the reader has to look at everything anew.
    pub fn change_frame(&mut self, change: ResourceChangeRow) -> CursorFrame {
        self.seq = change.seq;
        let frame = match change.kind == ResourceChangeRow::PRUNED {
            true => StreamFrame::Resync(ResyncReason::Pruned),
            false => StreamFrame::Changed(change),
        };
        self.frame_at_cursor(frame)
    }

    /// Tells words of the attempt that is under way.
    pub fn text_frames(&mut self, fresh: &LiveTextDelta) -> Vec<CursorFrame> {
        let mut told: Vec<CursorFrame> = self.attempt_start_frame().into_iter().collect();
        told.extend(self.pieces(ReplyChannel::Reasoning, &fresh.thoughts));
        told.extend(self.pieces(ReplyChannel::Text, &fresh.text));
        told
    }

    fn is_beginning_of(&self, ended: &AttemptEnd) -> bool {
        let told = self.speech.as_ref().and_then(|speech| speech.told).map_or(0, |(text, _)| length(text));
        match ended {
            AttemptEnd::Complete { text, .. } => text.is_char_boundary(told),
            AttemptEnd::Superseded(_) => true,
        }
    }

    fn pieces(&mut self, channel: ReplyChannel, text: &str) -> Vec<CursorFrame> {
        let mut told = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(boundary(rest, CHUNK_MAX));
            rest = after;
            let Some(AttemptPosition { attempt, told: Some((said, thought)), .. }) = &mut self.speech else {
                break;
            };
            let (attempt, counted) = match channel {
                ReplyChannel::Text => (*attempt, said),
                ReplyChannel::Reasoning => (*attempt, thought),
            };
            let offset = *counted;
            *counted += piece.len() as u64;
            told.push(self.frame_at_cursor(StreamFrame::StreamChunk {
                attempt,
                channel,
                offset,
                text: piece.to_owned(),
            }));
        }
        told
    }

    fn frame_at_cursor(&self, frame: StreamFrame) -> CursorFrame {
        CursorFrame { at: Some(self.cursor()), frame }
    }
}

fn attempt_end_frame(speech: &AttemptPosition, ended: AttemptEnd) -> StreamFrame {
    let attempt = speech.attempt;
    match ended {
        AttemptEnd::Complete { text, message } => {
            let digest = sha256(text.as_bytes());
            StreamFrame::StreamComplete { attempt, bytes: text.len() as u64, digest, message }
        }
        AttemptEnd::Superseded(reason) => StreamFrame::StreamSuperseded { attempt, reason },
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
