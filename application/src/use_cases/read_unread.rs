//! Unread messages of a reader.

use std::sync::Arc;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::SessionFacts;

use super::UseCaseError;
use crate::codec::decode_entry;
use crate::journal::{ConversationMessage, JournalEntry};
use crate::ports::LogReader;

/// The number of entries read per page.
const PAGE: u32 = 500;

/// The maximum number of entries examined to count the unread messages of one session in a list; later ones are not
/// counted.
pub const UNREAD_LOOK: u32 = 500;

/// The unread messages of a reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnreadMessages {
    /// The messages, in order, without the reader's own.
    pub messages: Vec<ConversationMessage>,
    /// The sequence to pass to `MarkRead` after reading them; 0 if there are none.
    pub up_to: u64,
}

use_case! {
    /// Finds the unread messages of a reader.
    ///
    /// ```
    /// # use entracte_application::{samples::example::*, use_cases::*};
    /// # example(async {
    /// let unread = ReadUnreadMessages::new(Arc::new(samples::log("Hello.")));
    /// assert_eq!(unread.run(&samples::facts(), "bob").await?.messages.len(), 1);
    /// assert_eq!(unread.run(&samples::facts(), "ann").await?.messages.len(), 0, "it is her own");
    /// # Ok(()) });
    /// ```
    pub struct ReadUnreadMessages reads (log: dyn LogReader)
}

impl ReadUnreadMessages {
    /// All unread messages of the reader.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn run(&self, facts: &SessionFacts, reader: &str) -> Result<UnreadMessages, UseCaseError> {
        let mut unread = UnreadMessages::default();
        let mut after = facts.read_mark_of(reader);
        while after < facts.sequence {
            let entries = self.page(&facts.workspace, &facts.id, after, PAGE).await?;
            let Some(last) = entries.last() else { break };
            after = last.sequence;
            entries.iter().for_each(|entry| unread.add(entry, reader, facts));
        }
        Ok(unread)
    }

    /// The number of unread messages of this listed session, within the next [`UNREAD_LOOK`] entries.
    ///
    /// # Errors
    /// When an entry cannot be read.
    pub async fn count(&self, facts: &SessionFacts, reader: &str) -> Result<usize, UseCaseError> {
        let after = facts.read_mark_of(reader);
        if after >= facts.sequence {
            return Ok(0);
        }
        let mut unread = UnreadMessages::default();
        let entries = self.page(&facts.workspace, &facts.id, after, UNREAD_LOOK).await?;
        entries.iter().for_each(|entry| unread.add(entry, reader, facts));
        Ok(unread.messages.len())
    }

    async fn page(
        &self,
        workspace: &WorkspaceKey,
        session: &SessionId,
        after: u64,
        most: u32,
    ) -> Result<Vec<JournalEntry>, UseCaseError> {
        let rows = self.log.entries_since(workspace, session, after, most).await?;
        Ok(rows.iter().map(decode_entry).collect::<Result<Vec<JournalEntry>, _>>()?)
    }
}

impl UnreadMessages {
    fn add(&mut self, entry: &JournalEntry, reader: &str, facts: &SessionFacts) {
        let before = self.messages.len();
        let is_new = |message: &ConversationMessage| message.is_unread_by(reader, facts);
        self.messages.extend(entry.conversation().into_iter().filter(is_new));
        if self.messages.len() > before {
            self.up_to = entry.sequence;
        }
    }
}
