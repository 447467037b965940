//! The attempts of model calls that a turn starts and ends, as rows of its commit.

use std::collections::BTreeMap;

use entracte_domain::id::{RoundAttempt, SessionId};
use entracte_domain::session::{Input, LogAppend, SessionFacts};
use entracte_domain::time::Timestamp;
use entracte_domain::usage::Usage;

use crate::attempt_costs::{
    AttemptCostEvent, UNKNOWN, cost_event, first_person, requested_commands, started_attempts,
};
use crate::ports::AttemptCostRow;
use crate::protocol::relay;

/// The changed attempts of a turn; `None` for one whose request was not sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnCostDraft(BTreeMap<(SessionId, RoundAttempt), Option<AttemptCostRow>>);

/// What is known of an attempt: all of it once its reply has arrived.
struct AttemptOutcome {
    usage: Usage,
    commands: String,
}

impl TurnCostDraft {
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
                self.0.insert((facts.id.clone(), number), None);
            }
            Some(AttemptCostEvent::Copied) => self.remove_session(&facts.id),
            None => {}
        }
    }

    /// Records the attempts that an input started. `facts` are those after the input.
    pub(crate) fn record_starts(&mut self, facts: &SessionFacts, appended: &[LogAppend], now: Timestamp) {
        for number in started_attempts(appended) {
            self.put(facts, number, now, AttemptOutcome { usage: UNKNOWN, commands: String::new() });
        }
    }

    /// Removes the attempts of a session.
    pub(crate) fn remove_session(&mut self, session: &SessionId) {
        self.0.retain(|(of, _), _| of != session);
    }

    /// The attempts to write; a stored one keeps all but what its reply brought.
    pub(crate) fn rows(&self) -> Vec<AttemptCostRow> {
        self.0.values().flatten().cloned().collect()
    }

    /// The attempts to delete.
    pub(crate) fn withdrawn(&self) -> Vec<(SessionId, RoundAttempt)> {
        self.0.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| key.clone()).collect()
    }

    fn put(&mut self, facts: &SessionFacts, number: RoundAttempt, at: Timestamp, outcome: AttemptOutcome) {
        // Rounds that only repeat calls make no model call.
        if relay::is_relay(&facts.provider) {
            return;
        }
        let AttemptOutcome { usage, commands } = outcome;
        let drafted = self.0.entry((facts.id.clone(), number)).or_insert(None);
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
