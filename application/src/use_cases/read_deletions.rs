use std::sync::Arc;

use entracte_domain::id::WorkspaceKey;

use super::UseCaseError;
use crate::codec::decode_deletion;
use crate::journal::SessionDeletion;
use crate::ports::LogReader;

use_case! {
    /// Reads the records of a workspace's deleted sessions, with what was open in them.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let mut log = MockLogReader::new();
    /// log.expect_deletions().returning(|_, _| Ok(Vec::new()));
    /// let read = ReadDeletions::new(Arc::new(log));
    /// assert_eq!(read.run(&samples::workspace(), 20).await?, [], "nothing was deleted");
    /// # Ok(()) });
    /// ```
    pub struct ReadDeletions reads (log: dyn LogReader)
}

impl ReadDeletions {
    /// The latest deletions of a workspace, latest first.
    ///
    /// # Errors
    /// When they cannot be read.
    pub async fn run(
        &self,
        workspace: &WorkspaceKey,
        limit: u32,
    ) -> Result<Vec<SessionDeletion>, UseCaseError> {
        let rows = self.log.deletions(workspace, limit).await?;
        rows.iter().map(|row| decode_deletion(row).map_err(UseCaseError::from)).collect()
    }
}
