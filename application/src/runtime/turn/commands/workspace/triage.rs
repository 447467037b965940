//! Requests about inbox items: a person snoozes them for themselves, ends that, or assigns them.

use std::collections::BTreeSet;

use entracte_domain::id::SessionId;

use crate::mail::{AssignItemsRequest, MailAnswer, MailRefusal, SnoozeItemsRequest, WakeItemsRequest};
use crate::ports::{AssignmentRow, SnoozeRow, TriageChange, TriageRows};
use crate::runtime::turn::commands::{ApplyToWorkspace, WorkspaceDraftEdit};
use crate::runtime::turn::request_not_applied::RequestNotApplied;
use crate::texts::saying;

/// Refuses items of sessions that the workspace does not have.
fn require_sessions<'a>(
    edit: &mut WorkspaceDraftEdit<'_>,
    sessions: impl Iterator<Item = &'a SessionId>,
) -> Result<(), RequestNotApplied> {
    let sessions: BTreeSet<SessionId> = sessions.cloned().collect();
    let sessions: Vec<SessionId> = sessions.into_iter().collect();
    edit.request_sessions(&sessions)?;
    for session in &sessions {
        if !edit.draft_session(session)? {
            return Err(MailRefusal::no_session(session).into());
        }
    }
    Ok(())
}

impl ApplyToWorkspace for SnoozeItemsRequest {
    /// Snoozes them for this person. Snoozes that have ended are deleted with it.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, items } = self;
        require_sessions(edit, items.iter().map(|item| &item.session))?;
        let (now, most) = (edit.draft().now, edit.turn().memory.runtime.inbox.snoozes);
        let mut rows = edit.read_triage()?;
        let mut changes = vec![TriageChange::DeleteEnded(now)];
        changes.extend(items.iter().map(|item| {
            TriageChange::Snooze(SnoozeRow {
                session: item.session.clone(),
                item: item.item.clone(),
                person: author.clone(),
                version: item.version.clone(),
                until: item.until,
                at: now,
            })
        }));
        changes.iter().for_each(|change| rows.apply(change.clone()));
        if rows.snoozes.iter().filter(|row| row.person == *author).count() > most {
            return Err(MailRefusal::Conflict(saying!("request-snoozes-too-many", most = most)).into());
        }
        edit.change_triage(changes);
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for WakeItemsRequest {
    /// Ends the snoozes of this person.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, items } = self;
        require_sessions(edit, items.iter().map(|item| &item.session))?;
        let rows = edit.read_triage()?;
        let snoozed = items.iter().filter(|item| rows.snooze(&item.session, &item.item, author).is_some());
        let wake = snoozed.map(|item| TriageChange::Wake {
            session: item.session.clone(),
            item: item.item.clone(),
            person: author.clone(),
        });
        edit.change_triage(wake.collect());
        Ok(MailAnswer::Done)
    }
}

impl ApplyToWorkspace for AssignItemsRequest {
    /// Assigns them, which ends the snoozes of everybody but its author. What is assigned to this person already stays as it
    /// is, with its author.
    fn apply(&self, edit: &mut WorkspaceDraftEdit<'_>) -> Result<MailAnswer, RequestNotApplied> {
        let Self { author, person, items } = self;
        require_sessions(edit, items.iter().map(|item| &item.session))?;
        let (at, most) = (edit.draft().now, edit.turn().memory.runtime.inbox.assignments);
        let mut rows = edit.read_triage()?;
        let mut changes = Vec::with_capacity(items.len());
        for item in items {
            let known = rows.assignment(&item.session, &item.item).map(|row| row.person.as_str());
            if known == person.as_deref() {
                continue;
            }
            let (session, item) = (item.session.clone(), item.item.clone());
            let Some(person) = person else {
                changes.push(TriageChange::Unassign { session, item });
                continue;
            };
            changes.extend(wake_others(&rows, &session, &item, author));
            let (person, author) = (person.clone(), author.clone());
            changes.push(TriageChange::Assign(AssignmentRow { session, item, person, author, at }));
        }
        changes.iter().for_each(|change| rows.apply(change.clone()));
        changes.extend(oldest_beyond(&rows, most));
        edit.change_triage(changes);
        Ok(MailAnswer::Done)
    }
}

/// Ends the snoozes of an item but those of this author.
fn wake_others(rows: &TriageRows, session: &SessionId, item: &str, author: &str) -> Vec<TriageChange> {
    let is_of_others = |row: &&SnoozeRow| row.session == *session && row.item == item && row.person != author;
    let wake = |row: &SnoozeRow| TriageChange::Wake {
        session: session.clone(),
        item: item.to_owned(),
        person: row.person.clone(),
    };
    rows.snoozes.iter().filter(is_of_others).map(wake).collect()
}

/// Deletes the oldest assignments beyond the limit: most of them are of items that no longer wait.
fn oldest_beyond(rows: &TriageRows, most: usize) -> Vec<TriageChange> {
    let mut by_age: Vec<&AssignmentRow> = rows.assignments.iter().collect();
    by_age.sort_by_key(|row| row.at);
    let beyond = by_age.len().saturating_sub(most);
    let delete =
        |row: &AssignmentRow| TriageChange::Unassign { session: row.session.clone(), item: row.item.clone() };
    by_age.into_iter().take(beyond).map(delete).collect()
}

#[cfg(test)]
mod tests {
    use entracte_domain::time::Timestamp;

    use super::*;

    /// Input: an item that two people snooze, and one of them assigns; expected: it wakes for the other one.
    #[test]
    fn assignment_wakes_others() {
        let mut rows = TriageRows::default();
        for (item, person) in [("a", "ann"), ("a", "bob"), ("b", "bob")] {
            rows.apply(TriageChange::Snooze(SnoozeRow {
                session: SessionId::new("ses_1"),
                item: item.to_owned(),
                person: person.to_owned(),
                version: "v".to_owned(),
                until: Timestamp(9),
                at: Timestamp(1),
            }));
        }
        let (session, item) = (SessionId::new("ses_1"), "a".to_owned());
        let woken = TriageChange::Wake { session: session.clone(), item, person: "bob".to_owned() };
        assert_eq!(wake_others(&rows, &session, "a", "ann"), [woken]);
    }

    /// Input: three assignments, of which two may stay; expected: the oldest goes.
    #[test]
    fn oldest_assignments_go_first() {
        let mut rows = TriageRows::default();
        for (item, at) in [("b", 2), ("a", 3), ("c", 1)] {
            rows.apply(TriageChange::Assign(AssignmentRow {
                session: SessionId::new("ses_1"),
                item: item.to_owned(),
                person: "bob".to_owned(),
                author: "ann".to_owned(),
                at: Timestamp(at),
            }));
        }
        let gone = TriageChange::Unassign { session: SessionId::new("ses_1"), item: "c".to_owned() };
        assert_eq!(oldest_beyond(&rows, 2), [gone]);
        assert_eq!(oldest_beyond(&rows, 3), []);
    }
}
