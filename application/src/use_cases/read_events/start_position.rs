//! Maps a cursor to a position in the stream, using the log only.

use std::collections::VecDeque;
use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};

use super::{ROWS, ReadEvents};
use crate::codec::decode_entry;
use crate::journal::JournalEntry;
use crate::stream::{
    AttemptOffset, AttemptPosition, Cursor, CursorFrame, ResyncReason, StreamFrame, StreamPosition,
    StreamReadStart, attempt_end, started_attempt,
};
use crate::use_cases::UseCaseError;

/// The number of entries searched per page for the attempt under way.
const LOOKED_BACK: u32 = 50;

/// The start position of a reader, and the frames it receives first.
pub(super) struct EventReaderStart {
    pub(super) place: StreamPosition,
    pub(super) backlog: VecDeque<CursorFrame>,
}

impl ReadEvents {
    pub(super) async fn begin(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        start: StreamReadStart,
        known: Option<&str>,
    ) -> Result<EventReaderStart, UseCaseError> {
        let row = self.store.workspace(workspace).await?;
        let last = row.as_ref().map_or(0, |row| row.seq);
        let timeline = timeline(row.map(|row| row.created_at.0));
        let now = Cursor { seq: last, spoken: None };
        let found = match start {
            StreamReadStart::Now => Ok(self.start_after_entry(workspace, session, now).await?),
            StreamReadStart::At(_) if known.is_some_and(|known| known != timeline) => {
                Err(ResyncReason::Timeline)
            }
            StreamReadStart::At(cursor) if cursor.seq > last => Err(ResyncReason::Ahead),
            StreamReadStart::At(cursor) => self.start_at_cursor(workspace, session, cursor).await?,
        };
        let (at, begun) = match (found, start) {
            (Ok(begun), StreamReadStart::At(cursor)) => (cursor, begun),
            (Ok(begun), StreamReadStart::Now) => (now, begun),
            (Err(why), _) => {
                let mut begun = self.start_after_entry(workspace, session, now).await?;
                begun.backlog.push_front(CursorFrame { at: Some(now), frame: StreamFrame::Resync(why) });
                (now, begun)
            }
        };
        let EventReaderStart { place, mut backlog } = begun;
        let hello = StreamFrame::Hello { timeline, words: session.is_some() };
        backlog.push_front(CursorFrame { at: Some(at), frame: hello });
        Ok(EventReaderStart { place, backlog })
    }

    /// The position of a cursor.
    async fn start_at_cursor(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        cursor: Cursor,
    ) -> Result<Result<EventReaderStart, ResyncReason>, UseCaseError> {
        match (session, cursor.spoken) {
            (Some(session), Some(spoken)) => {
                self.start_within_attempt(workspace, session, cursor, spoken).await
            }
            (Some(_) | None, _) => self.start_after_entry(workspace, session, cursor).await.map(Ok),
        }
    }

    /// The position after an entry.
    async fn start_after_entry(
        &self,
        workspace: &WorkspaceKey,
        session: Option<&SessionId>,
        cursor: Cursor,
    ) -> Result<EventReaderStart, UseCaseError> {
        let place = match session {
            None => StreamPosition::in_workspace(cursor.seq),
            Some(session) => {
                let speech = self.find_running_attempt(workspace, session, cursor.seq).await?;
                StreamPosition::in_session(cursor.seq, speech)
            }
        };
        Ok(EventReaderStart { place, backlog: VecDeque::new() })
    }

    /// The position within the text of an attempt. If the entry of the cursor ends it, the rest of that text comes
    /// first.
    async fn start_within_attempt(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        cursor: Cursor,
        AttemptOffset { attempt, text, thoughts }: AttemptOffset,
    ) -> Result<Result<EventReaderStart, ResyncReason>, UseCaseError> {
        let first = self.log.entry(workspace, attempt).await?.filter(|row| row.session == *session);
        let first = first.as_ref().map(decode_entry).transpose()?;
        let Some(number) = first.as_ref().and_then(started_attempt) else {
            return Ok(Err(ResyncReason::Timeline));
        };
        let speech =
            AttemptPosition { attempt, session: session.clone(), number, told: Some((text, thoughts)) };
        let Some(end) = self.find_attempt_end(workspace, session, &speech, cursor.seq).await? else {
            let place = StreamPosition::in_session(cursor.seq, Some(speech));
            return Ok(Ok(EventReaderStart { place, backlog: VecDeque::new() }));
        };
        if end.seq != cursor.seq {
            return Ok(Err(ResyncReason::Timeline));
        }
        let mut place = StreamPosition::in_session(cursor.seq.saturating_sub(1), Some(speech));
        let told = place.entry_frames(Arc::new(end), self.live.is_corrected(workspace, attempt));
        let Some(known) = told.iter().position(|told| told.at == Some(cursor)) else {
            return Ok(Err(ResyncReason::Timeline));
        };
        let backlog = told.into_iter().skip(known + 1).collect();
        Ok(Ok(EventReaderStart { place, backlog }))
    }

    /// The entry up to `until` that ends an attempt.
    async fn find_attempt_end(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        speech: &AttemptPosition,
        until: u64,
    ) -> Result<Option<JournalEntry>, UseCaseError> {
        let mut after = speech.attempt;
        loop {
            let rows = self.log.entries(workspace, session, after, ROWS).await?;
            let Some(last) = rows.last() else { return Ok(None) };
            after = last.seq;
            for row in rows.iter().take_while(|row| row.seq <= until) {
                let entry = decode_entry(row)?;
                if attempt_end(&entry, speech.number).is_some() {
                    return Ok(Some(entry));
                }
            }
            if after > until {
                return Ok(None);
            }
        }
    }

    /// The attempt of a session that was under way after the entry `seq` and of which no text was returned.
    async fn find_running_attempt(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        seq: u64,
    ) -> Result<Option<AttemptPosition>, UseCaseError> {
        let next = self.log.entries(workspace, session, seq, 1).await?;
        let mut until = match next.first() {
            Some(next) => next.sequence.saturating_sub(1),
            None => self.store.session(workspace, session).await?.map_or(0, |row| row.sequence),
        };
        let mut later: Vec<JournalEntry> = Vec::new();
        while until > 0 {
            let from = until.saturating_sub(u64::from(LOOKED_BACK));
            let rows = self.log.entries_since(workspace, session, from, LOOKED_BACK).await?;
            for row in rows.iter().rev().filter(|row| row.sequence <= until && row.seq <= seq) {
                let entry = decode_entry(row)?;
                if let Some(number) = started_attempt(&entry) {
                    let has_ended = later.iter().any(|entry| attempt_end(entry, number).is_some());
                    let attempt = entry.seq;
                    let speech = AttemptPosition { attempt, session: session.clone(), number, told: None };
                    return Ok((!has_ended).then_some(speech));
                }
                later.push(entry);
            }
            until = from;
        }
        Ok(None)
    }
}

/// The name of a workspace's numbering: another database, or a recreated workspace, has a different one.
fn timeline(created_at: Option<i64>) -> String {
    format!("tl_{:x}", created_at.unwrap_or_default())
}
