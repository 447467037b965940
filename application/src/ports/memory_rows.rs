//! Shared checks, filters and sort orders of stores, for stores without a database.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use entracte_domain::id::{SessionId, WorkspaceKey};
use entracte_domain::session::{PhaseLabel, Standing};
use entracte_domain::time::Timestamp;

use super::{
    CallRow, CommitError, LogRow, MailId, MailRow, ResourceChange, ResourceFilter, ResourceRow,
    SessionFilter, SessionRow, StoreError, WaitCondition, WakeSchedule, WorkspaceCommit, WorkspaceRow,
};

/// The resource rows of one workspace, by kind and id.
pub type MemoryResourceTable = BTreeMap<(String, String), ResourceRow>;

/// Checks that a row has the expected version; `None` means no row.
///
/// # Errors
/// [`CommitError::Conflict`] with the expected and the stored version.
pub fn expect_version(
    what: &str,
    key: &str,
    expected: Option<u64>,
    found: Option<u64>,
) -> Result<(), CommitError> {
    let word = |number: Option<u64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
    match expected == found {
        true => Ok(()),
        false => Err(CommitError::Conflict(format!(
            "{what} {key} (expected {}, found {})",
            word(expected),
            word(found)
        ))),
    }
}

/// Checks that a session's row has the expected sequence.
///
/// # Errors
/// Same as [`expect_version`].
pub fn expect_sequence(
    id: &SessionId,
    expected: Option<u64>,
    stored: Option<&SessionRow>,
) -> Result<(), CommitError> {
    expect_version("session", id.as_str(), expected, stored.map(|row| row.sequence))
}

impl WorkspaceCommit {
    /// Checks that the commit continues from the stored workspace row and is consistent in itself: its entries and
    /// then its changes are numbered without a gap, the workspace ends at the last number, and its sessions belong to
    /// its workspace.
    ///
    /// # Errors
    /// [`CommitError::NotOwner`] when the row has a later epoch; [`CommitError::Conflict`] when it has another `seq`;
    /// [`StoreError::Inconsistent`] with the reason when the commit itself is wrong.
    pub fn check(&self, stored: Option<&WorkspaceRow>) -> Result<(), CommitError> {
        self.check_numbers()?;
        let key = &self.workspace.key;
        if let Some((row, _)) = self.sessions.iter().find(|(row, _)| row.workspace != *key) {
            return Err(
                refused(format!("session {} of {} in a commit of {key}", row.id, row.workspace)).into()
            );
        }
        if let Some(row) = stored.filter(|row| row.epoch > self.workspace.epoch) {
            return Err(self.not_owner_error(row.epoch));
        }
        expect_version("workspace", key.as_str(), self.expected_seq, stored.map(|row| row.seq))
    }

    /// The error for a commit when the workspace's row has this later epoch.
    pub fn not_owner_error(&self, found: u64) -> CommitError {
        let WorkspaceRow { key, epoch, .. } = &self.workspace;
        CommitError::NotOwner(format!("workspace {key} was taken by epoch {found}, after epoch {epoch}"))
    }

    fn check_numbers(&self) -> Result<(), StoreError> {
        let mut seq = self.expected_seq.unwrap_or(0);
        for row in &self.log {
            seq += 1;
            if row.seq != seq {
                return Err(refused(format!("log entry {}, expected {seq}", row.seq)));
            }
        }
        for (row, _) in &self.changes {
            seq += 1;
            if row.seq != seq {
                return Err(refused(format!("change {}, expected {seq}", row.seq)));
            }
        }
        match self.workspace.seq == seq {
            true => Ok(()),
            false => Err(refused(format!("seq {}, but the log ends at {seq}", self.workspace.seq))),
        }
    }
}

impl SessionRow {
    /// Whether a starting process must examine the session: it has work, or one of its deadlines may be due early,
    /// because the last input lies in the future: the clock was set back, perhaps before the instant at which the
    /// deadline was set ([`Deadline::is_due`]).
    ///
    /// [`Deadline::is_due`]: entracte_domain::time::Deadline::is_due
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.has_work(now) || (self.wake_at.is_some() && now < self.last_activity)
    }

    /// Whether the session certainly has work: it is working, or a deadline has passed.
    pub fn has_work(&self, now: Timestamp) -> bool {
        self.working || self.wake_at.is_some_and(|at| at <= now)
    }

    /// Whether the session waits for `what`.
    pub fn waits_for(&self, what: WaitCondition) -> bool {
        self.placed
            && match what {
                WaitCondition::Slot => WaitCondition::STANDINGS.contains(&self.standing),
                WaitCondition::Network => self.phase == WaitCondition::PHASE,
            }
    }
}

impl WaitCondition {
    /// The standings that wait for a slot.
    pub const STANDINGS: [Standing; 2] = [Standing::Queued, Standing::Suspended];

    /// The phase label of sessions that wait for the network.
    pub const PHASE: PhaseLabel = PhaseLabel::WaitingNetworkRetry;
}

impl WakeSchedule {
    /// Builds the wake schedule of these instants at `now`.
    pub fn from_instants<'a>(
        instants: impl IntoIterator<Item = (&'a WorkspaceKey, Timestamp)>,
        now: Timestamp,
    ) -> Self {
        let (mut due, mut next) = (BTreeSet::new(), None::<Timestamp>);
        for (key, at) in instants {
            if at <= now {
                due.insert(key);
            } else {
                next = Some(next.map_or(at, |next| next.min(at)));
            }
        }
        Self { due: due.into_iter().cloned().collect(), next }
    }
}

impl LogRow {
    /// Checks that the entry can be appended: none of these entries is the same input, or the same message, of its
    /// session.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] with the entry's number.
    pub fn expect_new<'a>(&self, log: impl IntoIterator<Item = &'a Self>) -> Result<(), CommitError> {
        let is_same_message = |other: &Self| self.client_key.is_some() && self.client_key == other.client_key;
        let excludes = |other: &Self| {
            self.session == other.session && (self.sequence == other.sequence || is_same_message(other))
        };
        match log.into_iter().any(excludes) {
            false => Ok(()),
            true => {
                let (session, sequence) = (&self.session, self.sequence);
                Err(conflict(format!("log entry {} of session {session} (input {sequence})", self.seq)))
            }
        }
    }
}

impl CallRow {
    /// The position of the call: its session, the number of the input that requested it, its index in the reply.
    pub fn log_position(&self) -> (SessionId, u64, u32) {
        (self.session.clone(), self.sequence, self.ordinal)
    }

    /// Checks that the row may replace the stored one: they have the same position in the same reply, so they are the
    /// same call.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] with the id of the call.
    pub fn expect_same(&self, stored: Option<&Self>) -> Result<(), StoreError> {
        match stored {
            Some(other) if other.id != self.id => {
                Err(refused(format!("call {} would replace another call", self.id)))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl ResourceChange {
    /// Applies the change to the rows of its workspace; after an error they may be partly changed.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when a row has another version, exists already, or its parent is missing.
    pub fn apply(self, rows: &mut MemoryResourceTable) -> Result<(), CommitError> {
        match self {
            Self::Create(row) => {
                let key = (row.kind.clone(), row.id.clone());
                if rows.contains_key(&key) {
                    return Err(conflict(format!("{} {} (already exists)", row.kind, row.id)));
                }
                expect_parent(rows, &row)?;
                rows.insert(key, row);
            }
            Self::Update { row, expected } => {
                expect_parent(rows, &row)?;
                let key = (row.kind.clone(), row.id.clone());
                let found = rows.get(&key).map(|row| row.version);
                expect_version(&row.kind, &row.id, Some(expected), found)?;
                rows.insert(key, row);
            }
            Self::Delete { kind, id, expected } => {
                let key = (kind, id);
                let found = rows.get(&key).map(|row| row.version);
                expect_version(&key.0, &key.1, Some(expected), found)?;
                delete_tree(rows, &key.0, &key.1);
            }
        }
        Ok(())
    }
}

fn expect_parent(rows: &MemoryResourceTable, row: &ResourceRow) -> Result<(), CommitError> {
    match (&row.parent_kind, &row.parent) {
        (None, None) => Ok(()),
        (Some(kind), Some(id)) if rows.contains_key(&(kind.clone(), id.clone())) => Ok(()),
        (Some(kind), Some(id)) => Err(conflict(format!("{kind} {id} (no longer exists)"))),
        _ => Err(refused(format!("{} {}: incomplete parent", row.kind, row.id)).into()),
    }
}

fn delete_tree(rows: &mut MemoryResourceTable, kind: &str, id: &str) {
    let mut gone = vec![(kind.to_owned(), id.to_owned())];
    while let Some(key) = gone.pop() {
        rows.remove(&key);
        let lives_here = |row: &&ResourceRow| {
            row.parent_kind.as_ref() == Some(&key.0) && row.parent.as_ref() == Some(&key.1)
        };
        gone.extend(rows.values().filter(lives_here).map(|row| (row.kind.clone(), row.id.clone())));
    }
}

impl SessionFilter {
    /// The rows that match the filter, in its order, up to its limit.
    pub fn select_matching<'a>(&self, rows: impl IntoIterator<Item = &'a SessionRow>) -> Vec<SessionRow> {
        let rank = |row: &SessionRow| match (row.waiting, row.standing == Standing::Ended) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        let passes = |row: &&SessionRow| {
            self.workspace.as_ref().is_none_or(|key| row.workspace == *key)
                && (!self.waiting || row.waiting)
                && (!self.open || row.standing != Standing::Ended)
        };
        let mut found: Vec<SessionRow> = rows.into_iter().filter(passes).cloned().collect();
        found.sort_by_key(|row| (rank(row), Reverse(row.last_activity)));
        if self.limit > 0 {
            found.truncate(self.limit as usize);
        }
        found
    }
}

impl ResourceFilter {
    /// The rows that match the filter, in its order: the page selected by its limit and offset.
    pub fn select_matching<'a>(&self, rows: impl IntoIterator<Item = &'a ResourceRow>) -> Vec<ResourceRow> {
        let mut found: Vec<&ResourceRow> = rows.into_iter().filter(|row| self.matches_row(row)).collect();
        found.sort_by(|a, b| (a.at, &a.name, &a.id).cmp(&(b.at, &b.name, &b.id)));
        let most = self.limit.map_or(usize::MAX, |limit| limit as usize);
        found.into_iter().skip(self.offset as usize).take(most).cloned().collect()
    }

    fn matches_row(&self, row: &ResourceRow) -> bool {
        row.kind == self.kind
            && self.parent.as_ref().is_none_or(|parent| row.parent.as_ref() == Some(parent))
            && self.from.is_none_or(|from| row.at.is_some_and(|at| at >= from))
            && self.until.is_none_or(|until| row.at.is_some_and(|at| at < until))
    }
}

/// Mail and its answers in memory, ordered by number; numbers are never reused.
#[derive(Clone, Debug, Default)]
pub struct MemoryMailTable {
    rows: BTreeMap<MailId, (MailRow, Option<Vec<u8>>)>,
    last: i64,
}

impl MemoryMailTable {
    /// Restores the table from saved mail: each item with its answer, and the last number ever assigned.
    pub fn load(rows: impl IntoIterator<Item = (MailRow, Option<Vec<u8>>)>, last: MailId) -> Self {
        let rows: BTreeMap<_, _> = rows.into_iter().map(|(row, answer)| (row.id, (row, answer))).collect();
        let highest = rows.keys().next_back().map_or(0, |id| id.0);
        Self { rows, last: last.0.max(highest) }
    }

    /// All mail with its answers, in number order, for saving.
    pub fn rows(&self) -> impl Iterator<Item = (&MailRow, Option<&[u8]>)> {
        self.rows.values().map(|(row, answer)| (row, answer.as_deref()))
    }

    /// The number of the last posted item, for saving beside the rows: that item may have been deleted.
    pub fn last(&self) -> MailId {
        MailId(self.last)
    }

    /// Stores a mail item; returns its number.
    pub fn post(&mut self, workspace: WorkspaceKey, body: Vec<u8>, posted_at: Timestamp) -> MailId {
        self.last += 1;
        let id = MailId(self.last);
        self.rows.insert(id, (MailRow { id, workspace, body, posted_at }, None));
        id
    }

    /// The unanswered mail.
    pub fn unanswered(&self) -> Vec<MailRow> {
        self.rows.values().filter(|(_, answer)| answer.is_none()).map(|(row, _)| row.clone()).collect()
    }

    /// The answer to a mail item of this workspace.
    pub fn answer(&self, workspace: &WorkspaceKey, id: MailId) -> Option<Vec<u8>> {
        let (_, answer) = self.rows.get(&id).filter(|(row, _)| row.workspace == *workspace)?;
        answer.clone()
    }

    /// Records the answer to unanswered mail.
    ///
    /// # Errors
    /// [`CommitError::Conflict`] when this workspace has no such mail, it was withdrawn, or it is answered already:
    /// the first answer is final.
    pub fn record_answer(
        &mut self,
        workspace: &WorkspaceKey,
        id: MailId,
        answer: Vec<u8>,
    ) -> Result<(), CommitError> {
        match self.rows.get_mut(&id) {
            Some((row, slot @ None)) if row.workspace == *workspace => {
                *slot = Some(answer);
                Ok(())
            }
            _ => Err(conflict(format!("mail {} (withdrawn or already answered)", id.0))),
        }
    }

    /// Deletes a mail item of this workspace that its sender withdraws, unless it is answered already.
    pub fn withdraw(&mut self, workspace: &WorkspaceKey, id: MailId) {
        let is_it = |row: &MailRow| row.id == id && row.workspace == *workspace;
        self.rows.retain(|_, (row, answer)| answer.is_some() || !is_it(row));
    }

    /// Deletes answered mail posted before `before`.
    pub fn delete_answered_before(&mut self, before: Timestamp) {
        self.rows.retain(|_, (row, answer)| answer.is_none() || row.posted_at >= before);
    }
}

fn conflict(text: String) -> CommitError {
    CommitError::Conflict(text)
}

fn refused(text: String) -> StoreError {
    StoreError::Inconsistent(text)
}
