//! Removes what goes from a workspace, batch after batch.

use entracte_domain::id::WorkspaceKey;
use entracte_domain::time::Millis;

use super::planner::{RetentionPlanError, RetentionPlanner};
use super::planner_ports::RetentionPlannerPorts;
use crate::mail::{ApplyRetentionRequest, Mail, MailAnswer, MailRequest, RefusalCode};
use crate::ports::{Clock, MailPostError, MailSender, ReclaimExtent};
use crate::retention::RetentionTotals;
use crate::settings::RetentionSettings;
use crate::texts::RefusalText;

/// Commits between two returns of space.
const COMMITS_PER_RECLAIM: u32 = 20;

/// A pause is at least so many times as long as the commit before it.
const PAUSE_PER_COMMIT: i64 = 4;

/// A pause is at most so many times as long as the set one.
const LONGEST_PAUSE: i64 = 20;

/// What the removal works with.
#[derive(Clone, Copy)]
pub struct RetentionRemovalPorts<'a> {
    /// Reads what goes.
    pub read: RetentionPlannerPorts<'a>,
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
    let mut removed = RetentionTotals::default();
    let open = async || RetentionPlanner::open(ports.read, workspace, settings, ports.clock.now()).await;
    let mut opened = open().await?;
    let (mut commits, mut is_any_applied) = (0_u32, false);
    while let Some(planner) = &mut opened {
        let Some(batch) = planner.next_batch(ports.read).await? else { break };
        if commits == most_commits {
            reclaim_part(ports).await;
            // The next run would plan the same again.
            return Ok(RetentionRun { removed, is_complete: !is_any_applied });
        }
        // A person who changes a limit, or holds something, waits for no batch but the one under way.
        if !planner.is_current(ports.read).await? {
            opened = open().await?;
            continue;
        }
        let request = ApplyRetentionRequest { steps: batch.steps(), limits: planner.limits() };
        let request = MailRequest::workspace(request);
        let began = ports.clock.monotonic();
        let answer = ports.mail_sender.post(workspace, Mail::from_request(request)).await?;
        let took = Millis(ports.clock.monotonic().0.saturating_sub(began.0));
        let applied = match answer {
            MailAnswer::Applied { steps } => steps,
            MailAnswer::Refused { code, text, topic } => {
                // The limits changed while the batch was under way.
                if code == RefusalCode::Conflict && !planner.is_current(ports.read).await? {
                    opened = open().await?;
                    continue;
                }
                let text = RefusalText::from_rendered(text, topic);
                return Err(RetentionRemovalError::Refused { code, text });
            }
            // No owner answers so.
            MailAnswer::Accepted { .. }
            | MailAnswer::Done
            | MailAnswer::Made { .. }
            | MailAnswer::Heard { .. }
            | MailAnswer::Replayed(_) => Vec::new(),
        };
        removed.add_all(&batch.removes_at(&applied));
        tell(&removed);
        is_any_applied = is_any_applied || !applied.is_empty();
        commits = commits.saturating_add(1);
        if commits.is_multiple_of(COMMITS_PER_RECLAIM) {
            reclaim_part(ports).await;
        }
        ports.clock.sleep(pause_after(took, settings.pause)).await;
    }
    if !removed.is_empty() {
        while reclaim_part(ports).await {
            ports.clock.sleep(settings.pause).await;
        }
    }
    Ok(RetentionRun { removed, is_complete: true })
}

/// The pause after a commit that took so long: the set one, or longer where each statement crosses a network, so that
/// sessions have the writer most of the time. Without a set pause there is none.
fn pause_after(took: Millis, pause: Millis) -> Millis {
    let longest = Millis(pause.0.saturating_mul(LONGEST_PAUSE));
    Millis(took.0.saturating_mul(PAUSE_PER_COMMIT)).clamp(pause, longest.max(pause))
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
    fn slow_commits_have_longer_pauses() {
        for (took, pause, expected) in
            [(10, 200, 200), (100, 200, 400), (60_000, 200, 4_000), (100, 0, 0), (0, 200, 200)]
        {
            assert_eq!(pause_after(Millis(took), Millis(pause)), Millis(expected), "{took} {pause}");
        }
    }
}
