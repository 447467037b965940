use super::{QuestionReader, TurnQuestion};
use crate::ports::TriageRows;
use crate::runtime::error::TurnError;

/// What people noted about the inbox items of the workspace, as committed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::runtime) struct TriageQuestion;

impl TurnQuestion for TriageQuestion {
    type Answer = TriageRows;

    async fn read(&self, reader: QuestionReader<'_>) -> Result<TriageRows, TurnError> {
        Ok(reader.services.log.inbox_triage(reader.key).await?)
    }
}
