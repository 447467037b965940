//! Commits of sessions at work, which most commits are: they change rows that are there, append to the log, and write calls. A
//! server takes all that a group of them writes in one statement.

use std::collections::HashSet;

use entracte_application::ports::{CallRow, Commit, LogRow, SessionRow, WorkspaceRow};

use crate::commit::check_numbers;
use crate::queries::log;

/// What a group of such commits writes.
#[derive(Debug, Default)]
pub(crate) struct AtWork<'a> {
    /// The rows of their workspaces, each with the `seq` that it has.
    pub(crate) workspaces: Vec<(&'a WorkspaceRow, u64)>,
    /// The rows of their sessions, each with the sequence that it has.
    pub(crate) sessions: Vec<(&'a SessionRow, u64)>,
    /// New entries of these sessions.
    pub(crate) log: Vec<&'a LogRow>,
    /// Calls of these sessions, new or changed.
    pub(crate) calls: Vec<&'a CallRow>,
}

impl<'a> AtWork<'a> {
    /// None when one of them writes something else as well, or cannot be written: that is said where it is written alone.
    pub(crate) fn of(commits: impl IntoIterator<Item = &'a Commit>) -> Option<Self> {
        let mut all = Self::default();
        let mut keys = HashSet::new();
        for commit in commits {
            // Each statement sees the rows as they were before it.
            if !keys.insert(&commit.workspace.key) || !all.take(commit) {
                return None;
            }
        }
        Some(all)
    }

    /// Adds a commit; whether it could be added.
    fn take(&mut self, commit: &'a Commit) -> bool {
        let Commit {
            workspace,
            expected_seq: Some(expected),
            sessions,
            log,
            calls,
            resources,
            blobs,
            answers,
            deleted,
            automations,
            occurrences,
            deleted_automations,
            deletions,
            receipts,
            spent_links,
            changes,
            instructions,
            tasks,
            arrivals,
        } = commit
        else {
            return false;
        };
        let is_more = [
            resources.is_empty(),
            blobs.is_empty(),
            answers.is_empty(),
            deleted.is_empty(),
            automations.is_empty(),
            occurrences.is_empty(),
            deleted_automations.is_empty(),
            deletions.is_empty(),
            receipts.is_empty(),
            spent_links.is_empty(),
            changes.is_empty(),
            instructions.is_empty(),
            tasks.is_empty(),
            arrivals.is_empty(),
        ]
        .contains(&false);
        if is_more || check_numbers(commit).is_err() {
            return false;
        }
        let mut ids = HashSet::with_capacity(sessions.len());
        for (row, expected) in sessions {
            let (Some(expected), true) = (expected, row.workspace == workspace.key) else { return false };
            ids.insert(&row.id);
            self.sessions.push((row, *expected));
        }
        let are_theirs = ids.len() == sessions.len()
            && log.iter().all(|row| ids.contains(&row.session) && log::fits(row))
            && calls.iter().all(|row| ids.contains(&row.session));
        self.workspaces.push((workspace, *expected));
        self.log.extend(log);
        self.calls.extend(calls);
        are_theirs
    }
}
