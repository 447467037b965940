//! What retention reads, and its effect on the rows of a store without a database.

use std::collections::BTreeMap;

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{SessionKind, Standing};
use entracte_domain::time::Timestamp;

use super::{
    CallRow, LogRow, RemovedCallRow, RetentionMarkKind, RetentionMarkRow, RetentionRows, SessionRow,
    WorkspaceCommit,
};

entracte_domain::words! {
    /// The sessions that retention looks at.
    pub enum RestingState {
        /// Ended, and nobody has to look at it.
        Ended = "ended",
        /// Ended, and nobody has looked at its end yet.
        EndedUnseen = "ended_unseen",
        /// Not ended, at rest, and waiting for nobody.
        Open = "open",
    }
}

/// Selects sessions by their age, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestingSessionFilter {
    /// Their workspace.
    pub workspace: WorkspaceKey,
    /// Their state.
    pub state: RestingState,
    /// Leaves out those from which this was removed up to their last entry.
    pub without: Option<RetentionMarkKind>,
    /// Their last input came before.
    pub before: Timestamp,
    /// Follows the session with this time of its last input, and this id.
    pub after: Option<(Timestamp, SessionId)>,
    /// The maximum number.
    pub limit: u32,
}

impl RestingSessionFilter {
    /// The rows that match the filter, in its order. For stores without a database; `removed` is the sequence up to
    /// which something was removed from a session.
    pub fn select(
        &self,
        rows: impl IntoIterator<Item = SessionRow>,
        removed: impl Fn(&SessionId, RetentionMarkKind) -> u64,
    ) -> Vec<SessionRow> {
        let is_ended = |row: &SessionRow| row.standing == Standing::Ended;
        let has_state = |row: &SessionRow| match self.state {
            RestingState::Ended => is_ended(row) && !row.waiting,
            RestingState::EndedUnseen => is_ended(row) && row.waiting,
            RestingState::Open => !is_ended(row) && !row.waiting,
        };
        let follows = |row: &SessionRow| {
            self.after.as_ref().is_none_or(|(at, id)| (row.last_activity, &row.id) > (*at, id))
        };
        let is_left = |row: &SessionRow| match self.without {
            // One that went on has further results; ledger rows go once it has ended, all of them.
            Some(kind @ RetentionMarkKind::Results) => removed(&row.id, kind) < row.sequence,
            Some(kind @ RetentionMarkKind::Ledger) => removed(&row.id, kind) == 0,
            None => true,
        };
        let matches = |row: &SessionRow| {
            row.workspace == self.workspace
                && !row.working
                && row.last_activity < self.before
                && has_state(row)
                && follows(row)
                && is_left(row)
        };
        let mut found: Vec<SessionRow> = rows.into_iter().filter(matches).collect();
        found.sort_by(|one, other| (one.last_activity, &one.id).cmp(&(other.last_activity, &other.id)));
        found.truncate(self.limit as usize);
        found
    }
}

/// Asks for the time of the last input of the ended session of this kind that is number `place`, latest first, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestEndedQuery {
    /// The workspace.
    pub workspace: WorkspaceKey,
    /// The kind of session.
    pub kind: SessionKind,
    /// The place among those of the kind.
    pub place: u32,
}

impl LatestEndedQuery {
    /// The time, if there are so many sessions. For stores without a database.
    pub fn find(&self, rows: impl IntoIterator<Item = SessionRow>) -> Option<Timestamp> {
        let is_one = |row: &SessionRow| {
            row.workspace == self.workspace && row.kind == self.kind && row.standing == Standing::Ended
        };
        let ended = rows.into_iter().filter(is_one);
        let mut at: Vec<Timestamp> = ended.map(|row| row.last_activity).collect();
        at.sort_unstable_by(|one, other| other.cmp(one));
        at.get((self.place as usize).checked_sub(1)?).copied()
    }
}

/// The entries of a session's log, and what they name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogExtent {
    /// The sequence of the first entry; 0 without entries.
    pub first: u64,
    /// The sequence of the last entry; 0 without entries.
    pub last: u64,
    /// The bytes of all entries, as stored.
    pub bytes: u64,
    /// The number of prompt prefixes that the session names ([`WorkspaceCommit::prefixes`]), as far as it is noted.
    pub prefixes: u64,
}

impl RetentionRows {
    /// Gives a stored entry of the workspace its new body, if it has one. For stores without a database, as the other
    /// methods.
    pub fn rewrite(&self, row: &mut LogRow) {
        if let Some(new) = self.rewritten.iter().find(|new| new.seq == row.seq) {
            row.body.clone_from(&new.body);
        }
    }

    /// Whether a stored entry of the workspace stays.
    pub fn keeps_entry(&self, row: &LogRow) -> bool {
        !self.trims(&row.session, row.sequence)
    }

    /// Whether a stored ledger row of the workspace stays.
    pub fn keeps_call(&self, row: &CallRow) -> bool {
        let is_it = |call: &RemovedCallRow| {
            call.session == row.session && call.sequence == row.sequence && call.ordinal == row.ordinal
        };
        let is_removed = self.calls.iter().any(is_it);
        !is_removed && !self.trims(&row.session, row.sequence)
    }

    fn trims(&self, session: &SessionId, sequence: u64) -> bool {
        self.trimmed.iter().any(|trimmed| trimmed.session == *session && sequence <= trimmed.through)
    }
}

/// What was removed from the sessions of a store without a database.
#[derive(Clone, Debug, Default)]
pub struct MemoryRetentionTable(BTreeMap<(SessionId, RetentionMarkKind), u64>);

impl MemoryRetentionTable {
    /// Restores the table from saved marks, in any order.
    pub fn load(rows: impl IntoIterator<Item = RetentionMarkRow>) -> Self {
        let placed = |RetentionMarkRow { session, kind, through }| ((session, kind), through);
        Self(rows.into_iter().map(placed).collect())
    }

    /// All marks, for saving.
    pub fn rows(&self) -> impl Iterator<Item = RetentionMarkRow> {
        let mark = |((session, kind), through): (&(SessionId, RetentionMarkKind), &u64)| RetentionMarkRow {
            session: session.clone(),
            kind: *kind,
            through: *through,
        };
        self.0.iter().map(mark)
    }

    /// Applies the marks and the deleted sessions of a commit.
    pub fn apply(&mut self, commit: &WorkspaceCommit) {
        for RetentionMarkRow { session, kind, through } in &commit.retention.marks {
            self.0.insert((session.clone(), *kind), *through);
        }
        for (deleted, _) in &commit.deleted {
            self.0.retain(|(session, _), _| session != deleted);
        }
    }

    /// The sequence up to which something was removed from a session; 0 if nothing was.
    pub fn removed(&self, session: &SessionId, kind: RetentionMarkKind) -> u64 {
        self.0.get(&(session.clone(), kind)).copied().unwrap_or_default()
    }
}
