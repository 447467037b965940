//! The attempts of model calls that a turn starts and ends, as rows of its commit.

use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::{Input, LogAppend, SessionFacts};
use entracte_domain::spending::{SpendingAmount, SpendingTotals};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use super::spending_draft::{ChangedAttempts, KnownSpending, OpenReservations, TurnSpendingDraft};
use crate::attempt_costs::{
    AttemptCostEvent, UNKNOWN, cost_event, first_person, requested_commands, started_attempts,
};
use crate::ports::{AttemptCostRow, AttemptReservation, CostFilter, CostInitiator};
use crate::protocol::relay;

/// The changed attempts of a turn, and what attempts reserve.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnCostDraft {
    changed: ChangedAttempts,
    reservations: TurnSpendingDraft,
}

/// The most caps of which memory knows what is used, those of single sessions among them.
const KNOWN_MAX: usize = 1_000;

/// What is known of an attempt: all of it once its reply has arrived.
struct AttemptOutcome {
    usage: Usage,
    commands: String,
}

impl AttemptOutcome {
    /// No reply has arrived.
    const UNKNOWN: Self = Self { usage: UNKNOWN, commands: String::new() };
}

impl TurnCostDraft {
    /// Begins with the committed reservations.
    pub(crate) fn new(open: OpenReservations) -> Self {
        Self { reservations: TurnSpendingDraft::new(open), ..Self::default() }
    }

    /// Records what an input says about attempts that began before it. `facts` are those before the input: the attempt
    /// was sent to the model of that time.
    pub(crate) fn record_end(&mut self, facts: &SessionFacts, input: &Input, now: Timestamp) {
        match cost_event(input) {
            Some(AttemptCostEvent::Ended(number, usage)) => {
                let outcome =
                    AttemptOutcome { usage: usage.unwrap_or(UNKNOWN), commands: requested_commands(input) };
                self.put(facts, number, now, outcome);
            }
            Some(AttemptCostEvent::NotSent(number)) => {
                let key = (facts.id.clone(), number);
                // A summary has a row only if it reserved something.
                if self.reservations.is_open(&key) || !matches!(input, Input::ContextCompacted { .. }) {
                    self.changed.insert(key, None);
                }
            }
            Some(AttemptCostEvent::Copied) => self.remove_session(&facts.id),
            None => {}
        }
    }

    /// Records the attempts that an input started. `facts` are those after the input.
    pub(crate) fn record_starts(&mut self, facts: &SessionFacts, appended: &[LogAppend], now: Timestamp) {
        for number in started_attempts(appended) {
            self.put(facts, number, now, AttemptOutcome::UNKNOWN);
        }
    }

    /// Ends an attempt of which no outcome may be known: it was stopped or dropped. `facts` are those after the input.
    pub(crate) fn end_reservation(&mut self, facts: &SessionFacts, number: RoundAttempt, now: Timestamp) {
        let key = (facts.id.clone(), number);
        if !self.reservations.end(&key) {
            return;
        }
        match self.changed.get_mut(&key) {
            // One that this turn started was not sent, so it reserves nothing.
            Some(Some(row)) => row.reservation = None,
            Some(None) => {}
            None => self.put(facts, number, now, AttemptOutcome::UNKNOWN),
        }
    }

    /// Reserves for an attempt that this turn starts, on the account of this person or automation.
    pub(crate) fn reserve(
        &mut self,
        facts: &SessionFacts,
        number: RoundAttempt,
        amount: SpendingAmount,
        initiator: CostInitiator,
        now: Timestamp,
    ) {
        // No attempt of a summary has an entry for its start, and so no row yet.
        self.put(facts, number, now, AttemptOutcome::UNKNOWN);
        let Some(Some(row)) = self.changed.get_mut(&(facts.id.clone(), number)) else { return };
        row.reservation = Some(AttemptReservation::new(amount));
        let mut row = row.clone();
        if let CostInitiator::Person(person) = initiator {
            row.person = person;
        }
        self.reservations.make(row);
    }

    /// The usage of an attempt that this turn changes, if it does.
    pub(crate) fn changed_usage(&self, session: &SessionId, number: RoundAttempt) -> Option<Usage> {
        self.changed.get(&(session.clone(), number))?.as_ref().map(|row| row.usage)
    }

    /// What is used of a cap on the attempts of a filter, with those of this turn; `stored` is what was used before it.
    pub(crate) fn spending_totals(&self, filter: &CostFilter, stored: SpendingTotals) -> SpendingTotals {
        self.reservations.totals(filter, stored, &self.changed)
    }

    /// Brings what is known of caps up to this turn, once it is committed. What cannot be told from memory is forgotten, and
    /// read again when it is needed.
    pub(crate) fn update_known_spending(&self, known: &mut KnownSpending) {
        let is_untold = self.reservations.unreserved(&self.changed).next().is_some();
        if is_untold || known.len() > KNOWN_MAX {
            known.clear();
            return;
        }
        for (filter, totals) in known {
            *totals = self.spending_totals(filter, *totals);
        }
    }

    /// Logs the attempts that used more than they had reserved.
    pub(crate) fn log_overruns(&self) {
        for ((session, number), surplus) in self.reservations.overruns(&self.changed) {
            let (round, attempt) = (number.round, number.attempt);
            let (tokens, usd) = (surplus.tokens, surplus.cost);
            tracing::warn!(%session, round, attempt, tokens, %usd, "a model call used more than it had reserved");
        }
    }

    /// The reservations that memory takes over.
    pub(crate) fn into_open_reservations(self) -> OpenReservations {
        self.reservations.into_open()
    }

    /// Removes the attempts of a session.
    pub(crate) fn remove_session(&mut self, session: &SessionId) {
        self.changed.retain(|(of, _), _| of != session);
        self.reservations.remove_session(session);
    }

    /// The attempts to write; a stored one keeps all but what its reply brought.
    pub(crate) fn rows(&self) -> Vec<AttemptCostRow> {
        self.changed.values().flatten().cloned().collect()
    }

    /// The attempts to delete.
    pub(crate) fn withdrawn(&self) -> Vec<(SessionId, RoundAttempt)> {
        self.changed.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| key.clone()).collect()
    }

    fn put(&mut self, facts: &SessionFacts, number: RoundAttempt, at: Timestamp, outcome: AttemptOutcome) {
        // Rounds that only repeat calls make no model call.
        if relay::is_relay(&facts.provider) {
            return;
        }
        let AttemptOutcome { usage, commands } = outcome;
        let drafted = self.changed.entry((facts.id.clone(), number)).or_insert(None);
        match drafted {
            Some(row) => (row.usage, row.commands) = (usage, commands),
            None => {
                *drafted = Some(AttemptCostRow {
                    session: facts.id.clone(),
                    number,
                    at,
                    automation: facts.automation.clone(),
                    provider: facts.provider.clone(),
                    model: facts.model.clone(),
                    person: match facts.automation {
                        Some(_) => String::new(),
                        None => first_person(&facts.asked_by),
                    },
                    commands,
                    usage,
                    reservation: None,
                });
            }
        }
    }
}
