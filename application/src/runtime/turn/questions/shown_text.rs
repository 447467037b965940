//! The words of a running reply, which exist in memory only.

use entracte_domain::id::SessionId;

use super::{QuestionReader, TurnQuestion};
use crate::runtime::error::TurnError;

/// The text that the running reply of a session has shown; empty if there is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct ShownTextQuestion(pub(in crate::runtime) SessionId);

impl TurnQuestion for ShownTextQuestion {
    type Answer = String;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<String, TurnError> {
        Ok(reader.under_way.shown_text(&self.0))
    }
}
