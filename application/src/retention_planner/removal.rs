//! Removes what goes from a workspace, batch after batch.

use std::collections::HashSet;

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::planner::{RetentionPlanError, RetentionPlanner};
use super::planner_ports::RetentionPlannerPorts;
use super::unread_documents::{
    DocumentCutoff, count_of_document, list_unread_documents, read_document_cutoff,
};
use crate::mail::{ApplyRetentionRequest, Mail, MailAnswer, MailRequest, RefusalCode};
use crate::ports::{
    Clock, KnowledgeDocument, KnowledgeStore, MailPostError, MailSender, ReclaimExtent, StoreError,
    UnreadDocumentCondition, UnreadRemovalOutcome,
};
use crate::retention::{RetentionStep, RetentionTable, RetentionTotals};
use crate::settings::RetentionSettings;
use crate::texts::RefusalText;

/// Commits between two returns of space.
const COMMITS_PER_RECLAIM: u32 = 20;

/// A pause is at least so many times as long as what was done since the one before: the reading of what goes, the commit,
/// and the return of space. With twelve times, four busy sessions kept 0.87 of their rounds (row `retention` of the benchmark,
/// SQLite).
const PAUSE_PER_BATCH: i64 = 24;

/// A pause is at most so many times as long as the set one.
const LONGEST_PAUSE: i64 = 20;

/// How often the row of a workspace is read for one document, while sessions write it.
const WORKSPACE_READS_MAX: u32 = 10;

/// What the removal works with.
#[derive(Clone, Copy)]
pub struct RetentionRemovalPorts<'a> {
    /// Reads what goes.
    pub read: RetentionPlannerPorts<'a>,
    /// The documents; `None` if there are none.
    pub knowledge: Option<&'a dyn KnowledgeStore>,
    /// Posts each batch to the owner of the workspace.
    pub mail_sender: &'a dyn MailSender,
    /// The time, and the pauses.
    pub clock: &'a dyn Clock,
}

/// Why a removal ended early. What is left goes with the next one.
#[derive(Debug, thiserror::Error)]
pub enum RetentionRemovalError {
    /// What goes next cannot be read.
    #[error(transparent)]
    Plan(#[from] RetentionPlanError),
    /// A batch could not be posted.
    #[error(transparent)]
    Post(#[from] MailPostError),
    /// The owner refused a batch.
    #[error("{text}")]
    Refused {
        /// The code for programs.
        code: RefusalCode,
        /// The reason.
        text: RefusalText,
    },
}

impl RetentionRemovalError {
    /// Whether the database cannot be used now.
    const fn is_outage(&self) -> bool {
        matches!(self, Self::Plan(RetentionPlanError::Store(StoreError::Unavailable(_))))
    }

    /// Whether the owner has other limits than those of the batch, or another state than it read.
    const fn is_conflict(&self) -> bool {
        matches!(self, Self::Refused { code: RefusalCode::Conflict, .. })
    }
}

/// What one run removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetentionRun {
    /// What was removed.
    pub removed: RetentionTotals,
    /// Whether nothing is left that can go now.
    pub is_complete: bool,
}

/// Removes what goes from a workspace in at most so many commits, with a pause after each. `tell` is told the sum after
/// each commit, without what the owner left out.
///
/// # Errors
/// When it cannot continue now. What was committed stays removed.
pub async fn remove_expired(
    ports: RetentionRemovalPorts<'_>,
    workspace: &WorkspaceKey,
    settings: &RetentionSettings,
    most_commits: u32,
    tell: &mut (dyn FnMut(&RetentionTotals) + Send),
) -> Result<RetentionRun, RetentionRemovalError> {
    let target = RetentionTarget { ports, workspace, settings };
    let removed = RetentionTotals::default();
    let mut removal =
        RetentionRemoval { target, most_commits, tell, commits: 0, is_any_applied: false, removed };
    let sessions = removal.remove_sessions().await;
    // What stops sessions does not stop documents, unless the database cannot be used.
    let goes_on = match &sessions {
        Ok(is_all) => *is_all,
        Err(error) => !error.is_outage(),
    };
    let documents = if goes_on { removal.remove_documents().await } else { Ok(false) };
    let is_all = sessions? && documents?;
    let RetentionRemoval { removed, is_any_applied, .. } = removal;
    if !is_all {
        reclaim_part(ports).await;
        // If nothing went, the next run would plan the same again.
        return Ok(RetentionRun { removed, is_complete: !is_any_applied });
    }
    if !removed.is_empty() {
        while reclaim_part(ports).await {
            ports.clock.sleep(settings.pause).await;
        }
    }
    Ok(RetentionRun { removed, is_complete: true })
}

/// What a removal removes from, by which settings.
#[derive(Clone, Copy)]
struct RetentionTarget<'a> {
    ports: RetentionRemovalPorts<'a>,
    workspace: &'a WorkspaceKey,
    settings: &'a RetentionSettings,
}

impl RetentionTarget<'_> {
    async fn open_planner(self) -> Result<Option<RetentionPlanner>, RetentionPlanError> {
        RetentionPlanner::open(self.ports.read, self.workspace, self.settings, self.ports.clock.now()).await
    }

    async fn read_document_cutoff(self) -> Result<Option<DocumentCutoff>, RetentionPlanError> {
        let now = self.ports.clock.now();
        read_document_cutoff(self.ports.read, self.workspace, self.settings, now).await
    }

    /// The cutoff as it is now; `None` if its limits count no longer.
    async fn reread_cutoff(
        self,
        cutoff: &DocumentCutoff,
    ) -> Result<Option<DocumentCutoff>, RetentionPlanError> {
        Ok(self.read_document_cutoff().await?.filter(|current| current.limits == cutoff.limits))
    }

    /// Removes a document, unless it was used or the limits of the cutoff count no longer. A workspace in which something
    /// else happened at the same time is read again; of one that never rests the document stays until the next run.
    async fn remove_document(
        self,
        knowledge: &dyn KnowledgeStore,
        document: &KnowledgeDocument,
        cutoff: &DocumentCutoff,
    ) -> Result<UnreadRemovalOutcome, RetentionPlanError> {
        for _ in 0..WORKSPACE_READS_MAX {
            // A person who changes a limit, or holds the workspace, waits for no document but the one under way.
            let Some(current) = self.reread_cutoff(cutoff).await? else {
                return Ok(UnreadRemovalOutcome::WorkspaceChanged);
            };
            let workspace_seq = Some(current.workspace_seq);
            let condition = UnreadDocumentCondition { before: cutoff.before, workspace_seq };
            match knowledge.remove_unread(self.workspace, &document.id, condition).await? {
                UnreadRemovalOutcome::WorkspaceChanged => {}
                outcome @ (UnreadRemovalOutcome::Removed | UnreadRemovalOutcome::Kept) => return Ok(outcome),
            }
        }
        Ok(UnreadRemovalOutcome::Kept)
    }

    /// Has the owner apply steps that were planned under these limits; returns the positions of those that it applied.
    async fn post_steps(
        self,
        steps: Vec<RetentionStep>,
        limits: String,
    ) -> Result<Vec<u32>, RetentionRemovalError> {
        let request = MailRequest::workspace(ApplyRetentionRequest { steps, limits });
        match self.ports.mail_sender.post(self.workspace, Mail::from_request(request)).await? {
            MailAnswer::Applied { steps } => Ok(steps),
            MailAnswer::Refused { code, text, topic } => {
                let text = RefusalText::from_rendered(text, topic);
                Err(RetentionRemovalError::Refused { code, text })
            }
            // An owner of an earlier version does not say what it applied.
            MailAnswer::Accepted { .. }
            | MailAnswer::Done
            | MailAnswer::Made { .. }
            | MailAnswer::Heard { .. }
            | MailAnswer::Replayed(_) => Ok(Vec::new()),
        }
    }
}

/// A removal under way.
struct RetentionRemoval<'a> {
    target: RetentionTarget<'a>,
    most_commits: u32,
    tell: &'a mut (dyn FnMut(&RetentionTotals) + Send),
    commits: u32,
    /// Whether anything went, or was marked as looked at.
    is_any_applied: bool,
    removed: RetentionTotals,
}

impl RetentionRemoval<'_> {
    /// Removes sessions, results and ledger rows; `false` if more of them goes than there may be commits for.
    async fn remove_sessions(&mut self) -> Result<bool, RetentionRemovalError> {
        let target = self.target;
        let read = target.ports.read;
        let mut opened = target.open_planner().await?;
        let mut began = target.ports.clock.monotonic();
        while let Some(planner) = &mut opened {
            let Some(batch) = planner.next_batch(read).await? else { break };
            if self.commits == self.most_commits {
                return Ok(false);
            }
            // A person who changes a limit, or holds something, waits for no batch but the one under way.
            if !planner.is_current(read).await? {
                opened = target.open_planner().await?;
                continue;
            }
            let applied = match target.post_steps(batch.steps(), planner.limits()).await {
                Ok(applied) => applied,
                Err(error) => {
                    // The limits changed while the batch was under way.
                    if error.is_conflict() && !planner.is_current(read).await? {
                        opened = target.open_planner().await?;
                        continue;
                    }
                    return Err(error);
                }
            };
            self.finish_commit(began, &batch.removes_at(&applied), !applied.is_empty()).await;
            began = target.ports.clock.monotonic();
        }
        Ok(true)
    }

    /// Removes documents that nobody reads, each in a commit of its own: this process may write them beside the owner,
    /// which only agrees to the limits. `false` if more of them goes than there may be commits for. A document that cannot
    /// be removed stays, and its error is returned after the others went.
    async fn remove_documents(&mut self) -> Result<bool, RetentionRemovalError> {
        let target = self.target;
        let Some(knowledge) = target.ports.knowledge else { return Ok(true) };
        let (mut failed, mut first_fault) = (HashSet::new(), None);
        'plan: while let Some(cutoff) = target.read_document_cutoff().await? {
            let unread = list_unread_documents(knowledge, target.workspace, cutoff.before).await;
            let mut unread = unread.map_err(RetentionPlanError::from)?;
            unread.retain(|document| !failed.contains(&document.id));
            if unread.is_empty() {
                break;
            }
            if let Err(error) = target.post_steps(Vec::new(), cutoff.limits.clone()).await {
                // The limits changed after they were read.
                if error.is_conflict() && target.reread_cutoff(&cutoff).await?.is_none() {
                    continue;
                }
                return Err(error);
            }
            for document in unread {
                if self.commits == self.most_commits {
                    return Ok(false);
                }
                let began = target.ports.clock.monotonic();
                match target.remove_document(knowledge, &document, &cutoff).await {
                    Ok(UnreadRemovalOutcome::WorkspaceChanged) => continue 'plan,
                    Ok(outcome) => {
                        let goes = outcome == UnreadRemovalOutcome::Removed;
                        let mut removes = RetentionTotals::default();
                        if goes {
                            removes.add(RetentionTable::Documents, count_of_document(&document));
                        }
                        self.finish_commit(began, &removes, goes).await;
                    }
                    Err(RetentionPlanError::Store(fault)) if !matches!(fault, StoreError::Unavailable(_)) => {
                        let (workspace, document) = (target.workspace, document.id);
                        tracing::warn!(%workspace, %document, %fault, "retention leaves a document that cannot be removed");
                        failed.insert(document);
                        first_fault.get_or_insert(fault);
                    }
                    Err(fault) => return Err(fault.into()),
                }
            }
            break;
        }
        match first_fault {
            Some(fault) => Err(RetentionPlanError::from(fault).into()),
            None => Ok(true),
        }
    }

    /// Counts a commit, tells the sum, gives space back from time to time, and pauses.
    async fn finish_commit(&mut self, began: Millis, removes: &RetentionTotals, is_applied: bool) {
        let RetentionTarget { ports, settings, .. } = self.target;
        self.removed.add_all(removes);
        (self.tell)(&self.removed);
        self.is_any_applied |= is_applied;
        self.commits = self.commits.saturating_add(1);
        if self.commits.is_multiple_of(COMMITS_PER_RECLAIM) {
            reclaim_part(ports).await;
        }
        let took = Millis(ports.clock.monotonic().0.saturating_sub(began.0));
        ports.clock.sleep(pause_after(took, settings.pause)).await;
    }
}

/// The pause after a batch that took so long: the set one, or longer where the machine is busy or each statement crosses a
/// network, so that sessions have the processor and the writer most of the time. Without a set pause there is none.
fn pause_after(took: Millis, pause: Millis) -> Millis {
    let longest = Millis(pause.0.saturating_mul(LONGEST_PAUSE));
    Millis(took.0.saturating_mul(PAUSE_PER_BATCH)).clamp(pause, longest.max(pause))
}

/// Gives a part of the space back; returns whether there is more. A failure costs nothing but the space.
async fn reclaim_part(ports: RetentionRemovalPorts<'_>) -> bool {
    match ports.read.store.reclaim_space(ReclaimExtent::Part).await {
        Ok(reclaimed) => reclaimed.is_more,
        Err(error) => {
            tracing::warn!(%error, "the space of removed rows cannot be given back now");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_batches_have_longer_pauses() {
        for (took, pause, expected) in [
            (5, 200, 200),
            (10, 200, 240),
            (100, 200, 2_400),
            (60_000, 200, 4_000),
            (100, 0, 0),
            (0, 200, 200),
        ] {
            assert_eq!(pause_after(Millis(took), Millis(pause)), Millis(expected), "{took} {pause}");
        }
    }
}
