//! Random values. Each is numbered in the order in which the turn uses it, so that a repeated stage gets the same.

use entracte_domain::id::SessionId;
use entracte_domain::time::Millis;

use super::{QuestionReader, TurnQuestion};
use crate::runtime::error::TurnError;

/// The id of the turn's next new session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct NewSessionIdQuestion(pub(in crate::runtime) usize);

impl TurnQuestion for NewSessionIdQuestion {
    type Answer = SessionId;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<SessionId, TurnError> {
        Ok(reader.services.ids.session())
    }
}

/// The turn's next unguessable key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct NewKeyQuestion(pub(in crate::runtime) usize);

impl TurnQuestion for NewKeyQuestion {
    type Answer = String;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<String, TurnError> {
        Ok(reader.services.ids.key())
    }
}

/// The turn's next short random delay.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct JitterQuestion(pub(in crate::runtime) usize);

impl TurnQuestion for JitterQuestion {
    type Answer = Millis;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<Millis, TurnError> {
        Ok(reader.services.ids.jitter(reader.services.settings.jitter))
    }
}
