//! Costs of attempts in memory, for stores without a database.

use std::collections::BTreeMap;

use entracte_domain::id::{RoundAttempt, SessionId, WorkspaceKey};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::{
    AttemptCostRow, AttemptReservation, CostCursor, CostFilter, CostInitiator, CostPage, CostSum, CostSumBy,
    CostSumKey, DetachedCostsRow, QUARTER_HOUR, ReservationSums, SessionRow, StoreError, WorkspaceCommit,
};

/// The attempts of all workspaces, by session and number. Sessions are in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct MemoryCostTable(BTreeMap<(WorkspaceKey, SessionId, RoundAttempt), AttemptCostRow>);

impl MemoryCostTable {
    /// Restores the table from saved attempts, in any order, each with its workspace. Those of deleted sessions have an
    /// empty session id.
    pub fn load(rows: impl IntoIterator<Item = (WorkspaceKey, AttemptCostRow)>) -> Self {
        let placed =
            |(key, row): (WorkspaceKey, AttemptCostRow)| ((key, row.session.clone(), row.number), row);
        Self(rows.into_iter().map(placed).collect())
    }

    /// All attempts with their workspaces, for saving.
    pub fn rows(&self) -> impl Iterator<Item = (&WorkspaceKey, &AttemptCostRow)> {
        self.0.iter().map(|((key, ..), row)| (key, row))
    }

    /// Applies the attempts and the deleted sessions of a commit.
    pub fn apply(&mut self, commit: &WorkspaceCommit) {
        let key = &commit.workspace.key;
        for row in &commit.costs {
            self.put(key, row);
        }
        for (session, number) in &commit.withdrawn_costs {
            self.0.remove(&(key.clone(), session.clone(), *number));
        }
        for DetachedCostsRow { session, attempts } in &commit.retention.detached_costs {
            let of_session = self.0.keys().filter(|(workspace, of, _)| workspace == key && of == session);
            let last = of_session.map(|(.., number)| number.round).nth(attempts.saturating_sub(1) as usize);
            self.detach_rounds(key, session, last.unwrap_or(u32::MAX));
        }
        for (deleted, _) in &commit.deleted {
            if commit.retention.kept_costs.contains(deleted) {
                self.detach_rounds(key, deleted, u32::MAX);
            }
            self.0.retain(|(workspace, session, _), _| workspace != key || session != deleted);
        }
    }

    /// Writes an attempt; a stored one takes over what its reply brought only.
    fn put(&mut self, key: &WorkspaceKey, row: &AttemptCostRow) {
        let place = (key.clone(), row.session.clone(), row.number);
        if let Some(stored) = self.0.get_mut(&place) {
            stored.usage = row.usage;
            stored.reservation = stored.reservation.map(|reserved| reserved.after(&row.usage));
            // Usage that is stated later leaves the commands of the reply.
            if !row.commands.is_empty() {
                stored.commands.clone_from(&row.commands);
            }
            return;
        }
        let begin = (key.clone(), row.session.clone(), RoundAttempt::default());
        let first = self
            .0
            .range(begin..)
            .next()
            .filter(|((workspace, session, _), _)| workspace == key && *session == row.session);
        let person = first.map_or_else(|| row.person.clone(), |(_, first)| first.person.clone());
        self.0.insert(place, AttemptCostRow { person, ..row.clone() });
    }

    /// Keeps the attempts of a session that goes, up to a round, as further rounds of the sessions that are gone, which
    /// have no id.
    fn detach_rounds(&mut self, key: &WorkspaceKey, going: &SessionId, through: u32) {
        let gone = SessionId::new("");
        let of = |wanted: &SessionId| {
            let wanted = wanted.clone();
            move |(workspace, session, _): &(WorkspaceKey, SessionId, RoundAttempt)| {
                workspace == key && *session == wanted
            }
        };
        let last = self.0.keys().filter(|place| of(&gone)(place)).map(|(.., number)| number.round).max();
        let free = last.map_or(0, |last| last.saturating_add(1));
        let is_going =
            |place: &(WorkspaceKey, SessionId, RoundAttempt)| of(going)(place) && place.2.round <= through;
        let places: Vec<_> = self.0.keys().filter(|place| is_going(place)).cloned().collect();
        let first = places.first().map_or(0, |(.., number)| number.round);
        for place in places {
            let Some(row) = self.0.remove(&place) else { continue };
            let round = (row.number.round - first).saturating_add(free);
            let number = RoundAttempt { round, ..row.number };
            let reservation = row.reservation.map(AttemptReservation::orphaned);
            let row = AttemptCostRow { session: gone.clone(), number, reservation, ..row };
            self.0.insert((key.clone(), gone.clone(), number), row);
        }
    }

    /// The sums of a filter; `session` finds the row of a session by its id.
    ///
    /// # Errors
    /// [`StoreError::Inconsistent`] when the cursor is none of this table.
    pub fn sums<'a>(
        &self,
        filter: &CostFilter,
        session: impl Fn(&SessionId) -> Option<&'a SessionRow>,
    ) -> Result<CostPage, StoreError> {
        let wrong = |cursor: &CostCursor| StoreError::Inconsistent(format!("the cursor {}", cursor.0));
        let skipped =
            filter.after.as_ref().map(|cursor| cursor.0.parse::<usize>().map_err(|_| wrong(cursor)));
        let skipped = skipped.transpose()?.unwrap_or(0);
        let mut sums: BTreeMap<CostSumKey, (u64, Usage, ReservationSums)> = BTreeMap::new();
        for row in self.0.iter().filter(|((key, ..), _)| *key == filter.workspace).map(|(_, row)| row) {
            for key in row.sum_keys(filter) {
                // A session above may be gone.
                let is_there = key.session().is_none_or(|of| *of == row.session || session(of).is_some());
                if is_there || filter.by != CostSumBy::Session {
                    let (attempts, usage, reservations) = sums.entry(key).or_default();
                    *attempts += 1;
                    usage.add(row.usage);
                    reservations.add(row.reservation_sums());
                }
            }
        }
        let count = sums.len();
        let name = |key: &CostSumKey| Some(session(key.session()?)?.name.clone());
        let sum = |(key, (attempts, usage, reservations))| CostSum {
            name: name(&key),
            key,
            attempts,
            usage,
            reservations,
        };
        let sums: Vec<CostSum> =
            sums.into_iter().skip(skipped).take(filter.limit as usize).map(sum).collect();
        let read = skipped + sums.len();
        Ok(CostPage { sums, next: (read < count).then(|| CostCursor(read.to_string())) })
    }
}

impl AttemptCostRow {
    /// The keys of the sums of a filter that the attempt belongs to; none if the filter leaves it out.
    pub fn sum_keys(&self, filter: &CostFilter) -> Vec<CostSumKey> {
        let is_in_tree =
            |session: &SessionId| filter.tree.as_ref().is_none_or(|root| session.is_in_tree_of(root));
        let is_within = filter.session.as_ref().is_none_or(|only| self.session == *only)
            && is_in_tree(&self.session)
            && filter.initiator.as_ref().is_none_or(|initiator| self.initiator() == *initiator)
            && filter.since.is_none_or(|since| self.at >= since)
            && filter.until.is_none_or(|until| self.at < until);
        match filter.by {
            _ if !is_within => Vec::new(),
            CostSumBy::Session => {
                let above = std::iter::successors(Some(self.session.clone()), SessionId::caller);
                above.filter(is_in_tree).map(CostSumKey::Session).collect()
            }
            by => vec![self.sum_key(by)],
        }
    }

    /// The person or automation that caused the attempt.
    pub fn initiator(&self) -> CostInitiator {
        match &self.automation {
            Some(automation) => CostInitiator::Automation(automation.clone()),
            None if self.person.is_empty() => CostInitiator::Unknown,
            None => CostInitiator::Person(self.person.clone()),
        }
    }

    /// The key of the sum that the attempt belongs to, as an attempt of its own session.
    fn sum_key(&self, by: CostSumBy) -> CostSumKey {
        match by {
            CostSumBy::Everything => CostSumKey::Everything,
            CostSumBy::Attempt => CostSumKey::Attempt(self.session.clone(), self.number),
            CostSumBy::Round => CostSumKey::Round(self.session.clone(), self.number.round),
            CostSumBy::Session => CostSumKey::Session(self.session.clone()),
            CostSumBy::Tree => CostSumKey::Tree(self.session.tree_root()),
            CostSumBy::Automation => CostSumKey::Automation(self.automation.clone()),
            CostSumBy::QuarterHour => {
                let length = QUARTER_HOUR.0 * 1000;
                CostSumKey::QuarterHour(Timestamp(self.at.0.div_euclid(length) * length))
            }
            CostSumBy::Model => CostSumKey::Model(self.provider.clone(), self.model.clone()),
            CostSumBy::Provider => CostSumKey::Provider(self.provider.clone()),
            CostSumBy::Initiator => CostSumKey::Initiator(self.initiator()),
            CostSumBy::CommandSet => CostSumKey::CommandSet(self.commands.clone()),
        }
    }
}

impl CostSumKey {
    /// The session of the key, if it has one.
    pub fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Attempt(session, _)
            | Self::Round(session, _)
            | Self::Session(session)
            | Self::Tree(session) => Some(session),
            Self::Everything
            | Self::Automation(_)
            | Self::QuarterHour(_)
            | Self::Model(..)
            | Self::Provider(_)
            | Self::Initiator(_)
            | Self::CommandSet(_) => None,
        }
    }
}
