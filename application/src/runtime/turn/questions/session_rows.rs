use std::collections::BTreeSet;

use entracte_domain::id::SessionId;
use entracte_domain::time::Timestamp;

use super::{QuestionReader, TurnAnswers, TurnQuestion};
use crate::failpoints::{FailpointOperation, run_between_failpoints};
use crate::ports::{SessionFilter, SessionRow, StoreError};
use crate::runtime::error::TurnError;

/// The row of a session of the workspace; `Err` says why it cannot be read, which need not end the turn.
pub(in crate::runtime) type ReadSessionRow = Result<Option<SessionRow>, String>;

/// The row of this session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SessionRowQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for SessionRowQuestion {
    type Answer = ReadSessionRow;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<ReadSessionRow, TurnError> {
        match reader.services.store.session(reader.key, &self.0).await {
            Ok(row) => Ok(Ok(row)),
            Err(StoreError::Inconsistent(why)) => Ok(Err(why)),
            Err(fault @ StoreError::Unavailable(_)) => Err(fault.into()),
        }
    }
}

/// The rows of these sessions, each stored under its own [`SessionRowQuestion`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SessionRowsQuestion(pub(in crate::runtime) Vec<SessionId>);

impl TurnQuestion for SessionRowsQuestion {
    type Answer = Vec<ReadSessionRow>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<ReadSessionRow>, TurnError> {
        let mut rows = Vec::with_capacity(self.0.len());
        for id in &self.0 {
            rows.push(SessionRowQuestion(id.clone()).read(reader).await?);
        }
        Ok(rows)
    }

    fn store(self, rows: Vec<ReadSessionRow>, answers: &mut TurnAnswers) {
        for (id, row) in self.0.into_iter().zip(rows) {
            answers.put(SessionRowQuestion(id), row);
        }
    }
}

/// Whether a session of any workspace has this id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct SessionIdTakenQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for SessionIdTakenQuestion {
    type Answer = bool;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<bool, TurnError> {
        Ok(reader.services.store.session_id_exists(&self.0).await?)
    }
}

/// The sessions whose deadline is at or before this time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct DueSessionsQuestion(pub(in crate::runtime) Timestamp);

impl TurnQuestion for DueSessionsQuestion {
    type Answer = Vec<SessionId>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<SessionId>, TurnError> {
        let due = reader.services.store.due_sessions_in(reader.key, self.0);
        Ok(run_between_failpoints(FailpointOperation::WakeUp, due).await?)
    }
}

/// The open sessions that wait for a person.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct WaitingSessionsQuestion;

impl TurnQuestion for WaitingSessionsQuestion {
    type Answer = Vec<SessionId>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Vec<SessionId>, TurnError> {
        let workspace = Some(reader.key.clone());
        let filter = SessionFilter { workspace, waiting: true, open: true, ..SessionFilter::default() };
        let lines = reader.services.log.session_list(&filter).await?;
        Ok(lines.into_iter().map(|line| line.id).collect())
    }
}

/// Those of these sessions that have work under way whose time limit is still ahead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct LimitedSessionsQuestion(pub(in crate::runtime) Vec<SessionId>);

impl TurnQuestion for LimitedSessionsQuestion {
    type Answer = BTreeSet<SessionId>;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<BTreeSet<SessionId>, TurnError> {
        let passed = reader.services.clock.monotonic();
        let has_limit = |session: &&SessionId| reader.under_way.has_limit_ahead(session, passed);
        Ok(self.0.iter().filter(has_limit).cloned().collect())
    }
}
