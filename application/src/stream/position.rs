use std::sync::Arc;

use entracte_domain::id::{RoundAttempt, SessionId};

use super::frame::{CHUNK_MAX, boundary};
use super::{
    AttemptEnd, AttemptOffset, Cursor, CursorFrame, LiveTextDelta, ReplyChannel, ResyncReason, StreamFrame,
    SupersessionReason, attempt_end, started_attempt,
};
use crate::journal::JournalEntry;
use crate::ports::{BuiltinChangeKind, ChangeKind, ResourceChangeRow};
use crate::system::sha256;

/// The position of a stream reader. Every frame is made here, so the reader's cursor and its frames cannot
/// diverge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPosition {
    seq: u64,
    /// Whether model text is sent.
    hears: bool,
    speech: Option<AttemptPosition>,
}

/// The reader's position in a running attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptPosition {
    /// Number of the entry in which it began.
    pub attempt: u64,
    /// Session of the attempt.
    pub session: SessionId,
    /// Its number.
    pub number: RoundAttempt,
    /// Sent bytes of its text and of its reasoning; `None` before its start frame was sent.
    pub told: Option<(u64, u64)>,
}

impl StreamPosition {
    /// After this entry, among the entries of all sessions: without model text.
    pub fn in_workspace(seq: u64) -> Self {
        Self { seq, hears: false, speech: None }
    }

    /// After this entry, in one session, during this attempt.
    pub fn in_session(seq: u64, speech: Option<AttemptPosition>) -> Self {
        Self { seq, hears: true, speech }
    }

    /// The position as a cursor.
    pub fn cursor(&self) -> Cursor {
        let spoken = self.speech.as_ref().and_then(|speech| {
            speech.told.map(|(text, thoughts)| AttemptOffset { attempt: speech.attempt, text, thoughts })
        });
        Cursor { seq: self.seq, spoken }
    }

    /// The running attempt.
    pub fn speech(&self) -> Option<&AttemptPosition> {
        self.speech.as_ref()
    }

    /// The start frame of the running attempt, unless it was sent.
    pub fn attempt_start_frame(&mut self) -> Option<CursorFrame> {
        let speech = self.speech.as_mut().filter(|speech| speech.told.is_none())?;
        speech.told = Some((0, 0));
        let number = speech.number;
        let model_call = speech.session.model_call_id(number);
        let frame = StreamFrame::StreamStart { attempt: speech.attempt, number, model_call };
        Some(self.frame_at_cursor(frame))
    }

    /// The frames of an entry. If it ends the running attempt, the rest of the stored text precedes it, and the
    /// attempt's end follows it. `was_corrected`: the sent text is not the beginning of the stored one.
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

    /// The frame of a change; if changes before it were deleted, a resync frame.
    pub fn change_frame(&mut self, change: ResourceChangeRow) -> CursorFrame {
        self.seq = change.seq;
        let frame = match change.kind == ChangeKind::Builtin(BuiltinChangeKind::Pruned) {
            true => StreamFrame::Resync(ResyncReason::Pruned),
            false => StreamFrame::Changed(change),
        };
        self.frame_at_cursor(frame)
    }

    /// The frames of new text of the running attempt.
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
