//! What the attempts of a workspace reserve of its caps, as a turn leaves it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::{Phase, Round, SummaryMethod};
use entracte_domain::spending::{SpendingAmount, SpendingTotals};

use crate::ports::{AttemptCostRow, CostFilter, CostInitiator, ReservationSums};

/// An attempt of a model call: its session and number.
pub(crate) type AttemptKey = (SessionId, RoundAttempt);

/// The attempts under way that reserved something, as they started.
pub(crate) type OpenReservations = BTreeMap<AttemptKey, AttemptCostRow>;

/// The attempts that a turn changes; `None` for one whose request was not sent.
pub(crate) type ChangedAttempts = BTreeMap<AttemptKey, Option<AttemptCostRow>>;

/// What is used of caps, by the attempts that they apply to, as committed.
pub(crate) type KnownSpending = HashMap<CostFilter, SpendingTotals>;

/// The person or automation of the first attempt of sessions, as far as that was read: their later attempts count for it, too.
pub(crate) type KnownInitiators = HashMap<SessionId, CostInitiator>;

/// The reservations of a turn.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnSpendingDraft {
    /// Shared, because a turn copies its draft before each input, and few inputs change a reservation.
    open: Arc<OpenReservations>,
    /// Those of `open` that this turn made: not stored yet.
    made: BTreeSet<AttemptKey>,
    /// Stored ones whose attempts this turn ended.
    ended: OpenReservations,
}

/// The attempt of a phase that is, or is about to be, sent to a model.
pub(crate) fn open_attempt(phase: &Phase) -> Option<RoundAttempt> {
    let started = |round: &Round| round.started_at.map(|_| round.current_attempt());
    match phase {
        Phase::CallingAi(round) => started(round),
        Phase::CompactingContext { round, summing } => match summing.method {
            SummaryMethod::Patch | SummaryMethod::Words => started(round),
            SummaryMethod::Mechanical => None,
        },
        _ => None,
    }
}

impl TurnSpendingDraft {
    /// Begins with the committed reservations.
    pub(crate) fn new(open: OpenReservations) -> Self {
        Self { open: Arc::new(open), ..Self::default() }
    }

    /// Takes over the reservation of an attempt that starts.
    pub(crate) fn make(&mut self, row: AttemptCostRow) {
        let key = (row.session.clone(), row.number);
        self.made.insert(key.clone());
        Arc::make_mut(&mut self.open).insert(key, row);
    }

    /// Ends an attempt; whether it had reserved something.
    pub(crate) fn end(&mut self, key: &AttemptKey) -> bool {
        if !self.open.contains_key(key) {
            return false;
        }
        let Some(row) = Arc::make_mut(&mut self.open).remove(key) else { return false };
        // One that this turn started was not sent.
        if !self.made.remove(key) {
            self.ended.insert(key.clone(), row);
        }
        true
    }

    /// Whether the attempt is under way and reserved something.
    pub(crate) fn is_open(&self, key: &AttemptKey) -> bool {
        self.open.contains_key(key)
    }

    /// Removes the attempts of a session.
    pub(crate) fn remove_session(&mut self, session: &SessionId) {
        Arc::make_mut(&mut self.open).retain(|(of, _), _| of != session);
        self.made.retain(|(of, _)| of != session);
    }

    /// What is used of a cap on the attempts of a filter, after these changes of this turn; `stored` is what was used before
    /// it.
    pub(crate) fn totals(
        &self,
        filter: &CostFilter,
        stored: SpendingTotals,
        changed: &ChangedAttempts,
    ) -> SpendingTotals {
        let counts = |row: &AttemptCostRow| !row.sum_keys(filter).is_empty();
        let mut totals = stored;
        for (key, row) in self.ended.iter().filter(|(_, row)| counts(row)) {
            let amount = reserved(row);
            totals.reserved = totals.reserved.minus(amount);
            match changed.get(key) {
                Some(Some(outcome)) => {
                    totals.spent = totals.spent.plus(SpendingAmount::from_usage(&outcome.usage));
                    totals.uncertain = totals.uncertain.plus(settled(row, outcome).uncertain);
                }
                // Its request was not sent.
                Some(None) => {}
                None => totals.uncertain = totals.uncertain.plus(amount),
            }
        }
        let made = self.made.iter().filter_map(|key| self.open.get(key)).filter(|row| counts(row));
        totals.reserved = made.map(reserved).fold(totals.reserved, SpendingAmount::plus);
        let others = self.unreserved(changed).filter(|row| counts(row));
        let spent = others.map(|row| SpendingAmount::from_usage(&row.usage));
        totals.spent = spent.fold(totals.spent, SpendingAmount::plus);
        totals
    }

    /// The changed attempts without a reservation that memory knows: they started before a cap was set, or before this
    /// process.
    pub(crate) fn unreserved<'a>(
        &'a self,
        changed: &'a ChangedAttempts,
    ) -> impl Iterator<Item = &'a AttemptCostRow> {
        let is_known = |key: &AttemptKey| self.ended.contains_key(key) || self.open.contains_key(key);
        changed.iter().filter(move |(key, _)| !is_known(key)).filter_map(|(_, row)| row.as_ref())
    }

    /// The attempts of this turn that used more than they had reserved, each with its surplus.
    pub(crate) fn overruns<'a>(
        &'a self,
        changed: &'a ChangedAttempts,
    ) -> impl Iterator<Item = (&'a AttemptKey, SpendingAmount)> {
        self.ended.iter().filter_map(move |(key, row)| {
            let surplus = settled(row, changed.get(key)?.as_ref()?).overrun;
            (surplus != SpendingAmount::ZERO).then_some((key, surplus))
        })
    }

    /// The reservations that memory takes over.
    pub(crate) fn into_open(self) -> OpenReservations {
        Arc::unwrap_or_clone(self.open)
    }
}

fn reserved(row: &AttemptCostRow) -> SpendingAmount {
    row.reservation.map_or(SpendingAmount::ZERO, |reservation| reservation.amount)
}

/// What became of the reservation of an attempt that ended like this.
fn settled(row: &AttemptCostRow, outcome: &AttemptCostRow) -> ReservationSums {
    let usage = &outcome.usage;
    row.reservation.map(|reservation| reservation.after(usage).sums(usage)).unwrap_or_default()
}
