use entracte_domain::id::{CallId, Digest, SessionId};

use super::{PAGE, QuestionReader, TurnAnswers, TurnQuestion};
use crate::codec::decode_entry;
use crate::journal::JournalEntry;
use crate::ports::{CallRow, LogRow};
use crate::retention::EntrySpan;
use crate::runtime::error::TurnError;

/// The committed ledger row of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct CallRowQuestion(pub(in crate::runtime) CallId);

impl TurnQuestion for CallRowQuestion {
    type Answer = Option<CallRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<CallRow>, TurnError> {
        Ok(reader.services.log.call(reader.key, &self.0).await?)
    }
}

/// The ledger rows of a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SessionCallsQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for SessionCallsQuestion {
    type Answer = Vec<CallRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<CallRow>, TurnError> {
        Ok(reader.services.log.calls(reader.key, &self.0).await?)
    }
}

/// The ledger rows of these sessions, each stored under its own [`SessionCallsQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SessionsCallsQuestion(pub(in crate::runtime) Vec<SessionId>);

impl TurnQuestion for SessionsCallsQuestion {
    type Answer = Vec<Vec<CallRow>>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<Vec<CallRow>>, TurnError> {
        let mut rows = Vec::with_capacity(self.0.len());
        for session in &self.0 {
            rows.push(SessionCallsQuestion(session.clone()).read(reader).await?);
        }
        Ok(rows)
    }

    fn store(self, rows: Vec<Vec<CallRow>>, answers: &mut TurnAnswers) {
        for (session, rows) in self.0.into_iter().zip(rows) {
            answers.put(SessionCallsQuestion(session), rows);
        }
    }
}

/// The stored entries of a part of a session, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct EntrySpanQuestion {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) span: EntrySpan,
}

impl TurnQuestion for EntrySpanQuestion {
    type Answer = Vec<JournalEntry>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<JournalEntry>, TurnError> {
        let mut entries = Vec::new();
        let mut after = self.span.first.saturating_sub(1);
        loop {
            let rows = reader.services.log.entries_since(reader.key, &self.session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.sequence;
            for row in &rows {
                if row.sequence > self.span.last {
                    return Ok(entries);
                }
                entries.push(decode_entry(row)?);
            }
        }
    }
}

/// A log entry by its number in the workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct LogRowQuestion(pub(in crate::runtime) u64);

impl TurnQuestion for LogRowQuestion {
    type Answer = Option<LogRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<LogRow>, TurnError> {
        Ok(reader.services.log.entry(reader.key, self.0).await?)
    }
}

/// The stored entries of a session up to a sequence, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct EntryRangeQuestion {
    pub(in crate::runtime) session: SessionId,
    /// Sequence of the last entry, inclusive.
    pub(in crate::runtime) at: u64,
}

impl TurnQuestion for EntryRangeQuestion {
    type Answer = Vec<JournalEntry>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<JournalEntry>, TurnError> {
        let mut entries = Vec::new();
        let mut after = 0;
        loop {
            let rows = reader.services.log.entries(reader.key, &self.session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.seq;
            for row in &rows {
                if row.sequence > self.at {
                    return Ok(entries);
                }
                entries.push(decode_entry(row)?);
            }
        }
    }
}

/// The stored entries of a session from a sequence on, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct EntriesFromQuestion {
    pub(in crate::runtime) session: SessionId,
    /// Sequence of the first entry.
    pub(in crate::runtime) from: u64,
}

impl TurnQuestion for EntriesFromQuestion {
    type Answer = Vec<JournalEntry>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<JournalEntry>, TurnError> {
        let mut entries = Vec::new();
        let mut after = self.from.saturating_sub(1);
        loop {
            let rows = reader.services.log.entries_since(reader.key, &self.session, after, PAGE).await?;
            let Some(last) = rows.last() else { return Ok(entries) };
            after = last.sequence;
            for row in &rows {
                entries.push(decode_entry(row)?);
            }
        }
    }
}

/// The sequence of the message that was sent to a session with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct MessageByKeyQuestion {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) client_key: String,
}

impl TurnQuestion for MessageByKeyQuestion {
    type Answer = Option<u64>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<u64>, TurnError> {
        let row =
            reader.services.log.entry_by_client_key(reader.key, &self.session, &self.client_key).await?;
        Ok(row.map(|row| row.sequence))
    }
}

/// The bytes that an entry of a session names by hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct BlobQuestion {
    pub(in crate::runtime) session: SessionId,
    pub(in crate::runtime) digest: Digest,
}

impl TurnQuestion for BlobQuestion {
    type Answer = Option<Vec<u8>>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Option<Vec<u8>>, TurnError> {
        Ok(reader.services.log.blob(reader.key, &self.session, &self.digest).await?)
    }
}
